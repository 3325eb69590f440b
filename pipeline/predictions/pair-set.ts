import type { FeatureTable } from './build-features.ts';
import { expectDeparture, horizonSeconds, type Pairs } from './choose-pairs.ts';
import type { ModelRows } from './delay-model.ts';
import type { RunTable } from './run-table.ts';

/** What pairs are measured by; one place per pair, seconds. */
export interface PairFacts {
  /** Delay of the arrival that was to be predicted. */
  readonly truth: Float32Array;
  /** Delay of the departure at the instant; of a vehicle that stands, the least that it will be. */
  readonly current: Float32Array;
  readonly horizonSeconds: Float32Array;
  /** From the instant to the arrival as it came. */
  readonly secondsToArrival: Float32Array;
}

/** Pairs of a window with their role, their features and their facts. */
export interface PairSet extends PairFacts {
  readonly pairs: Pairs;
  readonly roles: Uint8Array;
  readonly features: FeatureTable;
}

export function describePairs(table: RunTable, pairs: Pairs): PairFacts {
  const ofPairs = (read: (from: number, to: number, pair: number) => number) =>
    Float32Array.from(pairs.from, (from, pair) => read(from, pairs.to[pair]!, pair));
  return {
    truth: ofPairs((_, to) => table.arrivalDelay[to]!),
    current: ofPairs((from, _, pair) =>
      pairs.isStanding[pair] === 1 ? expectDeparture(table, from).delay : table.departureDelay[from]!,
    ),
    horizonSeconds: ofPairs((from, to) => horizonSeconds(table, from, to)),
    secondsToArrival: ofPairs((_, to, pair) => table.arrivalTime[to]! - askedAt(table, pairs, pair)),
  };
}

/** UTC seconds of the instant. */
export function askedAt(table: RunTable, { from, isStanding }: Pairs, pair: number): number {
  return (isStanding[pair] === 1 ? table.arrivalTime : table.departureTime)[from[pair]!]!;
}

/** The rows of some pairs, for the model. */
export function takeRows({ features, truth, current }: PairSet, places: Int32Array): ModelRows {
  const width = features.columns.length;
  const values = new Float32Array(places.length * width);
  places.forEach((place, row) => {
    values.set(features.values.subarray(place * width, (place + 1) * width), row * width);
  });
  return {
    values,
    truth: Float32Array.from(places, (place) => truth[place]!),
    current: Float32Array.from(places, (place) => current[place]!),
  };
}
