import type { QuantileForecasts } from '../calibrate.ts';
import { type DelayModel, forecastDelays, type ModelRows } from '../delay-model.ts';
import type { Forest } from '../forest.ts';
import { type ForestSettings, trainForest } from '../train-forest.ts';
import { snapshotColumns } from './build-snapshot-features.ts';
import { coverIntervals } from './cover-intervals.ts';
import {
  columnsWithoutPositions,
  listSnapshotPlaces,
  type SnapshotDays,
  type SnapshotSet,
  takeSnapshotRows,
} from './snapshot-set.ts';

/**
 * Two models, as one that had learnt "no position" as a state would be wrong on the day on which the feed stops: one
 * that never sees positions, and one that is only asked where there is a fresh one.
 */
export interface SnapshotModels {
  readonly blind: DelayModel;
  /** Null where there were too few positions to learn from. */
  readonly sighted: DelayModel | null;
}

const medianSettings: ForestSettings = {
  quantile: 0.5,
  mostTrees: 160,
  mostLeaves: 128,
  leastRows: 150,
  learningRate: 0.1,
  rowShare: 0.4,
  columnShare: 0.4,
  patience: Number.POSITIVE_INFINITY,
  seed: 1,
};
/** Ends of intervals are calibrated afterwards, and need fewer trees. */
const endSettings: ForestSettings = {
  ...medianSettings,
  mostTrees: 50,
  mostLeaves: 48,
  leastRows: 200,
  learningRate: 0.16,
  rowShare: 0.3,
};
/** Pairs that must be there to learn from. */
const ENOUGH_PAIRS = 2000;
/** Kinds of pairs whose intervals are calibrated apart: limits of the horizon, and of the current delay; seconds. */
const HORIZONS = [0, 300, 900, 1800, 3600];
const DELAYS = [60, 180, 600];

export function trainSnapshotModels(set: SnapshotSet, days: SnapshotDays): SnapshotModels {
  const isSeen = (place: number) => set.isFresh[place] === 1 && set.day[place]! < days.judgeFrom;
  const hasPositions = listSnapshotPlaces(set, isSeen).length >= ENOUGH_PAIRS;
  return {
    blind: trainOne(set, days, columnsWithoutPositions, () => true),
    sighted: hasPositions ? trainOne(set, days, snapshotColumns, (place) => set.isFresh[place] === 1) : null,
  };
}

/** The ends learn from the days that do not calibrate them, the median from all days before the test. */
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
  const early = rowsBefore(days.judgeFrom);
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

/** Forecasts of the pairs of the test, in their order, by the model that sees no positions. */
export function forecastBlind(set: SnapshotSet, { blind }: SnapshotModels, days: SnapshotDays): QuantileForecasts {
  return pickForecasts(
    forecastOne(set, blind, days, () => true),
    listTest(set, days),
  );
}

/**
 * Forecasts of the pairs of the test by the model that fits the freshness of the position.
 * @param blind those of the model that sees none
 */
export function chooseForecasts(
  set: SnapshotSet,
  { sighted }: SnapshotModels,
  days: SnapshotDays,
  blind: QuantileForecasts,
): QuantileForecasts {
  if (sighted === null) return blind;
  const test = listTest(set, days);
  const seen = pickForecasts(
    forecastOne(set, sighted, days, (place) => set.isFresh[place] === 1),
    test,
  );
  const choose = (end: keyof QuantileForecasts) =>
    blind[end].map((seconds, row) => (set.isFresh[test[row]!] === 1 ? seen[end][row]! : seconds));
  return { low: choose('low'), median: choose('median'), high: choose('high') };
}

function listTest(set: SnapshotSet, days: SnapshotDays): Int32Array {
  return listSnapshotPlaces(set, (place) => set.day[place]! >= days.testFrom);
}

/** Forecasts by one model of the pairs that it is asked for, by place of the set; others are 0. */
function forecastOne(
  set: SnapshotSet,
  model: DelayModel,
  days: SnapshotDays,
  isWanted: (place: number) => boolean,
): QuantileForecasts {
  const places = listSnapshotPlaces(set, (place) => set.day[place]! >= days.judgeFrom && isWanted(place));
  const asked = {
    day: places.map((place) => set.day[place]!),
    kind: Uint16Array.from(places, (place) => kindOf(set.horizonSeconds[place]!, set.current[place]!)),
    askedAt: Float64Array.from(places, (place) => set.askedAt[place]!),
    knownAt: Float64Array.from(places, (place) => set.knownAt[place]!),
    truth: Float32Array.from(places, (place) => set.truth[place]!),
    least: Float32Array.from(places, (place) => set.least[place]!),
  };
  const testDays = Array.from({ length: days.testTo - days.testFrom + 1 }, (_, one) => days.testFrom + one);
  const raw = forecastDelays(model, takeSnapshotRows(set, places, model.columns.length));
  const covered = coverIntervals(asked, raw, testDays);
  const spread = (quantile: Float32Array) => {
    const all = new Float32Array(set.count);
    places.forEach((place, row) => {
      all[place] = quantile[row]!;
    });
    return all;
  };
  return { low: spread(covered.low), median: spread(covered.median), high: spread(covered.high) };
}

function pickForecasts(all: QuantileForecasts, places: Int32Array): QuantileForecasts {
  const pick = (column: Float32Array) => Float32Array.from(places, (place) => column[place]!);
  return { low: pick(all.low), median: pick(all.median), high: pick(all.high) };
}

function kindOf(horizon: number, current: number): number {
  return placeAmong(HORIZONS, horizon) * (DELAYS.length + 1) + placeAmong(DELAYS, current);
}

function placeAmong(limits: readonly number[], value: number): number {
  const place = limits.findIndex((limit) => value < limit);
  return place < 0 ? limits.length : place;
}
