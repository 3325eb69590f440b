import { findConfidence } from '../../model/prediction.ts';
import type { ImplausibleCounts } from '../features/implausible-calls.ts';
import {
  type ComparisonTable,
  type DelayUnit,
  type HorizonBucket,
  INCREMENT_TABLE,
  OURS,
  PERSISTENCE,
  type PredictionMethod,
} from './comparison-table.ts';

/**
 * The public ETA Accuracy Benchmark: by the time to the actual arrival, how much earlier or later than predicted an
 * arrival may be and still count as accurate. Buckets include their start and exclude their end; limits are included.
 * @see https://github.com/TransitApp/ETA-Accuracy-Benchmark
 */
const etaBuckets = [
  { name: '0-3 min', from: 0, to: 180, early: 30, late: 90 },
  { name: '3-6 min', from: 180, to: 360, early: 60, late: 150 },
  { name: '6-10 min', from: 360, to: 600, early: 60, late: 210 },
  { name: '10-15 min', from: 600, to: 900, early: 90, late: 270 },
] as const;

interface EtaMetrics {
  readonly bucket: string;
  readonly pairs: number;
  /** Share of accurate forecasts, by forecaster; null without pairs. */
  readonly accurate: Readonly<Record<string, number | null>>;
}

/** The shares of each bucket, and last their unweighted mean. */
export function measureEtaAccuracy(table: ComparisonTable): EtaMetrics[] {
  const metrics = etaBuckets.map(({ name, from, to, early, late }): EtaMetrics => {
    const accurate = new Float64Array(table.forecasters.length);
    let pairs = 0;
    for (let pair = 0; pair < table.count; pair++) {
      const away = table.secondsToArrival[pair]!;
      if (away < from || away >= to) continue;
      pairs++;
      table.forecasters.forEach(({ median }, one) => {
        const later = table.truth[pair]! - median[pair]!;
        if (later >= -early && later <= late) accurate[one] = accurate[one]! + 1;
      });
    }
    const share = (one: number) => (pairs === 0 ? null : accurate[one]! / pairs);
    return {
      bucket: name,
      pairs,
      accurate: Object.fromEntries(table.forecasters.map(({ name: forecaster }, one) => [forecaster, share(one)])),
    };
  });
  const mean = (name: string) => {
    const shares = metrics.map(({ accurate }) => accurate[name] ?? null);
    return shares.some((share) => share === null)
      ? null
      : shares.reduce((sum, share) => sum! + share!, 0)! / shares.length;
  };
  return [
    ...metrics,
    {
      bucket: 'mean of buckets',
      pairs: metrics.reduce((sum, { pairs }) => sum + pairs, 0),
      accurate: Object.fromEntries(table.forecasters.map(({ name }) => [name, mean(name)])),
    },
  ];
}

/** A subset of pairs that is measured separately. */
interface Slice {
  readonly name: string;
  has(pair: number): boolean;
}

interface ErrorMetrics {
  readonly slice: string;
  readonly pairs: number;
  /** Mean absolute error in seconds, by forecaster; null without pairs. */
  readonly meanError: Readonly<Record<string, number | null>>;
  /** Error relative to persistence, minus 1: -0.3 is 30 % better. */
  readonly againstPersistence: Readonly<Record<string, number | null>>;
}

interface IntervalMetrics {
  readonly slice: string;
  readonly forecaster: string;
  readonly pairs: number;
  /** Share of truths from p10 to p90, both included. */
  readonly covered: number | null;
  /** Share of medians that are exact to the second: for a source of whole minutes, a lower bound of `covered`. */
  readonly hit: number | null;
  readonly meanWidth: number | null;
  /** Mean of the width plus ten times the distance of a miss. */
  readonly winkler: number | null;
}

interface ClassMetrics {
  readonly name: 'high' | 'medium' | 'none';
  readonly pairs: number;
  readonly share: number | null;
  /** Share of the class within the interval. */
  readonly covered: number | null;
  /** Shares of the class whose median was off by at most this many seconds. */
  readonly within60: number | null;
  readonly within120: number | null;
  readonly within180: number | null;
}

/** Delay at the instant from which a vehicle counts as late. */
const LATE_VEHICLE_SECONDS = 180;
const CLASS_HORIZON = 3600;
const MISS_WEIGHT = 10;

/** All pairs, those of each bucket, and those that were late at the instant. */
export function listSlices(table: ComparisonTable, buckets: readonly HorizonBucket[]): Slice[] {
  return [
    { name: 'all', has: () => true },
    ...buckets.map(({ name, from, to }) => ({
      name,
      has: (pair: number) => table.horizonSeconds[pair]! >= from && table.horizonSeconds[pair]! < to,
    })),
    { name: `current delay >= ${LATE_VEHICLE_SECONDS} s`, has: (pair) => table.current[pair]! >= LATE_VEHICLE_SECONDS },
  ];
}

export function measureErrors(table: ComparisonTable, slice: Slice): ErrorMetrics {
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
  const byName = (metric: (sum: number) => number | null) =>
    Object.fromEntries(table.forecasters.map(({ name }, one) => [name, metric(sums[one]!)]));
  return {
    slice: slice.name,
    pairs,
    meanError: byName((sum) => ratio(sum, pairs)),
    againstPersistence: byName((sum) => (persistence > 0 ? sum / persistence - 1 : null)),
  };
}

/** @returns null for a forecaster without intervals */
export function measureIntervals(
  table: ComparisonTable,
  slice: Slice,
  forecaster: PredictionMethod,
): IntervalMetrics | null {
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

/** Width of the intervals of `ours`, and their accuracy by class; horizons of at most an hour. */
export function measureClasses(table: ComparisonTable): ClassMetrics[] {
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
      pairs: count.pairs,
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

/** Result of a test in one unit. */
export interface UnitEvaluation {
  readonly table: ComparisonTable;
  readonly learntPairs: number;
  readonly trees: number;
  /** Empty unless requested. */
  readonly ablation: readonly AblationMetric[];
  /** Excluded calls of the whole window; null where the layout has no such rule. */
  readonly implausible: ImplausibleCounts | null;
}

/** Mean absolute error of the median without a group of features; seconds. */
export interface AblationMetric {
  /** Names of groups of features, or `nothing`. */
  readonly without: string;
  readonly meanError: number;
}

/** All metrics of one unit. */
export interface UnitMetrics {
  readonly unit: DelayUnit;
  readonly pairs: number;
  readonly learntPairs: number;
  readonly trees: number;
  readonly errors: readonly ErrorMetrics[];
  readonly intervals: readonly IntervalMetrics[];
  /** Winkler score of our predictions relative to the increment table's, by slice; 0.9 is 10 % better. Null without pairs. */
  readonly winklerAgainstTable: Readonly<Record<string, number | null>>;
  readonly classes: readonly ClassMetrics[];
  readonly etaBenchmark: readonly EtaMetrics[];
  readonly ablation: readonly AblationMetric[];
  /** Excluded calls; null where the layout has no such rule. */
  readonly implausible: ImplausibleCounts | null;
}

/** Computes the metrics of an evaluation, by buckets of the horizon. */
export function buildPredictionMetrics(
  buckets: readonly HorizonBucket[],
  { table, learntPairs, trees, ablation, implausible }: UnitEvaluation,
): UnitMetrics {
  const slices = listSlices(table, buckets);
  const intervals = slices.flatMap((slice) =>
    table.forecasters.flatMap((forecaster) => measureIntervals(table, slice, forecaster) ?? []),
  );
  const winkler = (slice: string, name: string) =>
    intervals.find((one) => one.slice === slice && one.forecaster === name)?.winkler ?? null;
  const against = slices.map(({ name }) => {
    const [ours, tables] = [winkler(name, OURS), winkler(name, INCREMENT_TABLE)];
    return [name, ours === null || !tables ? null : ours / tables];
  });
  return {
    unit: table.unit,
    pairs: table.count,
    learntPairs,
    trees,
    errors: slices.map((slice) => measureErrors(table, slice)),
    intervals,
    winklerAgainstTable: Object.fromEntries(against),
    classes: measureClasses(table),
    etaBenchmark: measureEtaAccuracy(table),
    ablation,
    implausible,
  };
}
