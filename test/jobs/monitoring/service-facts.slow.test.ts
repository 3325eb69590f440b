import { hostname } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { readServiceFacts } from '../../../jobs/monitoring/service-facts.ts';
import type { ConfiguredSource } from '../../../pipeline/config/configured-source.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { openPostgres } from '../../../pipeline/effects/sql-store/postgres-database.ts';
import { openLockStore } from '../../../pipeline/operations/lock-store.ts';
import { startPostgres, type TestPostgres } from '../../support/embedded-postgres.ts';
import { silentLog } from '../../support/ingest.ts';
import { temporaryFolder, testConfig } from '../fake-world.ts';

let postgres: TestPostgres | string;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  if (typeof postgres === 'object') await postgres.stop();
});
beforeEach(({ skip }) => skip(typeof postgres === 'string', `PostgreSQL cannot run here: ${postgres}`));

/** Sources of a machine beside which this host polls `wl`. */
async function listSources(host: string, isEnabled = true) {
  const url = await (postgres as TestPostgres).createDatabase();
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

it('a source is reported by the machine that polls it, and by none where another one does', async () => {
  expect(await listSources(hostname())).toEqual(['wl', 'vao']);
  expect(await listSources('another-host')).toEqual(['vao']);
  expect(await listSources(hostname(), false)).toEqual([]);
});
