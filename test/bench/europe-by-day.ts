import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { HistoryEngine, SqlValues } from '../../api/history/history-engine.ts';
import { sqlText } from '../../pipeline/effects/duckdb.ts';
import { sizeOfFolder } from '../../pipeline/effects/files.ts';
import { castTo, dailyMarts, martTables, orderOf } from '../../pipeline/history/marts/mart-tables.ts';
import { martFile } from '../../pipeline/lake/paths.ts';
import { EUROPE_DAY } from './europe-lake.ts';
import { listMonth, openMonthEngine } from './europe-month.ts';

// Cost of the alternative layout: one file per day of a mart instead of one per month (decision 032).

/** Folder of the daily files, which the history engine must be allowed to read. */
export function dayFilesFolder(dataDir: string): string {
  return path.resolve(dataDir, 'marts-by-day');
}

function dayFile(dataDir: string, mart: string, date: string): string {
  return path.join(dayFilesFolder(dataDir), mart, `service_date=${date}`, 'part-0.parquet');
}

/** Writes the month as daily files, with the order and row groups of its marts. @returns bytes of these files */
export async function splitEuropeMonth({ dataDir }: { dataDir: string }): Promise<number> {
  await rm(dayFilesFolder(dataDir), { recursive: true, force: true });
  const db = await openMonthEngine(dataDir);
  try {
    for (const mart of dailyMarts) {
      const month = sqlText(martFile(dataDir, mart, EUROPE_DAY.slice(0, 7)));
      // The days of this month differ only in their date.
      await db.run(
        `create or replace temp table day as select * from read_parquet(${month}, hive_partitioning = false)
         where service_date = date ${sqlText(EUROPE_DAY)} order by ${orderOf(mart)}`,
      );
      for (const date of listMonth()) {
        const file = dayFile(dataDir, mart, date);
        await mkdir(path.dirname(file), { recursive: true });
        const select = castTo(mart, `select * replace (date ${sqlText(date)} as service_date) from day`);
        await db.run(
          `copy (${select}) to ${sqlText(file)}
           (format parquet, compression zstd, row_group_size ${martTables[mart].rowGroupSize})`,
        );
      }
    }
  } finally {
    db.close();
  }
  return sizeOfFolder(dayFilesFolder(dataDir));
}

/** Wraps the engine to read the daily files of a period instead of the month. */
export function readByDay(engine: HistoryEngine, dataDir: string): HistoryEngine {
  return {
    work: (task, whenGone) =>
      engine.work((query) => task((sql, values) => query(sql, toDays(values, dataDir))), whenGone),
    loadTables: engine.loadTables,
    get queueDepth() {
      return engine.queueDepth;
    },
    close: () => engine.close(),
  };
}

function toDays(values: SqlValues, dataDir: string): SqlValues {
  const [from, to] = [String(values.first_date), String(values.last_date)];
  const dates = listMonth().filter((date) => date >= from && date <= to);
  const replaced = Object.keys(values).flatMap((name) => {
    const mart = /^files_(.+)$/.exec(name)?.[1];
    return mart === undefined ? [] : [[name, dates.map((date) => dayFile(dataDir, mart, date))] as const];
  });
  return { ...values, ...Object.fromEntries(replaced) };
}
