import { type Duckdb, openDuckdb } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { toTrinoName } from '../../effects/sql-dialects/trino-text.ts';
import type { RemoteMarts } from '../../history/marts/remote-day.ts';
import { isCountedTogether, readMarks } from '../../history/stop-events/counted-rows.ts';
import { findStopEventManifest, stopEventFile } from '../../history/stop-events/stop-event-manifest.ts';
import type { SourceId } from '../../model/ids.ts';
import { type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import { readManifests } from '../iceberg/open-table.ts';
import { readMetadata, toUri } from '../iceberg/table-folder.ts';
import { findCurrentSnapshot } from '../iceberg/table-metadata.ts';
import type { Trino } from '../trino/open-trino.ts';
import { listLakehouseTables, toTableFolder } from './lakehouse-tables.ts';
import type { LakeFile } from './list-lake-files.ts';
import type { LakehouseLocation } from './locate-tables.ts';
import { findPlaces } from './place-files.ts';

interface RemoteMartsRequest {
  readonly dataDir: string;
  readonly location: LakehouseLocation;
  readonly timeLimitSeconds: number;
}

/** The same state of the stop events for several builds, of which each ends its own statements. */
export type ShareRemoteMarts = (signal: AbortSignal | undefined) => RemoteMarts;

/**
 * Marts computed by Trino, over the Iceberg table of the stop events as it is now. A day is refused where the table holds
 * other files than the lake: what is built is never of rows that the manifests do not name.
 * @throws ExternalError `iceberg_behind` where there is no table
 */
export async function openRemoteMarts(trino: Trino, request: RemoteMartsRequest): Promise<ShareRemoteMarts> {
  const { dataDir, location, timeLimitSeconds } = request;
  const { definition } = listLakehouseTables().find(({ kind }) => kind === 'stopEvents')!;
  const table = toTableFolder(dataDir, location, definition);
  const metadata = (await readMetadata(table))?.metadata;
  const snapshot = metadata ? findCurrentSnapshot(metadata) : null;
  if (!snapshot) throw behind('there is no Iceberg table of the stop events');
  const isOfThisPlace = metadata?.location === table.location;
  const manifests = isOfThisPlace ? await readManifests(table, metadata, snapshot) : [];
  const files = manifests.flatMap(({ entries }) => entries.map(({ file }) => file));
  const present = new Set(files.map((file) => file.path));
  const filled = new Set(files.map(({ partition }) => JSON.stringify(partition)));
  const names = [trino.catalog, definition.namespace, definition.name].map(toTrinoName).join('.');
  return (signal) => ({
    async findStopEvents(date, inputs) {
      const sources = [...inputs.keys()];
      const wanted = sources.map((source) => ({ source, ...toLakeFile(dataDir, source, date) }));
      const places = await findPlaces(table, wanted);
      for (const [i, { source, partition }] of wanted.entries()) {
        const place = places[i] ?? null;
        const manifest = await findStopEventManifest(dataDir, source, date);
        // A table over contents of an object store has no files without rows.
        const isAsInLake =
          manifest?.rows === 0 && table.objects !== undefined
            ? !filled.has(JSON.stringify(partition))
            : place !== null && present.has(toUri(table, place));
        if (!isAsInLake || manifest?.rowsHash !== inputs.get(source)) {
          throw behind(`the Iceberg table has other stop events of ${source} on ${date} than the lake`);
        }
      }
      await assertCounted(wanted, date);
      return `${names} for version as of ${snapshot['snapshot-id']}`;
    },
    stream: (sql) => trino.stream(sql, { timeLimitSeconds, signal }),
  });
}

function toLakeFile(dataDir: string, source: SourceId, date: ServiceDate): LakeFile {
  const folder = `source=${source}/service_date=${date}`;
  return { file: stopEventFile(dataDir, source, date), folder, partition: [source, toEpochDay(date)] };
}

/** Trino reads `is_counted` from the files, and returns null for columns that files of former schemas lack. */
async function assertCounted(
  files: readonly { readonly source: SourceId; readonly file: string }[],
  date: ServiceDate,
) {
  const db: Duckdb = await openDuckdb({ threads: 1 });
  try {
    const marks = await readMarks(db, files);
    if (marks.every(({ isOfPresentSchema }) => isOfPresentSchema) && isCountedTogether(files, marks)) return;
  } finally {
    db.close();
  }
  throw behind(`is_counted of the stop events of ${date} is not up to date, since a job was writing them`);
}

function behind(what: string): ExternalError {
  const advice = 'run publish-iceberg, and then build-marts again';
  return new ExternalError('iceberg_behind', `${what}: ${advice}`, { isRetryable: true });
}
