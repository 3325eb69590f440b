import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Realtime } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import type { FindClosed } from './booked-trips.ts';
import {
  addExtraPattern,
  createLiveRouteBuilder,
  type LiveRouteBuilder,
  type LiveTripTimes,
  replacePlanned,
} from './live-route-builder.ts';
import { type LiveTrip, listAddedTrips, listLiveTrips } from './live-trips.ts';
import type { RaptorRoutes } from './raptor-routes.ts';

/**
 * Realtime changes of routes: rebuilt routes for those with a trip that deviates from its schedule, and extra routes
 * for trips that overtake others, skip a call, or are not in the timetable. A ride that can no longer be booked counts
 * as a call that is skipped. The scheduled routes stay unchanged.
 */
export interface LiveRoutes {
  /** Valid for requests from `builtAt` until `validUntil`, when the first forecast used here expires. */
  readonly builtAt: Instant;
  readonly validUntil: number;
  /** By route of the timetable: its list here, or -1 if it has no realtime changes. */
  readonly list: Int32Array;
  /** Lists of dated trips: ranges of `trips` and `days`. A negative trip is `~liveTrip`, see `liveTrips`. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  /** Times of live trips, relative to the base of the routes: one per call, from `liveTripStart` on. */
  readonly liveTripStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  readonly liveTrips: readonly LiveTrip[];
  /** By live trip: its current route and index in `trips`; -1 if it does not run. */
  readonly liveTripRoute: Int32Array;
  readonly liveTripEntry: Int32Array;
  /** Live trip by changed entry of the scheduled routes. */
  readonly liveTripOfEntry: ReadonlyMap<number, number>;
  /** Extra routes, numbered from the count of the timetable's routes on: pattern and list of each. */
  readonly extraPattern: Int32Array;
  readonly extraList: Int32Array;
  /** By pattern of the timetable: its first extra route, or -1. By extra route: the next one of its pattern, or -1. */
  readonly firstExtra: Int32Array;
  readonly nextExtra: Int32Array;
  /** Extra patterns, numbered from the count of the timetable's patterns on. */
  readonly patternFirstCall: Int32Array;
  readonly patternCallCount: Int32Array;
  readonly patternLiveTrip: Int32Array;
  readonly boardAt: Int32Array;
  readonly alightAt: Int32Array;
  readonly callStop: Int32Array;
  /** By call of extra patterns: 1 if the vehicle stops. */
  readonly isServed: Uint8Array;
  /** By transfer place: route and position of calls of extra patterns, alternating. */
  readonly boardCalls: ReadonlyMap<number, readonly number[]>;
  readonly alightCalls: ReadonlyMap<number, readonly number[]>;
}

const NOTHING_CLOSED: ReturnType<FindClosed> = { trips: [], validUntil: Number.POSITIVE_INFINITY };
const NOTHING_ADDED = { liveTrips: [], validUntil: Number.POSITIVE_INFINITY };

/**
 * @param realtime null: only rides that can no longer be booked differ from the schedule
 * @param now determines which forecasts are fresh, and which bookings are closed
 */
export function buildLiveRoutes(
  timetable: Timetable,
  raptorRoutes: RaptorRoutes,
  realtime: Realtime | null,
  now: Instant,
  findClosed: FindClosed | null,
): LiveRoutes {
  const closed = findClosed?.(now) ?? NOTHING_CLOSED;
  const { liveTrips, validUntil } = listLiveTrips(timetable, raptorRoutes, realtime, now, closed.trips);
  const added = realtime ? listAddedTrips(timetable, raptorRoutes, realtime, now) : NOTHING_ADDED;
  const all = [...liveTrips, ...added.liveTrips];
  const times = collectTimes(all);
  const builder = createLiveRouteBuilder(timetable.tables, raptorRoutes, all, times);
  replacePlanned(builder, liveTrips);
  for (let i = liveTrips.length; i < all.length; i++) addExtraPattern(builder, i);
  return {
    builtAt: now,
    validUntil: Math.min(validUntil, added.validUntil, closed.validUntil),
    liveTrips: all,
    liveTripOfEntry: mapEntries(all),
    ...times,
    ...finish(builder),
  };
}

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

/** Returns the live trip by changed entry of the scheduled routes. */
function mapEntries(liveTrips: readonly LiveTrip[]): ReadonlyMap<number, number> {
  const liveTripOfEntry = new Map<number, number>();
  liveTrips.forEach(({ place }, liveTrip) => {
    if (place) liveTripOfEntry.set(place.entry, liveTrip);
  });
  return liveTripOfEntry;
}

/** Converts a builder to its finished arrays. */
function finish({
  liveTripRoute,
  liveTripEntry,
  list,
  lists,
  trips,
  days,
  count,
  extra,
  firstExtra,
  shapes,
  calls,
  ...byPlace
}: LiveRouteBuilder) {
  return {
    liveTripRoute,
    liveTripEntry,
    list,
    first: Int32Array.from(lists.first),
    end: Int32Array.from(lists.end),
    trips: trips.slice(0, count),
    days: days.slice(0, count),
    extraPattern: Int32Array.from(extra.pattern),
    extraList: Int32Array.from(extra.list),
    firstExtra,
    nextExtra: Int32Array.from(extra.next),
    patternFirstCall: Int32Array.from(shapes.firstCall),
    patternCallCount: Int32Array.from(shapes.callCount),
    patternLiveTrip: Int32Array.from(shapes.liveTrip),
    boardAt: Int32Array.from(calls.boardAt),
    alightAt: Int32Array.from(calls.alightAt),
    callStop: Int32Array.from(calls.stop),
    isServed: Uint8Array.from(calls.isServed),
    boardCalls: byPlace.boardCalls,
    alightCalls: byPlace.alightCalls,
  };
}
