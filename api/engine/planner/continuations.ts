import { lowerBound, partitionPoint } from '../../../pipeline/model/binary-search.ts';
import { runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import type { Timetable } from '../read/timetable.ts';
import { findPlace } from './live-trips.ts';
import {
  getEnds,
  getEnterTime,
  getLeaveTime,
  getTrip,
  openRoute,
  type RouteSource,
  type RouteView,
} from './route-view.ts';
import type { SearchDirection } from './search-direction.ts';

/** Returns the first row of a trip in the continuations of a direction of search. */
function findFirst({ continuesFrom, continuationOrder }: SearchDirection, trip: number): number {
  if (continuationOrder === null) return lowerBound(continuesFrom, trip);
  return partitionPoint(0, continuesFrom.length, (at) => continuesFrom[continuationOrder[at]!]! < trip);
}

/**
 * Calls `take` for each trip as which a dated trip continues with its passengers on board, in the direction of search.
 * Skips trips that do not run, and trips that begin before the dated trip ends.
 * @param from view of the trip's route, @param i index of the trip there
 * @param take receives the trip and its index in `view`, which is reused for the next one
 */
export function forEachContinuation(
  timetable: Timetable,
  source: RouteSource,
  from: RouteView,
  i: number,
  view: RouteView,
  take: (trip: number, place: number) => void,
): void {
  const { tables } = timetable;
  const { direction, raptorRoutes, live } = source;
  const { continuesFrom, continuesTo, continuationOrder, sign } = direction;
  const { dayOffset, service } = tables.continuations;
  const trip = getTrip(from, live, i);
  if (trip < 0) return;
  const day = raptorRoutes.firstDay + from.days[from.origin + from.sign * i]!;
  for (let at = findFirst(direction, trip); at < continuesFrom.length; at++) {
    const row = continuationOrder === null ? at : continuationOrder[at]!;
    if (continuesFrom[row] !== trip) return;
    const nextDay = day + sign * dayOffset[row]!;
    if (!runsOn(tables, service[row]!, sign > 0 ? day : nextDay)) continue;
    const next = locate(timetable, source, continuesTo[row]!, nextDay);
    if (!next) continue;
    openRoute(view, tables, source, next.route);
    const place = (next.entry - view.origin) * view.sign;
    const leaves = getLeaveTime(from, i, getEnds(from).end);
    if (getEnterTime(view, place, getEnds(view).begin) >= leaves) take(continuesTo[row]!, place);
  }
}

/** Returns the route and entry under which a dated trip of the timetable runs; `null` if it does not run. */
export function locate(
  timetable: Timetable,
  { raptorRoutes, live }: RouteSource,
  trip: number,
  day: number,
): { readonly route: number; readonly entry: number } | null {
  const planned = findPlace(timetable, raptorRoutes, trip, day);
  if (!planned || !live) return planned;
  const liveTrip = live.liveTripOfEntry.get(planned.entry);
  if (liveTrip !== undefined) {
    return live.liveTripRoute[liveTrip]! < 0
      ? null
      : { route: live.liveTripRoute[liveTrip]!, entry: live.liveTripEntry[liveTrip]! };
  }
  const list = live.list[planned.route]!;
  if (list < 0) return planned;
  const dayNumber = raptorRoutes.days[planned.entry]!;
  for (let entry = live.first[list]!; entry < live.end[list]!; entry++) {
    if (live.trips[entry] === trip && live.days[entry] === dayNumber) return { route: planned.route, entry };
  }
  return null;
}
