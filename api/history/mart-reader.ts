import path from 'node:path';
import { globPath } from '../../pipeline/effects/duckdb.ts';
import { type MartFile, martSnapshotFile } from '../../pipeline/history/snapshot/mart-snapshot.ts';
import { type Chart, prepareForEngine, toColumns } from './chart.ts';
import type { HistoryEngine } from './history-engine.ts';
import type { Period } from './question.ts';
import type { Column } from './render-columns.ts';
import type { WhenGone } from './worker-pool.ts';

interface MartReaderParts {
  readonly engine: HistoryEngine;
  /** Absolute folder of the snapshot. */
  readonly folder: string;
  readonly files: readonly MartFile<string>[];
}

/** Runs statements of charts on the files of one snapshot. */
export interface MartReader {
  /**
   * Results in the order of the charts; those of tables without any file have no rows.
   * @param period the days that the charts are about
   * @throws as `HistoryEngine.work`
   */
  askCharts(charts: readonly Chart[], period: Period, whenGone: WhenGone): Promise<Column[][]>;
}

export function openMartReader({ engine, folder, files }: MartReaderParts): MartReader {
  /** A table whose months all lie outside of the period still answers, without a row of it. */
  const listFiles = (table: string, { from, to }: Period) => {
    const all = files.filter((file) => file.table === table);
    const touched = all.filter(({ month }) => month >= from.slice(0, 7) && month <= to.slice(0, 7));
    const read = touched.length > 0 ? touched : all.slice(0, 1);
    if (read.length === 0) return null;
    return read.map((file) => globPath(path.join(folder, martSnapshotFile(file))));
  };
  return {
    askCharts: (charts, period, whenGone) =>
      engine.work(async (ask) => {
        const results: Column[][] = [];
        for (const chart of charts) {
          const prepared = prepareForEngine(chart, (table) => listFiles(table, period));
          results.push(toColumns(chart, prepared && (await ask(prepared.sql, prepared.values))));
        }
        return results;
      }, whenGone),
  };
}
