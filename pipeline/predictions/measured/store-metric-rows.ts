import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, type SqlValue, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { isThere, listNames, syncFile } from '../../effects/files.ts';
import { findFormerFiles, parquetFacts, publishPartition } from '../../lake/parquet-facts.ts';
import { martFile, martsFolder } from '../../lake/paths.ts';
import { type MetricRow, type MetricTable, metricTables } from './metric-tables.ts';

interface MetricDay {
  readonly dataDir: string;
  /** A work folder on the same disk as the marts. */
  readonly folder: string;
  readonly table: MetricTable;
  readonly source: string;
  readonly serviceDate: string;
}

/**
 * Replaces the rows of one day and source in a mart; the file of the month is swapped as a whole.
 * @throws ExternalError `partition_incomplete`
 */
export async function storeMetricRows(
  db: Duckdb,
  { dataDir, folder, table, source, serviceDate }: MetricDay,
  rows: readonly MetricRow[],
): Promise<void> {
  const names = Object.keys(metricTables[table].columns);
  const file = martFile(dataDir, table, serviceDate.slice(0, 7));
  await loadMonth(db, table, file, `not (source = ${sqlText(source)} and service_date = date ${sqlText(serviceDate)})`);
  const places = names.map((name) => `$${name}`).join(', ');
  for (const row of rows) {
    const values = Object.fromEntries(names.map((name): [string, SqlValue] => [name, row[name] ?? null]));
    await db.query(`insert into figure_rows values (${places})`, values);
  }
  await writeMonth(db, dataDir, folder, table, file);
}

/**
 * Rewrites the months of all metrics with a former schema of the lake, with the same rows. They are not measured again,
 * as their inputs may have been deleted.
 * @param folder a work folder on the same disk as the marts
 * @param isWanted whether those of a month (`YYYY-MM`); others may be written meanwhile
 * @returns number of files
 */
export async function rewriteMetricTables(
  db: Duckdb,
  dataDir: string,
  folder: string,
  isWanted: (month: string) => boolean,
): Promise<number> {
  let files = 0;
  for (const table of Object.keys(metricTables) as MetricTable[]) {
    const former = await findFormerFiles(db, await listMonthFiles(dataDir, table, isWanted));
    for (const file of former) {
      await loadMonth(db, table, file, 'true');
      await writeMonth(db, dataDir, folder, table, file);
    }
    files += former.size;
  }
  return files;
}

async function listMonthFiles(
  dataDir: string,
  table: MetricTable,
  isWanted: (month: string) => boolean,
): Promise<string[]> {
  const root = path.join(martsFolder(dataDir), table);
  const months = (await listNames(root)).flatMap((name) => /^month=(\d{4}-\d{2})$/.exec(name)?.[1] ?? []);
  const files: string[] = [];
  for (const month of months.filter(isWanted).sort()) {
    const file = martFile(dataDir, table, month);
    if (await isThere(file)) files.push(file);
  }
  return files;
}

/** Creates the table `figure_rows` with the rows of a month's file, where there is one. */
async function loadMonth(db: Duckdb, table: MetricTable, file: string, condition: string): Promise<void> {
  const declared = Object.entries(metricTables[table].columns).map(([name, [type]]) => `${sqlName(name)} ${type}`);
  await db.run(`create or replace temp table figure_rows (${declared.join(', ')})`);
  if (!(await isThere(file))) return;
  await db.run(`insert into figure_rows by name from read_parquet(${sqlPath(file)}, hive_partitioning = false)
    where ${condition}`);
}

/** Replaces a month's file by the rows of `figure_rows`, and drops that table. */
async function writeMonth(
  db: Duckdb,
  dataDir: string,
  folder: string,
  table: MetricTable,
  file: string,
): Promise<void> {
  const [{ n }] = (await db.query('select count(*)::integer as n from figure_rows')) as [{ n: number }];
  // A separate folder, since the replaced file stays beside the new one.
  const own = path.join(folder, randomBytes(6).toString('hex'));
  const written = path.join(own, `${table}.parquet`);
  await mkdir(own, { recursive: true });
  const sources = await db.query('select distinct source from figure_rows order by source');
  const facts = await parquetFacts(
    dataDir,
    `marts.${table}`,
    sources.map((one) => String(one.source)),
  );
  await db.run(`copy (from figure_rows order by all) to ${sqlText(written)}
    (format parquet, compression zstd, ${facts})`);
  await syncFile(written);
  await publishPartition(db, written, path.dirname(file), n);
  await db.run('drop table figure_rows');
}
