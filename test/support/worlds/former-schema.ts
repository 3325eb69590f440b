import { rename } from 'node:fs/promises';
import { type Duckdb, openDuckdb, sqlName, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { LAKE_SCHEMA_VERSION, SCHEMA_VERSION } from '../../../pipeline/lake/parquet-facts.ts';

/** A column of a file, with its current type. */
interface Column {
  readonly name: string;
  readonly type: string;
}

/** Rewrites files in schema 1: instants without a zone, keys unsigned, no metadata and no `is_counted`. */
export async function rewriteInSchema1(files: readonly string[]): Promise<void> {
  await rewrite(files, async () => '', toSchema1);
}

/** Rewrites files in schema 2: some integers unsigned. Their other metadata stay. */
export async function rewriteInSchema2(files: readonly string[]): Promise<void> {
  await rewrite(
    files,
    (db, file) => readMetadata(db, file, '2'),
    (column) => toSchema3(column, toSchema2(column.name, column.type)),
  );
}

/** Rewrites files in schema 3: one cancellation for both events of a call. */
export async function rewriteInSchema3(files: readonly string[]): Promise<void> {
  await rewrite(
    files,
    (db, file) => readMetadata(db, file, '3'),
    (column) => toSchema3(column, column.type),
  );
}

/** Columns of schema 4 and later. */
const LATER: readonly string[] = [
  ...['departure_is_cancelled', 'is_replaced', 'uncertainty_seconds', 'occupancy'],
  ...['trip_number', 'is_final_forecast'],
];

function toSchema3({ name }: Column, type: string): string | null {
  if (LATER.includes(name)) return null;
  if (name === 'arrival_is_cancelled') return ONE_CANCELLATION;
  return `${sqlName(name)}::${type} as ${sqlName(name)}`;
}

const ONE_CANCELLATION = "if(event = 'departure', departure_is_cancelled, arrival_is_cancelled) as is_cancelled";

function toSchema1({ name, type }: Column): string | null {
  if (name === 'is_counted' || LATER.includes(name)) return null;
  if (name === 'arrival_is_cancelled') return ONE_CANCELLATION;
  if (type === 'TIMESTAMP WITH TIME ZONE') return `make_timestamp(epoch_us(${name})) as ${name}`;
  if (name === 'trip_key') return 'trip_key::bit::ubigint as trip_key';
  return `${sqlName(name)}::${toSchema2(name, type)} as ${sqlName(name)}`;
}

/** The columns with unsigned types in schema 2, by those types. */
const UNSIGNED: readonly (readonly [type: string, names: readonly string[]])[] = [
  ['USMALLINT', ['rules_version']],
  ['UTINYINT', ['dow', 'hour']],
  [
    'UINTEGER',
    [
      ...['scheduled', 'observed', 'on_time', 'early', 'late', 'late10', 'cancelled', 'missing', 'planned', 'missed'],
      ...['rank', 'pairs', 'held', 'bin', 'minutes_before', 'example'],
    ],
  ],
];

function toSchema2(name: string, type: string): string {
  if (type.endsWith('[]')) {
    return type.replace(/\b(dow|"hour"|hour) TINYINT/g, '$1 UTINYINT').replace(/\bevents INTEGER/g, 'events UINTEGER');
  }
  // The metrics, which have fewer rows, stored positions with 32 bits; both are read alike.
  if (name === 'position' || name === 'from_position') return 'USMALLINT';
  return UNSIGNED.find(([, names]) => names.includes(name))?.[0] ?? type;
}

async function rewrite(
  files: readonly string[],
  findOptions: (db: Duckdb, file: string) => Promise<string>,
  toValue: (column: Column) => string | null,
): Promise<void> {
  const db = await openDuckdb({ threads: 1 });
  try {
    for (const file of files) {
      const aside = `${file}.former`;
      const rows = `read_parquet(${sqlText(file)}, hive_partitioning = false)`;
      const columns = await db.query(`describe from ${rows}`);
      const values = columns
        .map(({ column_name: name, column_type: type }) => toValue({ name: String(name), type: String(type) }))
        .filter((value) => value !== null);
      await db.run(`copy (select ${values.join(', ')} from ${rows})
        to ${sqlText(aside)} (format parquet, compression zstd${await findOptions(db, file)})`);
      await rename(aside, file);
    }
  } finally {
    db.close();
  }
}

async function readMetadata(db: Duckdb, file: string, version: string): Promise<string> {
  const rows = await db.query(`select decode(key) as key, decode(value) as value
    from parquet_kv_metadata(${sqlText(file)})`);
  const pairs = rows.map(({ key, value }) => {
    const isVersion = key === SCHEMA_VERSION && value === String(LAKE_SCHEMA_VERSION);
    return `${sqlName(String(key))}: ${sqlText(isVersion ? version : String(value))}`;
  });
  return `, kv_metadata {${pairs.join(', ')}}`;
}
