import path from 'node:path';
import { listNames, sizeOf, sizeOfFolder } from '../../pipeline/effects/files.ts';
import { martTables } from '../../pipeline/history/marts/mart-tables.ts';
import { featurePartition, martFile, modelsFolder, tableFolder, versionPartition } from '../../pipeline/lake/paths.ts';
import type { FeedVersion, SourceId } from '../../pipeline/model/ids.ts';
import type { IngestOutcome } from '../../pipeline/timetable/ingest-timetable.ts';

/** Bytes of the tables of the versions that an ingest has read, and of the snapshot that it has published. */
export async function countTimetableBytes(
  dataDir: string,
  { feeds, snapshotId, isUnchanged }: IngestOutcome,
): Promise<number> {
  // Imported on demand, as it loads the reader of snapshots.
  const { timetableSnapshotsFolder } = await import('../../pipeline/snapshots/timetable-files.ts');
  let bytes =
    isUnchanged || snapshotId === null
      ? 0
      : await sizeOfFolder(path.join(timetableSnapshotsFolder(dataDir), snapshotId));
  for (const { sourceId, feedVersion, isUnchanged: isKnown } of feeds) {
    if (!isKnown && feedVersion !== null)
      bytes += await countVersionBytes(dataDir, sourceId, feedVersion as FeedVersion);
  }
  return bytes;
}

async function countVersionBytes(dataDir: string, source: SourceId, version: FeedVersion): Promise<number> {
  let bytes = 0;
  for (const schema of ['gtfs', 'timetable'] as const) {
    for (const table of await listNames(path.dirname(tableFolder(dataDir, schema, 'x')))) {
      bytes += await sizeOfFolder(versionPartition(dataDir, schema, table, source, version));
    }
  }
  return bytes;
}

/** Bytes of the files of the marts that `build-marts` has written in these months. */
export async function countMartBytes(dataDir: string, months: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const mart of Object.keys(martTables)) {
    for (const month of months) bytes += await sizeOf(martFile(dataDir, mart, month));
  }
  return bytes;
}

export async function countFeatureBytes(dataDir: string, sources: readonly SourceId[]): Promise<number> {
  const sizes = sources.map((source) => sizeOfFolder(featurePartition(dataDir, source)));
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

export async function countModelBytes(dataDir: string, source: SourceId, model: string): Promise<number> {
  return sizeOfFolder(path.join(modelsFolder(dataDir), `source=${source}`, model));
}
