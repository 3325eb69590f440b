import path from 'node:path';
import type { Clock } from '../effects/clock.ts';
import { type DuckdbOptions, openDuckdb, sqlPath } from '../effects/duckdb.ts';
import type { Log } from '../effects/log.ts';
import { toSourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import {
  ALL_SOURCES,
  definitionColumns,
  HISTORY,
  type HistoryFile,
  type HistoryManifest,
  historySnapshotsFolder,
  historyTables,
  type PunctualityDefinition,
} from './history-contract.ts';
import { martSnapshotFile } from './mart-snapshot.ts';
import { type PublishedMarts, publishMarts } from './publish-marts.ts';

interface PublishHistoryOptions {
  readonly dataDir: string;
  readonly definition: PunctualityDefinition;
  /** Snapshots that are kept on disk, the current one included. */
  readonly keepSnapshots: number;
  readonly duckdb: Pick<DuckdbOptions, 'threads' | 'memoryLimit' | 'signal'>;
}

/**
 * Publishes the current marts as the history snapshot that the api reads. The caller makes sure that no job writes marts
 * meanwhile.
 * @throws Error when a file of the marts is damaged; the published snapshot is unchanged then
 */
export async function publishHistory(
  { dataDir, definition, keepSnapshots, duckdb }: PublishHistoryOptions,
  effects: { readonly clock: Clock; readonly log: Log },
): Promise<PublishedMarts> {
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds } = definition;
  return publishMarts(
    {
      dataDir,
      kind: HISTORY,
      folder: historySnapshotsFolder(dataDir),
      tables: historyTables,
      namedBy: [onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds],
      keepSnapshots,
      progress: 'publishing the history',
      describe: async (aside, files) => ({ definition, ...(await readFacts(aside, files, definition, duckdb)) }),
    },
    effects,
  );
}

type Facts = Pick<HistoryManifest, 'sources' | 'definitionColumns' | 'hasLastForecasts' | 'firstDate' | 'lastDate'>;

const NOTHING: Facts = {
  sources: [],
  definitionColumns: [],
  hasLastForecasts: false,
  firstDate: null,
  lastDate: null,
};

/** Reads the sources, days and definitions of the snapshot. */
async function readFacts(
  aside: string,
  files: readonly HistoryFile[],
  { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds }: PunctualityDefinition,
  options: Pick<DuckdbOptions, 'threads' | 'memoryLimit'>,
): Promise<Facts> {
  const hourly = files.filter(({ table }) => table === 'network_hourly');
  if (hourly.length === 0) return NOTHING;
  const list = hourly.map((file) => sqlPath(path.join(aside, martSnapshotFile(file)))).join(', ');
  const db = await openDuckdb(options);
  try {
    const rows = await db.query(
      `select
         source,
         min(service_date)::varchar as first_date,
         max(service_date)::varchar as last_date,
         bool_and(on_time_max_delay_seconds = $onTimeMaxDelaySeconds) as on_time_max_delay_seconds,
         bool_and(late_min_delay_seconds = $lateMinDelaySeconds) as late_min_delay_seconds,
         bool_and(early_min_seconds = $earlyMinSeconds) as early_min_seconds,
         bool_and(evidence = 'observed_actual') as evidence,
         bool_or(
           on_time_max_delay_seconds = $onTimeMaxDelaySeconds
           and late_min_delay_seconds = $lateMinDelaySeconds
           and early_min_seconds = $earlyMinSeconds
           and evidence = 'last_forecast'
         ) as has_last_forecasts
       from read_parquet([${list}], hive_partitioning = false) group by source order by source`,
      { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds },
    );
    const sources = rows
      .map((row) => String(row.source))
      .filter((source) => source !== ALL_SOURCES)
      .map(toSourceId);
    const dates = (name: string) => rows.map((row) => String(row[name]) as ServiceDate).sort();
    return {
      sources,
      definitionColumns: definitionColumns.filter((column) => rows.some((row) => row[column] !== true)),
      hasLastForecasts: rows.some((row) => row.has_last_forecasts === true),
      firstDate: dates('first_date')[0] ?? null,
      lastDate: dates('last_date').at(-1) ?? null,
    };
  } finally {
    db.close();
  }
}
