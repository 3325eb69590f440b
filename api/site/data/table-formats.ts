import { Type } from '../../contract/json-schema.ts';
import { described, oneOf } from '../../contract/schema-builders.ts';
import { type Chart, renderForReaders, toRows } from '../../history/chart.ts';
import { type Column, type ColumnKind, renderCsv } from '../../history/render-columns.ts';
import { renderParquet } from '../../history/render-parquet.ts';
import type { Answer } from '../../plugins/route-handler.ts';

type TableFormat = 'json' | 'csv' | 'parquet';

/** Media types of chart routes; the query parameter alone selects the format. */
export const CHART_MEDIA_TYPES = ['application/json'] as const;

/** Query parameter of chart routes. */
export const tableFormat = () =>
  Type.Optional(described('Format of the table; absent: JSON.', oneOf('json', 'csv', 'parquet')));

/** Returns the table of one chart. @param chart null: the chart has no data, and the table has no rows */
export async function answerTable(
  chart: Chart | null,
  columns: readonly Column[],
  format: TableFormat = 'json',
): Promise<Answer> {
  if (format === 'csv') return { bytes: renderCsv(columns), mediaType: 'text/csv; charset=utf-8' };
  if (format === 'parquet') {
    const facts: Readonly<Record<string, string>> = chart ? { sql: renderForReaders(chart) } : {};
    return { bytes: await renderParquet(columns, facts), mediaType: 'application/vnd.apache.parquet' };
  }
  return { json: { rows: toRows(columns), ...(chart ? { sql: renderForReaders(chart) } : {}) } };
}

/** The columns of a chart without rows. */
export function emptyColumns(columns: Readonly<Record<string, ColumnKind>>): readonly Column[] {
  return Object.entries(columns).map(([name, kind]) => ({ name, kind, values: [] }));
}
