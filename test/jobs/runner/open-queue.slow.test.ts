import { expect, it, onTestFinished, vi } from 'vitest';
import { openQueue } from '../../../jobs/runner/open-queue.ts';
import { openPostgres } from '../../../pipeline/effects/sql-store/postgres-database.ts';
import { openShardQueue } from '../../../pipeline/scale-out/shards/shard-queue.ts';
import { usePostgres } from '../../support/fakes/use-postgres.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { temporaryFolder, testConfig } from '../fake-world.ts';

const server = usePostgres();

/** A database of its own, whose queue of shards exists. */
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

/** Held while queues are made, as in `shard-queue.ts`. */
const PREPARING_LOCK = 0x74616b71;

/** Tables of pg-boss. */
const T = 'taktgeber_shards';

it.each([
  {
    reason: 'a queue of a job cannot be made',
    spoil: `alter function ${T}.create_queue(text, json) rename to elsewhere`,
    repair: `alter function ${T}.elsewhere(text, json) rename to create_queue`,
  },
  {
    reason: 'pg-boss cannot start',
    spoil: `update ${T}.version set version = version - 900`,
    repair: `update ${T}.version set version = version + 900`,
  },
])('leaves no connection behind where $why, and tries again', async ({ spoil, repair }) => {
  const { database, expectNoSessions, config } = await openWorld();
  await database.query(spoil);
  const sleep = vi.fn(async () => {
    await expectNoSessions();
    await database.query(repair);
  });
  const queue = await openQueue('the test', ['sharing'], { config, effects: { log: silentLog, sleep } });
  expect(sleep).toHaveBeenCalledTimes(1);
  expect(await queue.take('sharing')).toBeNull();
  await queue.close();
  await expectNoSessions();
});

it('queues of new jobs in a new database are made by several at once, and none of them has to try again', async () => {
  const jobs = ['one', 'two', 'three', 'four'];
  const config = await testConfig(await temporaryFolder());
  for (let round = 0; round < 5; round++) {
    const operations = { ...config.operations, postgresUrl: await server().createDatabase() };
    const sleep = vi.fn(async () => {});
    const open = (name: string) =>
      openQueue(name, jobs, { config: { ...config, operations }, effects: { log: silentLog, sleep } });
    const queues = await Promise.all(['a', 'b', 'c', 'd'].map(open));
    expect(sleep).not.toHaveBeenCalled();
    for (const queue of queues) await queue.close();
  }
});

it('a process that stands still while it makes queues holds up the others for seconds', async () => {
  const { database, config } = await openWorld();
  let goOn = () => {};
  const stands = database.transaction(async ({ query }) => {
    await query(`select pg_advisory_xact_lock(${PREPARING_LOCK})`);
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await query('select 1');
  });
  const ended = expect(stands).rejects.toThrow();
  const sleep = vi.fn(async () => {});
  const queue = await openQueue('the test', ['sharing'], { config, effects: { log: silentLog, sleep } });
  expect(sleep).not.toHaveBeenCalled();
  await queue.close();
  goOn();
  await ended;
});
