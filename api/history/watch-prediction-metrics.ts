import path from 'node:path';
import type { Log } from '../../pipeline/effects/log.ts';
import {
  findCurrentPredictionMetricsId,
  type PredictionMetricsManifest,
  predictionMetricsFolder,
  readPredictionMetricsManifest,
} from '../../pipeline/snapshots/prediction-metrics-contract.ts';
import { holdSnapshot, type LiveSnapshotHolder } from '../plugins/snapshot-holder.ts';
import type { MartReader } from './mart-reader.ts';
import { type PredictionSql, readPredictionSql } from './prediction-charts.ts';
import type { HistoryHolder } from './watch-history.ts';

/** Metrics of past predictions, published by `evaluate-predictions`. */
export interface PredictionMetrics extends MartReader {
  readonly manifest: PredictionMetricsManifest;
  /** Statements of the charts. */
  readonly chartSql: PredictionSql;
}

/** @param histories provide the engine */
export async function watchPredictionMetrics(
  dataDir: string,
  histories: Pick<HistoryHolder, 'openReader'>,
  { log }: { readonly log: Log },
): Promise<LiveSnapshotHolder<PredictionMetrics>> {
  const chartSql = await readPredictionSql();
  return holdSnapshot<PredictionMetrics>(
    {
      readCurrentId: () => findCurrentPredictionMetricsId(dataDir),
      read: async () => {
        const id = await findCurrentPredictionMetricsId(dataDir);
        if (id === null) return null;
        const manifest = await readPredictionMetricsManifest(dataDir, id);
        const folder = path.resolve(predictionMetricsFolder(dataDir), id);
        const reader = await histories.openReader({ folder, files: manifest.files });
        return { id, value: { manifest, chartSql, ...reader } };
      },
    },
    { log },
  );
}
