import { type Column, renderArrow, renderCsv } from './render-columns.ts';
import { averageMinutes, type HistoryNumbers, percentOf } from './tally.ts';

/** Tables that are also available as CSV and Arrow, with the names and values of their rows in JSON. */
type HistoryTableName = 'daily' | 'lines' | 'heatmap';

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

export function toCsv(table: HistoryTableName, numbers: HistoryNumbers): Uint8Array {
  return renderCsv(listColumns(table, numbers));
}

export function toArrowStream(table: HistoryTableName, numbers: HistoryNumbers): Uint8Array {
  return renderArrow(listColumns(table, numbers));
}
