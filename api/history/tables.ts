import {
  type DataType,
  DateDay,
  Float64,
  makeData,
  makeVector,
  Table,
  tableToIPC,
  Uint8,
  Uint32,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { averageMinutes, type HistoryNumbers, percentOf } from './tally.ts';

/** Tables that are also available as CSV and Arrow, with the names and values of their rows in JSON. */
type HistoryTableName = 'daily' | 'lines' | 'heatmap';

/** Format of a column: days as texts and as Arrow dates; a share is null without a denominator. */
type ColumnKind = 'day' | 'text' | 'count' | 'small' | 'number';

interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly values: readonly (string | number | null)[];
}

function listColumns(table: HistoryTableName, { daily, lines, heatmap }: HistoryNumbers): Column[] {
  switch (table) {
    case 'daily':
      return [
        { name: 'day', kind: 'day', values: daily.map(({ day }) => day) },
        { name: 'events', kind: 'count', values: daily.map(({ observed }) => observed) },
        {
          name: 'on_time_pct',
          kind: 'number',
          values: daily.map(({ onTime, observed }) => percentOf(onTime, observed)),
        },
      ];
    case 'lines':
      return [
        { name: 'line', kind: 'text', values: lines.map(({ line }) => line) },
        { name: 'product', kind: 'text', values: lines.map(({ product }) => product || null) },
        { name: 'operator', kind: 'text', values: lines.map(({ operator }) => operator || null) },
        { name: 'events', kind: 'count', values: lines.map(({ observed }) => observed) },
        {
          name: 'on_time_pct',
          kind: 'number',
          values: lines.map(({ onTime, observed }) => percentOf(onTime, observed)),
        },
      ];
    case 'heatmap':
      return [
        { name: 'dow', kind: 'small', values: heatmap.map(({ dow }) => dow) },
        { name: 'hour', kind: 'small', values: heatmap.map(({ hour }) => hour) },
        { name: 'events', kind: 'count', values: heatmap.map(({ observed }) => observed) },
        { name: 'avg_delay_min', kind: 'number', values: heatmap.map(averageMinutes) },
      ];
  }
}

/** RFC 4180: a line of names, then the rows, each ended by CR LF; unknown values are empty. */
export function toCsv(table: HistoryTableName, numbers: HistoryNumbers): Uint8Array {
  const columns = listColumns(table, numbers);
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
export function toArrowStream(table: HistoryTableName, numbers: HistoryNumbers): Uint8Array {
  const vectors = listColumns(table, numbers).map((column) => [column.name, toVector(column)] as const);
  return tableToIPC(new Table(Object.fromEntries(vectors)), 'stream');
}

function toVector({ kind, values }: Column): Vector<DataType> {
  switch (kind) {
    case 'day': {
      const data = Int32Array.from(values, (day) => toEpochDay(day as ServiceDate));
      return makeVector(makeData({ type: new DateDay(), length: data.length, data }));
    }
    case 'count':
      return makeVector(
        makeData({ type: new Uint32(), length: values.length, data: Uint32Array.from(values, Number) }),
      );
    case 'small':
      return makeVector(makeData({ type: new Uint8(), length: values.length, data: Uint8Array.from(values, Number) }));
    case 'number':
      return vectorFromArray(values as readonly (number | null)[], new Float64());
    case 'text':
      return vectorFromArray(values as readonly (string | null)[], new Utf8());
  }
}
