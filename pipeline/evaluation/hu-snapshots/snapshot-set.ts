import { seededRandom } from '../../predictions/forest/seeded-random.ts';
import type { ModelRows } from '../../predictions/model/delay-model.ts';
import { UnfitWindowError } from '../../predictions/model/share-out-days.ts';
import {
  buildSnapshotFeatures,
  chooseSnapshotPairs,
  type SnapshotPairs,
  snapshotColumns,
  snapshotGroups,
} from './build-snapshot-features.ts';
import { leastDelay, positionAge } from './report-features.ts';
import type { SnapshotTable } from './snapshot-table.ts';

/** Pairs with all that models and calibration look at; one place per pair. */
export interface SnapshotSet extends SnapshotPairs {
  /** Row after row, in the order of `snapshotColumns`. */
  readonly values: Float32Array;
  /** Service day, days since 1970; moment of the poll, and of the newest poll of the run in the end. */
  readonly day: Int32Array;
  readonly askedAt: Float64Array;
  readonly knownAt: Float64Array;
  /** Least delay with which the arrival is still ahead; what forecasts start from; seconds. */
  readonly least: Float32Array;
  readonly start: Float32Array;
  /** 1 where the position of the vehicle is fresh enough to go by. */
  readonly isFresh: Uint8Array;
}

/**
 * First days: of learning, of the days that calibrate the first day of the test, of the test; and its last. Days since
 * 1970.
 */
export interface SnapshotDays {
  readonly from: number;
  readonly validationFrom: number;
  readonly testFrom: number;
  readonly testTo: number;
}

/** Age in seconds up to which a position is gone by. */
const FRESH_SECONDS = 900;
/** Pairs before the test that are used; more make it no better, and take longer. */
const MAX_LEARNT = 500_000;
/** Part of the days before the test that calibrate. */
const VALIDATION_SHARE = 0.25;
const SEED = 20241213;

/** @throws UnfitWindowError when there are fewer than two days before the test */
export function shareOutSnapshotDays(from: number, testFrom: number, testTo: number): SnapshotDays {
  if (testFrom - from < 2 || testTo < testFrom) {
    throw new UnfitWindowError('a test needs 2 days before it and a last day not before its first');
  }
  return { from, validationFrom: testFrom - Math.ceil((testFrom - from) * VALIDATION_SHARE), testFrom, testTo };
}

/** The pairs of a window, with their features: all of the test, and as many before it as are learnt from. */
export function buildSnapshotSet(table: SnapshotTable, days: SnapshotDays): SnapshotSet {
  const all = chooseSnapshotPairs(table);
  return describeSnapshotPairs(table, keepPairs(all, thinOut(table, all, days)));
}

/** Pairs with all that is known of them; the table may tell other positions than the one they were chosen from. */
export function describeSnapshotPairs(table: SnapshotTable, pairs: SnapshotPairs): SnapshotSet {
  const { values } = buildSnapshotFeatures(table, pairs);
  const { polledAt, snapshotRun, runs, positions } = table;
  const endOfRun = new Float64Array(runs.runCount);
  for (let snapshot = 0; snapshot < table.snapshotCount; snapshot++)
    endOfRun[snapshotRun[snapshot]!] = polledAt[snapshot]!;
  const runOf = (snapshot: number) => snapshotRun[snapshot]!;
  const least = pairs.horizonSeconds.map(leastDelay);
  return {
    ...pairs,
    values,
    day: Int32Array.from(pairs.snapshot, (snapshot) => runs.serviceDay[runOf(snapshot)]!),
    askedAt: Float64Array.from(pairs.snapshot, (snapshot) => polledAt[snapshot]!),
    knownAt: Float64Array.from(pairs.snapshot, (snapshot) => endOfRun[runOf(snapshot)]!),
    least,
    start: pairs.current.map((current, pair) => Math.max(current, least[pair]!)),
    isFresh: Uint8Array.from(pairs.snapshot, (snapshot) =>
      positionAge(positions, runOf(snapshot), polledAt[snapshot]!) <= FRESH_SECONDS ? 1 : 0,
    ),
  };
}

function thinOut(table: SnapshotTable, pairs: SnapshotPairs, days: SnapshotDays): Int32Array {
  const isTest = (pair: number) => table.runs.serviceDay[table.snapshotRun[pairs.snapshot[pair]!]!]! >= days.testFrom;
  let learnt = 0;
  for (let pair = 0; pair < pairs.count; pair++) if (!isTest(pair)) learnt++;
  const random = seededRandom(SEED);
  const kept: number[] = [];
  for (let pair = 0; pair < pairs.count; pair++) if (isTest(pair) || random() < MAX_LEARNT / learnt) kept.push(pair);
  return Int32Array.from(kept);
}

/** The pairs at the given places, in that order. */
export function keepPairs(pairs: SnapshotPairs, places: Int32Array): SnapshotPairs {
  const floats = (column: Float32Array) => Float32Array.from(places, (place) => column[place]!);
  return {
    count: places.length,
    snapshot: places.map((place) => pairs.snapshot[place]!),
    call: places.map((place) => pairs.call[place]!),
    current: floats(pairs.current),
    truth: floats(pairs.truth),
    horizonSeconds: floats(pairs.horizonSeconds),
  };
}

/** Columns that a model without positions sees: the first ones of a row. */
export const columnsWithoutPositions = snapshotColumns.slice(0, -snapshotGroups.positions.length);

/** The rows of some pairs for a model that sees the first columns. */
export function takeSnapshotRows(set: SnapshotSet, places: Int32Array, columnCount: number): ModelRows {
  const width = snapshotColumns.length;
  const values = new Float32Array(places.length * columnCount);
  places.forEach((place, row) => {
    values.set(set.values.subarray(place * width, place * width + columnCount), row * columnCount);
  });
  return {
    values,
    truth: Float32Array.from(places, (place) => set.truth[place]!),
    current: Float32Array.from(places, (place) => set.start[place]!),
  };
}

/** Places of the pairs for which something holds. */
export function listSnapshotPlaces(set: SnapshotSet, isWanted: (place: number) => boolean): Int32Array {
  const places: number[] = [];
  for (let place = 0; place < set.count; place++) if (isWanted(place)) places.push(place);
  return Int32Array.from(places);
}
