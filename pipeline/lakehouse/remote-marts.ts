import { type Duckdb, openDuckdb } from '../effects/duckdb.ts';
import { WorldError } from '../effects/world-error.ts';
import type { RemoteMarts } from '../history/marts/remote-day.ts';
import { isCountedTogether, readMarks } from '../history/stop-events/counted-rows.ts';
import { findStopEventManifest, stopEventFile } from '../history/stop-events/stop-event-manifest.ts';
import { listTableFiles } from '../iceberg/open-table.ts';
import { readMetadata, toUri } from '../iceberg/table-folder.ts';
import { findCurrentSnapshot } from '../iceberg/table-metadata.ts';
import type { SourceId } from '../model/ids.ts';
import { type ServiceDate, toEpochDay } from '../model/service-time.ts';
import type { Trino } from '../trino/open-trino.ts';
import { toTrinoName } from '../trino/trino-values.ts';
import { listLakehouseTables, toTableFolder } from './lakehouse-tables.ts';
import type { LakehouseLocation } from './locate-tables.ts';
import { findPlaces } from './place-files.ts';

interface RemoteMartsRequest {
  readonly dataDir: string;
  readonly location: LakehouseLocation;
  readonly timeLimitSeconds: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Marts computed by Trino, over the Iceberg table of the stop events as it is now. A day is refused where the table holds
 * other files than the lake: what is built is never of rows that the manifests do not name.
 * @throws WorldError `iceberg_behind` where there is no table
 */
export async function openRemoteMarts(trino: Trino, request: RemoteMartsRequest): Promise<RemoteMarts> {
  const { dataDir, location, timeLimitSeconds, signal } = request;
  const { definition } = listLakehouseTables().find(({ kind }) => kind === 'stopEvents')!;
  const table = toTableFolder(dataDir, location, definition);
  const metadata = (await readMetadata(table))?.metadata;
  const snapshot = metadata ? findCurrentSnapshot(metadata) : null;
  if (!snapshot) throw behind('there is no Iceberg table of the stop events');
  const present = new Set(await listTableFiles(table));
  const names = [trino.catalog, definition.namespace, definition.name].map(toTrinoName).join('.');
  return {
    async findStopEvents(date, inputs) {
      const sources = [...inputs.keys()];
      const files = sources.map((source) => ({ source, file: stopEventFile(dataDir, source, date) }));
      const places = await findPlaces(
        table,
        files.map(({ source, file }) => ({
          file,
          folder: `source=${source}/service_date=${date}`,
          partition: [source, toEpochDay(date)],
        })),
      );
      for (const [i, source] of sources.entries()) {
        const place = places[i];
        const isPresent = place !== null && place !== undefined && present.has(toUri(table, place));
        const manifest = await findStopEventManifest(dataDir, source, date);
        if (!isPresent || manifest?.rowsHash !== inputs.get(source)) {
          throw behind(`the Iceberg table has other stop events of ${source} on ${date} than the lake`);
        }
      }
      await assertCounted(files, date);
      return `${names} for version as of ${snapshot['snapshot-id']}`;
    },
    stream: (sql) => trino.stream(sql, { timeLimitSeconds, signal }),
  };
}

/** Trino takes `is_counted` as it is in the files. */
async function assertCounted(
  files: readonly { readonly source: SourceId; readonly file: string }[],
  date: ServiceDate,
) {
  const db: Duckdb = await openDuckdb({ threads: 1 });
  try {
    if (isCountedTogether(files, await readMarks(db, files))) return;
  } finally {
    db.close();
  }
  throw behind(`is_counted of the stop events of ${date} is not up to date, since a job was writing them`);
}

function behind(what: string): WorldError {
  const advice = 'run publish-iceberg, and then build-marts again';
  return new WorldError('iceberg_behind', `${what}: ${advice}`, { isRetryable: true });
}
