import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Realtime } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import type { CallOffsets } from './call-times.ts';
import type { Lanes } from './lanes.ts';
import {
  addOwnPattern,
  createLiveLaneBuilder,
  type LiveLaneBuilder,
  type LiveTripTimes,
  replacePlanned,
} from './live-lane-builder.ts';
import { type LiveTrip, listAddedTrips, listLiveTrips } from './live-trips.ts';

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
  /** Lists of dated trips: ranges of `trips` and `days`. One below 0 is `~liveTrip`, see `liveTrips`. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  /** By list: maximum seconds by which its live trips are faster or slower, from their begin, than any planned trip. */
  readonly slack: Int32Array;
  /** Times of live trips, from the base of the lanes; one for each call, from `liveTripStart` on. */
  readonly liveTripStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  readonly liveTrips: readonly LiveTrip[];
  /** By live trip of the timetable: its current lane and index in `trips`; -1 where it does not run. */
  readonly liveTripLane: Int32Array;
  readonly liveTripEntry: Int32Array;
  /** By changed dated trip of the planned lanes: its live trip. */
  readonly liveTripOfEntry: ReadonlyMap<number, number>;
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
  const { liveTrips, goodUntil } = listLiveTrips(timetable, lanes, realtime, moment);
  const added = listAddedTrips(timetable, lanes, realtime, moment);
  const all = [...liveTrips, ...added.liveTrips];
  const times = collectTimes(all);
  const builder = createLiveLaneBuilder(timetable.tables, lanes, offsets, all, times);
  replacePlanned(builder, liveTrips);
  for (let i = liveTrips.length; i < all.length; i++) addOwnPattern(builder, i);
  return {
    madeAt: moment,
    goodUntil: Math.min(goodUntil, added.goodUntil),
    liveTrips: all,
    liveTripOfEntry: mapEntries(all),
    ...times,
    ...finish(builder),
  };
}

/** Writes the times of all live trips into one array. */
function collectTimes(liveTrips: readonly LiveTrip[]): LiveTripTimes {
  const liveTripStart = new Int32Array(liveTrips.length);
  let count = 0;
  liveTrips.forEach((liveTrip, i) => {
    liveTripStart[i] = count;
    count += liveTrip.arrival.length;
  });
  const [arrival, departure] = [new Int32Array(count), new Int32Array(count)];
  liveTrips.forEach((liveTrip, i) => {
    arrival.set(liveTrip.arrival, liveTripStart[i]);
    departure.set(liveTrip.departure, liveTripStart[i]);
  });
  return { liveTripStart, arrival, departure };
}

/** By changed dated trip of the planned lanes: its live trip. */
function mapEntries(liveTrips: readonly LiveTrip[]): ReadonlyMap<number, number> {
  const liveTripOfEntry = new Map<number, number>();
  liveTrips.forEach(({ place }, liveTrip) => {
    if (place) liveTripOfEntry.set(place.entry, liveTrip);
  });
  return liveTripOfEntry;
}

/** The finished arrays of a builder. */
function finish({
  liveTripLane,
  liveTripEntry,
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
    liveTripLane,
    liveTripEntry,
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
