import type { Duckdb } from '../../effects/duckdb.ts';
import type { Log } from '../../effects/log.ts';
import { WorldError } from '../../effects/world-error.ts';
import type { SourceId } from '../../model/ids.ts';
import { writeDelayModel } from '../delay-model-file.ts';
import { findFeatureManifest, readFeatures } from './feature-store.ts';
import { findCurrentModel, type ModelManifest, publishModel, readModel, type StoredModel } from './model-store.ts';
import { trainModel } from './train-model.ts';

/** What came of a source. */
export type TrainOutcome =
  | { readonly kind: 'trained' | 'unchanged'; readonly manifest: ModelManifest }
  | { readonly kind: 'due' }
  /** It has no features: `build-features` says why. */
  | { readonly kind: 'unfit' };

export interface TrainRequest {
  readonly dataDir: string;
  readonly source: SourceId;
  /** Also when the model is of these features already. */
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly trainedAt: string;
}

/** Trains a model of a source on its features, and publishes it or the one before, whichever is better. */
export async function trainSource(
  db: Duckdb,
  { dataDir, source, isForced, isDryRun, trainedAt }: TrainRequest,
  log: Log,
): Promise<TrainOutcome> {
  const features = await findFeatureManifest(dataDir, source);
  if (!features) return { kind: 'unfit' };
  const current = await findCurrentModel(dataDir, source);
  if (current?.featuresHash === features.hash && !isForced) return { kind: 'unchanged', manifest: current };
  if (isDryRun) return { kind: 'due' };
  const before = current && (await readBefore(dataDir, current, log));
  const stored = await readFeatures(db, dataDir, source);
  const { model, shifts, comparison, learntPairs } = trainModel(stored, features.gridSeconds, before?.model ?? null);
  const isBeforeKept = comparison.kept === 'before';
  const manifest = await publishModel(dataDir, writeDelayModel(model), {
    sourceId: source,
    lastDay: features.lastDay,
    learntUntil: isBeforeKept ? before!.manifest.learntUntil : features.lastDay,
    trainedAt,
    featuresHash: features.hash,
    learntPairs: isBeforeKept ? before!.manifest.learntPairs : learntPairs,
    shifts,
    comparison,
  });
  return { kind: 'trained', manifest };
}

/** A model that cannot be read is no reason to go on without one. */
async function readBefore(dataDir: string, current: ModelManifest, log: Log): Promise<StoredModel | null> {
  try {
    return await readModel(dataDir, current);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    log.warn(`${error.message}; the new one is not compared with it`);
    return null;
  }
}
