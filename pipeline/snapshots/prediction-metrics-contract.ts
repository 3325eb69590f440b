import path from 'node:path';
import { findPointedId } from '../effects/files.ts';
import type { SourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { type MartManifest, type MartSnapshotKind, readMartManifest } from './mart-snapshot.ts';

/**
 * The figures of past predictions as the api reads them: the marts that `evaluate-predictions` writes, which are
 * documented there, as of one moment.
 */
export const figureSnapshotTables = [
  'prediction_daily',
  'prediction_classes_daily',
  'prediction_examples',
  'transfer_predictions',
] as const;

export type FigureSnapshotTable = (typeof figureSnapshotTables)[number];

export const PREDICTION_FIGURES: MartSnapshotKind = {
  kind: 'predictions',
  formatVersion: 1,
  job: 'evaluate-predictions',
};

export interface FiguresManifest extends MartManifest<FigureSnapshotTable> {
  readonly kind: 'predictions';
  /** Sources with figures, sorted, and their first and last measured day. */
  readonly sources: readonly MeasuredSource[];
}

export interface MeasuredSource {
  readonly source: SourceId;
  readonly firstDate: ServiceDate;
  readonly lastDate: ServiceDate;
}

export function figureSnapshotsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'predictions');
}

/** Id of the published snapshot; null while there is none. */
export async function findCurrentFiguresId(dataDir: string): Promise<string | null> {
  return findPointedId(path.join(figureSnapshotsFolder(dataDir), 'current.json'));
}

/**
 * Reads the manifest of a snapshot, and checks that all of its files are there.
 * @throws ExternalError `snapshot_damaged`
 */
export async function readFiguresManifest(dataDir: string, id: string): Promise<FiguresManifest> {
  return (await readMartManifest(figureSnapshotsFolder(dataDir), id, PREDICTION_FIGURES)) as FiguresManifest;
}
