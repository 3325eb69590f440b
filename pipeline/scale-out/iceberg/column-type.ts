import type { IcebergPrimitive } from './iceberg-types.ts';

/** A type without field ids. */
export type IcebergColumnType =
  | IcebergPrimitive
  | { readonly element: IcebergColumnType }
  | { readonly fields: Readonly<Record<string, IcebergColumnType>> };

/**
 * The format has signed integers of 32 and 64 bits alone, so that unsigned ones of 64 bits have no type. Those of 32 bits
 * are `int`, as most readers take them, and a file with values beyond it is refused.
 */
const PRIMITIVES: Readonly<Record<string, IcebergPrimitive>> = {
  BOOLEAN: 'boolean',
  TINYINT: 'int',
  SMALLINT: 'int',
  INTEGER: 'int',
  BIGINT: 'long',
  UTINYINT: 'int',
  USMALLINT: 'int',
  UINTEGER: 'int',
  FLOAT: 'float',
  DOUBLE: 'double',
  VARCHAR: 'string',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
};

/**
 * Reads a type of the lake, as DuckDB writes it, e.g. `STRUCT(minutes SMALLINT, "hour" UTINYINT)[]`.
 * @throws RangeError for one that the table format does not have
 */
export function parseColumnType(text: string): IcebergColumnType {
  const type = text.trim();
  if (type.endsWith('[]')) return { element: parseColumnType(type.slice(0, -2)) };
  const [, members] = /^STRUCT\((.*)\)$/is.exec(type) ?? [];
  if (members !== undefined) return { fields: Object.fromEntries(splitMembers(members).map(parseMember)) };
  const primitive = PRIMITIVES[type.toUpperCase()];
  if (primitive === undefined) throw new RangeError(`Iceberg has no type for ${type}`);
  return primitive;
}

/** Splits at the commas that are not within parentheses or a quoted name. */
function splitMembers(text: string): string[] {
  const members: string[] = [''];
  let depth = 0;
  let isQuoted = false;
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && letter === '(') depth += 1;
    else if (!isQuoted && letter === ')') depth -= 1;
    if (letter === ',' && depth === 0 && !isQuoted) members.push('');
    else members[members.length - 1] += letter;
  }
  return members;
}

function parseMember(text: string): [name: string, type: IcebergColumnType] {
  const [, quoted, plain, type] = /^\s*(?:"((?:[^"]|"")+)"|(\S+))\s+(.+)$/s.exec(text) ?? [];
  if (type === undefined) throw new RangeError(`a member of a STRUCT has no type: ${text}`);
  return [quoted?.replaceAll('""', '"') ?? plain!, parseColumnType(type)];
}
