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
}

/** Runs one statement. @returns null if a table has no file, which means no rows */
export type QueryMarts = (statement: Statement) => Promise<Columns | null>;

/** Runs statements on the marts as of one snapshot. */
export interface MartReader {
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
export function openMartReader({ engine, folder, files }: MartReaderParts): MartReader {
  /** A table without a month in the period still returns a result, without rows. */
  const listFiles = (table: string, period: DatePeriod) => {
    const all = files.filter((file) => file.table === table);
    const touched = all.filter(({ month }) => touchesMonth(period, month));
    const read = touched.length > 0 ? touched : all.slice(0, 1);
    if (read.length === 0) return null;
    return read.map((file) => globPath(path.join(folder, martSnapshotFile(file))));
  };
  return withCharts((task, period, whenGone) =>
    engine.work((query) => {
      const queryMarts = async (statement: Statement) => {
        const prepared = prepareForDuckdb(statement, (table) => listFiles(table, period));
        return prepared && query(prepared.sql, prepared.values);
      };
      return task(queryMarts);
    }, whenGone),
  );
}

/** Adds charts to a reader of statements. */
export function withCharts(query: MartReader['query']): MartReader {
  return {
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
