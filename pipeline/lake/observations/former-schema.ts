import { sqlName, sqlPath } from '../../effects/duckdb.ts';
import { observationColumns } from './observation-table.ts';

const INSTANT = 'TIMESTAMP WITH TIME ZONE';
/** Columns of these types were unsigned in schema 2, some of them. */
const SIGNED: readonly string[] = ['SMALLINT', 'INTEGER'];
const TRIP_KEY = 'trip_key';

/**
 * A trip key as stored: the 64 bits of the hash as a signed number, which every reader of Parquet supports. Keys of
 * schema 1 are the same bits as an unsigned number.
 */
export const signedTripKey = `(case when ${TRIP_KEY} > 9223372036854775807
  then ${TRIP_KEY}::hugeint - 18446744073709551616 else ${TRIP_KEY} end)::bigint`;

/**
 * SQL that converts columns of former schemas to the present types; it does not change files of the present schema. An
 * instant of schema 1 has no zone, and an engine reads it as UTC when its zone is UTC, as ours are.
 * @param columns with their present types
 */
export function readInPresentTypes(
  columns: Readonly<Record<string, readonly [type: string, ...rest: unknown[]]>>,
): Readonly<Record<string, string>> {
  const replaced: Record<string, string> = {};
  for (const [name, [type]] of Object.entries(columns)) {
    if (name === TRIP_KEY) replaced[name] = signedTripKey;
    else if (type === INSTANT || SIGNED.includes(type)) replaced[name] = `${sqlName(name)}::${type}`;
  }
  return replaced;
}

/** The present types of columns that may be of schema 1: a timestamp without a zone was an instant there. */
export function toPresentTypes(
  columns: readonly { readonly name: string; readonly type: string }[],
): Readonly<Record<string, readonly [type: string]>> {
  const present = columns.map(({ name, type }) => {
    const isInstant = type === 'TIMESTAMP' && !name.endsWith('_local');
    return [name, [isInstant ? INSTANT : type]] as const;
  });
  return Object.fromEntries(present);
}

/** `* replace (…)` of these columns, or `*` without any. */
export function selectReplaced(replacements: Readonly<Record<string, string>>): string {
  const list = Object.entries(replacements).map(([name, value]) => `${value} as ${sqlName(name)}`);
  return list.length === 0 ? '*' : `* replace (${list.join(', ')})`;
}

/**
 * Rows of observation files of any schema, in the present columns: a source's past reports cannot be fetched again, so
 * files of former schemas are kept.
 */
export function selectObservations(files: readonly string[]): string {
  const list = `[${files.map(sqlPath).join(', ')}]`;
  return `select ${selectReplaced(readInPresentTypes(observationColumns))}
    from read_parquet(${list}, union_by_name = true, hive_partitioning = false)`;
}
