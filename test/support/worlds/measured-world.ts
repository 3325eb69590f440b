import { onTestFinished } from 'vitest';
import { holdHistory } from '../../../api/history/watch-history.ts';
import { watchPredictionMetrics } from '../../../api/history/watch-prediction-metrics.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { withTemporaryFolder } from '../../../pipeline/effects/temporary-folders.ts';
import { workFolder } from '../../../pipeline/lake/paths.ts';
import type { MetricRow, MetricTable } from '../../../pipeline/predictions/measured/metric-tables.ts';
import { storeMetricRows } from '../../../pipeline/predictions/measured/store-metric-rows.ts';
import { publishPredictionMetrics } from '../../../pipeline/snapshots/publish-prediction-metrics.ts';
import { openTemplateFolders } from '../setup/template-folders.ts';
import { testHistoryLimits } from './history-world.ts';
import { silentLog } from './ingest.ts';

/** Metrics of one source and day, by mart. */
export interface StoredMetrics {
  readonly source: string;
  readonly serviceDate: string;
  readonly rows: Partial<Readonly<Record<MetricTable, readonly MetricRow[]>>>;
}

// Caching is safe: the same metrics make the same marts, and building them takes a second.
const published = openTemplateFolders('taktgeber-figures-', publishInto);

/** Stores and publishes metrics with the code of the job. @returns the data folder, read-only */
export function publishStoredMetrics(all: readonly StoredMetrics[]): Promise<string> {
  return published(JSON.stringify(all), all);
}

async function publishInto(dataDir: string, all: readonly StoredMetrics[]): Promise<void> {
  const db = await openDuckdb({ threads: 1 });
  try {
    for (const { source, serviceDate, rows } of all) {
      for (const [table, reported] of Object.entries(rows) as [MetricTable, MetricRow[]][]) {
        const full = reported.map((row) => ({ ...row, source, service_date: serviceDate }));
        await withTemporaryFolder(workFolder(dataDir), (folder) =>
          storeMetricRows(db, { dataDir, folder, table, source, serviceDate }, full),
        );
      }
    }
  } finally {
    db.close();
  }
  await publishPredictionMetrics(
    { dataDir, keepSnapshots: 1, duckdb: { threads: 1, memoryLimit: '256MB' } },
    { clock: fixedClock('2026-03-03T04:00:00Z'), log: silentLog },
  );
}

/** The published metrics of a folder, followed as in the service; closed when the test ends. */
export async function openPredictionMetrics(dataDir: string) {
  const effects = { clock: fixedClock('2026-03-03T08:00:00Z'), log: silentLog };
  const histories = await holdHistory(dataDir, testHistoryLimits, effects);
  const metrics = await watchPredictionMetrics(dataDir, histories, effects);
  onTestFinished(async () => {
    await metrics.close();
    await histories.close();
  });
  return metrics;
}
