import type { Duckdb } from './duckdb.ts';

const arrays = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
  u64: BigUint64Array,
} as const;

type Kind = keyof typeof arrays | 'text';
type ArrayOf<K extends Kind> = K extends keyof typeof arrays ? InstanceType<(typeof arrays)[K]> : string[];

/** DuckDB type of each kind, whose chunks are arrays of that kind and copied unchanged. */
const sqlTypes: Record<Kind, string> = {
  u8: 'utinyint',
  i8: 'tinyint',
  u16: 'usmallint',
  i32: 'integer',
  f32: 'float',
  f64: 'double',
  u64: 'ubigint',
  text: 'varchar',
};

/**
 * Reads a query of known row count into one array per column, chunk by chunk, without an object per row. A query of no
 * rows does not run.
 * @param columns name -> [kind, SQL expression]; a number column must not be null
 * @param from the rest of the query, from `from` on
 */
export async function readColumns<Columns extends Readonly<Record<string, readonly [Kind, string]>>>(
  db: Duckdb,
  columns: Columns,
  from: string,
  rowCount: number,
): Promise<{ [Name in keyof Columns]: ArrayOf<Columns[Name][0]> }> {
  const names = Object.keys(columns);
  const kinds = names.map((name) => columns[name]![0]);
  const target = kinds.map((kind) => (kind === 'text' ? new Array<string>(rowCount) : new arrays[kind](rowCount)));
  const whole = Object.fromEntries(names.map((name, i) => [name, target[i]])) as {
    [Name in keyof Columns]: ArrayOf<Columns[Name][0]>;
  };
  // Planning a statement takes milliseconds, and most feeds leave several tables empty.
  if (rowCount === 0) return whole;
  const select = names.map((name) => `(${columns[name]![1]})::${sqlTypes[columns[name]![0]]}`).join(', ');
  let row = 0;
  await db.streamColumns(`select ${select} ${from}`, (count, column) => {
    if (row + count > rowCount) throw new Error(`more than ${rowCount} rows came ${from}`);
    for (let i = 0; i < names.length; i++) {
      const into = target[i]!;
      const chunk = column(i);
      if (Array.isArray(into)) for (let k = 0; k < count; k++) into[row + k] = String(chunk.get(k) ?? '');
      else if (chunk.items) (into as Int32Array).set(chunk.items.subarray(0, count) as Int32Array, row);
      else throw new Error(`column ${names[i]} is not numeric`);
    }
    row += count;
  });
  if (row !== rowCount) throw new Error(`${row} rows came where ${rowCount} were expected ${from}`);
  return whole;
}
