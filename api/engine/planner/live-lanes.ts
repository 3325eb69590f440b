import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Realtime } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import type { CallOffsets } from './call-times.ts';
import type { Lanes } from './lanes.ts';
import {
  addOwnPattern,
  createLiveLaneBuilder,
  type LiveLaneBuilder,
  type RunTimes,
  replacePlanned,
} from './live-lane-builder.ts';
import { type LiveRun, listAddedRuns, listLiveRuns } from './live-runs.ts';

/**
 * Realtime changes of some lanes: rebuilt lanes for those with a trip that deviates from its plan, and extra lanes for
 * trips that overtake, skip a call, or are not in the timetable. The planned lanes stay unchanged.
 */
export interface LiveLanes {
  /** Valid for requests from `madeAt` until `goodUntil`, when the first forecast used expires. */
  readonly madeAt: Instant;
  readonly goodUntil: number;
  /** By lane of the timetable: its list here, or -1 for a lane as planned. */
  readonly list: Int32Array;
  /** Lists of dated trips: ranges of `trips` and `days`. One below 0 is `~run`, see `runs`. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  /** By list: maximum seconds by which its live trips are faster or slower, from their begin, than any planned trip. */
  readonly slack: Int32Array;
  /** Times of live trips, from the base of the lanes; one for each call, from `runStart` on. */
  readonly runStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  readonly runs: readonly LiveRun[];
  /** By live trip of the timetable: its current lane and index in `trips`; -1 where it does not run. */
  readonly runLane: Int32Array;
  readonly runEntry: Int32Array;
  /** By changed dated trip of the planned lanes: its live trip. */
  readonly runOfEntry: ReadonlyMap<number, number>;
  /** Extra lanes, numbered from the count of the timetable's lanes on; each is the list of the same index here. */
  readonly ownPattern: Int32Array;
  readonly ownList: Int32Array;
  /** By pattern of the timetable: its first extra lane, or -1; by extra lane: the next one of its pattern, or -1. */
  readonly firstOwn: Int32Array;
  readonly nextOwn: Int32Array;
  /** Patterns that the timetable does not have, numbered from the count of its patterns on. */
  readonly patternFirstCall: Int32Array;
  readonly patternCallCount: Int32Array;
  readonly patternProduct: Uint8Array;
  readonly boardAt: Int32Array;
  readonly alightAt: Int32Array;
  readonly callStop: Int32Array;
  /** By their calls: 1 where the vehicle stops. */
  readonly isServed: Uint8Array;
  /** By change place: lane and position of calls of such patterns, alternating. */
  readonly boardCalls: ReadonlyMap<number, readonly number[]>;
  readonly alightCalls: ReadonlyMap<number, readonly number[]>;
}

/** @param moment decides which forecasts are fresh */
export function buildLiveLanes(
  timetable: Timetable,
  lanes: Lanes,
  offsets: CallOffsets,
  realtime: Realtime,
  moment: Instant,
): LiveLanes {
  const { runs, goodUntil } = listLiveRuns(timetable, lanes, realtime, moment);
  const added = listAddedRuns(timetable, lanes, realtime, moment);
  const all = [...runs, ...added.runs];
  const times = layOutTimes(all);
  const builder = createLiveLaneBuilder(timetable.tables, lanes, offsets, all, times);
  replacePlanned(builder, runs);
  for (let i = runs.length; i < all.length; i++) addOwnPattern(builder, i);
  return {
    madeAt: moment,
    goodUntil: Math.min(goodUntil, added.goodUntil),
    runs: all,
    runOfEntry: mapEntries(all),
    ...times,
    ...finish(builder),
  };
}

/** Writes the times of all live trips into one array. */
function layOutTimes(runs: readonly LiveRun[]): RunTimes {
  const runStart = new Int32Array(runs.length);
  let count = 0;
  runs.forEach((run, i) => {
    runStart[i] = count;
    count += run.arrival.length;
  });
  const [arrival, departure] = [new Int32Array(count), new Int32Array(count)];
  runs.forEach((run, i) => {
    arrival.set(run.arrival, runStart[i]);
    departure.set(run.departure, runStart[i]);
  });
  return { runStart, arrival, departure };
}

/** By changed dated trip of the planned lanes: its live trip. */
function mapEntries(runs: readonly LiveRun[]): ReadonlyMap<number, number> {
  const runOfEntry = new Map<number, number>();
  runs.forEach(({ place }, run) => {
    if (place) runOfEntry.set(place.entry, run);
  });
  return runOfEntry;
}

/** The finished arrays of a builder. */
function finish({
  runLane,
  runEntry,
  list,
  lists,
  trips,
  days,
  count,
  own,
  firstOwn,
  shapes,
  calls,
  ...byPlace
}: LiveLaneBuilder) {
  return {
    runLane,
    runEntry,
    list,
    first: Int32Array.from(lists.first),
    end: Int32Array.from(lists.end),
    trips: trips.slice(0, count),
    slack: Int32Array.from(lists.slack),
    days: days.slice(0, count),
    ownPattern: Int32Array.from(own.pattern),
    ownList: Int32Array.from(own.list),
    firstOwn,
    nextOwn: Int32Array.from(own.next),
    patternFirstCall: Int32Array.from(shapes.firstCall),
    patternCallCount: Int32Array.from(shapes.callCount),
    patternProduct: Uint8Array.from(shapes.product),
    boardAt: Int32Array.from(calls.boardAt),
    alightAt: Int32Array.from(calls.alightAt),
    callStop: Int32Array.from(calls.stop),
    isServed: Uint8Array.from(calls.isServed),
    boardCalls: byPlace.boardCalls,
    alightCalls: byPlace.alightCalls,
  };
}
