import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, readSql, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { syncFile, syncFolder } from '../../effects/files.ts';
import type { Log } from '../../effects/log.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import { parquetFacts } from '../../lake/parquet-facts.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import {
  type DayFile,
  type FileMarks,
  fileBuildId,
  findLostCalls,
  isCountedTogether,
  markFile,
  readMarks,
} from './counted-rows.ts';
import { measureRows, readRows } from './measure-rows.ts';
import { findStopEventManifest, listStopEventDays, stopEventFile } from './stop-event-manifest.ts';
import { stopEventColumns, stopEventPacking } from './stop-event-table.ts';

export interface CountDaysRequest {
  readonly dataDir: string;
  readonly settings: LakeSettings;
  /** Range of days to check, both included; null: no bound. */
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
  readonly log: Pick<Log, 'progress' | 'warn'>;
}

/** A file of the day, with its identity when first read. */
interface SeenFile extends DayFile {
  readonly identity: string;
  readonly fileId: string;
}

/**
 * Determines which calls of a day count for all sources together, and writes that into the stop events (`is_counted`),
 * for days whose files were not counted together before. A crash leaves files that do not name each other, and thus a
 * day that is counted again. Files of a former schema get the present one with it: same rows, same order. A day with an unreadable file is left unchanged, and logged. No job may publish stop
 * events meanwhile.
 * @returns the days that were written
 * @throws Error where the rows of a file would change; the file is unchanged then
 */
export async function countDays(request: CountDaysRequest): Promise<ServiceDate[]> {
  const { dataDir, settings, from, to, log } = request;
  const days = new Map<ServiceDate, DayFile[]>();
  for (const { source, serviceDate } of await listStopEventDays(dataDir)) {
    if (serviceDate < (from ?? serviceDate) || serviceDate > (to ?? serviceDate)) continue;
    const file = { source, file: stopEventFile(dataDir, source, serviceDate) };
    days.set(serviceDate, [...(days.get(serviceDate) ?? []), file]);
  }
  return withEngine(dataDir, settings, async (db, folder) => {
    const counted: ServiceDate[] = [];
    for (const [date, files] of [...days].sort(([a], [b]) => (a < b ? -1 : 1))) {
      try {
        const marks = await readMarks(db, files);
        const isPresent = marks.every(({ isOfPresentSchema }) => isOfPresentSchema);
        if (isPresent && isCountedTogether(files, marks)) continue;
        const seen = await seeFiles(dataDir, date, files, marks);
        log.progress(`stop events: counting ${date}`);
        await countDay(db, dataDir, folder, date, seen);
        counted.push(date);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        log.warn(`stop events of ${date} cannot be counted: ${error.message}; run check-data for details`);
      }
    }
    return counted;
  });
}

function isUnreadable(error: unknown): error is ExternalError {
  return error instanceof ExternalError && ['file_damaged', 'file_missing'].includes(error.code);
}

/** Reads the files; one without an id gets it from its manifest. */
async function seeFiles(
  dataDir: string,
  date: ServiceDate,
  files: readonly DayFile[],
  marks: readonly FileMarks[],
): Promise<SeenFile[]> {
  const seen: SeenFile[] = [];
  for (const [i, { source, file }] of files.entries()) {
    const fileId = marks[i]!.fileId ?? fileBuildId((await findStopEventManifest(dataDir, source, date)) ?? {});
    seen.push({ source, file, fileId, identity: await identify(file) });
  }
  return seen;
}

async function countDay(
  db: Duckdb,
  dataDir: string,
  folder: string,
  date: ServiceDate,
  files: readonly SeenFile[],
): Promise<void> {
  await findLostCalls(db, files);
  for (const { source, file, fileId } of files) {
    const facts = await parquetFacts(dataDir, 'stop_events', [source], markFile(fileId, files));
    const aside = path.join(folder, `${source}-${date}.parquet`);
    await writeCounted(db, source, file, aside, facts);
    await assertSameRows(db, file, aside, `stop events of ${source} on ${date}`);
    await syncFile(aside);
  }
  for (const { source, file, identity } of files) {
    const aside = path.join(folder, `${source}-${date}.parquet`);
    // Rebuilt meanwhile: the result is for rows that are gone, and the day will be counted again.
    if ((await identify(file)) !== identity) await rm(aside);
    else {
      await assertMayPublish();
      await rename(aside, file);
    }
    await syncFolder(path.dirname(file));
  }
}

/** Writes the same rows in the same order, with `is_counted`. */
async function writeCounted(db: Duckdb, source: string, file: string, aside: string, facts: string): Promise<void> {
  const isCounted = `not is_added and file_row_number not in
    (select file_row_number from lost_calls where source = ${sqlText(source)})`;
  const columns = Object.entries(stopEventColumns).map(([name, [type]]) => {
    const value = name === 'is_counted' ? isCounted : sqlName(name);
    return `cast(${value} as ${type}) as ${sqlName(name)}`;
  });
  await db.run(
    `copy (select ${columns.join(', ')} from (${readRows(file, ', file_row_number = true')}))
     to ${sqlText(aside)} (${stopEventPacking}, ${facts})`,
  );
}

async function assertSameRows(db: Duckdb, file: string, aside: string, of: string): Promise<void> {
  const [before, after] = [await hashRows(db, file), await hashRows(db, aside)];
  if (before !== after) throw new Error(`${of}: the rows with is_counted are not those without it`);
}

/** Equal for equal rows in the same order. */
async function hashRows(db: Duckdb, file: string): Promise<string> {
  const { rowsHash } = await measureRows(db, file);
  await db.run(`create or replace temp view stop_events_of_day as
    from read_parquet(${sqlPath(file)}, hive_partitioning = false, file_row_number = true)`);
  const [row] = await db.query(await readSql('pipeline/history/stop-events/sql/stop_events_order.sql'));
  await db.run('drop view stop_events_of_day');
  return `${rowsHash} ${row?.row_order}`;
}

/** Distinguishes a file from its replacement; empty if the file is missing. */
async function identify(file: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return '';
    throw error;
  }
}
