import { products } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Line } from '../../contract/definitions.ts';
import { getDirection } from './present.ts';
import { findText, type Published, type Realtime } from './realtime.ts';

// Trips that the timetable does not hold; `addedTrip` is a row of `addedTrips`, `row` one of `addedCalls`.

/** The line of an added trip: the timetable's, or what its publisher calls it. */
export function getAddedLine(published: Published, addedTrip: number): Line {
  const { timetable, realtime } = published;
  const { addedTrips } = realtime!.tables;
  const route = addedTrips.route[addedTrip]!;
  if (route >= 0) return timetable.lines.get(route);
  const label = getAddedLabel(published, addedTrip);
  const operatorName = findText(realtime!, addedTrips.operatorName[addedTrip]!);
  return {
    label,
    name: label,
    product: products[addedTrips.product[addedTrip]!]!,
    ...(operatorName === null ? {} : { operatorName }),
  };
}

/** The label of its line; empty where nobody says. */
export function getAddedLabel({ timetable, realtime }: Published, addedTrip: number): string {
  const { route, label } = realtime!.tables.addedTrips;
  if (route[addedTrip]! >= 0) return timetable.tables.routes.label.get(route[addedTrip]!);
  return findText(realtime!, label[addedTrip]!) ?? '';
}

/** Where it says that it goes: its sign; that of the trip which it repeats or replaces, if it ends there; its last stop. */
export function getAddedDirection(published: Published, addedTrip: number): string {
  const { timetable, realtime } = published;
  const { addedTrips, addedCalls } = realtime!.tables;
  const sign = findText(realtime!, addedTrips.headsign[addedTrip]!);
  if (sign) return sign;
  const last = addedTrips.firstCall[addedTrip]! + addedTrips.callCount[addedTrip]! - 1;
  const base = addedTrips.basedOn[addedTrip]!;
  if (base < 0) return getAddedStopName(published, last);
  const { trips, patterns, patternCalls } = timetable.tables;
  const pattern = trips.pattern[base]!;
  const lastOfBase = patternCalls.stop[patterns.firstCall[pattern]! + patterns.callCount[pattern]! - 1]!;
  const endsThere = addedCalls.stop[last] === lastOfBase;
  return endsThere ? getDirection(timetable, pattern, 0, base) : getAddedStopName(published, last);
}

/** Where it comes from, by its publisher's word; else its first stop. */
export function getAddedOrigin(published: Published, addedTrip: number): string {
  const { originName, firstCall } = published.realtime!.tables.addedTrips;
  const origin = findText(published.realtime!, originName[addedTrip]!);
  return origin || getAddedStopName(published, firstCall[addedTrip]!);
}

/** The name of the stop of a call: the timetable's, or what the publisher calls it. */
export function getAddedStopName({ timetable, realtime }: Published, row: number): string {
  const { stop, stopName } = realtime!.tables.addedCalls;
  if (stop[row]! >= 0) return timetable.tables.stops.name.get(stop[row]!);
  return findText(realtime!, stopName[row]!) ?? '';
}

/** The platform of a call as it was planned; null where nobody says. */
export function findAddedPlatform({ timetable, realtime }: Published, row: number): string | null {
  const { stop, scheduledPlatform } = realtime!.tables.addedCalls;
  const planned = findText(realtime!, scheduledPlatform[row]!);
  if (planned !== null || stop[row]! < 0) return planned;
  return timetable.tables.stops.platformCode.get(stop[row]!) || null;
}

/**
 * The plan of a call. Who adds a trip need not plan it: then its first forecast is all the plan there is; and where only
 * one of the two events has a time, it is the time of both.
 */
export function getAddedPlan(
  { tables }: Realtime,
  row: number,
): { readonly arrival: Instant; readonly departure: Instant } {
  const { scheduledArrival, scheduledDeparture, arrival, departure } = tables.addedCalls;
  const toArrive = scheduledArrival[row]! || arrival[row]!;
  const toLeave = scheduledDeparture[row]! || departure[row]!;
  return { arrival: (toArrive || toLeave) as Instant, departure: (toLeave || toArrive) as Instant };
}
