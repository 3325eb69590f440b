import { buildFeatures, choosePairs, pickPairs } from '../../../pipeline/predictions/features/build-features.ts';
import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../../pipeline/predictions/features/instant-rows.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { type ForestSettings, trainForest } from '../../../pipeline/predictions/forest/train-forest.ts';
import {
  expectChanges,
  INTERVAL_GROUPS,
  intervalGroup,
  type KnownMisses,
} from '../../../pipeline/predictions/model/adaptive-forecasts.ts';
import {
  type DelayModel,
  describePairs,
  listOwnColumns,
  type ModelRows,
} from '../../../pipeline/predictions/model/delay-model.ts';

/** Small enough for a repository. */
const medianSettings: ForestSettings = {
  quantile: 0.5,
  maxTrees: 120,
  maxLeaves: 32,
  minSamplesLeaf: 300,
  learningRate: 0.12,
  subsample: 0.5,
  columnShare: 0.5,
  patience: 15,
  seed: 1,
};
const endSettings: ForestSettings = {
  ...medianSettings,
  maxTrees: 40,
  maxLeaves: 24,
  learningRate: 0.2,
  subsample: 0.3,
  patience: 8,
};

/** Pairs with their outcomes and horizons. */
interface CollectedRows extends ModelRows {
  readonly horizonSeconds: Float32Array;
}

/** Pairs of a short window: what was known is what a source would know that started on its first day. */
export function collectWindow(table: DatedTripTable, maxPairs: number, seed: number): CollectedRows {
  const all = choosePairs(table);
  const random = seededRandom(seed);
  const kept: number[] = [];
  for (let pair = 0; pair < all.count; pair++) if (random() < maxPairs / all.count) kept.push(pair);
  const pairs = pickPairs(all, Int32Array.from(kept));
  const { values } = buildFeatures(table, pairs);
  const { truth, current, horizonSeconds } = describePairs(table, pairs);
  return { values, truth, current, horizonSeconds };
}

export function joinRows(parts: readonly CollectedRows[]): CollectedRows {
  const join = (read: (part: CollectedRows) => Float32Array) => {
    const joined = new Float32Array(parts.reduce((sum, part) => sum + read(part).length, 0));
    let offset = 0;
    for (const part of parts) {
      joined.set(read(part), offset);
      offset += read(part).length;
    }
    return joined;
  };
  return {
    values: join((part) => part.values),
    truth: join((part) => part.truth),
    current: join((part) => part.current),
    horizonSeconds: join((part) => part.horizonSeconds),
  };
}

/** Limits for archives of few pairs, which have no rows for validation. */
const small: Partial<ForestSettings> = { maxTrees: 30, maxLeaves: 6, minSamplesLeaf: 150, learningRate: 0.1 };

/** @param validation null for a small archive: the forests stay small then */
export function trainPrior(learn: ModelRows, validation: ModelRows | null): DelayModel {
  const toLearning = ({ values, truth, current }: ModelRows) => ({
    values,
    targets: truth.map((delay, row) => delay - current[row]!),
  });
  const train = (settings: ForestSettings) =>
    trainForest(
      featureColumns.length,
      toLearning(learn),
      validation && toLearning(validation),
      validation ? settings : { ...settings, ...small },
    ).forest;
  const columns = listOwnColumns(featureColumns);
  return {
    columns: featureColumns,
    gridSeconds: 1,
    median: train({ ...medianSettings, columns }),
    low: train({ ...endSettings, quantile: 0.1, seed: 2, columns }),
    high: train({ ...endSettings, quantile: 0.9, seed: 3 }),
  };
}

/** Misses that are stored of each group of intervals: they stand for as many outcomes. */
const KEPT_MISSES = 40;

/** Evenly spaced quantiles of the misses of intervals on an archive, by group. */
export function collectMisses(model: DelayModel, rows: CollectedRows): KnownMisses {
  const expected = expectChanges(model, null, rows);
  const groups = Array.from({ length: INTERVAL_GROUPS }, () => ({ below: [] as number[], above: [] as number[] }));
  for (let row = 0; row < expected.count; row++) {
    const misses = groups[intervalGroup(expected, row)]!;
    const middle = rows.current[row]! + expected.changes[row * (expected.changes.length / expected.count)]!;
    misses.below.push(middle - expected.down[row]! - rows.truth[row]!);
    misses.above.push(rows.truth[row]! - middle - expected.up[row]!);
  }
  const thin = (values: number[]) => {
    const sorted = values.sort((a, b) => a - b);
    const count = Math.min(KEPT_MISSES, sorted.length);
    return Array.from({ length: count }, (_, i) =>
      Math.round(sorted[Math.floor(((i + 0.5) / count) * sorted.length)]!),
    );
  };
  return { below: groups.map(({ below }) => thin(below)), above: groups.map(({ above }) => thin(above)) };
}
