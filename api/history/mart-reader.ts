import path from 'node:path';
import { globPath } from '../../pipeline/effects/duckdb.ts';
import { touchesMonth } from '../../pipeline/model/month-range.ts';
import { type MartFile, martSnapshotFile } from '../../pipeline/snapshots/mart-snapshot.ts';
import { type Chart, prepareForDuckdb, type Statement, toColumns } from './chart.ts';
import type { Columns, HistoryEngine } from './history-engine.ts';
import type { DatePeriod } from './question.ts';
import type { Column } from './render-columns.ts';
import type { WhenGone } from './worker-pool.ts';

export interface MartReaderParts {
  readonly engine: HistoryEngine;
  /** Absolute folder of the snapshot. */
  readonly folder: string;
  readonly files: readonly MartFile<string>[];
  /** Names of tables in memory; default: none. */
  readonly loaded?: ReadonlyMap<string, string>;
}

/**
 * Runs one statement.
 * @param skipsMonth whether a month can be left out, because its files have no row for the statement
 * @returns null if a table has no file, which means no rows
 */
export type QueryMarts = (statement: Statement, skipsMonth?: (month: string) => boolean) => Promise<Columns | null>;

/** Runs statements on the marts as of one snapshot. */
export interface MartReader {
  /** Whether statements can read `marts.line_monthly`, the monthly sums of lines. */
  readonly hasMonths: boolean;
  /**
   * Runs a task of several statements.
   * @param period the days of the statements
   * @throws as `HistoryEngine.work`
   */
  query<Result>(task: (query: QueryMarts) => Promise<Result>, period: DatePeriod, whenGone: WhenGone): Promise<Result>;
  /**
   * Results in the order of the charts; those of tables without any file have no rows.
   * @param period the days of the charts
   * @throws as `HistoryEngine.work`
   */
  queryCharts(charts: readonly Chart[], period: DatePeriod, whenGone: WhenGone): Promise<Column[][]>;
}

/** Runs statements on the files of one snapshot. */
export function openMartReader({ engine, folder, files, loaded = new Map() }: MartReaderParts): MartReader {
  /** A table without a month in the period still returns a result, without rows. */
  const listFiles = (table: string, period: DatePeriod, skipsMonth: (month: string) => boolean) => {
    const all = files.filter((file) => file.table === table);
    const touched = all.filter(({ month }) => touchesMonth(period, month) && !skipsMonth(month));
    const read = touched.length > 0 ? touched : all.slice(0, 1);
    if (read.length === 0) return null;
    return read.map((file) => globPath(path.join(folder, martSnapshotFile(file))));
  };
  const query: MartReader['query'] = (task, period, whenGone) =>
    engine.work((run) => {
      const queryMarts: QueryMarts = async (statement, skipsMonth = () => false) => {
        const prepared = prepareForDuckdb(statement, (table) => listFiles(table, period, skipsMonth), loaded);
        return prepared && run(prepared.sql, prepared.values);
      };
      return task(queryMarts);
    }, whenGone);
  return withCharts(query, loaded.has('line_monthly'));
}

/** Adds charts to a reader of statements. */
export function withCharts(query: MartReader['query'], hasMonths = false): MartReader {
  return {
    hasMonths,
    query,
    queryCharts: (charts, period, whenGone) =>
      query(
        async (queryOne) => {
          const results: Column[][] = [];
          for (const chart of charts) results.push(toColumns(chart, await queryOne(chart)));
          return results;
        },
        period,
        whenGone,
      ),
  };
}
