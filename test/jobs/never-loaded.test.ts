import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { Finding } from '../../jobs/doctor/finding.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { serviceOptions } from '../api/service-app.ts';
import { openWorld, publishFeeds } from '../support/worlds/board-world.ts';
import { temporaryFolder } from '../support/worlds/ingest.ts';
import { railFeed } from '../support/worlds/two-networks.ts';
import { fakeEffects, runCommand } from './fake-world.ts';

const CONFIG = 'sources: [{ id: rail, gtfs: rail.zip }, { id: gone, gtfs: gone.zip }]';

async function openFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  await publishFeeds({ rail: railFeed }, { dataDir });
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), CONFIG);
  return dataDir;
}

it('status names a configured feed that never loaded', async () => {
  const dataDir = await openFolder();
  const { stdout } = await runCommand(['status'], { dataDir });
  const lines = stdout.split('\n').filter((line) => line.includes('never loaded'));
  expect(lines).toEqual(['Source gone: configured, but never loaded']);
});

it('doctor names it, and what to do', async () => {
  const dataDir = await openFolder();
  const ran = await runCommand(['doctor', '--json', '--offline', '--port', '0'], { dataDir, effects: fakeEffects() });
  const { findings } = JSON.parse(ran.stdout) as { findings: readonly Finding[] };
  expect(findings.filter(({ about }) => about.startsWith('feed '))).toEqual([
    {
      about: 'feed gone',
      status: 'warning',
      sentence: 'configured, but never loaded',
      remedy: 'run "taktgeber run ingest-timetable" for the reason, or remove it from the configuration',
    },
  ]);
});

it('the API lists it beside the feeds that are served', async () => {
  const world = await openWorld({ rail: railFeed });
  const configuredTimetables = ['rail', 'gone'];
  const { createdAt } = world.timetable.manifest;
  const options = { clock: fixedClock(createdAt), configuredTimetables, sourceChecks: { rail: createdAt } };
  const app = await buildApp(serviceOptions(world, options));
  onTestFinished(() => app.close());
  const getJson = async (url: string) => (await app.inject({ url })).json();
  const never = { id: 'gone', status: 'never', ageSeconds: null };
  expect((await getJson('/v1/health')).freshness).toEqual([
    expect.objectContaining({ id: 'rail', status: expect.not.stringMatching('never') }),
    expect.objectContaining(never),
  ]);
  const sources = (await getJson('/v1/status')).sources as { id: string }[];
  expect(sources.map(({ id }) => id)).toEqual(['rail', 'gone']);
  expect(sources[1]).toMatchObject({ status: 'never', lastSuccessAt: null });
  expect((await getJson('/v2/meta')).providers).toEqual(['rail', 'gone']);
});
