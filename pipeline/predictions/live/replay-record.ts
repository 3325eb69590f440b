import { buildFeatures, choosePairs, type Pairs, pickPairs } from '../features/build-features.ts';
import { splitMinutes } from '../features/dated-trip-table.ts';
import { featureColumns } from '../features/instant-rows.ts';
import { takeValues } from '../features/take-values.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import type { RecordedTrips } from '../learning/recorded-trips.ts';
import { describePairs } from '../model/delay-model.ts';
import { findProductGroup, type ProductGroup } from '../prior/read-priors.ts';
import type { AdaptiveForecaster } from './adaptive-forecaster.ts';

/** Pairs of the last recorded day from which a forecaster learns when it is opened. */
const MAX_PAIRS = 20_000;
const SEED = 20261128;

/**
 * Replays the outcomes of the last recorded day, from which a forecaster learns the weight of the own model, too: no
 * model is trained on that day.
 */
export function replayRecord(recorded: RecordedTrips, forecaster: AdaptiveForecaster): void {
  const table = forecaster.gridSeconds === 60 ? splitMinutes(recorded.table) : recorded.table;
  const all = choosePairs(table);
  const lastDay = table.serviceDay.reduce((last, day) => Math.max(last, day), Number.NEGATIVE_INFINITY);
  const isLast = (pair: number) => table.serviceDay[all.datedTrip[pair]!] === lastDay;
  let count = 0;
  for (let pair = 0; pair < all.count; pair++) if (isLast(pair)) count++;
  const random = seededRandom(SEED);
  const kept: number[] = [];
  for (let pair = 0; pair < all.count; pair++) if (isLast(pair) && random() < MAX_PAIRS / count) kept.push(pair);
  if (kept.length === 0) return;
  const pairs = pickPairs(all, Int32Array.from(kept));
  const { values } = buildFeatures(table, pairs);
  const { current, horizonSeconds } = describePairs(table, pairs);
  for (const [group, places] of groupByProduct(recorded, pairs)) {
    const pick = (column: Float32Array) => Float32Array.from(places, (place) => column[place]!);
    const rows = {
      values: takeValues(values, places, featureColumns.length),
      current: pick(current),
      horizonSeconds: pick(horizonSeconds),
    };
    const calls = Int32Array.from(places, (place) => pairs.to[place]!);
    forecaster.replay(group, rows, calls, table);
  }
}

function groupByProduct({ table, products }: RecordedTrips, pairs: Pairs): Map<ProductGroup, number[]> {
  const groups = new Map<ProductGroup, number[]>();
  for (let pair = 0; pair < pairs.count; pair++) {
    const group = findProductGroup(products[table.route[pairs.datedTrip[pair]!]!] ?? null);
    const known = groups.get(group);
    if (known) known.push(pair);
    else groups.set(group, [pair]);
  }
  return groups;
}
