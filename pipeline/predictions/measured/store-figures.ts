import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, type SqlValue, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { listNames, syncFile } from '../../effects/files.ts';
import { parquetFacts } from '../../lake/parquet-facts.ts';
import { publishPartition } from '../../lake/partitions.ts';
import { martFile } from '../../lake/paths.ts';
import { type FigureRow, type FigureTable, figureTables } from './figure-tables.ts';

/**
 * Puts the rows of one day and source in the place of those that a mart has of them; the month's file is swapped whole.
 * @param folder a work folder on the same disk as the marts
 * @throws WorldError `partition_incomplete`
 */
export async function storeFigures(
  db: Duckdb,
  dataDir: string,
  folder: string,
  table: FigureTable,
  { source, serviceDate }: { readonly source: string; readonly serviceDate: string },
  rows: readonly FigureRow[],
): Promise<void> {
  const { columns } = figureTables[table];
  const names = Object.keys(columns);
  const declared = Object.entries(columns).map(([name, [type]]) => `${sqlName(name)} ${type}`);
  await db.run(`create or replace temp table figure_rows (${declared.join(', ')})`);
  const file = martFile(dataDir, table, serviceDate.slice(0, 7));
  if ((await listNames(path.dirname(file))).includes(path.basename(file))) {
    await db.run(`insert into figure_rows by name from read_parquet(${sqlPath(file)}, hive_partitioning = false)
      where not (source = ${sqlText(source)} and service_date = date ${sqlText(serviceDate)})`);
  }
  const places = names.map((name) => `$${name}`).join(', ');
  for (const row of rows) {
    const values = Object.fromEntries(names.map((name): [string, SqlValue] => [name, row[name] ?? null]));
    await db.query(`insert into figure_rows values (${places})`, values);
  }
  const [{ n }] = (await db.query('select count(*)::integer as n from figure_rows')) as [{ n: number }];
  const written = path.join(folder, `${table}.parquet`);
  await mkdir(folder, { recursive: true });
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
