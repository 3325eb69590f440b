import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { exitCode } from '../../jobs/job/exit-code.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

let file: string;
let run: (...args: string[]) => ReturnType<typeof runCommand>;

beforeEach(async () => {
  const dataDir = await temporaryFolder();
  file = path.join(dataDir, 'announcements.yaml');
  run = (...args) => runCommand(['announcements', ...args], { dataDir });
});

const source = `# Fahrplanwechsel
announcements:
  - id: old # bleibt stehen
    title: Alt
    text: Nicht mehr.
    activeTo: 2026-02-01T00:00:00Z
`;

describe('announcements', () => {
  test('are added, listed and closed, and comments remain', async () => {
    await writeFile(file, source);
    const added = await run(
      'add',
      '--title',
      'Größerer Umbau: Südbahn',
      '--text',
      'Züge fahren anders.',
      '--priority',
      '5',
    );
    expect(added).toMatchObject({ code: exitCode.done, stdout: `added grosserer-umbau-sudbahn to ${file}\n` });
    expect((await run('check')).stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'ID                       STATE    PRIORITY  FROM  TO                        TITLE',
      '-----------------------  -------  --------  ----  ------------------------  -----------------------',
      'old                      expired  0               2026-02-01T00:00:00.000Z  Alt',
      'grosserer-umbau-sudbahn  active   5                                         Größerer Umbau: Südbahn',
      '',
    ]);
    expect((await run('close', 'grosserer-umbau-sudbahn')).stdout).toBe('closed grosserer-umbau-sudbahn\n');
    expect((await run('close', 'grosserer-umbau-sudbahn')).stdout).toBe(
      'grosserer-umbau-sudbahn has been closed since 2026-03-01T12:00:00.000Z\n',
    );
    expect(await readFile(file, 'utf8')).toBe(`${source}  - id: grosserer-umbau-sudbahn
    title: "Größerer Umbau: Südbahn"
    text: Züge fahren anders.
    kind: information
    priority: 5
    closedAt: 2026-03-01T12:00:00.000Z
`);
  });

  test('with one title are distinguished by a number', async () => {
    const add = async (title: string) => (await run('add', '--title', title, '--text', 'B')).stdout.split(' ')[1];
    expect(await add('Umleitung')).toBe('umleitung');
    expect(await add('Umleitung!')).toBe('umleitung-2');
    await run('close', 'umleitung');
    expect(await add('Umleitung')).toBe('umleitung-3');
    const long = 'x'.repeat(80);
    expect([await add(long), await add(long)]).toEqual(['x'.repeat(64), `${'x'.repeat(62)}-2`]);
  });

  test('start with the first', async () => {
    expect((await run('check')).stdout).toBe(`There is no announcement in ${file}.\n`);
    expect((await run('add', '--id', 'a', '--title', 'A', '--text', 'B', '--platform', 'ios', 'web')).code).toBe(0);
    expect(JSON.parse((await run('check', '--json')).stdout)).toMatchObject({
      announcements: [{ id: 'a', state: 'active', platforms: ['ios', 'web'], closedAt: null }],
      problems: [],
    });
  });

  test.each<[string, string[], string]>([
    ['an id that is taken', ['add', '--id', 'old', '--title', 'A', '--text', 'B'], 'line 7: the id "old" is taken'],
    ['an invalid time', ['add', '--title', 'A', '--text', 'B', '--to', 'tomorrow'], 'activeTo must be a time'],
    ['an unknown id', ['close', 'new'], 'there is no announcement "new"; there are old'],
  ])('with %s are rejected, and the file is unchanged', async (_what, args, message) => {
    await writeFile(file, source);
    const { code, stderr } = await run(...args);
    expect(code).not.toBe(exitCode.done);
    expect(stderr).toContain(message);
    expect(await readFile(file, 'utf8')).toBe(source);
  });

  test('of a file with an error are checked line by line, and not edited', async () => {
    await writeFile(file, `${source}    priority: high\n`);
    const message = `error: ${file}, line 7: priority must be a whole number to 100\n`;
    for (const args of [['check'], ['close', 'old'], ['add', '--title', 'A', '--text', 'B']]) {
      expect(await run(...args)).toMatchObject({ code: exitCode.failed, stderr: message });
    }
  });
});
