import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { austrianSources, renderAustria } from '../../pipeline/config/austria.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { mvoDataSets } from '../../pipeline/config/mvo-data-sets.ts';
import { type CommandSetting, runCommand, temporaryFolder } from './fake-world.ts';

const variables = { MVO_USER: 'me', MVO_PASSWORD: 'p', VAO_ENDPOINT: 'https://vao.example/mgate', VAO_KEY: 'k' };

async function init(argv: readonly string[] = [], setting: Partial<CommandSetting> = {}) {
  const cwd = setting.cwd ?? (await temporaryFolder());
  const run = await runCommand(['init', 'austria', ...argv], { dataDir: cwd, cwd, columns: 80, ...setting });
  return { ...run, cwd };
}

async function load(cwd: string, environment: Record<string, string> = {}) {
  return (await loadConfig({ environment, cwd, home: cwd })).config;
}

describe('init', () => {
  it('without an account writes the open sources, and names what an account adds', async () => {
    const { code, stdout, stderr, cwd } = await init();
    expect([code, stderr]).toEqual([0, '']);
    const { sources, realtime } = await load(cwd);
    expect(sources.map(({ id, licence }) => [id, licence])).toEqual([['wiener-linien', 'CC BY 4.0']]);
    expect(realtime.map(({ id, timetable }) => [id, timetable])).toEqual([['city_transit', 'wiener-linien']]);
    expect(stdout).toContain('Wrote taktgeber.yaml:');
    expect(stdout).toContain('taktgeber init austria --account mvo');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('with an account in the environment writes the whole country, and no secret', async () => {
    const { stdout, cwd } = await init([], {
      environment: { MVO_USER: 'me@example.org', MVO_PASSWORD: 'secret-word' },
    });
    const text = await readFile(path.join(cwd, 'taktgeber.yaml'), 'utf8');
    expect(`${text}${stdout}`).not.toMatch(/me@example|secret-word/);
    expect(stdout).not.toContain('Set these variables first');
    const { sources, realtime } = await load(cwd, variables);
    expect(sources.map((source) => source.kind === 'mvo' && source.dataSet)).toEqual(mvoDataSets.map(({ id }) => id));
    expect(realtime.map(({ id }) => id)).toEqual(['city_transit', 'stmk_gtfs_rt']);
  });

  it('names the variables of a chosen account that are not set', async () => {
    const { stdout, cwd } = await init(['--account', 'mvo', 'vao'], { environment: { MVO_USER: 'me' } });
    expect(stdout).toContain('Set these variables first: MVO_PASSWORD, VAO_ENDPOINT, VAO_KEY.');
    const { realtime } = await load(cwd, variables);
    expect(realtime.find(({ id }) => id === 'vao')).toMatchObject({ options: { dailyBudget: 90 } });
    await expect(load(cwd)).rejects.toThrow(
      /taktgeber.yaml:\d+: mvo.user names the variable MVO_USER, which is not set/,
    );
  });

  it('writes chosen sources to a chosen file', async () => {
    const { code, stdout, cwd } = await init([
      '--sources',
      'steiermark',
      'stmk_gtfs_rt',
      '--to',
      'south.yaml',
      '--json',
    ]);
    expect(code).toBe(0);
    const { file, sources, unset } = JSON.parse(stdout);
    expect([path.basename(file), unset]).toEqual(['south.yaml', ['MVO_USER', 'MVO_PASSWORD']]);
    expect(sources.map(({ id }: { id: string }) => id)).toEqual(['steiermark', 'stmk_gtfs_rt']);
    const { config } = await loadConfig({ file: 'south.yaml', environment: variables, cwd, home: cwd });
    expect(config.realtime[0]).toMatchObject({ id: 'stmk_gtfs_rt', timetable: 'steiermark' });
  });

  it('prints the file instead', async () => {
    const { stdout, cwd } = await init(['--print']);
    expect(stdout).toBe(renderAustria(new Set(['wiener-linien', 'city_transit'])));
    expect((await load(cwd)).sources).toEqual([]);
  });

  it.each(['taktgeber.yaml', 'taktgeber.yml', 'taktgeber.json'])('never replaces an existing %s', async (name) => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, name), '{}');
    const { code, stdout, stderr } = await init([], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`${name}.*Move it away, or write elsewhere with --to\n$`));
    expect(await readFile(path.join(cwd, name), 'utf8')).toBe('{}');
    expect((await init(['--to', 'other.yaml'], { cwd })).code).toBe(0);
  });

  const wrong: readonly [argv: readonly string[], message: string][] = [
    [['--sources', 'berlin'], 'there is no source "berlin"; there are wiener-linien, rail, vor'],
    [['--sources', 'stmk_gtfs_rt'], '--sources: stmk_gtfs_rt needs steiermark'],
    [['--sources', 'city_transit'], '--sources: none of them is a timetable'],
    [['--account', 'db'], 'Allowed choices are mvo, vao'],
    [['--to', 'no/such/folder.yaml'], 'cannot write '],
  ];
  it.each(wrong)('%j is wrong usage', async (argv, message) => {
    const { code, stdout, stderr } = await init(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('knows no other country', async () => {
    const dataDir = await temporaryFolder();
    expect(await runCommand(['init', 'germany'], { dataDir })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are austria'),
    });
  });
});

it('every set of sources is a configuration of at most 80 columns that loads', async () => {
  const all = austrianSources.map(({ id }) => id);
  const sets = [all, ...all.map((id) => [...new Set(['wiener-linien', 'steiermark', id])])];
  for (const ids of sets) {
    const text = renderAustria(new Set(ids));
    // Addresses cannot be divided.
    expect(text.split('\n').filter((line) => line.length > 80 && !line.includes('https://'))).toEqual([]);
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'taktgeber.yaml'), text);
    const { sources, realtime } = await load(folder, variables);
    expect([...sources, ...realtime].map(({ id }) => id).sort()).toEqual([...ids].sort());
  }
});
