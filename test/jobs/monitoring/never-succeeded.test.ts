import { expect, it } from 'vitest';
import type { Job } from '../../../jobs/job/job.ts';
import { readServiceFacts } from '../../../jobs/monitoring/service-facts.ts';
import type { ConfiguredSource } from '../../../pipeline/config/configured-source.ts';
import type { SourceConfig } from '../../../pipeline/config/source-config.ts';
import { publish } from '../fake-ingest.ts';
import { fakeEffects, temporaryFolder, testConfig } from '../fake-world.ts';

const job: Job = {
  name: 'daily',
  summary: 'Runs.',
  accepts: [],
  schedule: () => '15 4 * * *',
  run: async () => ({ status: 'done', summary: '' }),
};

/** The facts of a folder with the timetable of `graz`, and no other publication or run. */
async function readFacts(more: { areFeedsConfigured?: boolean; isScheduling?: boolean } = {}) {
  const dataDir = await temporaryFolder();
  await publish(dataDir, 'graz');
  const sources = ['graz', 'wien'].map((id) => ({ id }) as SourceConfig);
  const realtime = [{ id: 'live', maxAgeSeconds: 120, isStandby: false } as ConfiguredSource];
  const config = { ...(await testConfig(dataDir)), sources, realtime };
  return readServiceFacts({ config, jobs: [job], isScheduling: true, clock: fakeEffects().clock, ...more });
}

it('a configured feed that was never published is a fact, unless others are ingested instead', async () => {
  const listFeeds = async (more = {}) => (await readFacts(more)).timetable!.map(({ source }) => source);
  expect(await listFeeds()).toEqual(['graz', 'wien']);
  expect(await listFeeds({ areFeedsConfigured: false })).toEqual(['graz']);
});

it('a configured source without publications is expected to respond', async () => {
  const { realtime } = await readFacts();
  expect(realtime).toMatchObject([{ source: 'live', status: 'never', maxAgeSeconds: 120, isExpected: true }]);
});

it('a job that never ran is due for the first time if jobs are scheduled', async () => {
  expect((await readFacts()).jobs).toMatchObject([{ lateSeconds: 0, isDueFirstTime: true }]);
  expect((await readFacts({ isScheduling: false })).jobs).toMatchObject([{ isDueFirstTime: false }]);
});
