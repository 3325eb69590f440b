import { countRefused, type TableReport } from '../../pipeline/model/feed-report.ts';
import { renderTable } from '../job/text-table.ts';

/** Renders rows in, out, refused and repaired of an ingest: a table, then a line per reason with a few rows. */
export function renderFeedReport(tables: readonly TableReport[]): string[] {
  const columns = [
    { title: 'TABLE' },
    { title: 'ROWS IN', align: 'end' },
    { title: 'ROWS OUT', align: 'end' },
    { title: 'REFUSED', align: 'end' },
    { title: 'REPAIRED', align: 'end' },
  ] as const;
  const rows = tables.map((table) => [
    table.table,
    formatCount(table.rowsIn),
    formatCount(table.rowsOut),
    formatCount(countRefused(table)),
    formatCount(table.repaired.reduce((sum, { count }) => sum + count, 0)),
  ]);
  return [...renderTable(columns, rows), ...tables.flatMap(renderReasons)];
}

/** One line per reason, followed by a few of the refused rows. */
function renderReasons({ table, refused, repaired }: TableReport): string[] {
  return [
    ...refused.flatMap(({ code, count, samples }) => [
      `${table}: ${formatCount(count)} refused, ${code}`,
      ...samples.map((sample) => `    ${sample}`),
    ]),
    ...repaired.map(({ code, count }) => `${table}: ${formatCount(count)} repaired, ${code}`),
  ];
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
