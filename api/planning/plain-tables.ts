import { weighShared } from '../../pipeline/effects/shared-memory.ts';
import { TextColumn } from '../../pipeline/snapshots/column.ts';

/** A text column as what it is made of. */
interface PlainTexts {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

type Column = ArrayBufferView | TextColumn;
type Tables = Readonly<Record<string, Readonly<Record<string, Column>>>>;

/** Tables of a snapshot as they go from thread to thread: what lies in shared memory is shared, the rest copied. */
export type PlainTables = Readonly<Record<string, Readonly<Record<string, ArrayBufferView | PlainTexts>>>>;

export function toPlainTables(tables: Tables): PlainTables {
  return mapColumns(tables, (column) =>
    column instanceof TextColumn ? { bytes: column.bytes, offsets: column.offsets } : column,
  );
}

/**
 * The tables in the thread that they went to, whose memory they count for from now on.
 * @param plain made of tables of the very type that is asked for
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
  change: (column: From) => To,
): Record<string, Record<string, To>> {
  return mapMembers(tables, (columns) => mapMembers(columns, change));
}

function mapMembers<From, To>(record: Readonly<Record<string, From>>, change: (member: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, change(member)]));
}
