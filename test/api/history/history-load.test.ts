import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openHistoryEngine } from '../../../api/history/history-engine.ts';
import type { HistoryReader } from '../../../api/history/open-history.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import { openHistories, testHistoryLimits } from '../../support/worlds/history-world.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';
import { town } from '../engine/live-town.ts';
import { noHistory, openService } from '../service-app.ts';
import { HISTORY_TODAY, publishOnce } from './open-history-app.ts';

/** Minutes of work for the engine. */
const ENDLESS = 'select count(*)::double as n from range(100000000) as a, range(1000) as b where a.range * b.range = 7';
const nobodyLeaves = () => {};

/** Longer than a request takes on a busy machine. */
const SOON = { timeout: 90_000, interval: 25 };

async function openEngine(limits: Partial<typeof testHistoryLimits> = {}) {
  const folder = await temporaryFolder();
  const engine = await openHistoryEngine([folder], { ...testHistoryLimits, ...limits });
  onTestFinished(() => engine.close());
  return engine;
}

test('a slow query times out, and the next one is answered', async () => {
  const engine = await openEngine({ timeLimitSeconds: 1 });
  const endless = engine.work((query) => query(ENDLESS, {}), nobodyLeaves);
  await expect(endless).rejects.toMatchObject({ code: 'overloaded' });
  expect(await engine.work((query) => query('select $n::int + 1 as n', { n: 1 }), nobodyLeaves)).toEqual({ n: [2] });
});

test('requests beyond the queue are refused as overloaded, the others are answered', async () => {
  const engine = await openEngine({ maxQueued: 2 });
  const answers = Array.from({ length: 10 }, (_, n) =>
    engine.work(
      (query) => query('select $n::int as n, count(*)::double as c from range(1000000)', { n }),
      nobodyLeaves,
    ),
  );
  const settled = await Promise.allSettled(answers);
  expect(settled.map((one) => (one.status === 'fulfilled' ? 'ok' : one.reason.code))).toEqual([
    ...Array(3).fill('ok'),
    ...Array(7).fill('overloaded'),
  ]);
});

test('loaded tables outlive the next ones, for queries that began before', async () => {
  const engine = await openEngine();
  const load = (n: number) => engine.loadTables({ numbers: { sql: 'select $n::int as n', values: { n } } });
  const [first, second] = [await load(1), await load(2)];
  first.release();
  const names = [first, second].map((loaded) => loaded.names.get('numbers')!);
  expect((await engine.loadTables({})).names).toEqual(new Map());
  const read = (name: string) => engine.work((query) => query(`select n from ${name}`, {}), nobodyLeaves);
  expect(await Promise.all(names.map(read))).toEqual([{ n: [1] }, { n: [2] }]);
});

test('released tables, and those of a load that failed, are dropped after the time limit', async () => {
  const engine = await openEngine();
  const numbers = { sql: 'select 1 as n', values: {} };
  (await engine.loadTables({ numbers })).release();
  const broken = { sql: 'select * from absent', values: {} };
  await expect(engine.loadTables({ numbers, broken })).rejects.toThrow(/absent/);
  await engine.loadTables({ numbers });
  const countTables = () =>
    engine.work((query) => query('select count(*)::int as n from duckdb_tables()', {}), nobodyLeaves);
  expect(await countTables()).toEqual({ n: [3] });
  const now = vi
    .spyOn(performance, 'now')
    .mockReturnValue(performance.now() + 1000 * testHistoryLimits.timeLimitSeconds + 1000);
  await engine.loadTables({});
  now.mockRestore();
  expect(await countTables()).toEqual({ n: [1] });
});

test('the engine reads only its folder, and writes nothing', async () => {
  const engine = await openEngine();
  for (const sql of [
    "select * from read_text('/etc/hostname')",
    "copy (select 1 as n) to 'n.csv'",
    "set allowed_directories = ['/']",
    'set enable_external_access = true',
  ]) {
    await expect(
      engine.work((query) => query(sql, {}), nobodyLeaves),
      sql,
    ).rejects.toThrow(/Permission|locked|disabled|Cannot/);
  }
});

test('a client that disconnects frees its slot', async () => {
  const clock = fixedClock(HISTORY_TODAY);
  const held = (await openHistories(await publishOnce([]), clock)).current()!;
  const left: string[] = [];
  let queryCount = 0;
  const history: HistoryReader = {
    ...held.value,
    findReady: () => null,
    answer: (_question, whenGone) =>
      new Promise((_resolve, reject) => {
        queryCount += 1;
        whenGone(() => {
          left.push('gone');
          reject(new Error('gone'));
        });
      }),
  };
  const snapshots = { current: () => ({ ...held, value: history }) };
  const app = await openService(await openWorld(town), { clock, history: { ...noHistory, snapshots } });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', path: '/v1/history?line=U1' });
  client.on('error', () => {});
  client.end();
  await vi.waitFor(() => expect(queryCount).toBe(1), SOON);
  expect(left).toEqual([]);
  client.destroy();
  await vi.waitFor(() => expect(left).toEqual(['gone']), SOON);
});
