import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type DailyMart, martTables } from '../../../../pipeline/history/marts/mart-tables.ts';
import type { RemoteMarts } from '../../../../pipeline/history/marts/remote-day.ts';
import { martsFolder, workFolder } from '../../../../pipeline/lake/paths.ts';
import { openTrino } from '../../../../pipeline/scale-out/trino/open-trino.ts';
import { type StubAnswer, startStubTrino } from '../../../support/fakes/stub-trino.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { build, type PlainRow, publishDay, readMart, readMartTexts } from '../../../support/worlds/marts.ts';

const date = '2026-01-15';
const row = { product: 'metro', utc_offset_minutes: 60, operator: 'O', station_id: 'S' };
const calls = Array.from({ length: 6 }, (_, i) => ({
  ...row,
  trip_id: `t${i}`,
  line_label: i % 2 === 0 ? 'A' : 'B',
  stop_id: `s${i % 2}`,
  delay_seconds: i * 90 - 60,
}));

/** Distinguishes the statement of a mart. */
const marks: Partial<Record<DailyMart, string>> = {
  punctuality_cube: 'bars as delay_histogram',
  line_daily: 'p50_delay_seconds,',
  stop_daily: 'bars as hours',
  trip_daily: 'counts_to as source',
  connections_daily: 'from_labels.line as from_line',
};

/** Responses of Trino: the rows of marts that DuckDB has built, in its protocol. */
async function answerFrom(dataDir: string): Promise<(sql: string) => StubAnswer> {
  const rows = new Map<string, readonly PlainRow[]>();
  for (const mart of Object.keys(marks) as DailyMart[]) rows.set(mart, await readMart(dataDir, mart));
  return (sql) => {
    if (sql.endsWith('select * from int_call_count'))
      return { columns: { calls: 'bigint' }, pages: [[[calls.length]]] };
    const last = sql.slice(sql.lastIndexOf('\n)\nselect * from ('));
    const mart = (Object.keys(marks) as DailyMart[]).find((name) => last.includes(marks[name]!));
    if (!mart) return { columns: { broken: 'bigint' }, pages: [] };
    const names = Object.keys(martTables[mart].columns);
    return {
      columns: Object.fromEntries(names.map((name) => [name, 'varchar'])),
      pages: rows.get(mart)!.map((one) => [names.map((name) => one[name])]),
    };
  };
}

async function openRemote(answer: (sql: string) => StubAnswer): Promise<RemoteMarts> {
  const stub = await startStubTrino(answer);
  const trino = await openTrino({ url: stub.url, catalog: 'lake', user: 'job', password: null });
  return {
    findStopEvents: async () => '"lake"."lake"."stop_events" for version as of 1',
    stream: (sql) => trino.stream(sql, { timeLimitSeconds: 20 }),
  };
}

async function openLake(): Promise<string> {
  const dataDir = await temporaryFolder();
  await publishDay(dataDir, 'live', date, calls);
  return dataDir;
}

it('publishes rows from Trino like those computed locally', async () => {
  const [here, there] = [await openLake(), await openLake()];
  await build(here);
  const remote = await openRemote(await answerFrom(here));
  expect(await build(there, { remote })).toHaveLength(1);
  expect(await readMartTexts(there)).toEqual(await readMartTexts(here));
  expect((await readMartTexts(there)).size).toBeGreaterThan(4);
});

const failures: readonly [what: string, failure: StubAnswer, error: object][] = [
  ['fails', { breakAt: 1 }, { code: 'trino_unreachable', isRetryable: true }],
  [
    'has a full queue',
    { error: { errorName: 'QUERY_QUEUE_FULL', errorType: 'INSUFFICIENT_RESOURCES', message: 'full' } },
    { code: 'trino_queue_full', isRetryable: true },
  ],
  [
    'takes too long',
    { error: { errorName: 'EXCEEDED_TIME_LIMIT', errorType: 'INSUFFICIENT_RESOURCES', message: 'late' } },
    { code: 'trino_time_limit', isRetryable: true },
  ],
];
it.each(failures)('Trino that %s in the middle leaves the marts unchanged', async (_what, failure, error) => {
  const [here, there] = [await openLake(), await openLake()];
  await build(here);
  const answer = await answerFrom(here);
  await build(there, { remote: await openRemote(answer) });
  const before = await readMartTexts(there);
  await publishDay(there, 'live', date, calls.slice(0, 3));
  const broken = await openRemote((sql) => {
    const response = answer(sql);
    return sql.includes('bars as hours') ? { ...response, ...failure } : response;
  });
  await expect(build(there, { remote: broken })).rejects.toMatchObject(error);
  expect(await readMartTexts(there)).toEqual(before);
  expect(await readdir(workFolder(there))).toEqual([]);
  expect(await readdir(martsFolder(there))).toContain('month-manifests');
});

it('rejects rows that contradict the manifests like local ones', async () => {
  const [here, there] = [await openLake(), await openLake()];
  await build(here);
  const answer = await answerFrom(here);
  await publishDay(there, 'live', date, calls.slice(0, 3));
  await expect(build(there, { remote: await openRemote(answer) })).rejects.toMatchObject({ code: 'mart_check_failed' });
});
