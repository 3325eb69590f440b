import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../../../pipeline/effects/sql-store/postgres-database.ts';
import type { Shard, ShardEnd } from '../../../../pipeline/scale-out/shards/shard.ts';
import { openShardQueue, readShardCounts } from '../../../../pipeline/scale-out/shards/shard-queue.ts';
import { shardSchema } from '../../../../pipeline/scale-out/shards/shard-schema.ts';
import { usePostgres } from '../../../support/fakes/use-postgres.ts';
import { silentLog } from '../../../support/worlds/ingest.ts';

const server = usePostgres();

const JOB = 'sharing';
const shardOf = (unit: string, run = 1): Shard => ({ job: JOB, unit, arguments: '', options: { from: unit }, run });
const done: ShardEnd = { status: 'done', summary: 'made', counts: { rows: 3 }, worker: 'w' };
const away: ShardEnd = { status: 'failed', summary: 'Trino is away', isRetryable: true, worker: 'w' };

async function openWorld() {
  const url = await server().createDatabase();
  const open = async () => {
    const queue = await openShardQueue(url, silentLog);
    onTestFinished(() => queue.close());
    return queue;
  };
  const database = openPostgres(url, shardSchema, silentLog);
  onTestFinished(() => database.close());
  const skipWaits = () => database.query(`update job_shards set due_at = 0 where state = 'waiting'`);
  const counts = async () => (await readShardCounts(url, silentLog))[0];
  return { queue: await open(), open, database, skipWaits, counts };
}

it('gives each shard to one of many workers, in the order in which they were added', async () => {
  const { queue, open, counts } = await openWorld();
  const units = Array.from({ length: 40 }, (_, i) => `d${i}`);
  const ids = await queue.add(units.map((unit) => shardOf(unit)));
  const first = (await queue.take(JOB))!;
  expect(first).toEqual({ ...shardOf('d0'), id: ids[0], retries: 0 });
  const workers = await Promise.all([open(), open(), open()]);
  const taken: string[] = [first.unit];
  await Promise.all(
    [queue, ...workers].map(async (worker) => {
      for (let next = await worker.take(JOB); next !== null; next = await worker.take(JOB)) taken.push(next.unit);
    }),
  );
  expect([...taken].sort()).toEqual([...units].sort());
  expect(await counts()).toEqual({ job: JOB, waiting: 0, active: 40, failed: 0, failures: [] });
});

it('adds a shard that waits or is active once, however many runs add it at the same time', async () => {
  const { queue, open, counts } = await openWorld();
  const shards = ['d1', 'd2', 'd3'].map((unit) => shardOf(unit));
  const queues = await Promise.all([open(), open(), open()]);
  const added = await Promise.all(queues.map((one) => one.add(shards)));
  expect(new Set(added.map(String)).size).toBe(1);
  const taken = (await queue.take(JOB))!;
  expect(await queue.add(shards)).toEqual(added[0]);
  await queue.end(taken, done);
  const again = await queue.add(shards);
  expect([again[0] === added[0]![0], again.slice(1)]).toEqual([false, added[0]!.slice(1)]);
  expect(await counts()).toMatchObject({ waiting: 3, active: 0 });
});

it('ignores a worker whose shard was returned to the queue, and taken by another worker, meanwhile', async () => {
  const { queue } = await openWorld();
  const [id = ''] = await queue.add([shardOf('d1')]);
  const former = (await queue.take(JOB))!;
  await queue.giveBack(former, 0);
  const present = (await queue.take(JOB))!;
  expect(present).toEqual({ ...former, retries: 1 });
  await queue.giveBack(former, 0);
  await queue.retry(former, away);
  await queue.end(former, { ...away, isRetryable: false });
  expect(await queue.listActive(JOB, 0)).toEqual([present]);
  await queue.end(present, done);
  expect(await queue.look(JOB, [id])).toEqual(new Map([[id, { unit: 'd1', state: 'ended', end: done }]]));
});

it('retries a temporary failure three times, each later, and then lists it until its unit is done', async () => {
  const { queue, database, skipWaits, counts } = await openWorld();
  const [id = ''] = await queue.add([shardOf('d1')]);
  for (const seconds of [5, 10, 20]) {
    await queue.retry((await queue.take(JOB))!, away);
    expect(await queue.take(JOB)).toBeNull();
    expect((await queue.look(JOB, [id])).get(id)).toEqual({ unit: 'd1', state: 'waiting', end: null });
    const [row] = await database.query('select due_at - changed_at as wait from job_shards');
    const wait = Number(row!.wait) / 1000;
    expect([wait >= seconds - 0.1, wait <= 2 * seconds + 0.1]).toEqual([true, true]);
    await skipWaits();
  }
  await queue.retry((await queue.take(JOB))!, away);
  expect((await queue.look(JOB, [id])).get(id)).toEqual({ unit: 'd1', state: 'ended', end: away });
  expect(await counts()).toMatchObject({ failed: 1, failures: [{ unit: 'd1', summary: 'Trino is away' }] });
  await queue.add([{ ...shardOf('d1', 2), arguments: '--from 2026-03-01' }]);
  await queue.end((await queue.take(JOB))!, done);
  expect(await counts()).toMatchObject({ waiting: 0, active: 0, failed: 0, failures: [] });
});

it('withdraws shards that wait, and no others', async () => {
  const { queue } = await openWorld();
  const ids = await queue.add([shardOf('d1'), shardOf('d2')]);
  await queue.take(JOB);
  await queue.cancel(JOB, ids);
  const states = await queue.look(JOB, [...ids, '99']);
  expect([...states.values()].map(({ state }) => state)).toEqual(['active', 'cancelled', 'gone']);
});

it('forgets ended shards after a week, and those that wait and failures after a year', async () => {
  const { queue, database, counts } = await openWorld();
  const ids = await queue.add(['ended', 'failed', 'waiting'].map((unit) => shardOf(unit)));
  await queue.end((await queue.take(JOB))!, done);
  await queue.end((await queue.take(JOB))!, { ...away, isRetryable: false });
  const age = async (days: number) => {
    const milliseconds = days * 86_400_000;
    await database.query('update job_shards set changed_at = changed_at - ?::bigint', [milliseconds]);
    await database.query('update job_shard_failures set failed_at = failed_at - ?::bigint', [milliseconds]);
    await queue.add([shardOf('new')]);
    return [...(await queue.look(JOB, ids)).values()].map(({ state }) => state);
  };
  expect(await age(6)).toEqual(['ended', 'ended', 'waiting']);
  expect(await age(2)).toEqual(['gone', 'gone', 'waiting']);
  expect((await counts())?.failed).toBe(1);
  expect(await age(360)).toEqual(['gone', 'gone', 'gone']);
  expect((await counts())?.failed).toBe(0);
});
