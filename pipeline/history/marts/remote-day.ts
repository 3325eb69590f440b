import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { type Duckdb, readSql, sqlName, sqlText } from '../../effects/duckdb.ts';
import { expandSql } from '../../effects/sql-dialects/expand-sql.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { rankColumns } from '../stop-events/counted-rows.ts';
import { type BuiltDay, daySteps, rolledUpMarts, selectDayInputs } from './day-steps.ts';
import { type DailyMart, dailyMarts, martTables } from './mart-tables.ts';
import { readMartSql } from './read-mart-sql.ts';
import { failCheck, SHOWN_ROWS, stepChecks } from './run-checks.ts';

/** Values of some rows by column: numbers, texts, dates as texts, lists of objects. */
type RemotePage = Readonly<Record<string, readonly unknown[]>>;
type RemoteRow = Readonly<Record<string, unknown>>;

/** Trino with the stop events of the lake. */
export interface RemoteMarts {
  /**
   * The stop events as a relation of Trino, of a snapshot that does not change during the build.
   * @param inputs hashes of the rows that the day is built of, by source
   * @throws ExternalError `iceberg_behind` when the snapshot has other rows than these
   */
  findStopEvents(date: ServiceDate, inputs: ReadonlyMap<SourceId, string>): Promise<string>;
  /** The rows of a statement, page by page. @throws ExternalError of the connection, or of the statement */
  stream(sql: string): AsyncIterable<RemotePage>;
}

/**
 * Computes the rows of a day remotely, checks the steps where they are, and brings the rows of the marts here.
 * @param folder of the files that the selects read
 * @returns by mart, a select of its rows; none of those that are sums of another one
 */
export async function fetchDay(
  db: Duckdb,
  remote: RemoteMarts,
  day: BuiltDay,
  folder: string,
): Promise<Partial<Record<DailyMart, string>>> {
  const steps = await writeSteps(remote, day);
  await checkSteps(remote, steps, day.date);
  const count = await collect(remote, `${steps} select * from int_call_count`);
  await db.run(`create or replace temp table int_call_count as select ${Number(count[0]?.calls)}::bigint as calls`);
  const selects: Partial<Record<DailyMart, string>> = {};
  for (const mart of dailyMarts.filter((name) => !rolledUpMarts.includes(name))) {
    const file = path.join(folder, `${mart}-${day.date}.ndjson`);
    const rows = await writeRows(remote.stream(await writeMart(steps, mart)), file);
    const table = `fetched_${mart}`;
    await db.run(`create or replace temp table ${table} as ${selectFetched(mart, file)}`);
    const [found] = await db.query(`select count(*)::double as n from ${table}`);
    if (found?.n !== rows) throw new Error(`${rows} rows of ${mart} were received, and ${found?.n} read`);
    await rm(file);
    selects[mart] = `select * from ${table}`;
  }
  return selects;
}

/** All steps before the marts, named. Nothing is kept in Trino, so nothing is left behind. */
export async function writeSteps(remote: Pick<RemoteMarts, 'findStopEvents'>, day: BuiltDay): Promise<string> {
  const { date, inputs } = day;
  const stopEvents = await remote.findStopEvents(
    date,
    new Map(inputs.map(({ source, rowsHash }) => [source, rowsHash])),
  );
  const sources = inputs.map(({ source }) => sqlText(source)).join(', ');
  const named: [name: string, select: string][] = [
    ...Object.entries(selectDayInputs(day)),
    [
      'day_stop_events',
      `select *, ${rankColumns} from ${stopEvents}
       where service_date = date ${sqlText(date)} and source in (${sources})`,
    ],
  ];
  for (const { sql } of daySteps) named.push([sql, await readMartSql(sql, 'trino')]);
  return `with ${named.map(([name, select]) => `${name} as (\n${select}\n)`).join(',\n')}\n`;
}

/** The statement of a mart, or of one that is a sum of others. */
export async function writeMart(steps: string, mart: DailyMart): Promise<string> {
  const select = await readMartSql(mart, 'trino');
  const before = dailyMarts
    .slice(0, dailyMarts.indexOf(mart))
    .filter((other) => new RegExp(`\\b${other}\\b`).test(select));
  let named = steps.trimEnd();
  for (const other of await listAncestors(before)) named += `,\n${other} as (\n${await readMartSql(other, 'trino')}\n)`;
  return `${named}\nselect * from (\n${select}\n)`;
}

/** Marts that a mart is a sum of, and those that they are sums of; each after its own. */
async function listAncestors(marts: readonly DailyMart[]): Promise<DailyMart[]> {
  const found: DailyMart[] = [];
  for (const mart of marts) {
    const select = await readMartSql(mart, 'trino');
    const before = dailyMarts.filter((other) => other !== mart && new RegExp(`\\b${other}\\b`).test(select));
    found.push(...(await listAncestors(before)), mart);
  }
  return [...new Set(found)];
}

async function checkSteps(remote: RemoteMarts, steps: string, date: ServiceDate): Promise<void> {
  for (const name of stepChecks) {
    const check = expandSql(await readSql(`pipeline/history/marts/checks/${name}.sql`), 'trino');
    const rows = await collect(remote, `${steps} select * from (\n${check}\n) limit ${SHOWN_ROWS}`);
    if (rows.length > 0)
      failCheck(
        name,
        `marts of ${date}`,
        rows.map((row) => JSON.stringify(row)),
      );
  }
}

async function collect(remote: RemoteMarts, sql: string): Promise<RemoteRow[]> {
  const rows: RemoteRow[] = [];
  for await (const page of remote.stream(sql)) rows.push(...toRows(page));
  return rows;
}

function toRows(page: RemotePage): RemoteRow[] {
  const columns = Object.entries(page);
  const count = columns[0]?.[1].length ?? 0;
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
  );
}

/** @returns how many rows there are */
async function writeRows(pages: AsyncIterable<RemotePage>, file: string): Promise<number> {
  const stream = createWriteStream(file);
  const written = finished(stream);
  // It is waited for below; an error before that must not count as unhandled.
  written.catch(() => {});
  let rows = 0;
  try {
    for await (const page of pages) {
      const found = toRows(page);
      rows += found.length;
      const text = found.map((row) => `${JSON.stringify(row)}\n`).join('');
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), written]);
    }
  } finally {
    stream.end();
  }
  await written;
  return rows;
}

function selectFetched(mart: DailyMart, file: string): string {
  const columns = Object.entries(martTables[mart].columns).map(
    ([name, [type]]) => `${sqlName(name)}: ${sqlText(type)}`,
  );
  return `select * from read_json(${sqlText(file)}, format = 'newline_delimited', columns = {${columns.join(', ')}})`;
}
