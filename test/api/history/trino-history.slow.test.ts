import { describe, expect, it } from 'vitest';
import type { HistoryQuestion } from '../../../api/history/question.ts';
import type { AnsweredBy } from '../../../api/history/trino-reader.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import {
  ALL_SOURCES,
  findCurrentHistoryId,
  readHistoryManifest,
} from '../../../pipeline/snapshots/history-contract.ts';
import { nameMartContent } from '../../../pipeline/snapshots/mart-content.ts';
import { type StubAnswer, startStubTrino } from '../../support/fakes/stub-trino.ts';
import { historyCall } from '../../support/worlds/history-calls.ts';
import { openHistories } from '../../support/worlds/history-world.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { HISTORY_TODAY, publishOnce } from './open-history-app.ts';

const day = '2026-01-15' as ServiceDate;
const calls = [historyCall({ delay: 30, day }), historyCall({ delay: 700, day, position: 1 })];
const question: HistoryQuestion = {
  period: { from: day, to: day },
  source: ALL_SOURCES,
  line: null,
  operator: null,
  stops: null,
};

const counts = { expected: 'double', observed: 'double', on_time: 'double', early: 'double' };
const sums = { late10: 'double', cancelled: 'double', replaced: 'double', delay_sum_seconds: 'double' };
const tally = { ...counts, ...sums, derived: 'double', forecasts: 'double' };
/** Numbers that the local history does not contain. */
const remote: Readonly<Record<string, StubAnswer>> = {
  days: {
    columns: { day: 'varchar', dow: 'bigint', hour: 'bigint', ...tally },
    pages: [[[day, null, null, 90, 80, 70, 0, 1, 2, 1, 800, 0, 0]], [[null, 4, 7, 90, 80, 70, 0, 1, 2, 1, 800, 0, 0]]],
  },
  lines: {
    columns: { line: 'varchar', product: 'varchar', operator: 'varchar', ...counts, delay_sum_seconds: 'double' },
    pages: [],
  },
};

/** Trino with the table snapshots of the history; its responses can be replaced. */
async function openTrinoWorld({ hasStates = true, lines = remote.lines!, limitSeconds = 0.5, maxQueued = 8 } = {}) {
  const dataDir = await publishOnce(calls);
  const { files } = await readHistoryManifest(dataDir, (await findCurrentHistoryId(dataDir))!);
  const tables = [...new Set(files.map(({ table }) => table))];
  const states = tables.map((table, i) => [table, hasStates ? 70 + i : null]);
  const world = { failure: null as StubAnswer | null, isFailingQuestionsAlone: false };
  const stub = await startStubTrino((sql) => {
    const isLook = sql.includes('$snapshots');
    if (world.failure && !(isLook && world.isFailingQuestionsAlone)) return world.failure;
    if (isLook) {
      return { columns: { name: 'varchar', snapshot_id: 'bigint' }, pages: [states] };
    }
    return sql.includes('grouping sets') ? remote.days! : lines;
  });
  const logged: string[] = [];
  const by: AnsweredBy[] = [];
  const log: Log = { ...silentLog, warn: (line) => void logged.push(line), info: (line) => void logged.push(line) };
  const clock = fixedClock(HISTORY_TODAY);
  const login = { url: stub.url, catalog: 'lake', user: 'api', password: null };
  const settings = { ...login, queryTimeLimitSeconds: limitSeconds };
  const open = async () => {
    const holder = await openHistories(
      dataDir,
      clock,
      { maxQueued },
      { settings, log, onAnswer: (one) => void by.push(one) },
    );
    await expect.poll(() => stub.statements.length).toBeGreaterThan(0);
    const history = holder.current()!.value;
    return { query: (over: Partial<HistoryQuestion> = {}) => history.answer({ ...question, ...over }, () => {}) };
  };
  return { open, stub, world, logged, by, clock, files };
}

const busy: StubAnswer = {
  error: { errorName: 'QUERY_QUEUE_FULL', errorType: 'INSUFFICIENT_RESOURCES', message: 'full' },
};

const pass = (clock: ReturnType<typeof fixedClock>, seconds: number) =>
  clock.set(new Date(clock.nowMilliseconds() + seconds * 1000).toISOString());
const observed = { local: 2, remote: 80 };

describe('a history on Trino', () => {
  it('is queried at the table snapshots with the same files, and never at others', async () => {
    const { open, stub, files } = await openTrinoWorld();
    const { query } = await open();
    await expect.poll(async () => (await query()).totals.observed).toBe(observed.remote);
    const look = stub.statements[0]!.sql;
    for (const table of new Set(files.map((file) => file.table))) {
      expect(look).toContain(`"lake"."marts"."${table}$snapshots"`);
      expect(look).toContain(nameMartContent(files.filter((file) => file.table === table)));
    }
    const queries = stub.statements.slice(1).map(({ sql }) => sql);
    for (const sql of queries) expect(sql).toMatch(/"lake"\."marts"\."\w+" for version as of 7\d/);
    const looks = stub.statements.filter(({ sql }) => sql.includes('$snapshots'));
    await query();
    expect(stub.statements.filter(({ sql }) => sql.includes('$snapshots'))).toHaveLength(looks.length);
  });

  it.each(["' or 1 = 1 --", '$source', '@hash_key(a)', 'marts.line_daily', "'; drop table x; --", '\\', '"'])(
    'binds a line named %s as a value',
    async (line) => {
      const { open, stub } = await openTrinoWorld();
      const { query } = await open();
      await expect.poll(async () => (await query()).totals.observed).toBe(observed.remote);
      await query({ line, operator: line });
      const literal = `'${line.replaceAll("'", "''")}'`;
      // Default periods are queried in the background at the same time.
      const statements = stub.statements.map(({ sql }) => sql).filter((sql) => sql.includes(`line = ${literal}`));
      expect(statements).toHaveLength(2);
      for (const sql of statements) {
        const rest = sql.replaceAll(literal, 'NAME');
        expect(rest.replaceAll(/--.*/g, '')).not.toMatch(/[$@;\\]|\bor 1 = 1|drop/);
      }
    },
  );

  it('is answered locally while no table snapshot has the same files', async () => {
    const { open, by, logged, stub, clock } = await openTrinoWorld({ hasStates: false });
    const { query } = await open();
    for (const looks of [2, 3]) {
      pass(clock, 11);
      expect((await query()).totals.observed).toBe(observed.local);
      await expect.poll(() => stub.statements.length).toBe(looks);
    }
    await expect
      .poll(() => logged)
      .toEqual([expect.stringMatching(/until publish-iceberg has run: no state of .*line_daily/)]);
    expect(by).not.toContain('trino');
    expect(by).toContain('duckdb_fallback');
  });

  const failures: readonly [what: string, failure: StubAnswer][] = [
    ['hangs', { hangAt: 0 }],
    ['fails', { ...remote.days!, breakAt: 1 }],
    ['is busy', busy],
    ['rejects the user', { status: 401 }],
    [
      'rejects a statement',
      { error: { errorName: 'NUMERIC_VALUE_OUT_OF_RANGE', errorType: 'USER_ERROR', message: 'bigint' } },
    ],
    ['has other types', { columns: { ...remote.days!.columns, day: 'timestamp with time zone' }, pages: [[[day]]] }],
    [
      'has lost the snapshot',
      { error: { errorName: 'INVALID_ARGUMENTS', errorType: 'USER_ERROR', message: 'snapshot' } },
    ],
  ];
  it.each(failures)('that %s is answered locally, paused for 30 s, and then queried again', async (_, failure) => {
    const { open, stub, world, logged, by, clock } = await openTrinoWorld();
    const { query } = await open();
    await expect.poll(async () => (await query()).totals.observed).toBe(observed.remote);
    world.failure = failure;
    expect((await query()).totals.observed).toBe(observed.local);
    expect(logged.at(-1)).toMatch(/^the history is answered without Trino: /);
    const count = stub.statements.length;
    pass(clock, 29);
    expect((await query()).totals.observed).toBe(observed.local);
    expect(stub.statements.length).toBe(count);
    expect(by.slice(-2)).toEqual(['duckdb_fallback', 'duckdb_fallback']);
    world.failure = null;
    pass(clock, 2);
    await expect.poll(async () => (await query()).totals.observed).toBe(observed.remote);
    expect(logged.at(-1)).toBe('the history is answered by Trino again');
  });

  it('that has the snapshots but does not respond is tried by one query in 30 s', async () => {
    const { open, stub, world, logged, clock } = await openTrinoWorld();
    const { query } = await open();
    await expect.poll(async () => (await query()).totals.observed).toBe(observed.remote);
    const countQuestions = () => stub.statements.filter(({ sql }) => !sql.includes('$snapshots')).length;
    world.failure = busy;
    world.isFailingQuestionsAlone = true;
    await query();
    for (const round of [1, 2]) {
      const before = countQuestions();
      pass(clock, 31);
      const queryThree = async () => {
        await Promise.all([query(), query(), query()]);
        return countQuestions();
      };
      await expect.poll(queryThree, { message: `round ${round}` }).toBeGreaterThan(before);
      expect(countQuestions()).toBe(before + 1);
    }
    expect(logged).toEqual([expect.stringMatching(/^the history is answered without Trino: .*full/)]);
  });

  it('that does not report its snapshots is reported once', async () => {
    const { open, stub, world, logged, clock } = await openTrinoWorld();
    world.failure = { status: 401 };
    const { query } = await open();
    for (const looks of [2, 3, 4]) {
      pass(clock, 31);
      await query();
      await expect.poll(() => stub.statements.length).toBe(looks);
    }
    expect(logged).toEqual([expect.stringMatching(/^the history is answered without Trino: .*401/)]);
  });

  it('reads pages with any number of rows', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => [`L${i}`, 'bus', 'city', 1, 1, 1, 0, 30]);
    const { open, by } = await openTrinoWorld({ lines: { ...remote.lines!, pages: [rows] }, limitSeconds: 30 });
    const { query } = await open();
    await expect.poll(async () => (await query()).lines.length, { timeout: 90_000 }).toBe(rows.length);
    expect(by.at(-1)).toBe('trino');
  });

  it('is queried even if no query may wait', async () => {
    const { open } = await openTrinoWorld({ maxQueued: 0 });
    const { query } = await open();
    await expect.poll(async () => (await query()).totals.observed).toBe(observed.remote);
  });

  it('opens while Trino is away, without waiting for it', async () => {
    const { open, world } = await openTrinoWorld();
    world.failure = { hangAt: 0 };
    const { query } = await open();
    expect((await query()).totals.observed).toBe(observed.local);
  });
});
