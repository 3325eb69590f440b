import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { leadAlerting } from '../../../jobs/alerts/lead-alerting.ts';
import { ingestTimetableJob } from '../../../jobs/definitions/ingest-timetable.ts';
import { readServiceFacts } from '../../../jobs/monitoring/service-facts.ts';
import type { ConfiguredSource } from '../../../pipeline/config/configured-source.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { openPostgres } from '../../../pipeline/effects/sql-store/postgres-database.ts';
import { noCounts } from '../../../pipeline/operations/job-run.ts';
import { openOperations } from '../../../pipeline/operations/open-operations.ts';
import type { RunEnd } from '../../../pipeline/operations/run-history.ts';
import { openLockStore } from '../../../pipeline/scale-out/leases/lock-store.ts';
import { usePostgres } from '../../support/fakes/use-postgres.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { publish } from '../fake-ingest.ts';
import { fakeEffects, fakeParts, temporaryFolder, testConfig } from '../fake-world.ts';

const server = usePostgres();

/** Sources of a machine beside which this host polls `wl`. */
async function listSources(host: string, isEnabled = true) {
  const url = await server().createDatabase();
  const store = await openLockStore(url, 60, silentLog);
  const schema = { name: 'test', holds: 'tests', migrations: [], postgresLock: 0 };
  const database = openPostgres(url, schema, silentLog);
  onTestFinished(async () => {
    await store.close();
    await database.close();
  });
  await store.acquire('poll-realtime', [{ resource: 'poll-realtime/wl', share: null }], null);
  await database.query('update job_locks set host = ?', [host]);
  const base = await testConfig(await temporaryFolder());
  const config = {
    ...base,
    realtime: ['wl', 'vao'].map((id) => ({ id }) as ConfiguredSource),
    polling: { ...base.polling, isEnabled },
    operations: { ...base.operations, postgresUrl: url },
  };
  const facts = await readServiceFacts({ config, jobs: [], isScheduling: true, clock: systemClock });
  return facts.realtime?.map(({ source }) => source);
}

/** The facts of a machine whose timetable was ingested by a run of this host, in this state. */
async function lookAtTimetable(host: string, end: Pick<RunEnd, 'state' | 'isRetryable'>) {
  const postgresUrl = await server().createDatabase();
  const base = await testConfig(await temporaryFolder());
  await publish(base.dataDir, 'wien');
  const config = { ...base, operations: { ...base.operations, postgresUrl } };
  const effects = { clock: systemClock, log: silentLog };
  const schema = { name: 'test', holds: 'tests', migrations: [], postgresLock: 0 };
  const history = await openOperations(config, effects);
  const database = openPostgres(postgresUrl, schema, silentLog);
  const number = await history.begin({ job: 'ingest-timetable', arguments: '', runBy: 'schedule' });
  await history.end(number, { attempts: 1, summary: '', counts: noCounts, peakMemoryBytes: null, ...end });
  await database.query('update job_runs set host = ?', [host]);
  await history.close();
  await database.close();
  const jobs = [ingestTimetableJob(fakeParts())];
  const { timetable, elsewhere } = await readServiceFacts({ config, jobs, isScheduling: true, clock: systemClock });
  return [timetable?.map(({ source }) => source) ?? null, [...elsewhere]];
}

it('a timetable is judged in the folder of the machine that ingested last', async () => {
  const good = { state: 'done', isRetryable: false } as const;
  expect(await lookAtTimetable(hostname(), good)).toEqual([['wien'], []]);
  expect(await lookAtTimetable('another-host', good)).toEqual([null, ['timetable']]);
  // One of its feeds is gone, and the others were fetched.
  expect(await lookAtTimetable('another-host', { state: 'failed', isRetryable: false })).toEqual([null, ['timetable']]);
  // It did not get that far, because the store was away.
  expect(await lookAtTimetable('another-host', { state: 'failed', isRetryable: true })).toEqual([['wien'], []]);
});

it('of two schedules one reports the jobs, and the other takes over', async () => {
  const postgresUrl = await server().createDatabase();
  const start = async (isScheduling = true) => {
    const base = await testConfig(await temporaryFolder());
    const config = { ...base, operations: { ...base.operations, postgresUrl, leaseSeconds: 2 } };
    const stop = new AbortController();
    const sleep = async (_milliseconds: number, signal?: AbortSignal) => wait(50, undefined, { signal });
    const leading = leadAlerting({ config, isScheduling, effects: { ...fakeEffects(), sleep }, signal: stop.signal });
    const end = async () => {
      stop.abort();
      await leading.ended;
    };
    onTestFinished(end);
    return { findLeader: leading.findLeader, end };
  };
  const soon = { timeout: 90_000, interval: 20 };
  const first = await start();
  await expect.poll(first.findLeader, soon).toBe('this');
  const second = await start();
  await expect.poll(second.findLeader, soon).toBe('another');
  expect((await start(false)).findLeader()).toBe('another');
  await first.end();
  await expect.poll(second.findLeader, soon).toBe('this');
});

it('a source is reported by the machine that polls it, and by none if another one does', async () => {
  expect(await listSources(hostname())).toEqual(['wl', 'vao']);
  expect(await listSources('another-host')).toEqual(['vao']);
  expect(await listSources(hostname(), false)).toEqual([]);
});
