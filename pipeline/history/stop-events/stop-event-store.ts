import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, readSql, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { syncFolder } from '../../effects/files.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { isSystemError } from '../../effects/world-error.ts';
import { parquetFacts, publishPartition } from '../../lake/parquet-facts.ts';
import { replacedManifestFile, stopEventManifestFile, stopEventPartition } from '../../lake/paths.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { markFile, nameFile } from './counted-rows.ts';
import { measureRows, readRows } from './measure-rows.ts';
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

/**
 * Writes the rows of one day of one source: sorted, checked, replaced as a whole. From the removal of the previous rows
 * until the manifest is written the day counts as absent, also after a crash.
 * @param folder a work folder on the same disk as the lake, removed by the caller
 * @param select yields the columns of the table by name, in any order; other columns are dropped
 * @throws Error where a call has two rows, or where rows were lost uncounted: a bug, and nothing changes
 * @throws WorldError `partition_incomplete`
 */
export async function publishStopEvents(
  db: Duckdb,
  dataDir: string,
  folder: string,
  select: string,
  facts: StopEventFacts,
): Promise<StopEventManifest> {
  const { sourceId, serviceDate } = facts;
  const file = path.join(folder, `${sourceId}-${serviceDate}.parquet`);
  await mkdir(folder, { recursive: true });
  const copied = await copyRows(db, select, file, `${stopEventPacking}, ${await describeFile(dataDir, facts)}`);
  const { rows, rowsHash, counts } = await measureRows(db, readRows(file));
  assertAllThere(facts, copied, rows);
  await assertCallsOnce(db, file, facts);
  // A manifest must never be beside rows that it does not describe.
  await setManifestAside(dataDir, sourceId, serviceDate);
  await publishPartition(db, file, stopEventPartition(dataDir, sourceId, serviceDate), rows);
  const manifest = { ...facts, rows, rowsHash, counts };
  await writeStopEventManifest(dataDir, manifest);
  await rm(replacedManifestFile(dataDir, sourceId, serviceDate), { force: true });
  return manifest;
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

/** Does nothing where there is none. */
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
  const fileId = nameFile(facts);
  const marks = markFile(fileId, [{ source: facts.sourceId, fileId }]);
  return parquetFacts(dataDir, 'stop_events', [facts.sourceId], marks);
}

/** @returns number of rows that the engine reports as written */
async function copyRows(db: Duckdb, select: string, file: string, packing: string): Promise<number> {
  const columns = Object.entries(stopEventColumns)
    .map(([name, [type]]) => {
      const value = name === 'is_counted' ? 'not is_added' : sqlName(name);
      return `cast(${value} as ${type}) as ${sqlName(name)}`;
    })
    .join(', ');
  // Rows are sorted after the cast, so that a text and a number that becomes one sort alike.
  const [copied] = await db.query(
    `copy (from (select ${columns} from (${select})) order by ${stopEventOrder}, feed_source)
     to ${sqlText(file)} (${packing})`,
  );
  return Number(copied?.Count);
}

function assertAllThere(facts: StopEventFacts, copied: number, rows: number): void {
  const refused = Object.values(facts.refused).reduce((sum, n) => sum + n, 0);
  if (copied !== rows || facts.rowsIn !== rows + refused) {
    const numbers = `${facts.rowsIn} rows came in, ${copied} were written, ${rows} are in the file, ${refused} refused`;
    throw new Error(`stop events of ${facts.sourceId} on ${facts.serviceDate}: ${numbers}`);
  }
}

async function assertCallsOnce(db: Duckdb, file: string, { sourceId, serviceDate }: StopEventFacts): Promise<void> {
  await db.run(
    `create or replace temp view stop_events_of_day as from read_parquet(${sqlPath(file)}, hive_partitioning = false)`,
  );
  const [twice] = await db.query(await readSql('pipeline/history/stop-events/sql/stop_events_twice.sql'));
  await db.run('drop view stop_events_of_day');
  if (twice) {
    const call = `call ${twice.position} of trip "${twice.trip_id}"`;
    throw new Error(`stop events of ${sourceId} on ${serviceDate}: ${call} is there ${twice.n} times`);
  }
}
