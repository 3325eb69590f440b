import {
  type DataType,
  DateDay,
  Float64,
  makeData,
  makeVector,
  Table,
  tableToIPC,
  Uint8,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';

/**
 * Format of a column: days as texts, and as dates where the format has them; instants as RFC 3339; `whole` numbers may
 * be negative or unknown, a `count` is neither. An unknown value is null.
 */
export type ColumnKind = 'day' | 'instant' | 'text' | 'count' | 'small' | 'whole' | 'number';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly values: readonly (string | number | null)[];
}

/** RFC 4180: a line of names, then the rows, each ended by CR LF; unknown values are empty. */
export function renderCsv(columns: readonly Column[]): Uint8Array {
  const lines = [columns.map(({ name }) => name).join(',')];
  for (let row = 0; row < columns[0]!.values.length; row++) {
    lines.push(columns.map(({ values }) => toCsvField(values[row]!)).join(','));
  }
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
}

function toCsvField(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** An Arrow IPC stream of one record batch. */
export function renderArrow(columns: readonly Column[]): Uint8Array {
  const vectors = columns.map((column) => [column.name, toVector(column)] as const);
  return tableToIPC(new Table(Object.fromEntries(vectors)), 'stream');
}

function toVector({ kind, values }: Column): Vector<DataType> {
  switch (kind) {
    case 'day': {
      const data = Int32Array.from(values, (day) => toEpochDay(day as ServiceDate));
      return makeVector(makeData({ type: new DateDay(), length: data.length, data }));
    }
    // Years of a continent count more than 32 bits hold; integers of 64 bits would not be numbers in JavaScript.
    case 'count': {
      const data = Float64Array.from(values, Number);
      return makeVector(makeData({ type: new Float64(), length: data.length, data }));
    }
    case 'small':
      return makeVector(makeData({ type: new Uint8(), length: values.length, data: Uint8Array.from(values, Number) }));
    case 'whole':
    case 'number':
      return vectorFromArray(values as readonly (number | null)[], new Float64());
    case 'instant':
    case 'text':
      return vectorFromArray(values as readonly (string | null)[], new Utf8());
  }
}
