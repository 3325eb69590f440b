import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { readManifests } from '../../../pipeline/scale-out/iceberg/open-table.ts';
import {
  type PlacedDataFile,
  type PublishedTable,
  publishTable,
} from '../../../pipeline/scale-out/iceberg/publish-table.ts';
import {
  metadataFolder,
  readMetadata,
  type TableFolder,
  toPath,
} from '../../../pipeline/scale-out/iceberg/table-folder.ts';
import {
  findCurrentSnapshot,
  type Snapshot,
  type TableDefinition,
} from '../../../pipeline/scale-out/iceberg/table-metadata.ts';

export const trips: TableDefinition = {
  namespace: 'lake',
  name: 'trips',
  about: 'Trips of a made-up city.',
  columns: {
    source: ['VARCHAR', 'Id of the source.'],
    service_date: ['DATE', 'The day.'],
    trip_id: ['VARCHAR', 'The trip.'],
    delay_seconds: ['INTEGER', 'Its delay.'],
  },
  partitionBy: [
    { column: 'source', transform: 'identity' },
    { column: 'service_date', transform: 'identity' },
  ],
};

/** A table in a folder, without files. */
export function tableAt(folder: string): TableFolder {
  return { folder, location: `file://${folder}` };
}

/** Writes a Parquet file with these trips to its path in the table. */
export async function placeTrips(
  { folder }: TableFolder,
  date: string,
  file: string,
  tripIds: readonly string[],
): Promise<PlacedDataFile> {
  const name = `data/source=city/service_date=${date}/${file}.parquet`;
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'trip_id', data: [...tripIds], type: 'STRING' },
      { name: 'delay_seconds', data: tripIds.map((_, i) => 60 * i), type: 'INT32' },
    ],
  });
  await writeFile(path.join(folder, name), new Uint8Array(bytes));
  return { name, partition: ['city', toEpochDay(date as ServiceDate)] };
}

export const HOUR = 3_600_000;
/** A time later than that of any file that a test writes. */
export const NOON = Date.UTC(2100, 0, 15, 12);

export async function publishTrips(
  table: TableFolder,
  files: readonly PlacedDataFile[],
  now = NOON,
  definition = trips,
): Promise<PublishedTable> {
  return publishTable({
    table,
    definition,
    now: () => now,
    listFiles: async () => ({ files, unsettled: [] }),
    onRefused: (file, reason) => {
      throw new Error(`${file}: ${reason}`);
    },
  });
}

/** The files of a snapshot, by name without extension; fails if one is missing. */
export async function readFilesOf(
  table: TableFolder,
  pick?: (all: readonly Snapshot[]) => Snapshot,
): Promise<string[]> {
  const { metadata } = (await readMetadata(table))!;
  const snapshot = pick ? pick(metadata.snapshots) : findCurrentSnapshot(metadata);
  const names: string[] = [];
  for (const { entries } of await readManifests(table, metadata, snapshot)) {
    for (const { file } of entries) {
      await readFile(toPath(table, file.path));
      names.push(path.basename(file.path, '.parquet'));
    }
  }
  return names.sort();
}

/** The version at which readers begin. */
export async function readHint(table: TableFolder): Promise<number> {
  return Number(await readFile(path.join(metadataFolder(table), 'version-hint.text'), 'utf8'));
}
