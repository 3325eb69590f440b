import path from 'node:path';
import type { Clock } from '../effects/clock.ts';
import { type DuckdbOptions, openDuckdb, sqlPath } from '../effects/duckdb.ts';
import type { Log } from '../effects/log.ts';
import { toSourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { type MartFile, martSnapshotFile } from './mart-snapshot.ts';
import {
  type MeasuredSource,
  PREDICTION_METRICS,
  type PredictionMetricsTable,
  predictionMetricsFolder,
  predictionMetricsTables,
} from './prediction-metrics-contract.ts';
import { type PublishedMarts, publishMarts } from './publish-marts.ts';

interface PublishPredictionMetricsOptions {
  readonly dataDir: string;
  /** Snapshots that are kept on disk, the current one included. */
  readonly keepSnapshots: number;
  readonly duckdb: Pick<DuckdbOptions, 'threads' | 'memoryLimit' | 'signal'>;
}

/**
 * Publishes the prediction metrics for the api. The caller makes sure that no job writes them meanwhile.
 * @throws Error when a file is damaged; the published snapshot is unchanged then
 */
export async function publishPredictionMetrics(
  { dataDir, keepSnapshots, duckdb }: PublishPredictionMetricsOptions,
  effects: { readonly clock: Clock; readonly log: Log },
): Promise<PublishedMarts> {
  return publishMarts(
    {
      dataDir,
      kind: PREDICTION_METRICS,
      folder: predictionMetricsFolder(dataDir),
      tables: predictionMetricsTables,
      namedBy: null,
      keepSnapshots,
      progress: 'publishing the prediction metrics',
      describe: async (aside, files) => ({ sources: await readSources(aside, files, duckdb) }),
    },
    effects,
  );
}

async function readSources(
  aside: string,
  files: readonly MartFile<PredictionMetricsTable>[],
  options: PublishPredictionMetricsOptions['duckdb'],
): Promise<MeasuredSource[]> {
  const daily = files.filter(({ table }) => table === 'prediction_daily');
  if (daily.length === 0) return [];
  const list = daily.map((file) => sqlPath(path.join(aside, martSnapshotFile(file)))).join(', ');
  const db = await openDuckdb(options);
  try {
    const rows = await db.query(
      `select source, min(service_date)::varchar as first_date, max(service_date)::varchar as last_date
       from read_parquet([${list}], hive_partitioning = false) group by source order by source`,
    );
    return rows.map((row) => ({
      source: toSourceId(String(row.source)),
      firstDate: String(row.first_date) as ServiceDate,
      lastDate: String(row.last_date) as ServiceDate,
    }));
  } finally {
    db.close();
  }
}
