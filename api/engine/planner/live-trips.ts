import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { createTripEvents, type TripEvents } from '../../../pipeline/snapshots/settle-times.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { getCallStop, openTrip, type TripView } from '../read/dated-trip.ts';
import { findNextExpiry, readTripEvents } from '../read/event-times.ts';
import type { Realtime } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import type { ClosedTrip } from './booked-trips.ts';
import { CAN_ALIGHT, CAN_BOARD, WHOLE_SERVICE } from './call-service.ts';
import type { RaptorRoutes } from './raptor-routes.ts';

/** A dated trip that does not run as scheduled. */
export interface LiveTrip {
  /** Row of the timetable's trips, or -1; then `addedTrip` is a row of the realtime snapshot's, else -1. */
  readonly trip: number;
  readonly addedTrip: number;
  /** Service day, since 1970. */
  readonly day: number;
  /** `partial`: some of its calls are not served. `gone`: it does not run. */
  readonly state: 'whole' | 'partial' | 'gone';
  /** Its scheduled route and entry; `null` for an added trip. */
  readonly place: { readonly route: number; readonly entry: number } | null;
  /** By call: row of the timetable's stops or -1, times relative to the base of the routes, and permitted uses. */
  readonly stops: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  /** Bits `CAN_BOARD` and `CAN_ALIGHT`. */
  readonly service: Uint8Array;
}

interface LiveTrips {
  readonly liveTrips: LiveTrip[];
  /** When the first forecast used here expires. */
  readonly validUntil: number;
}

const NOT_RUN = tripFlags.cancelled | tripFlags.deleted | tripFlags.replaced;
/** Earlier than any time. */
const FAR_PAST = -0x3fffffff;
const NOTHING = new Int32Array(0);

type LiveCalls = Pick<LiveTrip, 'state' | 'stops' | 'arrival' | 'departure' | 'service'>;
const GONE: LiveCalls = {
  state: 'gone',
  stops: NOTHING,
  arrival: NOTHING,
  departure: NOTHING,
  service: new Uint8Array(0),
};

/**
 * Lists the trips of the timetable that deviate from their schedule on the days of the given routes, or that can no
 * longer be booked.
 */
export function listLiveTrips(
  timetable: Timetable,
  raptorRoutes: RaptorRoutes,
  realtime: Realtime | null,
  now: Instant,
  closedTrips: readonly ClosedTrip[],
): LiveTrips {
  const published = { timetable, realtime };
  const closed = new Map(closedTrips.map((trip) => [trip.entry, trip]));
  const liveTrips: LiveTrip[] = [];
  const events = createTripEvents();
  let validUntil = Number.POSITIVE_INFINITY;
  const take = (planned: PlannedTrip, isGone: boolean, closedCalls: Uint8Array | null) => {
    const view = isGone ? null : openTrip(published, { ...planned, addedTrip: -1 });
    if (view) validUntil = Math.min(validUntil, findNextExpiry(view, now));
    const read = view ? readCalls(raptorRoutes, view, now, events, closedCalls) : GONE;
    if (read) liveTrips.push({ ...planned, addedTrip: -1, ...read });
  };
  for (const { flags, ...planned } of listReported(timetable, raptorRoutes, realtime)) {
    const shut = closed.get(planned.place.entry);
    closed.delete(planned.place.entry);
    take(planned, (flags & NOT_RUN) !== 0 || shut?.closed === null, shut?.closed ?? null);
  }
  for (const { route, entry, closed: calls } of closed.values()) {
    const [trip, day] = [raptorRoutes.trips[entry]!, raptorRoutes.firstDay + raptorRoutes.days[entry]!];
    take({ trip, day, place: { route, entry } }, calls === null, calls);
  }
  return { liveTrips, validUntil };
}

type PlannedTrip = Pick<LiveTrip, 'trip' | 'day'> & { readonly place: NonNullable<LiveTrip['place']> };

/** Trips of the timetable with reports; those that do not run on the day in the timetable are skipped. */
function* listReported(timetable: Timetable, raptorRoutes: RaptorRoutes, realtime: Realtime | null) {
  if (!realtime) return;
  const { trips } = realtime.tables;
  for (let row = 0; row < trips.trip.length; row++) {
    const [trip, day] = [trips.trip[row]!, trips.day[row]!];
    if (day < raptorRoutes.firstDay || day >= raptorRoutes.firstDay + raptorRoutes.dayCount) continue;
    const place = findPlace(timetable, raptorRoutes, trip, day);
    if (place) yield { trip, day, place, flags: trips.flags[row]! };
  }
}

/** Returns the route and entry of a dated trip; `null` if it does not run on the day. */
export function findPlace(
  timetable: Timetable,
  raptorRoutes: RaptorRoutes,
  trip: number,
  day: number,
): { readonly route: number; readonly entry: number } | null {
  const { tables } = timetable;
  const pattern = tables.trips.pattern[trip]!;
  const zone = tables.routes.zone[tables.patterns.route[pattern]!]! * raptorRoutes.dayCount;
  const { departure } = tables.times;
  const wantedDay = day - raptorRoutes.firstDay;
  if (wantedDay < 0 || wantedDay >= raptorRoutes.dayCount) return null;
  const begin = departure[getTimeRow(tables, pattern, trip)]! + raptorRoutes.dayStarts[zone + wantedDay]!;
  for (let route = raptorRoutes.firstRoute[pattern]!; route >= 0; route = raptorRoutes.nextRoute[route]!) {
    const beginOf = (entry: number) =>
      departure[getTimeRow(tables, pattern, raptorRoutes.trips[entry]!)]! +
      raptorRoutes.dayStarts[zone + raptorRoutes.days[entry]!]!;
    const end = raptorRoutes.end[route]!;
    const first = partitionPoint(raptorRoutes.first[route]!, end, (entry) => beginOf(entry) < begin);
    for (let entry = first; entry < end && beginOf(entry) === begin; entry++) {
      if (raptorRoutes.trips[entry] === trip && raptorRoutes.days[entry] === wantedDay) return { route, entry };
    }
  }
  return null;
}

/**
 * Reads the times and permitted uses of a dated trip's calls. Times are relative to the base of the routes.
 * @param closed bits by call of uses that can no longer be booked; null: none
 * @returns null for a trip that runs as scheduled
 */
function readCalls(
  raptorRoutes: RaptorRoutes,
  view: TripView,
  now: Instant,
  events: TripEvents,
  closed: Uint8Array | null,
): LiveCalls | null {
  const { isChanged, ...calls } = readServedCalls(raptorRoutes, view, now, events);
  if (!isChanged && closed === null) return null;
  closed?.forEach((bits, position) => {
    calls.service[position]! &= ~bits;
  });
  return { state: calls.service.every((bits) => bits === WHOLE_SERVICE) ? 'whole' : 'partial', ...calls };
}

function readServedCalls(raptorRoutes: RaptorRoutes, view: TripView, now: Instant, events: TripEvents) {
  const { callCount } = view;
  const { scheduled, time, isCancelled } = readTripEvents(view, now, events);
  const times = new Int32Array(2 * callCount);
  const service = new Uint8Array(callCount);
  let isChanged = false;
  let before = FAR_PAST;
  for (let event = 0; event < 2 * callCount; event++) {
    const expected = time[event]! || scheduled[event]!;
    const isServed = isCancelled[event] === 0 && expected > 0;
    times[event] = expected > 0 ? Math.max(expected - raptorRoutes.base, before) : before;
    if (isServed) {
      before = times[event]!;
      service[event >> 1]! |= event % 2 === 0 ? CAN_ALIGHT : CAN_BOARD;
    }
    isChanged ||= !isServed || expected !== scheduled[event];
  }
  // A cancelled event is never later than the next event that takes place.
  for (let event = 2 * callCount - 2; event >= 0; event--) times[event] = Math.min(times[event]!, times[event + 1]!);
  return {
    stops: Int32Array.from({ length: callCount }, (_, position) => getCallStop(view, position)),
    arrival: Int32Array.from({ length: callCount }, (_, position) => times[2 * position]!),
    departure: Int32Array.from({ length: callCount }, (_, position) => times[2 * position + 1]!),
    service,
    isChanged,
  };
}

/** Lists the added trips, which are not in the timetable, on the days of the given routes. */
export function listAddedTrips(
  timetable: Timetable,
  raptorRoutes: RaptorRoutes,
  realtime: Realtime,
  now: Instant,
): LiveTrips {
  const { addedTrips } = realtime.tables;
  const liveTrips: LiveTrip[] = [];
  const events = createTripEvents();
  let validUntil = Number.POSITIVE_INFINITY;
  for (let addedTrip = 0; addedTrip < addedTrips.key.length; addedTrip++) {
    const day = addedTrips.day[addedTrip]!;
    if (day < raptorRoutes.firstDay || day >= raptorRoutes.firstDay + raptorRoutes.dayCount) continue;
    if ((addedTrips.flags[addedTrip]! & NOT_RUN) !== 0) continue;
    const trip = openTrip({ timetable, realtime }, { trip: -1, addedTrip, day });
    const { isChanged: _, ...calls } = readServedCalls(raptorRoutes, trip, now, events);
    validUntil = Math.min(validUntil, findNextExpiry(trip, now));
    liveTrips.push({ trip: -1, addedTrip, day, state: 'partial', place: null, ...calls });
  }
  return { liveTrips, validUntil };
}
