import { type Duckdb, sqlName, sqlPath } from '../../pipeline/effects/duckdb.ts';
import type { LakehouseTable } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { listLakeFiles } from '../../pipeline/scale-out/lakehouse/list-lake-files.ts';

/** Checksums by which readers of a table are compared. */
export interface Sums {
  readonly rows: number;
  /**
   * Number of non-null values by column, and their sum: instants in microseconds, dates in days, lists by length, texts by
   * the first 8 hex digits of their MD5. Sums of fractions are numbers rounded to three places; all others are texts.
   */
  readonly columns: Readonly<Record<string, readonly [count: number, sum: string | number]>>;
}

/** @throws Error with the first column whose sum differs */
export function assertSums(table: string, found: Sums, wanted: Sums): void {
  for (const [column, sums] of Object.entries(wanted.columns)) {
    const read = JSON.stringify(found.columns[column]);
    if (read !== JSON.stringify(sums)) throw new Error(`${table}: ${column} is ${read}, not ${JSON.stringify(sums)}`);
  }
  if (found.rows !== wanted.rows) throw new Error(`${table}: ${found.rows} rows, not ${wanted.rows}`);
}

/** The sums of a table as the engine of the lake reads its files. */
export async function sumUpTable(db: Duckdb, dataDir: string, table: LakehouseTable): Promise<Sums> {
  const { columns } = table.definition;
  const { files } = await listLakeFiles(dataDir, table);
  const isOfFolder = files[0]?.folder.startsWith('source=') ?? false;
  const hive = isOfFolder
    ? 'hive_partitioning = true, hive_types = {source: VARCHAR, service_date: DATE}'
    : 'hive_partitioning = false';
  const list = files.map(({ file }) => sqlPath(file)).join(', ');
  return sumUpRelation(db, columns, `read_parquet([${list}], ${hive}, union_by_name = true)`);
}

/** The sums of a relation with the columns of a table. */
export async function sumUpRelation(
  db: Duckdb,
  columns: LakehouseTable['definition']['columns'],
  relation: string,
): Promise<Sums> {
  const sums = Object.entries(columns).flatMap(([name, [type]]) => [
    `count(${sqlName(name)})`,
    `coalesce(sum(${sumOf(sqlName(name), type)}), 0)`,
  ]);
  const list = ['count(*)', ...sums].map((sum, i) => `${sum} as c${i}`);
  const [row] = await db.query(`select ${list.join(', ')} from ${relation}`);
  return toSums(columns, Object.values(row!));
}

/** @param row number of rows, then by column the number of non-null values and their sum */
export function toSums(columns: LakehouseTable['definition']['columns'], row: readonly unknown[]): Sums {
  const summed = Object.entries(columns).map(([name, [type]], i) => {
    const count = Number(row[1 + 2 * i]);
    const sum = row[2 + 2 * i];
    const isFraction = (type === 'DOUBLE' || type === 'FLOAT') && count > 0;
    return [name, [count, isFraction ? Math.round(Number(sum) * 1000) / 1000 : String(sum)]] as const;
  });
  return { rows: Number(row[0]), columns: Object.fromEntries(summed) };
}

function sumOf(column: string, type: string): string {
  if (type.endsWith('[]')) return `length(${column})::hugeint`;
  if (type === 'VARCHAR') return `('0x' || md5(${column})[1:8])::bigint::hugeint`;
  if (type === 'TIMESTAMP WITH TIME ZONE') return `epoch_us(${column})::hugeint`;
  if (type === 'DATE') return `(${column} - date '1970-01-01')::hugeint`;
  return type === 'DOUBLE' || type === 'FLOAT' ? `${column}::double` : `${column}::hugeint`;
}
