import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, it } from 'vitest';
import { compileProgram } from '../support/fakes/compiled-program.ts';

const cases: readonly [kind: string, wanted: string, status: number, output: RegExp][] = [
  ['good', '', 0, /2 of 2 checks are ok/],
  ['bad', '', 1, /FAILED .* bad: it is wrong\n(.*\n)*1 of 2 checks are ok/],
  ['bad', 'last', 0, /1 of 1 checks are ok/],
  ['good', 'no-such-check', 1, /0 of 0 checks are ok/],
  ['endless', '', 1, /^$/],
];

it('interop never exits with 0 if a check has failed or has not ended', async () => {
  const program = await compileProgram('test/interop/programs/failed-check.ts');
  for (const [kind, wanted, status, output] of cases) {
    const ended = spawnSync(process.execPath, [program, kind, wanted], { encoding: 'utf8' });
    expect([kind, wanted, ended.status, ended.stderr]).toEqual([kind, wanted, status, '']);
    expect(ended.stdout).toMatch(output);
  }
});
