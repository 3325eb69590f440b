import { expect, it, onTestFinished, vi } from 'vitest';
import { openQueue } from '../../../jobs/runner/open-queue.ts';
import { openPostgres } from '../../../pipeline/effects/sql-store/postgres-database.ts';
import { openShardQueue } from '../../../pipeline/scale-out/shards/shard-queue.ts';
import { shardSchema } from '../../../pipeline/scale-out/shards/shard-schema.ts';
import { usePostgres } from '../../support/fakes/use-postgres.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { temporaryFolder, testConfig } from '../fake-world.ts';

const server = usePostgres();

/** A database whose queue of shards exists. */
async function openWorld() {
  const postgresUrl = await server().createDatabase();
  const database = openPostgres(
    postgresUrl,
    { name: 'test', holds: 'tests', migrations: [], postgresLock: 0 },
    silentLog,
  );
  onTestFinished(() => database.close());
  await (await openShardQueue(postgresUrl, silentLog)).close();
  const config = await testConfig(await temporaryFolder());
  const expectNoSessions = () =>
    vi.waitFor(async () => {
      const sql = `select query from pg_stat_activity where application_name = 'taktgeber'
        and datname = current_database() and pid <> pg_backend_pid()`;
      expect(await database.query(sql)).toEqual([]);
    });
  return { database, expectNoSessions, config: { ...config, operations: { ...config.operations, postgresUrl } } };
}

it('leaves no connection behind if the tables cannot be read, and tries again', async () => {
  const { database, expectNoSessions, config } = await openWorld();
  await database.query('alter table shard_version rename to elsewhere');
  await database.query('create view shard_version as select 1 / 0 as version');
  const sleep = vi.fn(async () => {
    await expectNoSessions();
    await database.query('drop view shard_version');
    await database.query('alter table elsewhere rename to shard_version');
  });
  const queue = await openQueue('the test', { config, effects: { log: silentLog, sleep } });
  expect(sleep).toHaveBeenCalledTimes(1);
  expect(await queue.take('sharing')).toBeNull();
  await queue.close();
  await expectNoSessions();
});

it('creates the tables of a new database once if several processes open it, and none has to try again', async () => {
  const config = await testConfig(await temporaryFolder());
  for (let round = 0; round < 5; round++) {
    const operations = { ...config.operations, postgresUrl: await server().createDatabase() };
    const sleep = vi.fn(async () => {});
    const open = (name: string) =>
      openQueue(name, { config: { ...config, operations }, effects: { log: silentLog, sleep } });
    const queues = await Promise.all(['a', 'b', 'c', 'd'].map(open));
    expect(sleep).not.toHaveBeenCalled();
    for (const queue of queues) await queue.close();
  }
});

it('waits no longer than seconds for a process that stopped while it created the tables', async () => {
  const { database, config } = await openWorld();
  let goOn = () => {};
  const goesOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let setLocked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    setLocked = resolve;
  });
  const stands = database.transaction(async ({ query }) => {
    await query(`select pg_advisory_xact_lock(${shardSchema.postgresLock})`);
    setLocked();
    await goesOn;
    await query('select 1');
  });
  const ended = expect(stands).rejects.toThrow();
  const sleep = vi.fn(async () => {});
  // Otherwise the queue may be open before the lock is taken, and nothing would wait.
  await isLocked;
  const queue = await openQueue('the test', { config, effects: { log: silentLog, sleep } });
  expect(sleep).not.toHaveBeenCalled();
  await queue.close();
  goOn();
  await ended;
});
