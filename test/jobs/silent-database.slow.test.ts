import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createWatchService } from '../../api/watches/service/watch-service.ts';
import { openWatchStore } from '../../api/watches/store/sql-store.ts';
import { leadAlerting } from '../../jobs/alerts/lead-alerting.ts';
import { listLocks } from '../../jobs/locks/locks.ts';
import { workShards } from '../../jobs/runner/work-shards.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { openPostgres } from '../../pipeline/effects/sql-store/postgres-database.ts';
import { startSilentProxy } from '../support/fakes/silent-proxy.ts';
import { usePostgres } from '../support/fakes/use-postgres.ts';
import { TEST_KEY } from '../support/worlds/board-world.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { temporaryFolder, testConfig } from './fake-world.ts';
import { sharedJob } from './programs/shared-job.ts';

const server = usePostgres();

const schema = { name: 'test', holds: 'tests', migrations: [], postgresLock: 0 };

async function openProxy() {
  const proxy = await startSilentProxy(await server().createDatabase());
  onTestFinished(() => proxy.close());
  return proxy;
}

/** @returns the seconds until it has ended, and how */
async function timed(work: Promise<unknown>) {
  const start = performance.now();
  const end = await work.then(
    () => 'done',
    (error: Error) => error.message,
  );
  return { seconds: (performance.now() - start) / 1000, end };
}

it('a judgement of watches on a database that goes silent fails, and the next one succeeds', async () => {
  const proxy = await openProxy();
  const tools = { clock: systemClock, log: silentLog };
  const store = await openWatchStore({ file: '', postgresUrl: proxy.url }, tools);
  onTestFinished(() => store.close());
  const limits = { maxTotal: 10, maxPerAddress: 10, maxPerToken: 10 };
  const service = createWatchService({ store, referenceKey: TEST_KEY, limits, clock: systemClock });
  await service.tick();
  const database = openPostgres(proxy.url, schema, silentLog);
  onTestFinished(() => database.close());
  const begun = vi.fn();
  const transaction = database.transaction(async (connection) => {
    await connection.query('select 1');
    begun();
    await connection.query('select pg_sleep(0.2)');
  });
  await vi.waitFor(() => expect(begun).toHaveBeenCalled());
  proxy.silence();
  const [tick, statements] = await Promise.all([timed(service.tick()), timed(transaction)]);
  expect(tick.end).toMatch(/^the database of the watches: /);
  expect(tick.seconds).toBeLessThan(16);
  expect(statements.end).toBe('the database of tests: Query read timeout');
  // The rollback of a silent connection is not awaited either.
  expect(statements.seconds).toBeLessThan(16);
  proxy.restore();
  expect(await timed(service.tick())).toMatchObject({ end: 'done' });
});

it('limits of the server are set in transactions, and not requested at the start of a connection', async () => {
  const direct = await server().createDatabase();
  const database = openPostgres(direct, schema, silentLog);
  onTestFinished(() => database.close());
  const read = `select name, setting, source from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout') order by name`;
  expect((await database.transaction(({ query }) => query(read))).map(({ setting }) => setting)).toEqual([
    '5000',
    '10000',
  ]);
  // PgBouncer rejects unknown startup parameters.
  expect((await database.query(read)).map(({ source }) => source)).toEqual(['default', 'default']);
});

it('a connection to a server that has become a standby is not used again', async () => {
  const database = openPostgres(await server().createDatabase(), schema, silentLog);
  onTestFinished(() => database.close());
  await database.query('set session characteristics as transaction read only');
  const write = () => database.transaction(({ query }) => query('create table written (number bigint)'));
  await expect(write()).rejects.toThrow('cannot execute CREATE TABLE in a read-only transaction');
  await write();
});

it('closing a database does not wait for the result of a silent server', async () => {
  const proxy = await openProxy();
  const database = openPostgres(proxy.url, schema, silentLog);
  await database.query('select 1');
  proxy.silence();
  const query = timed(database.query('select 1'));
  expect((await timed(database.close())).seconds).toBeLessThan(4);
  expect((await query).end).toMatch(/^the database of tests: /);
});

it('an idle worker whose database goes silent ends within ten seconds', async () => {
  const proxy = await openProxy();
  const dataDir = await temporaryFolder();
  const config = await testConfig(dataDir);
  const operations = { ...config.operations, postgresUrl: proxy.url, leaseSeconds: 3 };
  const own = { ...config, operations };
  const effects = realEffects({ clock: systemClock, log: silentLog });
  const stop = new AbortController();
  const jobs = [sharedJob(dataDir)];
  const working = workShards({ config: own, effects, jobs, concurrency: 1, signal: stop.signal });
  await vi.waitFor(async () => expect(await listLocks(own, effects)).toHaveLength(1), { timeout: 90_000 });
  proxy.silence();
  // Its lease ends, and it looks for shards.
  await setTimeout(4000);
  stop.abort(new Error('the test ends'));
  const { seconds, end } = await timed(working);
  expect(end).toBe('done');
  expect(seconds).toBeLessThan(10);
});

it('a schedule with a database that goes silent ends within ten seconds', async () => {
  const proxy = await openProxy();
  const config = await testConfig(await temporaryFolder());
  const operations = { ...config.operations, postgresUrl: proxy.url, leaseSeconds: 3 };
  const effects = realEffects({ clock: systemClock, log: silentLog });
  const stop = new AbortController();
  const request = { config: { ...config, operations }, isScheduling: true, effects, signal: stop.signal };
  const { findLeader, ended } = leadAlerting(request);
  await vi.waitFor(() => expect(findLeader()).toBe('this'), { timeout: 90_000 });
  proxy.silence();
  await vi.waitFor(() => expect(findLeader()).toBe(null), { timeout: 90_000 });
  stop.abort(new Error('the test ends'));
  const { seconds, end } = await timed(ended);
  expect(end).toBe('done');
  expect(seconds).toBeLessThan(10);
});
