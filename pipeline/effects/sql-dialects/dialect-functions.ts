/** An engine that runs the SQL files. */
export type Dialect = 'duckdb' | 'trino';

/**
 * A function of the SQL files that the engines write differently: `@name(argument, …)`. The rest of the files is SQL
 * that both take as it is.
 */
export interface DialectFunction {
  readonly about: string;
  /** Number of arguments. */
  readonly takes: (count: number) => boolean;
  /** Each makes an expression or a relation of its arguments, which are SQL already. */
  readonly duckdb: (...args: readonly string[]) => string;
  readonly trino: (...args: readonly string[]) => string;
}

const exactly = (wanted: number) => (count: number) => count === wanted;
const atLeast = (least: number) => (count: number) => count >= least;

/** All that differs between the engines. Every function is used by some file. */
export const dialectFunctions = {
  hash_key: {
    about: 'A 64-bit key of some values, texts or whole numbers, of which any may be null. It differs by engine.',
    takes: atLeast(1),
    // Of texts over 16 bytes, DuckDB's hash (1.5.5) has collisions by the dozen where ids differ in two digits; of such a
    // pair the reversed texts have different ones. An MD5 takes six times as long.
    duckdb: (...values) => {
      const reversed = values.map((value) => `reverse(cast(${value} as varchar))`);
      return `hash(${[...values, ...reversed].join(', ')})`;
    },
    // A hash of the hashes of the values, since joined texts of two rows can be equal where their values are not.
    trino: (...values) => {
      const hashes = values.map((value) => `coalesce(xxhash64(to_utf8(cast(${value} as varchar))), X'00')`);
      return `from_big_endian_64(xxhash64(${hashes.join(' || ')}))`;
    },
  },
  epoch_seconds: {
    about: 'Whole seconds since 1970 of an instant.',
    takes: exactly(1),
    duckdb: (instant) => `cast(epoch(${instant}) as bigint)`,
    trino: (instant) => `cast(to_unixtime(${instant}) as bigint)`,
  },
  local_time: {
    about: 'An instant as a local timestamp. Second argument: minutes of local time minus UTC.',
    takes: exactly(2),
    // Through microseconds, because the functions for zones take ten times as long.
    duckdb: (instant, minutes) => `make_timestamp(epoch_us(${instant})) + to_minutes(${minutes})`,
    trino: (instant, minutes) =>
      `cast(at_timezone(${instant}, 'UTC') as timestamp(6)) + ${minutes} * interval '1' minute`,
  },
  iso_weekday: {
    about: 'Weekday of a local timestamp, 1 is Monday.',
    takes: exactly(1),
    duckdb: (local) => `isodow(${local})`,
    trino: (local) => `day_of_week(${local})`,
  },
  whole_quotient: {
    about: 'Quotient of two whole numbers without its fraction.',
    takes: exactly(2),
    duckdb: (dividend, divisor) => `${dividend} // ${divisor}`,
    trino: (dividend, divisor) => `${dividend} / ${divisor}`,
  },
  quantile: {
    about: 'Aggregate: the smallest value that at least this share of the values do not exceed; null without values.',
    takes: exactly(2),
    duckdb: (value, share) => `quantile_disc(${value}, ${checkShare(share!)})`,
    // Trino's own quantiles are approximate.
    trino: (value, share) => {
      const { above, of } = toComplement(share!);
      const rank = `cast(count(${value}) - count(${value}) * ${above} / ${of} as integer)`;
      return `element_at(array_sort(array_agg(${value}) filter (where ${value} is not null)), nullif(${rank}, 0))`;
    },
  },
  sorted_rows: {
    about: 'Aggregate: a sorted list of rows. Arguments: a condition, then name, type and expression of each field.',
    takes: (count) => count >= 4 && count % 3 === 1,
    duckdb: (condition, ...fields) => {
      const values = toTriples(fields).map(([name, type, value]) => `'${name}': cast(${value} as ${type})`);
      return `coalesce(list_sort(list({${values.join(', ')}}) filter (where ${condition})), [])`;
    },
    trino: (condition, ...fields) => {
      const triples = toTriples(fields);
      const values = triples.map(([, , value]) => value).join(', ');
      const types = triples.map(([name, type]) => `"${name}" ${type}`).join(', ');
      const rows = `array_agg(cast(row(${values}) as row(${types}))) filter (where ${condition})`;
      return `coalesce(array_sort(${rows}), array[])`;
    },
  },
  unnested: {
    about: 'Relation: all rows of a list column. Arguments: a relation, its column, and the names of all fields.',
    takes: atLeast(3),
    duckdb: (relation, list) => `(select unnest(${list}, recursive := true) from ${relation})`,
    trino: (relation, list, ...fields) => {
      const columns = fields.map((field) => `item.${field}`).join(', ');
      return `(select ${columns} from ${relation} cross join unnest(${list}) as item(${fields.join(', ')}))`;
    },
  },
  all_days: {
    about: 'Relation with one column `day`: all days from the first to the last.',
    takes: exactly(2),
    duckdb: (first, last) =>
      `(select unnest(generate_series(cast(${first} as date), cast(${last} as date), interval 1 day))::date as day)`,
    trino: (first, last) => {
      const days = `sequence(cast(${first} as date), cast(${last} as date), interval '1' day)`;
      return `(select day from unnest(${days}) as series(day))`;
    },
  },
  list_contains: {
    about: 'Whether a list has a value.',
    takes: exactly(2),
    duckdb: (list, value) => `list_contains(${list}, ${value})`,
    trino: (list, value) => `contains(${list}, ${value})`,
  },
  row_text: {
    about: 'One text of several texts; it differs where any of them does.',
    takes: atLeast(2),
    duckdb: (...values) => `(${values.join(', ')})::varchar`,
    trino: (...values) => `json_format(cast(row(${values.join(', ')}) as json))`,
  },
} as const satisfies Record<string, DialectFunction>;

/** The values above a quantile, as a fraction: of 0.9 it is 1 of 10. In whole numbers, since 0.9 is not exact in binary. */
function toComplement(share: string): { readonly above: number; readonly of: number } {
  const digits = checkShare(share).slice('0.'.length);
  const of = 10 ** digits.length;
  return { above: of - Number(digits), of };
}

function checkShare(share: string): string {
  if (!/^0\.\d{1,6}$/.test(share)) throw new RangeError(`a quantile is written as 0.5, not as ${share}`);
  return share;
}

function toTriples(fields: readonly string[]): (readonly [name: string, type: string, value: string])[] {
  return Array.from({ length: fields.length / 3 }, (_, i) => [fields[3 * i]!, fields[3 * i + 1]!, fields[3 * i + 2]!]);
}
