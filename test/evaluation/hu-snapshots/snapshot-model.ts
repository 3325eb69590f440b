import { type ForestSettings, trainForest } from '../../../pipeline/predictions/forest/train-forest.ts';
import type { AblationMetric } from '../../../pipeline/predictions/measured/build-prediction-metrics.ts';
import {
  type CalibrationPairs,
  groupPlaces,
  listPast,
  type QuantileColumns,
} from '../../../pipeline/predictions/model/calibrate.ts';
import {
  type DelayModel,
  type ModelRows,
  placeAmong,
  predictDelays,
} from '../../../pipeline/predictions/model/delay-model.ts';
import { type Forest, predictForest } from '../../../pipeline/snapshots/transfer-model/forest.ts';
import { type SnapshotGroup, snapshotColumns, snapshotGroups } from './build-snapshot-features.ts';
import {
  columnsWithoutPositions,
  listSnapshotPlaces,
  type SnapshotDays,
  type SnapshotSet,
  takeSnapshotRows,
} from './snapshot-set.ts';

/** Pairs as input of the calibration, with the least delay that each can still have; seconds. */
export interface CoverPairs extends CalibrationPairs {
  readonly least: Float32Array;
}

/** Target share outside of an interval, and the minimum and maximum share above it. */
const OUTSIDE = 0.2;
const MIN_ABOVE = 0.05;
const MAX_ABOVE = 0.15;
/** Minimum of pairs for a kind to be calibrated by itself; below it, all pairs are used. */
const PAIRS_OF_A_KIND = 500;
const MINUTE = 60;

/** Outward shifts of the ends of an interval in seconds; negative is inwards. */
interface Shift {
  readonly down: number;
  readonly up: number;
}

/**
 * Rounds the forecasts of some days to whole minutes, no earlier than an arrival can still be, and shifts the ends of
 * the intervals so that they would have covered four fifths of the truths of past days: kind by kind, a tenth beyond
 * each end as far as the floor allows. Outcomes of the day itself, or after its first instant, have no influence.
 * @param days to calibrate; the pairs of other days are only used as past
 */
export function coverIntervals(
  pairs: CoverPairs,
  forecasts: QuantileColumns,
  days: readonly number[],
): QuantileColumns {
  const median = forecasts.median.map((seconds, place) => roundForecast(seconds, pairs.least[place]!));
  const low = Float32Array.from(forecasts.low);
  const high = Float32Array.from(forecasts.high);
  const placesByDay = groupPlaces(pairs.day);
  for (const day of days) {
    const shifts = findShifts(pairs, forecasts, listPast(pairs, placesByDay, day));
    for (const place of placesByDay.get(day) ?? []) {
      const { down, up } = shifts(pairs.kind[place]!);
      const least = pairs.least[place]!;
      low[place] = Math.min(median[place]!, roundForecast(forecasts.low[place]! - down, least));
      high[place] = Math.max(median[place]!, roundForecast(forecasts.high[place]! + up, least));
    }
  }
  return { low, median, high };
}

/** A forecast delay in whole minutes, with the arrival still to come. */
export function roundForecast(seconds: number, least: number): number {
  return Math.max(least, Math.round(seconds / MINUTE) * MINUTE);
}

function findShifts(pairs: CoverPairs, forecasts: QuantileColumns, past: readonly number[]): (kind: number) => Shift {
  const byKind = new Map<number, number[]>();
  for (const place of past) {
    const places = byKind.get(pairs.kind[place]!);
    if (places) places.push(place);
    else byKind.set(pairs.kind[place]!, [place]);
  }
  const overall = findShift(pairs, forecasts, past);
  const shifts = new Map<number, Shift>();
  for (const [kind, places] of byKind) {
    if (places.length >= PAIRS_OF_A_KIND) shifts.set(kind, findShift(pairs, forecasts, places));
  }
  return (kind) => shifts.get(kind) ?? overall;
}

function findShift({ truth, least }: CoverPairs, forecasts: QuantileColumns, places: readonly number[]): Shift {
  if (places.length === 0) return { down: 0, up: 0 };
  // A shift above this value covers the pair; half a minute is for rounding.
  const downs = Float64Array.from(places, (place) => forecasts.low[place]! - truth[place]! - MINUTE / 2).sort();
  const down = rank(downs, 1 - OUTSIDE / 2);
  const isBelow = (place: number) =>
    truth[place]! < roundForecast(Math.min(forecasts.low[place]! - down, forecasts.median[place]!), least[place]!);
  const below = places.filter(isBelow).length / places.length;
  // Where the floor prevents truths below the interval, more may lie above it.
  const above = Math.min(MAX_ABOVE, Math.max(MIN_ABOVE, OUTSIDE - below));
  const ups = Float64Array.from(places, (place) =>
    truth[place]! <= least[place]! ? Number.NEGATIVE_INFINITY : truth[place]! - MINUTE / 2 - forecasts.high[place]!,
  ).sort();
  const up = rank(ups, 1 - above);
  return { down, up: Number.isFinite(up) ? up : 0 };
}

function rank(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

/** A smaller forest than the forecasting one, because it is retrained for each group. */
const settings: ForestSettings = {
  quantile: 0.5,
  maxTrees: 80,
  maxLeaves: 64,
  minSamplesLeaf: 150,
  learningRate: 0.15,
  subsample: 0.3,
  columnShare: 0.4,
  patience: Number.POSITIVE_INFINITY,
  seed: 1,
};

/** Error of the median without each group of features, on all pairs of the test: one forest with all columns. */
export function measureSnapshotGroups(set: SnapshotSet, days: SnapshotDays): AblationMetric[] {
  const width = snapshotColumns.length;
  const learn = takeSnapshotRows(
    set,
    listSnapshotPlaces(set, (place) => set.day[place]! < days.testFrom),
    width,
  );
  const test = listSnapshotPlaces(set, (place) => set.day[place]! >= days.testFrom);
  const requested = takeSnapshotRows(set, test, width);
  const targets = learn.truth.map((delay, row) => delay - learn.current[row]!);
  return listDrops().map((groups) => {
    const names: readonly string[] = groups.flatMap((group) => snapshotGroups[group]);
    const dropped = snapshotColumns.flatMap((name, column) => (names.includes(name) ? [column] : []));
    const values = blankColumns(learn.values, dropped);
    const { forest } = trainForest(width, { values, targets }, null, settings);
    const change = predictForest(forest, blankColumns(requested.values, dropped));
    const error = change.reduce((sum, seconds, row) => {
      const rounded = roundForecast(requested.current[row]! + seconds, set.least[test[row]!]!);
      return sum + Math.abs(rounded - requested.truth[row]!);
    }, 0);
    return { without: groups.join(', ') || 'nothing', meanError: error / test.length };
  });
}

/** Nothing, each group, and both groups of past trips together, as each can replace the other. */
function listDrops(): SnapshotGroup[][] {
  const groups = Object.keys(snapshotGroups) as SnapshotGroup[];
  return [[], ...groups.map((group) => [group]), ['train', 'direction'], ['train', 'direction', 'legs']];
}

function blankColumns(values: Float32Array, columns: readonly number[]): Float32Array {
  const blank = Float32Array.from(values);
  for (const column of columns)
    for (let at = column; at < blank.length; at += snapshotColumns.length) blank[at] = Number.NaN;
  return blank;
}

/**
 * Two models, because one that had learnt "no position" as a state would be wrong on the day when the feed stops: one
 * without positions, and one that is used only where there is a fresh position.
 */
export interface SnapshotModels {
  readonly withoutPositions: DelayModel;
  /** Null where there were too few positions to learn from. */
  readonly withPositions: DelayModel | null;
}

const medianSettings: ForestSettings = {
  quantile: 0.5,
  maxTrees: 160,
  maxLeaves: 128,
  minSamplesLeaf: 150,
  learningRate: 0.1,
  subsample: 0.4,
  columnShare: 0.4,
  patience: Number.POSITIVE_INFINITY,
  seed: 1,
};
/** The ends of intervals are calibrated afterwards, and need fewer trees. */
const endSettings: ForestSettings = {
  ...medianSettings,
  maxTrees: 50,
  maxLeaves: 48,
  minSamplesLeaf: 200,
  learningRate: 0.16,
  subsample: 0.3,
};
/** Minimum of pairs for training. */
const MIN_LEARNING_PAIRS = 2000;
/**
 * Kinds of pairs whose intervals are calibrated separately: limits of the horizon, and of the current delay; seconds.
 */
const SNAPSHOT_HORIZONS = [0, 300, 900, 1800, 3600];
const DELAYS = [60, 180, 600];

export function trainSnapshotModels(set: SnapshotSet, days: SnapshotDays): SnapshotModels {
  const isSeen = (place: number) => set.isFresh[place] === 1 && set.day[place]! < days.validationFrom;
  const hasPositions = listSnapshotPlaces(set, isSeen).length >= MIN_LEARNING_PAIRS;
  return {
    withoutPositions: trainOne(set, days, columnsWithoutPositions, () => true),
    withPositions: hasPositions ? trainOne(set, days, snapshotColumns, (place) => set.isFresh[place] === 1) : null,
  };
}

/** The ends are trained on the days that do not calibrate them, the median on all days before the test. */
function trainOne(
  set: SnapshotSet,
  days: SnapshotDays,
  columns: readonly string[],
  isWanted: (place: number) => boolean,
): DelayModel {
  const rowsBefore = (day: number) =>
    takeSnapshotRows(
      set,
      listSnapshotPlaces(set, (place) => set.day[place]! < day && isWanted(place)),
      columns.length,
    );
  const early = rowsBefore(days.validationFrom);
  return {
    columns,
    gridSeconds: 60,
    median: trainOn(rowsBefore(days.testFrom), columns, medianSettings),
    low: trainOn(early, columns, { ...endSettings, quantile: 0.1, seed: 2 }),
    high: trainOn(early, columns, { ...endSettings, quantile: 0.9, seed: 3 }),
  };
}

function trainOn({ values, truth, current }: ModelRows, columns: readonly string[], settings: ForestSettings): Forest {
  const targets = truth.map((delay, row) => delay - current[row]!);
  return trainForest(columns.length, { values, targets }, null, settings).forest;
}

/** Forecasts of the pairs of the test, in order, by the model without positions. */
export function forecastWithoutPositions(
  set: SnapshotSet,
  { withoutPositions }: SnapshotModels,
  days: SnapshotDays,
): QuantileColumns {
  return pickForecasts(
    forecastOne(set, withoutPositions, days, () => true),
    listTest(set, days),
  );
}

/**
 * Forecasts of the pairs of the test, each by the model that fits the freshness of its position.
 * @param withoutPositions forecasts of the model without positions
 */
export function chooseForecasts(
  set: SnapshotSet,
  { withPositions }: SnapshotModels,
  days: SnapshotDays,
  withoutPositions: QuantileColumns,
): QuantileColumns {
  if (withPositions === null) return withoutPositions;
  const test = listTest(set, days);
  const seen = pickForecasts(
    forecastOne(set, withPositions, days, (place) => set.isFresh[place] === 1),
    test,
  );
  const choose = (end: keyof QuantileColumns) =>
    withoutPositions[end].map((seconds, row) => (set.isFresh[test[row]!] === 1 ? seen[end][row]! : seconds));
  return { low: choose('low'), median: choose('median'), high: choose('high') };
}

function listTest(set: SnapshotSet, days: SnapshotDays): Int32Array {
  return listSnapshotPlaces(set, (place) => set.day[place]! >= days.testFrom);
}

/** Forecasts of the wanted pairs by one model, by place in the set; others are 0. */
function forecastOne(
  set: SnapshotSet,
  model: DelayModel,
  days: SnapshotDays,
  isWanted: (place: number) => boolean,
): QuantileColumns {
  const places = listSnapshotPlaces(set, (place) => set.day[place]! >= days.validationFrom && isWanted(place));
  const requested = {
    day: places.map((place) => set.day[place]!),
    kind: Uint16Array.from(places, (place) => kindOf(set.horizonSeconds[place]!, set.current[place]!)),
    requestedAt: Float64Array.from(places, (place) => set.requestedAt[place]!),
    knownAt: Float64Array.from(places, (place) => set.knownAt[place]!),
    truth: Float32Array.from(places, (place) => set.truth[place]!),
    least: Float32Array.from(places, (place) => set.least[place]!),
  };
  const testDays = Array.from({ length: days.testTo - days.testFrom + 1 }, (_, one) => days.testFrom + one);
  const raw = predictDelays(model, takeSnapshotRows(set, places, model.columns.length));
  const covered = coverIntervals(requested, raw, testDays);
  const spread = (quantile: Float32Array) => {
    const all = new Float32Array(set.count);
    places.forEach((place, row) => {
      all[place] = quantile[row]!;
    });
    return all;
  };
  return { low: spread(covered.low), median: spread(covered.median), high: spread(covered.high) };
}

function pickForecasts(all: QuantileColumns, places: Int32Array): QuantileColumns {
  const pick = (column: Float32Array) => Float32Array.from(places, (place) => column[place]!);
  return { low: pick(all.low), median: pick(all.median), high: pick(all.high) };
}

function kindOf(horizon: number, current: number): number {
  return placeAmong(SNAPSHOT_HORIZONS, horizon) * (DELAYS.length + 1) + placeAmong(DELAYS, current);
}
