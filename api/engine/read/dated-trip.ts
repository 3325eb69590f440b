import { products } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { CALL_CANCELLED, callFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Coord, Line } from '../../contract/definitions.ts';
import { getDirection, presentCoord } from './present.ts';
import { findLiveTrip, findText, hasFlag, type Published, type Realtime } from './realtime.ts';
import { getZone } from './timetable.ts';

/** A trip on a service day, of the timetable or added: one of its two rows is -1. */
export interface DatedTrip {
  /** Row of the timetable's trips. */
  readonly trip: number;
  /** Row of the realtime snapshot's added trips. */
  readonly addedTrip: number;
  /** Service day, since 1970. */
  readonly day: number;
}

/** A dated trip for reading: the same functions read trips of the timetable and added ones. */
export interface TripView extends DatedTrip {
  readonly published: Published;
  readonly tripKey: bigint;
  /** Bits of `tripFlags`. */
  readonly flags: number;
  /** Row of the timetable's trip that it is, replaces or duplicates, or -1. */
  readonly basedOn: number;
  /** Row of the timetable's routes, or -1. */
  readonly route: number;
  /** Position in `products`. */
  readonly product: number;
  readonly callCount: number;
  /** Row of the first call in `patternCalls`, or in `addedCalls`. */
  readonly firstCall: number;
  /** Row of the first call in the realtime snapshot's `calls` or `addedCalls`, or -1. */
  readonly firstLive: number;
  /** Row of `addedTrips` of the additional trip that runs instead of a cancelled one, or -1. */
  readonly substitute: number;
  /** Until this instant the settled times of its calls hold as the snapshot has them; infinite without realtime. */
  readonly settledUntil: number;
}

export function openTrip(published: Published, dated: DatedTrip): TripView {
  const { trip, addedTrip, day } = dated;
  const { timetable, realtime } = published;
  const { trips, patterns, routes } = timetable.tables;
  if (trip < 0) {
    const { addedTrips } = realtime!.tables;
    const route = addedTrips.route[addedTrip]!;
    return {
      published,
      trip,
      addedTrip,
      day: addedTrips.day[addedTrip]!,
      tripKey: addedTrips.key[addedTrip]!,
      flags: addedTrips.flags[addedTrip]!,
      basedOn: addedTrips.basedOn[addedTrip]!,
      route,
      product: route >= 0 ? routes.product[route]! : addedTrips.product[addedTrip]!,
      callCount: addedTrips.callCount[addedTrip]!,
      firstCall: addedTrips.firstCall[addedTrip]!,
      firstLive: addedTrips.firstCall[addedTrip]!,
      substitute: -1,
      settledUntil: addedTrips.settledUntil[addedTrip]!,
    };
  }
  const pattern = trips.pattern[trip]!;
  const route = patterns.route[pattern]!;
  const liveTrip = realtime ? findLiveTrip(realtime, trip, day) : -1;
  return {
    published,
    trip,
    addedTrip,
    day,
    tripKey: trips.key[trip]!,
    flags: liveTrip < 0 ? 0 : realtime!.tables.trips.flags[liveTrip]!,
    basedOn: trip,
    route,
    product: routes.product[route]!,
    callCount: patterns.callCount[pattern]!,
    firstCall: patterns.firstCall[pattern]!,
    firstLive: liveTrip < 0 ? -1 : realtime!.tables.trips.firstCall[liveTrip]!,
    substitute: liveTrip < 0 ? -1 : realtime!.tables.trips.substitute[liveTrip]!,
    settledUntil: liveTrip < 0 ? Number.POSITIVE_INFINITY : realtime!.tables.trips.settledUntil[liveTrip]!,
  };
}

// ---- The trip ----------------------------------------------------------------------------------

/** The label of its line; empty when unknown. */
export function getLabel({ published, addedTrip, route }: TripView): string {
  const { timetable, realtime } = published;
  if (route >= 0) return timetable.tables.routes.label.get(route);
  return findText(realtime!, realtime!.tables.addedTrips.label[addedTrip]!) ?? '';
}

/** The line of the timetable, or as its publisher names it. */
export function getLine(view: TripView): Line {
  const { published, addedTrip, route, product } = view;
  const { timetable, realtime } = published;
  if (route >= 0) return timetable.lines.get(route);
  const label = getLabel(view);
  const operatorName = findText(realtime!, realtime!.tables.addedTrips.operatorName[addedTrip]!);
  return { label, name: label, product: products[product]!, ...(operatorName === null ? {} : { operatorName }) };
}

/** First and last call that are served: another than the planned ones where the trip begins late or ends early. */
export function findServedEnds(view: TripView): { readonly first: number; readonly last: number } {
  let [first, last] = [0, view.callCount - 1];
  if (!hasFlag(view.flags, 'partlyCancelled')) return { first, last };
  const isOut = (position: number, flag: number) => (readCallFlags(view, position) & flag) !== 0;
  // The departure at the last stop is cancelled: a vehicle that leaves it continues as another trip.
  while (last > 0 && isOut(last, callFlags.arrivalCancelled) && isOut(last - 1, callFlags.departureCancelled)) last--;
  while (first < last && isOut(first, callFlags.departureCancelled) && isOut(first + 1, callFlags.arrivalCancelled)) {
    first++;
  }
  return { first, last };
}

/** Whether the vehicle neither arrives nor departs there. */
export function isCallSkipped(view: TripView, position: number): boolean {
  return (readCallFlags(view, position) & CALL_CANCELLED) === CALL_CANCELLED;
}

function readCallFlags({ published, trip, firstLive }: TripView, position: number): number {
  const { realtime } = published;
  if (!realtime || firstLive < 0) return 0;
  return (trip < 0 ? realtime.tables.addedCalls : realtime.tables.calls).flags[firstLive + position]!;
}

/**
 * The text that is announced at one of its calls; else the stop where the trip ends early, else the headsign. For an
 * added trip: its own; else that of the trip which it duplicates or replaces, if both end at the same stop; else its
 * last stop.
 */
export function getTripDirection(view: TripView, position: number): string {
  const { published, trip, addedTrip, basedOn, callCount } = view;
  const { timetable, realtime } = published;
  const announced = findAnnouncedSign(view, position);
  if (announced) return announced;
  const { trips, patterns, patternCalls } = timetable.tables;
  const { last } = findServedEnds(view);
  if (last < callCount - 1) return getStopName(view, last);
  if (trip >= 0) return getDirection(timetable, trips.pattern[trip]!, position, trip);
  const sign = findText(realtime!, realtime!.tables.addedTrips.headsign[addedTrip]!);
  if (sign) return sign;
  if (basedOn < 0) return getStopName(view, callCount - 1);
  const pattern = trips.pattern[basedOn]!;
  const lastOfBase = patternCalls.stop[patterns.firstCall[pattern]! + patterns.callCount[pattern]! - 1]!;
  const endsThere = getCallStop(view, callCount - 1) === lastOfBase;
  return endsThere ? getDirection(timetable, pattern, 0, basedOn) : getStopName(view, callCount - 1);
}

/** The announced text at a call; null when it is as planned. */
function findAnnouncedSign({ published: { realtime }, trip, firstLive }: TripView, position: number): string | null {
  if (!realtime || firstLive < 0) return null;
  const { headsign } = trip < 0 ? realtime.tables.addedCalls : realtime.tables.calls;
  return findText(realtime, headsign[firstLive + position]!);
}

/** The stop where the trip begins late; else the reported origin, else its first stop. */
export function getTripOrigin(view: TripView): string {
  const { published, trip, addedTrip } = view;
  const { realtime } = published;
  const { first } = findServedEnds(view);
  if (first > 0) return getStopName(view, first);
  return (trip < 0 && findText(realtime!, realtime!.tables.addedTrips.originName[addedTrip]!)) || getStopName(view, 0);
}

// ---- Its calls ---------------------------------------------------------------------------------

/** Row of the timetable's stops, or -1. */
export function getCallStop({ published, trip, firstCall }: TripView, position: number): number {
  const { stop } = trip < 0 ? published.realtime!.tables.addedCalls : published.timetable.tables.patternCalls;
  return stop[firstCall + position]!;
}

/** The name of the stop of a call: the timetable's, else the publisher's. */
export function getStopName(view: TripView, position: number): string {
  const { timetable, realtime } = view.published;
  const stop = getCallStop(view, position);
  if (stop >= 0) return timetable.tables.stops.name.get(stop);
  return findText(realtime!, realtime!.tables.addedCalls.stopName[view.firstCall + position]!) ?? '';
}

export interface StopCoord {
  readonly coord?: Coord;
}

/** Where a call of an added trip is, if its publisher describes its stop and the timetable lacks it. */
export function findAddedCoord({ published: { realtime }, trip, firstCall }: TripView, position: number): StopCoord {
  if (trip >= 0) return {};
  const { lat, lon } = realtime!.tables.addedCalls;
  const row = firstCall + position;
  return Number.isNaN(lat[row]!) ? {} : { coord: presentCoord(lat[row]!, lon[row]!) };
}

/** The scheduled platform of a call; null when unknown. */
export function findPlatform(view: TripView, position: number): string | null {
  const { timetable, realtime } = view.published;
  const stop = getCallStop(view, position);
  const platform = stop < 0 ? null : timetable.tables.stops.platformCode.get(stop) || null;
  if (view.trip >= 0) return platform ?? findPublishedElsewhere(view, position);
  return findText(realtime!, realtime!.tables.addedCalls.scheduledPlatform[view.firstCall + position]!) ?? platform;
}

/** The platform that a duplicate of the trip has where the stop has none. */
function findPublishedElsewhere({ published, firstCall }: TripView, position: number): string | null {
  const { patternCalls, texts } = published.timetable.tables;
  const text = patternCalls.platform[firstCall + position]!;
  return text < 0 ? null : texts.text.get(text);
}

/** The announced platform of a call; null when none is announced, empty when it is another one, but not known which. */
export function findAnnouncedPlatform({ published, trip, firstLive }: TripView, position: number): string | null {
  const { realtime } = published;
  if (!realtime || firstLive < 0) return null;
  const { platform } = trip < 0 ? realtime.tables.addedCalls : realtime.tables.calls;
  return findText(realtime, platform[firstLive + position]!);
}

/** Scheduled times of a trip, by position. */
export function openPlan({ published, trip, day, firstCall }: TripView): (position: number) => CallPlan {
  const { timetable, realtime } = published;
  if (trip < 0) return (position) => getAddedPlan(realtime!, firstCall + position);
  const pattern = timetable.tables.trips.pattern[trip]!;
  const { arrival, departure } = timetable.tables.times;
  const start = getZone(timetable, pattern).startOf(day);
  const first = getTimeRow(timetable.tables, pattern, trip);
  return (position) => ({
    arrival: (start + arrival[first + position]!) as Instant,
    departure: (start + departure[first + position]!) as Instant,
  });
}

interface CallPlan {
  readonly arrival: Instant;
  readonly departure: Instant;
}

/**
 * The plan of an added call. Where only one of the two events is planned, it counts for both; without any plan, the
 * forecast counts as the plan.
 */
function getAddedPlan({ tables }: Realtime, row: number): CallPlan {
  const { scheduledArrival, scheduledDeparture, arrival, departure } = tables.addedCalls;
  const toArrive = scheduledArrival[row]! || scheduledDeparture[row]! || arrival[row]! || departure[row]!;
  const toLeave = scheduledDeparture[row]! || scheduledArrival[row]! || departure[row]! || arrival[row]!;
  return { arrival: toArrive as Instant, departure: toLeave as Instant };
}
