import { findConfidence } from '../../../pipeline/model/prediction.ts';
import {
  buildFeatures,
  choosePairs,
  type Pairs,
  pickPairs,
} from '../../../pipeline/predictions/features/build-features.ts';
import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { type AdaptiveForecasts, expectChanges } from '../../../pipeline/predictions/model/adaptive-forecasts.ts';
import { type DelayModel, describePairs, requestedAt } from '../../../pipeline/predictions/model/delay-model.ts';

/** Errors and intervals of the pairs of a day. */
export interface LivedDay {
  pairs: number;
  error: number;
  persistence: number;
  nextPairs: number;
  nextError: number;
  nextPersistence: number;
  highPairs: number;
  highCovered: number;
  mediumPairs: number;
  mediumCovered: number;
  covered: number;
  /** Of vehicles that were at a stop at the instant; the others had left one. */
  standingPairs: number;
  standingError: number;
  standingPersistence: number;
}

export const emptyDay = (): LivedDay => ({
  pairs: 0,
  error: 0,
  persistence: 0,
  nextPairs: 0,
  nextError: 0,
  nextPersistence: 0,
  highPairs: 0,
  highCovered: 0,
  mediumPairs: 0,
  mediumCovered: 0,
  covered: 0,
  standingPairs: 0,
  standingError: 0,
  standingPersistence: 0,
});

/** Adds the sums of a day to those of others. */
export function addDay(sum: LivedDay, day: LivedDay): void {
  for (const name of Object.keys(sum) as (keyof LivedDay)[]) sum[name] += day[name];
}

interface LivedThrough {
  readonly prior: DelayModel;
  readonly own: DelayModel | null;
  readonly forecasts: AdaptiveForecasts;
  /** First day whose pairs are forecast; those before the test only teach. */
  readonly from: number;
  readonly testFrom: number;
  readonly maxPairsADay: number;
}

/** Forecasts the pairs of some days one after another, and learns from each outcome once it is known. */
export function liveThrough(table: DatedTripTable, through: LivedThrough): LivedDay {
  const pairs = choose(table, through);
  const { values, offsets } = buildFeatures(table, pairs);
  const facts = describePairs(table, pairs);
  const rows = expectChanges(through.prior, through.own, {
    values,
    current: facts.current,
    horizonSeconds: facts.horizonSeconds,
  });
  const ofPairs = (read: (pair: number) => number) => Float64Array.from(pairs.from, (_, pair) => read(pair));
  const requested = sortBy(ofPairs((pair) => requestedAt(table, pairs, pair)));
  const known = sortBy(ofPairs((pair) => table.arrivalTime[pairs.to[pair]!]!));
  const day = emptyDay();
  let [learnt, whole] = [0, 0];
  let next = 0;
  const isSplit = table.gridSeconds === 60;
  const offsetOf = (row: number) => (isSplit ? 0 : mod(-table.scheduledArrival[pairs.to[row]!]!));
  const gridNow = () => ({ seconds: isSplit || (learnt >= 50 && whole >= 0.98 * learnt) ? 60 : 1, offsetOf });
  for (const pair of requested.order) {
    const at = requested.keys[pair]!;
    for (; next < known.order.length && known.keys[known.order[next]!]! <= at; next++) {
      const outcome = known.order[next]!;
      if (requested.keys[outcome]! >= known.keys[outcome]!) continue;
      through.forecasts.learn(rows, outcome, facts.truth[outcome]!, gridNow());
      learnt++;
      if (mod(table.arrivalTime[pairs.to[outcome]!]!) === 0) whole++;
    }
    if (table.serviceDay[pairs.datedTrip[pair]!]! < through.testFrom) continue;
    const settled = through.forecasts.settle(rows, pair, gridNow());
    const more = isSplit ? offsets[pair]! : 0;
    const beyond = isSplit ? table.arrivalOffset[pairs.to[pair]!]! : 0;
    const start = isSplit ? table.departureOffset[pairs.from[pair]!]! : 0;
    const truth = facts.truth[pair]! + beyond;
    measure(day, {
      low: settled.low + more,
      median: settled.median + more,
      high: settled.high + more,
      truth,
      current: facts.current[pair]! + start,
      isStanding: pairs.isStanding[pair] === 1,
      isNext: table.sequence[pairs.to[pair]!]! - table.sequence[pairs.from[pair]!]! === 1,
    });
  }
  return day;
}

function measure(
  day: LivedDay,
  one: {
    low: number;
    median: number;
    high: number;
    truth: number;
    current: number;
    isStanding: boolean;
    isNext: boolean;
  },
): void {
  const [error, persistence] = [Math.abs(one.median - one.truth), Math.abs(one.current - one.truth)];
  day.pairs++;
  day.error += error;
  day.persistence += persistence;
  if (one.isNext) {
    day.nextPairs++;
    day.nextError += error;
    day.nextPersistence += persistence;
  }
  if (one.isStanding) {
    day.standingPairs++;
    day.standingError += error;
    day.standingPersistence += persistence;
  }
  const confidence = findConfidence(one.high - one.low);
  const isCovered = one.low <= one.truth && one.truth <= one.high;
  if (isCovered) day.covered++;
  if (confidence === 'high') {
    day.highPairs++;
    if (isCovered) day.highCovered++;
  } else if (confidence === 'medium') {
    day.mediumPairs++;
    if (isCovered) day.mediumCovered++;
  }
}

function choose(table: DatedTripTable, { from, maxPairsADay }: LivedThrough): Pairs {
  const all = choosePairs(table);
  const counts = new Map<number, number>();
  const dayOf = (pair: number) => table.serviceDay[all.datedTrip[pair]!]!;
  for (let pair = 0; pair < all.count; pair++) counts.set(dayOf(pair), (counts.get(dayOf(pair)) ?? 0) + 1);
  const random = seededRandom(7);
  const kept: number[] = [];
  for (let pair = 0; pair < all.count; pair++) {
    const day = dayOf(pair);
    if (day >= from && random() < maxPairsADay / counts.get(day)!) kept.push(pair);
  }
  return pickPairs(all, Int32Array.from(kept));
}

const mod = (seconds: number) => ((seconds % 60) + 60) % 60;

function sortBy(keys: Float64Array): { keys: Float64Array; order: Int32Array } {
  const order = Int32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  return { keys, order };
}
