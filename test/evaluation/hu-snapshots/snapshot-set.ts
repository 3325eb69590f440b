import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import type { ModelRows } from '../../../pipeline/predictions/model/delay-model.ts';
import { UnfitWindowError } from '../../../pipeline/predictions/model/share-out-days.ts';
import {
  buildSnapshotFeatures,
  chooseSnapshotPairs,
  type SnapshotPairs,
  snapshotColumns,
  snapshotGroups,
} from './build-snapshot-features.ts';
import { minDelay, positionAge } from './report-features.ts';
import type { SnapshotTable } from './snapshot-table.ts';

/** Pairs with the input of models and calibration; one entry per pair. */
export interface SnapshotSet extends SnapshotPairs {
  /** Row after row, in the order of `snapshotColumns`. */
  readonly values: Float32Array;
  /** Service day, days since 1970; time of the poll, and of the last poll of the trip. */
  readonly day: Int32Array;
  readonly requestedAt: Float64Array;
  readonly knownAt: Float64Array;
  /** Least delay of an arrival that is still to come; starting value of forecasts; seconds. */
  readonly least: Float32Array;
  readonly start: Float32Array;
  /** 1 where the position of the vehicle is fresh. */
  readonly isFresh: Uint8Array;
}

/**
 * First days of training, of the days that calibrate the first day of the test, of the test; and the last day of the
 * test. Days since 1970.
 */
export interface SnapshotDays {
  readonly from: number;
  readonly validationFrom: number;
  readonly testFrom: number;
  readonly testTo: number;
}

/** Maximum age of a fresh position in seconds. */
const FRESH_SECONDS = 900;
/** Limit of the pairs before the test; more do not improve the model, and take longer. */
const MAX_LEARNT = 500_000;
/** Share of the days before the test that calibrate. */
const VALIDATION_SHARE = 0.25;
const SEED = 20241213;

/** @throws UnfitWindowError when there are fewer than two days before the test */
export function shareOutSnapshotDays(from: number, testFrom: number, testTo: number): SnapshotDays {
  if (testFrom - from < 2 || testTo < testFrom) {
    throw new UnfitWindowError('a test needs 2 days before it and a last day not before its first');
  }
  return { from, validationFrom: testFrom - Math.ceil((testFrom - from) * VALIDATION_SHARE), testFrom, testTo };
}

/** The pairs of a window with their features: all of the test, and a sample of those before it. */
export function buildSnapshotSet(table: SnapshotTable, days: SnapshotDays): SnapshotSet {
  const all = chooseSnapshotPairs(table);
  return describeSnapshotPairs(table, keepPairs(all, thinOut(table, all, days)));
}

/** Adds features and facts to pairs; the table may have other positions than the one they were chosen from. */
export function describeSnapshotPairs(table: SnapshotTable, pairs: SnapshotPairs): SnapshotSet {
  const { values } = buildSnapshotFeatures(table, pairs);
  const { polledAt, snapshotDatedTrip, datedTrips, positions } = table;
  const endOfRun = new Float64Array(datedTrips.datedTripCount);
  for (let snapshot = 0; snapshot < table.snapshotCount; snapshot++)
    endOfRun[snapshotDatedTrip[snapshot]!] = polledAt[snapshot]!;
  const runOf = (snapshot: number) => snapshotDatedTrip[snapshot]!;
  const least = pairs.horizonSeconds.map(minDelay);
  return {
    ...pairs,
    values,
    day: Int32Array.from(pairs.snapshot, (snapshot) => datedTrips.serviceDay[runOf(snapshot)]!),
    requestedAt: Float64Array.from(pairs.snapshot, (snapshot) => polledAt[snapshot]!),
    knownAt: Float64Array.from(pairs.snapshot, (snapshot) => endOfRun[runOf(snapshot)]!),
    least,
    start: pairs.current.map((current, pair) => Math.max(current, least[pair]!)),
    isFresh: Uint8Array.from(pairs.snapshot, (snapshot) =>
      positionAge(positions, runOf(snapshot), polledAt[snapshot]!) <= FRESH_SECONDS ? 1 : 0,
    ),
  };
}

function thinOut(table: SnapshotTable, pairs: SnapshotPairs, days: SnapshotDays): Int32Array {
  const isTest = (pair: number) =>
    table.datedTrips.serviceDay[table.snapshotDatedTrip[pairs.snapshot[pair]!]!]! >= days.testFrom;
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

/** Columns of the model without positions: the first ones of a row. */
export const columnsWithoutPositions = snapshotColumns.slice(0, -snapshotGroups.positions.length);

/** The rows of some pairs, for a model of the first `columnCount` columns. */
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

/** Places of the pairs that satisfy a condition. */
export function listSnapshotPlaces(set: SnapshotSet, isWanted: (place: number) => boolean): Int32Array {
  const places: number[] = [];
  for (let place = 0; place < set.count; place++) if (isWanted(place)) places.push(place);
  return Int32Array.from(places);
}
