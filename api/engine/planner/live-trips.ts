import { OBSERVED } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { callFlags, tripFlags } from '../../../pipeline/realtime/snapshot/realtime-contract.ts';
import { getCallStop, openPlan, openTrip, readLive, type TripView } from '../read/dated-trip.ts';
import { findLiveTime } from '../read/live-calls.ts';
import { getTimeRow } from '../read/present.ts';
import type { Realtime } from '../read/realtime.ts';
import { getZone, type Timetable } from '../read/timetable.ts';
import type { Lanes } from './lanes.ts';

/** A dated trip that does not run as planned. */
export interface LiveTrip {
  /** Row of the timetable's trips, or -1; then `addedTrip` is a row of the realtime snapshot's, else -1. */
  readonly trip: number;
  readonly addedTrip: number;
  /** Service day, since 1970. */
  readonly day: number;
  /** `partial`: some of its calls are not served; `gone`: it does not run at all. */
  readonly state: 'whole' | 'partial' | 'gone';
  /** Its planned lane and entry; null for an added trip. */
  readonly place: { readonly lane: number; readonly entry: number } | null;
  /** By call: rows of the timetable's stops or -1, times from the base of the lanes, and 1 where it stops. */
  readonly stops: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  readonly isServed: Uint8Array;
  /** Position in `products`. */
  readonly product: number;
}

interface LiveTrips {
  readonly liveTrips: LiveTrip[];
  /** Time at which the first forecast used expires. */
  readonly goodUntil: number;
}

const NOT_RUN = tripFlags.cancelled | tripFlags.deleted | tripFlags.replaced;
/** Before any time of any lane. */
const FAR_PAST = -0x3fffffff;
const NOTHING = new Int32Array(0);
const NO_FLAGS = new Uint8Array(0);

/** Trips of the timetable on the days of some lanes that deviate from their plan. */
export function listLiveTrips(timetable: Timetable, lanes: Lanes, realtime: Realtime, moment: Instant): LiveTrips {
  const { trips } = realtime.tables;
  const liveTrips: LiveTrip[] = [];
  let goodUntil = Number.POSITIVE_INFINITY;
  for (let row = 0; row < trips.trip.length; row++) {
    const [trip, day] = [trips.trip[row]!, trips.day[row]!];
    if (day < lanes.firstDay || day >= lanes.firstDay + lanes.dayCount) continue;
    const place = findPlace(timetable, lanes, trip, day);
    // A trip that does not run on the day by this timetable has no entry to change.
    if (!place) continue;
    const product = timetable.tables.routes.product[timetable.tables.patterns.route[lanes.pattern[place.lane]!]!]!;
    if ((trips.flags[row]! & NOT_RUN) !== 0) {
      const none = { stops: NOTHING, arrival: NOTHING, departure: NOTHING, isServed: NO_FLAGS };
      liveTrips.push({ trip, addedTrip: -1, day, state: 'gone', place, product, ...none });
      continue;
    }
    const calls = readCalls(timetable, lanes, realtime, row, moment);
    goodUntil = Math.min(goodUntil, calls.goodUntil);
    if (!calls.isChanged) continue;
    const state = calls.isServed.includes(0) ? 'partial' : 'whole';
    liveTrips.push({ trip, addedTrip: -1, day, state, place, product, ...calls });
  }
  return { liveTrips, goodUntil };
}

/** Lane and entry of a dated trip; null when it does not run on the day. */
export function findPlace(
  timetable: Timetable,
  lanes: Lanes,
  trip: number,
  day: number,
): { readonly lane: number; readonly entry: number } | null {
  const { tables } = timetable;
  const pattern = tables.trips.pattern[trip]!;
  const zone = tables.routes.zone[tables.patterns.route[pattern]!]! * lanes.dayCount;
  const { departure } = tables.times;
  const wantedDay = day - lanes.firstDay;
  if (wantedDay < 0 || wantedDay >= lanes.dayCount) return null;
  const begin = departure[getTimeRow(tables, pattern, trip)]! + lanes.dayStarts[zone + wantedDay]!;
  for (let lane = lanes.firstLane[pattern]!; lane >= 0; lane = lanes.nextLane[lane]!) {
    const beginOf = (entry: number) =>
      departure[getTimeRow(tables, pattern, lanes.trips[entry]!)]! + lanes.dayStarts[zone + lanes.days[entry]!]!;
    let low = lanes.first[lane]!;
    let high = lanes.end[lane]!;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (beginOf(middle) < begin) low = middle + 1;
      else high = middle;
    }
    for (let entry = low; entry < lanes.end[lane]! && beginOf(entry) === begin; entry++) {
      if (lanes.trips[entry] === trip && lanes.days[entry] === wantedDay) return { lane, entry };
    }
  }
  return null;
}

/** Actual times of a dated trip: fresh realtime where known, else the plan; times never fall along the trip. */
function readCalls(timetable: Timetable, lanes: Lanes, realtime: Realtime, row: number, moment: Instant) {
  const { patterns, patternCalls, times } = timetable.tables;
  const { trips, calls } = realtime.tables;
  const trip = trips.trip[row]!;
  const pattern = timetable.tables.trips.pattern[trip]!;
  const count = patterns.callCount[pattern]!;
  const firstCall = patterns.firstCall[pattern]!;
  const planned = getTimeRow(timetable.tables, pattern, trip);
  const start = getZone(timetable, pattern).startOf(trips.day[row]!) - lanes.base;
  const stops = patternCalls.stop.subarray(firstCall, firstCall + count);
  const [arrival, departure] = [new Int32Array(count), new Int32Array(count)];
  const isServed = new Uint8Array(count).fill(1);
  let isChanged = false;
  let goodUntil = Number.POSITIVE_INFINITY;
  let before = FAR_PAST;
  for (let k = 0; k < count; k++) {
    const call = trips.firstCall[row]! + k;
    const [toArrive, toLeave] = [times.arrival[planned + k]! + start, times.departure[planned + k]! + start];
    let [arrives, leaves] = [toArrive, toLeave];
    if ((calls.flags[call]! & callFlags.cancelled) !== 0) {
      isServed[k] = 0;
    } else {
      const isFresh = moment <= calls.expiresAt[call]!;
      if (calls.arrival[call]! > 0 && (isFresh || calls.arrivalEvidence[call] === OBSERVED)) {
        arrives = calls.arrival[call]! - lanes.base;
        if (calls.arrivalEvidence[call] !== OBSERVED) goodUntil = Math.min(goodUntil, calls.expiresAt[call]!);
      }
      if (calls.departure[call]! > 0 && (isFresh || calls.departureEvidence[call] === OBSERVED)) {
        leaves = calls.departure[call]! - lanes.base;
        if (calls.departureEvidence[call] !== OBSERVED) goodUntil = Math.min(goodUntil, calls.expiresAt[call]!);
      }
    }
    arrival[k] = Math.max(arrives, before);
    departure[k] = Math.max(leaves, arrival[k]!);
    before = departure[k]!;
    isChanged ||= isServed[k] === 0 || arrival[k] !== toArrive || departure[k] !== toLeave;
  }
  return { stops, arrival, departure, isServed, isChanged, goodUntil };
}

/** Added trips, which are not in the timetable, on the days of some lanes. */
export function listAddedTrips(timetable: Timetable, lanes: Lanes, realtime: Realtime, moment: Instant): LiveTrips {
  const { addedTrips } = realtime.tables;
  const liveTrips: LiveTrip[] = [];
  let goodUntil = Number.POSITIVE_INFINITY;
  for (let addedTrip = 0; addedTrip < addedTrips.key.length; addedTrip++) {
    const day = addedTrips.day[addedTrip]!;
    if (day < lanes.firstDay || day >= lanes.firstDay + lanes.dayCount) continue;
    if ((addedTrips.flags[addedTrip]! & NOT_RUN) !== 0) continue;
    const trip = openTrip({ timetable, realtime }, { trip: -1, addedTrip, day });
    const { goodUntil: until, ...calls } = readAddedCalls(lanes, trip, moment);
    goodUntil = Math.min(goodUntil, until);
    liveTrips.push({ trip: -1, addedTrip, day, state: 'partial', place: null, product: trip.product, ...calls });
  }
  return { liveTrips, goodUntil };
}

function readAddedCalls(lanes: Lanes, trip: TripView, moment: Instant) {
  const { callCount: count } = trip;
  const plan = openPlan(trip);
  const stops = new Int32Array(count);
  const [arrival, departure] = [new Int32Array(count), new Int32Array(count)];
  const isServed = new Uint8Array(count);
  let goodUntil = Number.POSITIVE_INFINITY;
  let before = FAR_PAST;
  for (let k = 0; k < count; k++) {
    const live = readLive(trip, k);
    const planned = plan(k);
    const arrives = findLiveTime(live, 'arrival', moment) ?? planned.arrival;
    const leaves = findLiveTime(live, 'departure', moment) ?? planned.departure;
    const expiresAt = live?.expiresAt ?? 0;
    if (expiresAt >= moment) goodUntil = Math.min(goodUntil, expiresAt);
    stops[k] = getCallStop(trip, k);
    isServed[k] = !live?.isCancelled && arrives > 0 && leaves > 0 ? 1 : 0;
    arrival[k] = Math.max(arrives > 0 ? arrives - lanes.base : before, before);
    departure[k] = Math.max(leaves > 0 ? leaves - lanes.base : before, arrival[k]!);
    before = departure[k]!;
  }
  return { stops, arrival, departure, isServed, goodUntil };
}
