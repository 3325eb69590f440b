import { type Duckdb, sqlName } from '../../effects/duckdb.ts';

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** As DuckDB writes it, e.g. `DECIMAL(18,3)`. */
  readonly type: string;
}

/** Types that every format can hold, however plain; and texts in JSON for what has parts. */
export type PlainType =
  | 'VARCHAR'
  | 'BOOLEAN'
  | 'INTEGER'
  | 'BIGINT'
  | 'DOUBLE'
  | 'DATE'
  | 'TIMESTAMP'
  | 'TIMESTAMP WITH TIME ZONE';

const plainTypes: Readonly<Record<string, PlainType>> = {
  VARCHAR: 'VARCHAR',
  BOOLEAN: 'BOOLEAN',
  TINYINT: 'INTEGER',
  SMALLINT: 'INTEGER',
  INTEGER: 'INTEGER',
  UTINYINT: 'INTEGER',
  USMALLINT: 'INTEGER',
  UINTEGER: 'BIGINT',
  BIGINT: 'BIGINT',
  FLOAT: 'DOUBLE',
  DOUBLE: 'DOUBLE',
  DATE: 'DATE',
  TIMESTAMP: 'TIMESTAMP',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMP WITH TIME ZONE',
};

/** @returns the columns of a query, which is not run */
export async function describeColumns(db: Duckdb, select: string): Promise<ResultColumn[]> {
  const rows = await db.query(`describe ${select}`);
  return rows.map(({ column_name, column_type }) => ({ name: String(column_name), type: String(column_type) }));
}

/** Whole numbers that fit no signed one of 64 bits become texts, broken ones become doubles. */
export function toPlainType(type: string): PlainType {
  if (type.startsWith('DECIMAL')) return 'DOUBLE';
  return plainTypes[type] ?? 'VARCHAR';
}

/** Whether values of a type have parts: lists, structs, maps. */
function hasParts(type: string): boolean {
  return /\[\d*\]$|^(STRUCT|MAP|UNION)\(/.test(type);
}

/** A query with the same rows, every column in its plain type. */
export function toPlainSelect(columns: readonly ResultColumn[], select: string): string {
  const values = columns.map(({ name, type }) => {
    const column = sqlName(name);
    const value = hasParts(type) ? `to_json(${column})` : column;
    return `cast(${value} as ${toPlainType(type)}) as ${column}`;
  });
  return `select ${values.join(', ')} from (${select})`;
}

/** A query with the same rows, what has parts as texts in JSON: CSV knows neither lists nor structs. */
export function toFlatSelect(columns: readonly ResultColumn[], select: string): string {
  const values = columns.map(({ name, type }) => {
    const column = sqlName(name);
    return hasParts(type) ? `cast(to_json(${column}) as varchar) as ${column}` : column;
  });
  return `select ${values.join(', ')} from (${select})`;
}
