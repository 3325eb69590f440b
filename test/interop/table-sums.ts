import { type Duckdb, sqlName, sqlPath } from '../../pipeline/effects/duckdb.ts';
import type { LakehouseTable } from '../../pipeline/lakehouse/lakehouse-tables.ts';
import { listLakeFiles } from '../../pipeline/lakehouse/list-lake-files.ts';

/** What readers of a table are compared by. */
export interface Sums {
  readonly rows: number;
  /**
   * By column: values that are not null, and their sum: of instants in microseconds, of dates in days, of texts and
   * lists their lengths. Sums of fractions are numbers, rounded to three places; all others are texts.
   */
  readonly columns: Readonly<Record<string, readonly [count: number, sum: string | number]>>;
}

/** @throws Error that names the first column with another sum */
export function assertSums(table: string, found: Sums, wanted: Sums): void {
  for (const [column, sums] of Object.entries(wanted.columns)) {
    const read = JSON.stringify(found.columns[column]);
    if (read !== JSON.stringify(sums)) throw new Error(`${table}: ${column} is ${read}, not ${JSON.stringify(sums)}`);
  }
  if (found.rows !== wanted.rows) throw new Error(`${table}: ${found.rows} rows, not ${wanted.rows}`);
}

/** The sums of a table as the lake's own engine reads its files. */
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
  const sums = Object.entries(columns).flatMap(([name, [type]], i) => {
    const value = sumOf(sqlName(name), type);
    return [`count(${sqlName(name)})::double as n${i}`, `coalesce(sum(${value}), 0) as s${i}`];
  });
  const [row] = await db.query(`select count(*)::double as n, ${sums.join(', ')} from ${relation}`);
  const summed = Object.entries(columns).map(([name, [type]], i) => {
    const isFraction = (type === 'DOUBLE' || type === 'FLOAT') && Number(row![`n${i}`]) > 0;
    const sum = row![`s${i}`];
    return [name, [Number(row![`n${i}`]), isFraction ? Math.round(Number(sum) * 1000) / 1000 : String(sum)]] as const;
  });
  return { rows: Number(row!.n), columns: Object.fromEntries(summed) };
}

function sumOf(column: string, type: string): string {
  if (type.endsWith('[]') || type === 'VARCHAR') return `length(${column})::hugeint`;
  if (type === 'TIMESTAMP WITH TIME ZONE') return `epoch_us(${column})::hugeint`;
  if (type === 'DATE') return `(${column} - date '1970-01-01')::hugeint`;
  return type === 'DOUBLE' || type === 'FLOAT' ? `${column}::double` : `${column}::hugeint`;
}
