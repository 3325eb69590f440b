import { expect, it, onTestFinished } from 'vitest';
import { noOptions } from '../../jobs/job/job.ts';
import { forgetFailedShards } from '../../jobs/runner/forget-failed-shards.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { openPostgres } from '../../pipeline/effects/sql-store/postgres-database.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { Shard, ShardEnd } from '../../pipeline/scale-out/shards/shard.ts';
import { openShardQueue, readShardCounts } from '../../pipeline/scale-out/shards/shard-queue.ts';
import { startPostgres } from '../support/fakes/embedded-postgres.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { temporaryFolder, testConfig } from './fake-world.ts';
import { sharedJob } from './programs/shared-job.ts';

const shard: Shard = { job: 'sharing', unit: 'd1', arguments: '', options: {}, run: 1 };
const away: ShardEnd = { status: 'failed', summary: 'Trino is away', isRetryable: true, worker: 'w' };
const done: ShardEnd = { status: 'done', summary: 'made', worker: 'w' };

it('a failed shard is counted once, until any run has completed it', async ({ skip }) => {
  const postgres = await startPostgres();
  if (typeof postgres === 'string') return skip(`PostgreSQL cannot run here: ${postgres}`);
  onTestFinished(() => postgres.stop());
  const url = await postgres.createDatabase();
  const effects = realEffects({ clock: systemClock, log: silentLog });
  const config = await testConfig(await temporaryFolder());
  const context = (postgresUrl: string | null, from: string | null = null) => ({
    config: { ...config, operations: { ...config.operations, postgresUrl } },
    effects,
    options: { ...noOptions, from: from as ServiceDate | null },
  });
  const job = sharedJob('');
  // Nothing was ever distributed.
  await forgetFailedShards(job, context(url));
  const queue = await openShardQueue(url, silentLog);
  const database = openPostgres(url, { name: 'shard', holds: 'shards', migrations: [], postgresLock: 0 }, silentLog);
  const take = async () => {
    await database.query(`update job_shards set due_at = 0 where state = 'waiting'`);
    return (await queue.take(job.name))!;
  };
  const failForGood = async (one: Shard) => {
    await queue.add([one]);
    for (let i = 0; i < 4; i++) await queue.retry(await take(), away);
  };
  const counts = async () => (await readShardCounts(url, silentLog))[0]!;

  for (const night of [1, 2, 3]) await failForGood({ ...shard, run: night });
  await failForGood({ ...shard, unit: 'd2' });
  expect(await counts()).toMatchObject({
    failed: 2,
    failures: [{ unit: 'd2' }, { unit: 'd1', summary: 'Trino is away' }],
  });
  await queue.add([{ ...shard, arguments: '--from 2026-03-01 --to 2026-03-02' }]);
  await queue.end(await take(), done);
  expect(await counts()).toMatchObject({ failed: 1, failures: [{ unit: 'd2' }] });

  // A run of selected days does not affect others.
  await forgetFailedShards(job, context(url, '2026-03-01'));
  expect((await counts()).failed).toBe(1);
  await forgetFailedShards(job, context(url));
  expect(await counts()).toMatchObject({ failed: 0, failures: [] });
  await queue.close();
  await database.close();
});
