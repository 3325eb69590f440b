import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  type Duckdb,
  ROWS_PER_THREAD,
  readSql,
  sqlName,
  sqlPath,
  sqlText,
  withOneThread,
} from '../../effects/duckdb.ts';
import { isSystemError } from '../../effects/external-error.ts';
import { syncFolder } from '../../effects/files.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { parquetFacts, publishPartition } from '../../lake/parquet-facts.ts';
import { replacedManifestFile, stopEventManifestFile, stopEventPartition } from '../../lake/paths.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { fileBuildId, markFile } from './counted-rows.ts';
import { type MeasuredRows, measureFiles } from './measure-rows.ts';
import {
  findStopEventManifest,
  listStopEventDays,
  type StopEventInput,
  type StopEventManifest,
  writeStopEventManifest,
} from './stop-event-manifest.ts';
import { stopEventColumns, stopEventOrder, stopEventPacking } from './stop-event-table.ts';

export type { StopEventInput, StopEventManifest };
export { findStopEventManifest, listStopEventDays };

/** Facts of a day from the caller; the rest is counted. */
export type StopEventFacts = Omit<StopEventManifest, 'rows' | 'rowsHash' | 'counts'>;

/** The rows of a day of one source that are to be published. */
export interface StopEventDayRows {
  /** Yields the columns of the table by name, in any order; other columns are dropped. */
  readonly select: string;
  /** Columns that have one value in all rows, as SQL; `select` lacks them. */
  readonly constants?: Readonly<Record<string, string>>;
  readonly facts: StopEventFacts;
}

/**
 * Writes the rows of one day of one source, as `publishStopEventDays` does for many.
 * @param select as in `StopEventDayRows`
 */
export async function publishStopEvents(
  db: Duckdb,
  dataDir: string,
  folder: string,
  select: string,
  facts: StopEventFacts,
): Promise<StopEventManifest> {
  const [manifest] = await publishStopEventDays(db, dataDir, folder, [{ select, facts }]);
  return manifest!;
}

/**
 * Writes the rows of days: sorted, checked, each day replaced as a whole. From the removal of the previous rows until
 * the manifest is written a day counts as absent, also after a crash.
 * @param folder a work folder on the same disk as the lake, removed by the caller
 * @throws Error where a call has two rows, or where rows were lost uncounted: a bug, and nothing changes
 * @throws ExternalError `partition_incomplete`
 */
export async function publishStopEventDays(
  db: Duckdb,
  dataDir: string,
  folder: string,
  days: readonly StopEventDayRows[],
): Promise<StopEventManifest[]> {
  if (days.length === 0) return [];
  await mkdir(folder, { recursive: true });
  const write = () => writeDays(db, dataDir, folder, days);
  const areSmall = days.every(({ facts }) => facts.rowsIn <= ROWS_PER_THREAD);
  const written = await (areSmall ? withOneThread(db, write) : write());
  const measured = await measureFiles(
    db,
    written.map(({ file }) => file),
  );
  for (const day of written) assertAllThere(day, measured.get(day.file)!);
  await assertCallsOnce(db, written);
  const manifests: StopEventManifest[] = [];
  for (const { facts, file } of written) {
    const manifest = { ...facts, ...measured.get(file)! };
    await publishDay(db, dataDir, file, manifest);
    manifests.push(manifest);
  }
  return manifests;
}

/** A day in the work folder. */
interface WrittenDay {
  readonly facts: StopEventFacts;
  readonly file: string;
  /** Number of rows that the engine reports as written. */
  readonly copied: number;
}

async function writeDays(
  db: Duckdb,
  dataDir: string,
  folder: string,
  days: readonly StopEventDayRows[],
): Promise<WrittenDay[]> {
  const written: WrittenDay[] = [];
  for (const { facts, ...rows } of days) {
    const file = path.join(folder, `${facts.sourceId}-${facts.serviceDate}.parquet`);
    const packing = `${stopEventPacking}, ${await describeFile(dataDir, facts)}`;
    written.push({ facts, file, copied: await copyRows(db, rows, file, packing) });
  }
  return written;
}

async function publishDay(db: Duckdb, dataDir: string, file: string, manifest: StopEventManifest): Promise<void> {
  const { sourceId, serviceDate, rows } = manifest;
  // A manifest must never be beside rows that it does not describe.
  await setManifestAside(dataDir, sourceId, serviceDate);
  await publishPartition(db, file, stopEventPartition(dataDir, sourceId, serviceDate), rows);
  await writeStopEventManifest(dataDir, manifest);
  await rm(replacedManifestFile(dataDir, sourceId, serviceDate), { force: true });
}

/** Removes a day from the lake, also an unfinished one; does nothing where it is missing. */
export async function removeStopEvents(dataDir: string, source: SourceId, serviceDate: ServiceDate): Promise<void> {
  await assertMayPublish();
  await changeManifest(stopEventManifestFile(dataDir, source, serviceDate), rm);
  await rm(stopEventPartition(dataDir, source, serviceDate), { recursive: true, force: true });
  await changeManifest(replacedManifestFile(dataDir, source, serviceDate), rm);
}

/** Distinguishes a day that is being rebuilt from one that was removed, also after a crash. */
async function setManifestAside(dataDir: string, source: SourceId, serviceDate: ServiceDate): Promise<void> {
  // Without its manifest the day counts as absent, so this step is the first that readers see.
  await assertMayPublish();
  const aside = replacedManifestFile(dataDir, source, serviceDate);
  await changeManifest(stopEventManifestFile(dataDir, source, serviceDate), (file) => rename(file, aside));
}

/** Does nothing if the file is missing. */
async function changeManifest(file: string, change: (file: string) => Promise<void>): Promise<void> {
  try {
    await change(file);
    await syncFolder(path.dirname(file));
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

/** Marked as counted on its own, as if the day had no other source. */
async function describeFile(dataDir: string, facts: StopEventFacts): Promise<string> {
  const fileId = fileBuildId(facts);
  const marks = markFile(fileId, [{ source: facts.sourceId, fileId }]);
  return parquetFacts(dataDir, 'stop_events', [facts.sourceId], marks);
}

/** @returns number of rows that the engine reports as written */
async function copyRows(
  db: Duckdb,
  { select, constants = {} }: Pick<StopEventDayRows, 'select' | 'constants'>,
  file: string,
  packing: string,
): Promise<number> {
  const columns = Object.entries(stopEventColumns).map(([name, [type]]) => {
    const value = constants[name] ?? (name === 'is_counted' ? 'not is_added' : sqlName(name));
    return { name, isSorted: !(name in constants), sql: `cast(${value} as ${type}) as ${sqlName(name)}` };
  });
  const sorted = columns.filter(({ isSorted }) => isSorted).map(({ sql }) => sql);
  const all = columns.map(({ name, isSorted, sql }) => (isSorted ? sqlName(name) : sql));
  const order = 'feed_source' in constants ? stopEventOrder : `${stopEventOrder}, feed_source`;
  // Rows are sorted after the cast, so that a text and a number that becomes one sort alike.
  const [copied] = await db.query(
    `copy (select ${all.join(', ')} from (select ${sorted.join(', ')} from (${select}) order by ${order}))
     to ${sqlText(file)} (${packing})`,
  );
  return Number(copied?.Count);
}

function assertAllThere({ facts, copied }: WrittenDay, { rows }: MeasuredRows): void {
  const refused = Object.values(facts.refused).reduce((sum, n) => sum + n, 0);
  if (copied !== rows || facts.rowsIn !== rows + refused) {
    const numbers = `${facts.rowsIn} rows came in, ${copied} were written, ${rows} are in the file, ${refused} refused`;
    throw new Error(`stop events of ${facts.sourceId} on ${facts.serviceDate}: ${numbers}`);
  }
}

async function assertCallsOnce(db: Duckdb, written: readonly WrittenDay[]): Promise<void> {
  const files = written.map(({ file }) => sqlPath(file)).join(', ');
  await db.run(
    `create or replace temp view stop_events_of_files as
     from read_parquet([${files}], hive_partitioning = false, filename = true)`,
  );
  const [twice] = await db.query(await readSql('pipeline/history/stop-events/sql/stop_events_twice.sql'));
  await db.run('drop view stop_events_of_files');
  if (twice) {
    const { sourceId, serviceDate } = written.find(({ file }) => file === twice.filename)!.facts;
    const call = `call ${twice.position} of trip "${twice.trip_id}"`;
    throw new Error(`stop events of ${sourceId} on ${serviceDate}: ${call} is there ${twice.n} times`);
  }
}
