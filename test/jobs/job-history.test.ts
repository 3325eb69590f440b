import { hostname } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { allJobs } from '../../jobs/definitions/all-jobs.ts';
import { noCounts } from '../../pipeline/operations/job-run.ts';
import { operationsFile } from '../../pipeline/operations/open-operations.ts';
import { expectGolden } from '../support/checks/golden.ts';
import { fakeEffects, fakeParts, runCommand, temporaryFolder, testConfig } from './fake-world.ts';
import { type PlannedRun, scheduledWorld } from './scheduled-world.ts';

const golden = (name: string) => path.join(import.meta.dirname, 'golden', `${name}.json`);

const HOUR = 3600;
const DAY = 24 * HOUR;

/** A usual week of the service, with a source away on Tuesday and a kill on Friday. */
function planRun(job: string, count: number): PlannedRun {
  if (job === 'ingest-timetable') return planIngest(count);
  if (job === 'train-predictions') return { seconds: 900 + 10 * count };
  if (job === 'build-features' && count === 5) return { seconds: 60, fate: 'lost' };
  if (job === 'evaluate-predictions') return { seconds: 4, end: { state: 'unchanged', summary: 'measured 0 days' } };
  return { seconds: 30 + count };
}

function planIngest(count: number): PlannedRun {
  const failed = { state: 'failed', attempts: 3, isRetryable: true, summary: 'upstream cannot be reached' } as const;
  if (count === 2) return { seconds: 13, end: failed };
  const problems = { missing_stop_id: 1, time_interpolated: 7 };
  const counts = { ...noCounts, rowsIn: 1210, rowsOut: 1209, rowsRefused: 1, bytesWritten: 3_456_789, problems };
  return { seconds: 290 + 5 * count, end: { summary: 'published snapshot s1', counts, peakMemoryBytes: 812_000_000 } };
}

it('shows a week with an outage of two days, after which each job makes up for its runs once', async () => {
  const dataDir = await temporaryFolder();
  const config = await testConfig(dataDir);
  const world = await scheduledWorld(
    allJobs(fakeParts()),
    { config, startIso: '2026-03-02T00:00:00Z', file: operationsFile(dataDir) },
    planRun,
  );
  const stop = world.start();
  await world.time.run(2 * DAY + 10 * HOUR);
  await stop();
  // From Wednesday, 10:00, to Friday, 10:00, nothing runs.
  await world.time.run(4 * DAY + 10 * HOUR);
  const stopAgain = world.start();
  await world.time.run(7 * DAY);
  await stopAgain();

  const duringOutage = world.started.filter((line) => line > '2026-03-04T10' && line < '2026-03-06T10');
  expect(duringOutage).toEqual([]);
  const madeUp = world.started.filter((line) => line >= '2026-03-06T10' && line < '2026-03-06T12');
  expect(madeUp.map((line) => line.split(' ')[1])).toEqual([
    'ingest-timetable',
    'compact-observations',
    'finalise-stop-events',
    'build-network-maps',
    'build-marts',
    'evaluate-predictions',
    'build-features',
    'compact-predictions',
    'train-predictions',
    'drop-old-days',
    'publish-iceberg',
    'expire-iceberg',
  ]);
  const effects = fakeEffects(new Date(world.time.clock.nowMilliseconds()).toISOString());
  const show = async (...argv: string[]) => (await runCommand(argv, { dataDir, effects })).stdout;
  await expectGolden(golden('jobs'), (await show('jobs')).split('\n'));
  await expectGolden(golden('jobs-ingest-timetable'), (await show('jobs', 'ingest-timetable')).split('\n'));
  const json = await show('jobs', 'build-features', '--json');
  const withoutHost = (key: string, value: unknown) => (key === 'host' && value === hostname() ? 'this' : value);
  await expectGolden(golden('jobs-build-features'), JSON.parse(json, withoutHost));
});

it('shows a job that has not run yet', async () => {
  const dataDir = await temporaryFolder();
  const { stdout } = await runCommand(['jobs', 'drop-old-days'], { dataDir });
  expect(stdout).toContain('It runs at 45 5 * * * (UTC), is stopped after 240 minutes, follows compact-observations,');
  expect(stdout).toContain('It has not run yet.');
});
