import { findConfidence } from '../model/prediction.ts';
import { type Forecaster, type ForecastTable, type HorizonBucket, OURS, PERSISTENCE } from './forecast-table.ts';

/** Pairs that figures are made of. */
export interface Slice {
  readonly name: string;
  has(pair: number): boolean;
}

export interface ErrorFigures {
  readonly slice: string;
  readonly pairs: number;
  /** Mean absolute error in seconds, by forecaster; null without pairs. */
  readonly meanError: Readonly<Record<string, number | null>>;
  /** Error relative to persistence, minus 1: -0.3 is 30 % better. */
  readonly againstPersistence: Readonly<Record<string, number | null>>;
}

export interface IntervalFigures {
  readonly slice: string;
  readonly forecaster: string;
  readonly pairs: number;
  /** Share of truths from p10 to p90, both included. */
  readonly covered: number | null;
  /** Share that the median hits to the second: no interval of a source of whole minutes holds fewer. */
  readonly hit: number | null;
  readonly meanWidth: number | null;
  /** Width plus ten times the distance of what was missed. */
  readonly winkler: number | null;
}

export interface ClassFigures {
  readonly name: 'high' | 'medium' | 'none';
  readonly share: number | null;
  /** Share of the class that came within the interval. */
  readonly covered: number | null;
  /** Shares of the class whose median was off by at most so many seconds. */
  readonly within60: number | null;
  readonly within120: number | null;
  readonly within180: number | null;
}

/** Delay at the instant from which on a vehicle counts as late here. */
const LATE_SECONDS = 180;
const CLASS_HORIZON = 3600;
const MISS_WEIGHT = 10;

/** All pairs, those of each bucket, and those that are late already. */
export function listSlices(table: ForecastTable, buckets: readonly HorizonBucket[]): Slice[] {
  return [
    { name: 'all', has: () => true },
    ...buckets.map(({ name, from, to }) => ({
      name,
      has: (pair: number) => table.horizonSeconds[pair]! >= from && table.horizonSeconds[pair]! < to,
    })),
    { name: `current delay >= ${LATE_SECONDS} s`, has: (pair) => table.current[pair]! >= LATE_SECONDS },
  ];
}

export function measureErrors(table: ForecastTable, slice: Slice): ErrorFigures {
  const sums = new Float64Array(table.forecasters.length);
  let pairs = 0;
  for (let pair = 0; pair < table.count; pair++) {
    if (!slice.has(pair)) continue;
    pairs++;
    table.forecasters.forEach(({ median }, one) => {
      sums[one] = sums[one]! + Math.abs(table.truth[pair]! - median[pair]!);
    });
  }
  const persistence = sums[table.forecasters.findIndex(({ name }) => name === PERSISTENCE)]!;
  const byName = (figure: (sum: number) => number | null) =>
    Object.fromEntries(table.forecasters.map(({ name }, one) => [name, figure(sums[one]!)]));
  return {
    slice: slice.name,
    pairs,
    meanError: byName((sum) => ratio(sum, pairs)),
    againstPersistence: byName((sum) => (persistence > 0 ? sum / persistence - 1 : null)),
  };
}

/** @returns null for a forecaster without intervals */
export function measureIntervals(table: ForecastTable, slice: Slice, forecaster: Forecaster): IntervalFigures | null {
  const { low, high, name } = forecaster;
  if (low === null || high === null) return null;
  let pairs = 0;
  let covered = 0;
  let hit = 0;
  let width = 0;
  let missed = 0;
  for (let pair = 0; pair < table.count; pair++) {
    if (!slice.has(pair)) continue;
    const miss = Math.max(low[pair]! - table.truth[pair]!, table.truth[pair]! - high[pair]!, 0);
    pairs++;
    width += high[pair]! - low[pair]!;
    missed += miss;
    if (miss === 0) covered++;
    if (forecaster.median[pair] === table.truth[pair]) hit++;
  }
  return {
    slice: slice.name,
    forecaster: name,
    pairs,
    covered: ratio(covered, pairs),
    hit: ratio(hit, pairs),
    meanWidth: ratio(width, pairs),
    winkler: ratio(width + MISS_WEIGHT * missed, pairs),
  };
}

const classes = ['high', 'medium', 'none'] as const;

/** How sure the intervals of `ours` are, and how right it is then; pairs of at most an hour. */
export function measureClasses(table: ForecastTable): ClassFigures[] {
  const ours = table.forecasters.find(({ name }) => name === OURS);
  if (!ours?.low || !ours.high) return [];
  const counts = [0, 1, 2].map(() => ({ pairs: 0, covered: 0, within60: 0, within120: 0, within180: 0 }));
  let pairs = 0;
  for (let pair = 0; pair < table.count; pair++) {
    if (table.horizonSeconds[pair]! > CLASS_HORIZON) continue;
    pairs++;
    const width = ours.high[pair]! - ours.low[pair]!;
    const error = Math.abs(table.truth[pair]! - ours.median[pair]!);
    const count = counts[classes.indexOf(findConfidence(width) ?? 'none')]!;
    count.pairs++;
    if (ours.low[pair]! <= table.truth[pair]! && table.truth[pair]! <= ours.high[pair]!) count.covered++;
    if (error <= 60) count.within60++;
    if (error <= 120) count.within120++;
    if (error <= 180) count.within180++;
  }
  return classes.map((name, one) => {
    const count = counts[one]!;
    return {
      name,
      share: ratio(count.pairs, pairs),
      covered: ratio(count.covered, count.pairs),
      within60: ratio(count.within60, count.pairs),
      within120: ratio(count.within120, count.pairs),
      within180: ratio(count.within180, count.pairs),
    };
  });
}

function ratio(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}
