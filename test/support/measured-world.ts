import { onTestFinished } from 'vitest';
import { holdFigures } from '../../api/history/hold-figures.ts';
import { holdHistory } from '../../api/history/hold-history.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { withTemporaryFolder } from '../../pipeline/effects/temporary-folders.ts';
import { workFolder } from '../../pipeline/lake/paths.ts';
import type { FigureRow, MetricTable } from '../../pipeline/predictions/measured/figure-tables.ts';
import { storeFigures } from '../../pipeline/predictions/measured/store-figures.ts';
import { publishFigures } from '../../pipeline/snapshots/publish-prediction-metrics.ts';
import { testHistoryLimits } from './history-world.ts';
import { silentLog } from './ingest.ts';
import { openTemplateFolders } from './template-folders.ts';

/** Metrics of one source and day, by mart. */
export interface ToldFigures {
  readonly source: string;
  readonly serviceDate: string;
  readonly rows: Partial<Readonly<Record<MetricTable, readonly FigureRow[]>>>;
}

// The same metrics make the same marts, and making them takes a second.
const published = openTemplateFolders('taktgeber-figures-', publishInto);

/** Stores and publishes metrics as the job does. @returns the data folder, not to be written to */
export function publishToldFigures(all: readonly ToldFigures[]): Promise<string> {
  return published(JSON.stringify(all), all);
}

async function publishInto(dataDir: string, all: readonly ToldFigures[]): Promise<void> {
  const db = await openDuckdb({ threads: 1 });
  try {
    for (const { source, serviceDate, rows } of all) {
      for (const [table, reported] of Object.entries(rows) as [MetricTable, FigureRow[]][]) {
        const full = reported.map((row) => ({ ...row, source, service_date: serviceDate }));
        await withTemporaryFolder(workFolder(dataDir), (folder) =>
          storeFigures(db, dataDir, folder, table, { source, serviceDate }, full),
        );
      }
    }
  } finally {
    db.close();
  }
  await publishFigures(
    { dataDir, keepSnapshots: 1, duckdb: { threads: 1, memoryLimit: '256MB' } },
    { clock: fixedClock('2026-03-03T04:00:00Z'), log: silentLog },
  );
}

/** What is published in a folder, followed as the service does; closed when the test is over. */
export async function openFigures(dataDir: string) {
  const effects = { clock: fixedClock('2026-03-03T08:00:00Z'), log: silentLog };
  const histories = await holdHistory(dataDir, testHistoryLimits, effects);
  const metrics = await holdFigures(dataDir, histories, effects);
  onTestFinished(async () => {
    await metrics.close();
    await histories.close();
  });
  return metrics;
}
