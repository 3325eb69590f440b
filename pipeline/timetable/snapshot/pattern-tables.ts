import { ExternalError } from '../../effects/external-error.ts';
import { TextColumn } from '../../model/column.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { hashTrips } from '../../snapshots/timetable-lookups.ts';
import { buildPatterns, buildRuns, type Patterns, type Runs, type TripCalls } from '../feed/patterns.ts';
import { buildBookingTables } from './booking-tables.ts';
import type { MergedColumns } from './merged-columns.ts';
import type { FeedColumns } from './read-feeds.ts';
import { sortByHash } from './sort-by-hash.ts';
import { type PlainCalls, placeCalls, type TransferPlaces } from './transfer-places.ts';
import { ANY_CALL, numberNamedTrips, type TransferRules } from './transfer-rules.ts';

/** GTFS stop_sequence of all trips: most feeds use few numberings, so each list of numbers is stored once. */
interface StopSequences {
  /** First row of the trip's list in `sequence`; one number per call. */
  readonly firstSequence: Int32Array;
  readonly sequence: Uint32Array;
}

/** @param sequence by call, in the order of `calls` */
function buildStopSequences({ tripFirstCall }: Pick<TripCalls, 'tripFirstCall'>, sequence: Int32Array) {
  const tripCount = tripFirstCall.length - 1;
  const firstSequence = new Int32Array(tripCount);
  const kept = new Uint32Array(sequence.length);
  const listsByHash = new Map<number, { readonly first: number; readonly count: number }[]>();
  let next = 0;
  for (let trip = 0; trip < tripCount; trip++) {
    const from = tripFirstCall[trip]!;
    const count = tripFirstCall[trip + 1]! - from;
    const hash = hashList(sequence, from, count);
    const lists = listsByHash.get(hash) ?? [];
    let list = lists.find((known) => known.count === count && hasSameNumbers(kept, known.first, sequence, from, count));
    if (!list) {
      list = { first: next, count };
      kept.set(sequence.subarray(from, from + count), next);
      next += count;
      lists.push(list);
      listsByHash.set(hash, lists);
    }
    firstSequence[trip] = list.first;
  }
  return { firstSequence, sequence: kept.slice(0, next) } satisfies StopSequences;
}

/** FNV-1a; `hasSameNumbers` resolves collisions. */
function hashList(sequence: Int32Array, from: number, count: number): number {
  let hash = 0x811c9dc5 ^ count;
  for (let i = from; i < from + count; i++) hash = Math.imul(hash ^ sequence[i]!, 0x01000193);
  return hash;
}

function hasSameNumbers(kept: Uint32Array, first: number, sequence: Int32Array, from: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (kept[first + i] !== sequence[from + i]) return false;
  return true;
}

/** Frequencies repeat trips; more runs than this are an error in a headway and would not fit in memory. */
const MAX_TIMETABLE_RUNS = 8_000_000;

/** Positions within a pattern are stored in 16 bits. */
const MAX_CALLS = 0xffff;

type PatternTables = Pick<
  TimetableTables,
  | 'patterns'
  | 'patternCalls'
  | 'bookingRules'
  | 'bookedCalls'
  | 'times'
  | 'interpolated'
  | 'trips'
  | 'tripsByKey'
  | 'stopSequences'
>;

/**
 * Patterns, their trips and times; `tripShape` of the trips is still empty, see `shape-tables.ts`. Trips that transfer
 * rules name have separate patterns.
 */
export function buildPatternTables(
  feeds: MergedColumns,
  rules: TransferRules,
  sourceIds: readonly string[],
): PatternTables & { groups: TransferPlaces['groups']; runs: Runs; runOrder: Int32Array } {
  const routeCount = feeds.routes.routeId.length;
  const marks = numberNamedTrips(rules, feeds.trips.tripId.length, routeCount);
  const runs = buildRuns(feeds.calls, feeds.frequencies, MAX_TIMETABLE_RUNS);
  const grouped = buildPatterns(feeds.calls, runs, marks);
  const patterns = layOutPatterns(feeds, runs, grouped);
  const calls = buildPatternCalls(feeds, runs, grouped, patterns);
  const namedTrips = patterns.route.map((_, pattern) => {
    const trip = firstTripOf(runs, grouped, pattern);
    return marks[trip] === 0 ? ANY_CALL : routeCount + trip;
  });
  const { groups, ...places } = placeCalls(patterns, calls, rules, namedTrips, feeds.stops.publishedStation);
  const { firstSequence, sequence } = buildStopSequences(feeds.calls, feeds.callSequence);
  const trips = buildTrips(feeds, runs, grouped, sourceIds, firstSequence);
  return {
    runs,
    runOrder: grouped.runOrder,
    groups,
    patterns,
    patternCalls: { ...calls, ...places },
    ...buildBookingTables(feeds, patterns, (pattern) => firstTripOf(runs, grouped, pattern)),
    ...buildTimes(feeds, runs, grouped, patterns),
    trips,
    tripsByKey: { trip: sortByKey(trips.key, (row) => feeds.routes.feed[patterns.route[trips.pattern[row]!]!]!) },
    stopSequences: { sequence },
  };
}

function layOutPatterns(feeds: FeedColumns, runs: Runs, grouped: Patterns): TimetableTables['patterns'] {
  const count = grouped.firstRun.length - 1;
  const table = {
    route: new Int32Array(count),
    firstCall: new Int32Array(count),
    callCount: new Uint16Array(count),
    firstTrip: grouped.firstRun.slice(0, count),
    tripCount: new Int32Array(count),
    firstTime: new Int32Array(count),
  };
  let calls = 0;
  let times = 0;
  for (let pattern = 0; pattern < count; pattern++) {
    const trip = firstTripOf(runs, grouped, pattern);
    const callCount = feeds.calls.tripFirstCall[trip + 1]! - feeds.calls.tripFirstCall[trip]!;
    if (callCount > MAX_CALLS) {
      throw new ExternalError('timetable_too_large', `trip ${feeds.trips.tripId[trip]} has ${callCount} calls`);
    }
    table.route[pattern] = feeds.calls.tripRoute[trip]!;
    table.firstCall[pattern] = calls;
    table.callCount[pattern] = callCount;
    table.tripCount[pattern] = grouped.firstRun[pattern + 1]! - grouped.firstRun[pattern]!;
    table.firstTime[pattern] = times;
    calls += callCount;
    times += callCount * table.tripCount[pattern]!;
  }
  return table;
}

function firstTripOf(runs: Runs, grouped: Patterns, pattern: number): number {
  return runs.trip[grouped.runOrder[grouped.firstRun[pattern]!]!]!;
}

function buildPatternCalls(
  feeds: FeedColumns,
  runs: Runs,
  grouped: Patterns,
  patterns: TimetableTables['patterns'],
): PlainCalls {
  const last = patterns.firstCall.length - 1;
  const count = patterns.firstCall[last]! + patterns.callCount[last]!;
  const table = {
    stop: new Int32Array(count),
    pickupType: new Uint8Array(count),
    dropOffType: new Uint8Array(count),
    headsign: new Int32Array(count),
    platform: new Int32Array(count),
  };
  for (let pattern = 0; pattern <= last; pattern++) {
    const from = feeds.calls.tripFirstCall[firstTripOf(runs, grouped, pattern)]!;
    const to = from + patterns.callCount[pattern]!;
    const at = patterns.firstCall[pattern]!;
    table.stop.set(feeds.calls.stop.subarray(from, to), at);
    table.pickupType.set(feeds.calls.pickupType.subarray(from, to), at);
    table.dropOffType.set(feeds.calls.dropOffType.subarray(from, to), at);
    table.headsign.set(feeds.calls.headsign.subarray(from, to), at);
    table.platform.set(feeds.calls.platform.subarray(from, to), at);
  }
  return table;
}

function buildTimes(
  feeds: FeedColumns,
  runs: Runs,
  grouped: Patterns,
  patterns: TimetableTables['patterns'],
): Pick<TimetableTables, 'times' | 'interpolated'> {
  const last = patterns.firstTime.length - 1;
  const count = patterns.firstTime[last]! + patterns.callCount[last]! * patterns.tripCount[last]!;
  const { calls, isInterpolated } = feeds;
  const arrival = new Int32Array(count);
  const departure = new Int32Array(count);
  let at = 0;
  for (const run of grouped.runOrder) {
    const trip = runs.trip[run]!;
    const shift = runs.shiftSeconds[run]!;
    const end = calls.tripFirstCall[trip + 1]!;
    for (let call = calls.tripFirstCall[trip]!; call < end; call++, at++) {
      arrival[at] = calls.arrival[call]! + shift;
      departure[at] = calls.departure[call]! + shift;
    }
  }
  const bits = isInterpolated.includes(1) ? markInterpolated(feeds, runs, grouped, count) : new Uint8Array(0);
  return { times: { arrival, departure }, interpolated: { bits } };
}

/** One bit per time, in a separate pass: most feeds have no interpolated times. */
function markInterpolated(
  { calls, isInterpolated }: FeedColumns,
  runs: Runs,
  grouped: Patterns,
  count: number,
): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array(Math.ceil(count / 8));
  let at = 0;
  for (const run of grouped.runOrder) {
    const trip = runs.trip[run]!;
    const end = calls.tripFirstCall[trip + 1]!;
    for (let call = calls.tripFirstCall[trip]!; call < end; call++, at++) {
      if (isInterpolated[call]) bits[at >> 3]! |= 1 << (at & 7);
    }
  }
  return bits;
}

function buildTrips(
  feeds: MergedColumns,
  runs: Runs,
  grouped: Patterns,
  sourceIds: readonly string[],
  firstSequence: Int32Array,
): TimetableTables['trips'] {
  const { trips } = feeds;
  const count = grouped.runOrder.length;
  const ids = new Array<string>(count);
  const table = {
    service: new Int32Array(count),
    publishedService: new Int32Array(count),
    pattern: new Int32Array(count),
    headsign: new Int32Array(count),
    shortName: new Int32Array(count),
    block: new Int32Array(count),
    direction: new Int8Array(count),
    tripShape: new Int32Array(count).fill(-1),
    wheelchairAccessible: new Uint8Array(count),
    bikesAllowed: new Uint8Array(count),
    frequencyStart: new Int32Array(count),
    isHeadway: new Uint8Array(count),
    firstSequence: new Int32Array(count),
  };
  for (let row = 0; row < count; row++) {
    const run = grouped.runOrder[row]!;
    const trip = runs.trip[run]!;
    ids[row] = trips.tripId[trip]!;
    table.service[row] = trips.service[trip]!;
    table.publishedService[row] = trips.publishedService[trip]!;
    table.headsign[row] = trips.headsign[trip]!;
    table.shortName[row] = trips.shortName[trip]!;
    table.block[row] = trips.block[trip]!;
    table.direction[row] = trips.direction[trip]!;
    table.wheelchairAccessible[row] = trips.wheelchairAccessible[trip]!;
    table.bikesAllowed[row] = trips.bikesAllowed[trip]!;
    table.frequencyStart[row] = runs.frequencyStart[run]!;
    table.isHeadway[row] = runs.isHeadway[run]!;
    table.firstSequence[row] = firstSequence[trip]!;
  }
  for (let p = 0; p < grouped.firstRun.length - 1; p++)
    table.pattern.fill(p, grouped.firstRun[p], grouped.firstRun[p + 1]);
  const sourceOf = (row: number) => sourceIds[trips.source[runs.trip[grouped.runOrder[row]!]!]!]!;
  return { tripId: TextColumn.from(ids), ...table, key: hashTrips(sourceOf, ids, table.frequencyStart) };
}

/**
 * Sorted by key; versions of a source that have the same trip by row.
 * @throws Error when two trips of a version share a key, whose probability with 64 bits and a million trips is 1 in 30
 *   million
 */
function sortByKey(keys: BigUint64Array, feedOf: (row: number) => number): Int32Array {
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
  const order = sortByHash(
    Uint32Array.from(keys.keys(), (row) => halves[2 * row + 1]!),
    (a, b) => halves[2 * a]! - halves[2 * b]! || feedOf(a) - feedOf(b),
  );
  for (let i = 1; i < order.length; i++) {
    const [before, row] = [order[i - 1]!, order[i]!];
    if (keys[row] === keys[before] && feedOf(row) === feedOf(before)) throw new Error('two trips have the same key');
  }
  return Int32Array.from(order);
}
