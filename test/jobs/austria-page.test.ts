import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Finding } from '../../jobs/doctor/finding.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { fetchHttp } from '../../pipeline/effects/http.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { openSources } from '../../pipeline/realtime/polling/open-sources.ts';
import { startFakeMvo } from '../support/fakes/mvo-platform.ts';
import { fakeEffects, runCommand, temporaryFolder } from './fake-world.ts';

// Follows docs/austria.md: its configurations, read as they stand in the page.

async function readConfiguration(name: string): Promise<string> {
  const page = await readFile(projectPath('docs/austria.md'), 'utf8');
  const found = new RegExp(`<!-- ${name} -->\n\`\`\`yaml\n(.*?)\`\`\`\n<!-- ${name} -->`, 's').exec(page);
  return found![1]!;
}

async function load(name: string, environment: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, 'taktgeber.yaml'), await readConfiguration(name));
  return (await loadConfig({ environment, cwd: folder, home: folder })).config;
}

it('the open configuration needs no account, and polls Wiener Linien', async () => {
  const { sources, realtime } = await load('open');
  expect(sources).toMatchObject([{ kind: 'gtfs', licence: 'CC BY 4.0', stopAfterValidity: false }]);
  expect(realtime).toMatchObject([{ id: 'city_transit', kind: 'wiener-linien', timetable: 'wiener-linien' }]);
});

it('the configuration of the country has nine data sets, and Styria as one realtime source', async () => {
  const config = await load('country', { MVO_USER: 'me', MVO_PASSWORD: 'p' });
  expect(config.sources.map((source) => source.kind === 'mvo' && source.dataSet)).toEqual([
    66, 80, 79, 78, 77, 75, 73, 57, 69,
  ]);
  expect(config.sources.every(({ stopAfterValidity }) => stopAfterValidity)).toBe(true);
  const opened = await openSources(config.realtime, { log: fakeEffects().log });
  const styria = opened.find(({ id }) => id === 'stmk_gtfs_rt')!;
  expect(styria.source.listRequests(0 as never).map(({ url }) => new URL(url).port)).toEqual([
    '7790',
    '7792',
    '7794',
    '7796',
    '7798',
  ]);
});

it('doctor says which of the data sets the account lacks', async () => {
  const fake = await startFakeMvo();
  const config = await load('country', { MVO_USER: 'me', MVO_PASSWORD: 'p' });
  for (const source of config.sources) {
    if (source.kind !== 'mvo') continue;
    const files = new Map([[2026, Buffer.from('PK')]]);
    fake.dataSets.set(source.dataSet, { name: `${source.id} (GTFS)`, files });
    if (source.id !== 'tirol') fake.accepted.add(source.dataSet);
  }
  const sources = config.sources.flatMap((one) =>
    one.kind === 'mvo' ? { id: one.id, kind: 'mvo', dataSet: one.dataSet } : [],
  );
  const dataDir = await temporaryFolder();
  await writeFile(path.join(dataDir, 'taktgeber.json'), JSON.stringify({ mvo: fake.settings, sources }));
  const effects = { ...fakeEffects(), http: fetchHttp };
  const { stdout } = await runCommand(['doctor', '--json', '--port', '0'], { dataDir, effects });
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  const bad = findings.filter(({ about, status }) => /^(source|account)/.test(about) && status === 'bad');
  expect(bad.map(({ about }) => about)).toEqual(['source tirol']);
  expect(bad[0]!.sentence).toContain('accept its terms of use (https://example.org/terms)');
});
