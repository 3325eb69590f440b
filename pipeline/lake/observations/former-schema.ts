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
function readInPresentTypes(
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

/** How the files of a table are read in the present columns, whatever their schema is. */
export interface SchemaReading {
  /** SQL that replaces columns. */
  readonly replacements: Readonly<Record<string, string>>;
  /** Types of the columns that files of some schemas lack; they are null there. */
  readonly optional: Readonly<Record<string, string>>;
  /** Optional columns that the present schema has others for. */
  readonly dropped: readonly string[];
  /** Columns that come first, in this order, whichever files have them; absent: in the order of the files. */
  readonly order?: readonly string[];
}

/** The reading of a table whose columns have the same names in all schemas. */
export function toReading(columns: Columns): SchemaReading {
  return { replacements: readInPresentTypes(columns), optional: {}, dropped: [] };
}

type Columns = Parameters<typeof readInPresentTypes>[0];

/**
 * The reading of stop events. Up to schema 3 a call had one `is_cancelled` for both of its events; of these the first
 * call has no arrival, the last one no departure; which calls were replaced is not known. Files of schema 1 have no
 * `is_counted`; up to schema 4 no time was derived from positions, up to schema 5 no occupancy was kept, up to schema 6
 * neither numbers of trips nor which forecasts were final.
 */
export function toStopEventReading(columns: Columns): SchemaReading {
  const later = {
    arrival_is_cancelled: "is_cancelled and (event = 'arrival' or position > 0)",
    departure_is_cancelled: "is_cancelled and (event = 'departure' or scheduled_departure_time is not null)",
    is_replaced: 'false',
    is_final_forecast: 'false',
  };
  const replacements = Object.entries(later).map(([name, former]) => [name, `coalesce(${name}, ${former})`]);
  return {
    replacements: { ...readInPresentTypes(columns), ...Object.fromEntries(replacements) },
    optional: {
      ...Object.fromEntries([...Object.keys(later), 'is_counted', 'is_cancelled'].map((name) => [name, 'BOOLEAN'])),
      ...formerlyAbsent,
      trip_number: 'VARCHAR',
    },
    dropped: ['is_cancelled'],
  };
}

/** The reading of observations. Up to schema 4 no time was derived from positions, up to schema 5 no occupancy kept. */
export function toObservationReading(columns: Columns): SchemaReading {
  return { ...toReading(columns), optional: formerlyAbsent, order: Object.keys(observationColumns) };
}

/** Columns that observations of former schemas lack. */
const formerlyAbsent = { uncertainty_seconds: 'INTEGER', occupancy: 'VARCHAR' };

/** The reading of a mart. Files of earlier versions lack some counts. */
export function toMartReading(columns: Columns): SchemaReading {
  const later = ['replaced', 'derived', 'forecasts'].filter((name) => name in columns);
  return { replacements: {}, optional: Object.fromEntries(later.map((name) => [name, 'INTEGER'])), dropped: [] };
}

/** A relation with all optional columns. */
export function addOptionalColumns(relation: string, { optional }: SchemaReading): string {
  const nulls = Object.entries(optional).map(([name, type]) => `null::${type} as ${sqlName(name)}`);
  return nulls.length === 0 ? relation : `(from ${relation} union all by name select ${nulls.join(', ')} where false)`;
}

/** Selects the rows of files in the present columns; further columns stay. @param relation of the files, by name */
export function selectPresent(relation: string, reading: SchemaReading): string {
  const { replacements, dropped, order } = reading;
  if (order) {
    const first = order.map((name) => `${replacements[name] ?? sqlName(name)} as ${sqlName(name)}`);
    const excluded = [...order, ...dropped].map(sqlName).join(', ');
    return `select ${first.join(', ')}, * exclude (${excluded}) from ${addOptionalColumns(relation, reading)}`;
  }
  const list = Object.entries(replacements).map(([name, value]) => `${value} as ${sqlName(name)}`);
  const columns = [
    '*',
    ...(dropped.length > 0 ? [`exclude (${dropped.join(', ')})`] : []),
    ...(list.length > 0 ? [`replace (${list.join(', ')})`] : []),
  ];
  return `select ${columns.join(' ')} from ${addOptionalColumns(relation, reading)}`;
}

/**
 * Rows of observation files of any schema, in the present columns: a source's past reports cannot be fetched again, so
 * files of former schemas are kept.
 */
export function selectObservations(files: readonly string[]): string {
  const list = `[${files.map(sqlPath).join(', ')}]`;
  const relation = `read_parquet(${list}, union_by_name = true, hive_partitioning = false)`;
  return selectPresent(relation, toObservationReading(observationColumns));
}
