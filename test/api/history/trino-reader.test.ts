import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Statement } from '../../../api/history/chart.ts';
import type { MartReader } from '../../../api/history/mart-reader.ts';
import { openTrinoHistory } from '../../../api/history/trino-reader.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import type { Trino } from '../../../pipeline/scale-out/trino/open-trino.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { HISTORY_TODAY } from './open-history-app.ts';

// The test decides when limits are reached, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const day = '2026-01-15' as ServiceDate;
const local: Pick<MartReader, 'query'> = { query: (task) => task(async () => ({ by: ['duckdb'] })) };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A Trino with one API worker and five seconds, which answers a statement when the test says so. */
async function openWorld({ maxQueued = 8 } = {}) {
  const pending: (() => void)[] = [];
  const trino: Trino = {
    catalog: 'lake',
    async *stream(sql, { signal }) {
      if (sql.includes('$snapshots')) return yield { name: ['line_daily'], snapshot_id: [7n] };
      await new Promise<void>((resolve, reject) => {
        pending.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      yield { by: ['trino'] };
    },
  };
  const logged: string[] = [];
  const log: Log = { ...silentLog, warn: (line) => void logged.push(line), info: (line) => void logged.push(line) };
  const history = openTrinoHistory({
    trino,
    limits: { maxConcurrent: 1, maxQueued, timeLimitSeconds: 5 },
    clock: fixedClock(HISTORY_TODAY),
    log,
    onAnswer() {},
  });
  const files = [{ table: 'line_daily', month: '2026-01', bytes: 1, hash: 'a' }];
  const reader = history.openReader(files, local as MartReader);
  await settle();
  const statement: Statement = { sql: 'select 1 from marts.line_daily', values: {} };
  const query = () =>
    reader.query(
      async (queryOne) => (await queryOne(statement))!.by![0],
      { from: day, to: day },
      () => {},
    );
  const pass = async (seconds: number) => {
    vi.advanceTimersByTime(seconds * 1000);
    await settle();
  };
  /** Lets Trino answer the latest statement. */
  const answer = async () => {
    pending.at(-1)!();
    await settle();
  };
  return { query, pass, answer, pending, logged };
}

test('a full API queue is answered locally, and starts no pause', async () => {
  const { query, answer, logged } = await openWorld({ maxQueued: 0 });
  const first = query();
  expect(await query()).toBe('duckdb');
  await answer();
  expect(await first).toBe('trino');
  const next = query();
  await answer();
  expect([await next, logged]).toEqual(['trino', []]);
});

test('a query that is late because it waited for a worker starts no pause', async () => {
  const { query, pass, answer, pending, logged } = await openWorld();
  const first = query();
  await pass(1);
  // Both wait: one until two seconds are left, and one for its entire time.
  const [second, third] = [query(), query()];
  await pass(3);
  await answer();
  expect(await first).toBe('trino');
  await pass(2);
  expect(await Promise.all([second, third])).toEqual(['duckdb', 'duckdb']);
  const next = query();
  expect(pending).toHaveLength(3);
  await answer();
  expect([await next, logged]).toEqual(['trino', []]);
});

test('queries that have been at Trino for the time limit of one start a pause, although all of them have waited', async () => {
  const { query, pass, answer, pending, logged } = await openWorld();
  const first = query();
  const late = [];
  for (let n = 0; n < 4; n++) {
    await pass(1);
    late.push(query());
  }
  await answer();
  expect(await first).toBe('trino');
  // One after the other: two seconds, then one each.
  for (let n = 0; n < 5; n++) await pass(1);
  expect(await Promise.all(late)).toEqual(Array(4).fill('duckdb'));
  expect(logged).toEqual([expect.stringMatching(/^the history is answered without Trino: /)]);
  expect(await query()).toBe('duckdb');
  expect(pending).toHaveLength(5);
});
