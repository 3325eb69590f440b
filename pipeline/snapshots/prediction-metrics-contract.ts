import path from 'node:path';
import { findPointedId } from '../effects/files.ts';
import type { SourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { type MartManifest, type MartSnapshotKind, readMartManifest } from './mart-snapshot.ts';

/**
 * The metrics of past predictions as the api reads them: the marts that `evaluate-predictions` writes, which are
 * documented there, as of one instant.
 */
export const predictionMetricsTables = [
  'prediction_daily',
  'prediction_classes_daily',
  'prediction_examples',
  'transfer_predictions',
] as const;

export type PredictionMetricsTable = (typeof predictionMetricsTables)[number];

export const PREDICTION_METRICS: MartSnapshotKind = {
  kind: 'predictions',
  formatVersion: 1,
  job: 'evaluate-predictions',
};

export interface PredictionMetricsManifest extends MartManifest<PredictionMetricsTable> {
  readonly kind: 'predictions';
  /** Sources with metrics, sorted, and their first and last measured day. */
  readonly sources: readonly MeasuredSource[];
}

export interface MeasuredSource {
  readonly source: SourceId;
  readonly firstDate: ServiceDate;
  readonly lastDate: ServiceDate;
}

export function predictionMetricsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'predictions');
}

/** Id of the published snapshot; null while there is none. */
export async function findCurrentPredictionMetricsId(dataDir: string): Promise<string | null> {
  return findPointedId(path.join(predictionMetricsFolder(dataDir), 'current.json'));
}

/**
 * Reads the manifest of a snapshot, and checks that all of its files are there.
 * @throws ExternalError `snapshot_damaged`
 */
export async function readPredictionMetricsManifest(dataDir: string, id: string): Promise<PredictionMetricsManifest> {
  return (await readMartManifest(
    predictionMetricsFolder(dataDir),
    id,
    PREDICTION_METRICS,
  )) as PredictionMetricsManifest;
}
