import { weighShared } from '../../pipeline/effects/shared-memory.ts';
import { TextColumn } from '../../pipeline/model/column.ts';

/** The buffers of a text column. */
interface PlainTexts {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

type Column = ArrayBufferView | TextColumn;
type Tables = Readonly<Record<string, Readonly<Record<string, Column>>>>;

/** Tables of a snapshot as a message between threads: columns in shared memory are shared, the others copied. */
export type PlainTables = Readonly<Record<string, Readonly<Record<string, ArrayBufferView | PlainTexts>>>>;

export function toPlainTables(tables: Tables): PlainTables {
  return mapColumns(tables, (column) =>
    column instanceof TextColumn ? { bytes: column.bytes, offsets: column.offsets } : column,
  );
}

/**
 * Opens the tables in the receiving thread, and counts their memory for it.
 * @param plain from `toPlainTables` of a value of the type `Shape`
 */
export function fromPlainTables<Shape>(plain: PlainTables): Shape {
  return mapColumns(plain, (column) => {
    if (!('offsets' in column)) return weigh(column);
    return new TextColumn(weigh(column.bytes), weigh(column.offsets));
  }) as Shape;
}

function weigh<View extends ArrayBufferView>(view: View): View {
  if (view.buffer instanceof SharedArrayBuffer) weighShared(view.buffer);
  return view;
}

function mapColumns<From, To>(
  tables: Readonly<Record<string, Readonly<Record<string, From>>>>,
  convert: (column: From) => To,
): Record<string, Record<string, To>> {
  return mapMembers(tables, (columns) => mapMembers(columns, convert));
}

function mapMembers<From, To>(record: Readonly<Record<string, From>>, convert: (member: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, convert(member)]));
}
