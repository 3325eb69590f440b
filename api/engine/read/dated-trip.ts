import { products } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Line } from '../../contract/definitions.ts';
import { type LiveCall, readAddedCall, readLiveCall } from './live-calls.ts';
import { getDirection, getOrigin, getTimeRow } from './present.ts';
import { findLiveTrip, findText, type Published, type Realtime } from './realtime.ts';
import { getZone } from './timetable.ts';

/** A trip on a service day, whoever plans it: one of its two rows is -1. */
export interface DatedTrip {
  /** Row of the timetable's trips. */
  readonly trip: number;
  /** Row of the realtime snapshot's added trips. */
  readonly addedTrip: number;
  /** Service day, since 1970. */
  readonly day: number;
}

/** One call of a dated trip, as planned and as it runs. */
export interface JourneyCall {
  /** Row of the timetable's stops, or -1. */
  readonly stop: number;
  readonly stopName: string;
  /** Scheduled; 0 where an added trip has neither a plan nor a forecast. */
  readonly arrival: Instant;
  readonly departure: Instant;
  /** Platform as planned, and as announced; null where no source says. */
  readonly platform: string | null;
  readonly announcedPlatform: string | null;
  readonly live: LiveCall | null;
}

/** What is known of a dated trip: trips of the timetable and added ones are read alike. */
export interface TripView {
  readonly tripKey: bigint;
  readonly day: number;
  /** Bits of `tripFlags`. */
  readonly flags: number;
  /** Row of the timetable's trip that it is, replaces or repeats, or -1. */
  readonly basedOn: number;
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** Position in `products`. */
  readonly product: number;
  readonly callCount: number;
  /** The label of its line; empty where no source says. */
  label(): string;
  line(): Line;
  /** Where the vehicle says at one of its calls that it goes. */
  direction(position: number): string;
  /** Where it comes from. */
  origin(): string;
  /** Row of the timetable's stops, or -1. */
  stop(position: number): number;
  call(position: number): JourneyCall;
}

export function openTrip(published: Published, { trip, addedTrip, day }: DatedTrip): TripView {
  return trip < 0 ? openAddedTrip(published, addedTrip) : openPlannedTrip(published, trip, day);
}

export function listCalls({ callCount, call }: TripView): JourneyCall[] {
  return Array.from({ length: callCount }, (_, position) => call(position));
}

function openPlannedTrip({ timetable, realtime }: Published, trip: number, day: number): TripView {
  const { trips, patterns, patternCalls, routes, times, stops } = timetable.tables;
  const pattern = trips.pattern[trip]!;
  const route = patterns.route[pattern]!;
  const firstTime = getTimeRow(timetable.tables, pattern, trip);
  // Looked up when it is first asked for: most views are opened for the name of the trip alone.
  let liveTrip: number | null = null;
  const readLive = (column: 'flags' | 'firstCall', otherwise: number) => {
    liveTrip ??= realtime ? findLiveTrip(realtime, trip, day) : -1;
    return liveTrip < 0 ? otherwise : realtime!.tables.trips[column][liveTrip]!;
  };
  const stopAt = (position: number) => patternCalls.stop[patterns.firstCall[pattern]! + position]!;
  return {
    tripKey: trips.key[trip]!,
    day,
    get flags() {
      return readLive('flags', 0);
    },
    basedOn: trip,
    route,
    product: routes.product[route]!,
    callCount: patterns.callCount[pattern]!,
    label: () => routes.label.get(route),
    line: () => timetable.lines.get(route),
    direction: (position) => getDirection(timetable, pattern, position, trip),
    origin: () => getOrigin(timetable, pattern),
    stop: stopAt,
    call(position) {
      const stop = stopAt(position);
      const start = getZone(timetable, pattern).startOf(day);
      const firstLive = readLive('firstCall', -1);
      const live = realtime && firstLive >= 0 ? readLiveCall(realtime, firstLive + position) : null;
      return {
        stop,
        stopName: stops.name.get(stop),
        arrival: (start + times.arrival[firstTime + position]!) as Instant,
        departure: (start + times.departure[firstTime + position]!) as Instant,
        platform: stops.platformCode.get(stop) || null,
        announcedPlatform: live && realtime ? findText(realtime, live.platform) : null,
        live,
      };
    },
  };
}

// ---- Trips that the timetable does not hold ----------------------------------------------------

function openAddedTrip(published: Published, addedTrip: number): TripView {
  const { timetable } = published;
  const realtime = published.realtime!;
  const { addedTrips, addedCalls } = realtime.tables;
  const { routes, stops } = timetable.tables;
  const route = addedTrips.route[addedTrip]!;
  const firstCall = addedTrips.firstCall[addedTrip]!;
  const callCount = addedTrips.callCount[addedTrip]!;
  const text = (row: number) => findText(realtime, row);
  const stopAt = (position: number) => addedCalls.stop[firstCall + position]!;
  const nameStop = (position: number) => {
    const stop = stopAt(position);
    return stop >= 0 ? stops.name.get(stop) : (text(addedCalls.stopName[firstCall + position]!) ?? '');
  };
  const label = () => (route >= 0 ? routes.label.get(route) : (text(addedTrips.label[addedTrip]!) ?? ''));
  const product = route >= 0 ? routes.product[route]! : addedTrips.product[addedTrip]!;
  return {
    tripKey: addedTrips.key[addedTrip]!,
    day: addedTrips.day[addedTrip]!,
    flags: addedTrips.flags[addedTrip]!,
    basedOn: addedTrips.basedOn[addedTrip]!,
    route,
    product,
    callCount,
    label,
    line() {
      if (route >= 0) return timetable.lines.get(route);
      const operatorName = text(addedTrips.operatorName[addedTrip]!);
      const name = label();
      return { label: name, name, product: products[product]!, ...(operatorName === null ? {} : { operatorName }) };
    },
    direction: () =>
      text(addedTrips.headsign[addedTrip]!) || (findBaseDirection(published, addedTrip) ?? nameStop(callCount - 1)),
    origin: () => text(addedTrips.originName[addedTrip]!) || nameStop(0),
    stop: stopAt,
    call(position) {
      const stop = stopAt(position);
      const live = readAddedCall(realtime, firstCall + position);
      const platform = text(addedCalls.scheduledPlatform[firstCall + position]!);
      return {
        stop,
        stopName: nameStop(position),
        ...getAddedPlan(realtime, firstCall + position),
        platform: platform ?? ((stop < 0 ? null : stops.platformCode.get(stop)) || null),
        announcedPlatform: text(live.platform),
        live,
      };
    },
  };
}

/** The sign of the trip that an added one repeats or replaces, if it ends there; null where it has none. */
function findBaseDirection({ timetable, realtime }: Published, addedTrip: number): string | null {
  const { addedTrips, addedCalls } = realtime!.tables;
  const { trips, patterns, patternCalls } = timetable.tables;
  const base = addedTrips.basedOn[addedTrip]!;
  if (base < 0) return null;
  const pattern = trips.pattern[base]!;
  const last = addedTrips.firstCall[addedTrip]! + addedTrips.callCount[addedTrip]! - 1;
  const lastOfBase = patternCalls.stop[patterns.firstCall[pattern]! + patterns.callCount[pattern]! - 1]!;
  return addedCalls.stop[last] === lastOfBase ? getDirection(timetable, pattern, 0, base) : null;
}

/**
 * The plan of a call. Who adds a trip need not plan it: then its first forecast is all the plan there is; and where only
 * one of the two events has a time, it is the time of both.
 */
function getAddedPlan({ tables }: Realtime, row: number): Pick<JourneyCall, 'arrival' | 'departure'> {
  const { scheduledArrival, scheduledDeparture, arrival, departure } = tables.addedCalls;
  const toArrive = scheduledArrival[row]! || arrival[row]!;
  const toLeave = scheduledDeparture[row]! || departure[row]!;
  return { arrival: (toArrive || toLeave) as Instant, departure: (toLeave || toArrive) as Instant };
}
