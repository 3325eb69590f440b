import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Job, noOptions } from '../../jobs/job/job.ts';
import { unitRuns } from '../../jobs/job/resources.ts';
import { runJob } from '../../jobs/runner/run.ts';
import { workShards } from '../../jobs/runner/work-shards.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { openOperations } from '../../pipeline/operations/open-operations.ts';
import { readShardCounts } from '../../pipeline/scale-out/shards/shard-queue.ts';
import type { usePostgres } from '../support/fakes/use-postgres.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { temporaryFolder, testConfig } from './fake-world.ts';

export const LEASE_SECONDS = 3;

export const effects = realEffects({ clock: systemClock, log: silentLog });
export const range = (from: string, to: string) => ({ ...noOptions, from: from as ServiceDate, to: to as ServiceDate });
export const tenDays = { ...range('2026-03-01', '2026-03-10'), isDistributed: true };

export const daysOf = (count: number) =>
  Array.from({ length: count }, (_, i) => `2026-03-${String(i + 1).padStart(2, '0')}`);

/** A data folder with a database, whose jobs workers of this process or others run. */
export async function openSharedWorld(server: ReturnType<ReturnType<typeof usePostgres>>) {
  const dataDir = await temporaryFolder();
  const config = await testConfig(dataDir);
  const postgresUrl = await server.createDatabase();
  const operations = { ...config.operations, postgresUrl, leaseSeconds: LEASE_SECONDS };
  const own = { ...config, operations };
  /** Workers in this process, until the test ends. */
  const work = (job: Job, concurrency: number, ownEffects = effects) => {
    const stop = new AbortController();
    const working = workShards({ config: own, effects: ownEffects, jobs: [job], concurrency, signal: stop.signal });
    const end = async () => {
      stop.abort(new Error('the test ends'));
      await working;
    };
    onTestFinished(end);
    return end;
  };
  const run = (job: Job, options = tenDays, stopping?: AbortSignal) =>
    runJob(job, { config: own, effects, options, stopping });
  const listUnitRuns = async (job: string) => {
    const history = await openOperations(own, effects);
    const runs = await history.listRuns(unitRuns(job), 100);
    await history.close();
    return runs;
  };
  const notes = async () =>
    (await readFile(path.join(dataDir, 'notes'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const made = async () => (await notes()).filter((line) => line.startsWith('made ')).map((line) => line.slice(5, 15));
  const shardCounts = async () => (await readShardCounts(postgresUrl, silentLog))[0];
  return { dataDir, config: own, postgresUrl, work, run, listUnitRuns, notes, made, shardCounts };
}
