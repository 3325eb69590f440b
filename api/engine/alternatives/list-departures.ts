import type { Instant } from '../../../pipeline/model/service-time.ts';
import { forEachDeparture } from '../planner/departures.ts';
import type { PlanQuery, Ride } from '../planner/itinerary.ts';
import type { Planner } from '../planner/open-planner.ts';
import { SPAN_SECONDS } from '../planner/raptor-routes.ts';
import { createRouteView, getTrip, openRoute, type RouteView } from '../planner/route-view.ts';
import { openRideScopes, type RideScope } from '../planner/scope.ts';
import { isTripBarred } from '../planner/search.ts';
import { toRide } from '../planner/trace.ts';
import type { Realtime } from '../read/realtime.ts';

/** Origins and destinations of the departures: rows of `stops`. */
interface Stretch {
  readonly origins: readonly number[];
  readonly destinations: ReadonlySet<number>;
}

interface DepartureRequest {
  readonly planner: Planner;
  readonly realtime: Realtime | null;
  /** Determines which realtime data is fresh. */
  readonly instant: Instant;
  /** Products, avoided lines, wheelchair, bicycle and bookings of this query apply. */
  readonly query: PlanQuery;
}

/** Lists the rides on one vehicle from an origin to a destination that depart in `[from, to)`. */
export type ListDepartures = (from: number, to: number) => Ride[];

/** Opens a list in order of expected departure, then arrival. */
export function openDepartures(request: DepartureRequest, stretch: Stretch): ListDepartures {
  const scopes = openRideScopes({ ...request, isSpent: () => false }, 1);
  return (from, to) => {
    const rides: Ride[] = [];
    for (let span = Math.floor(from / SPAN_SECONDS); span * SPAN_SECONDS < to; span++) {
      const window = { from: Math.max(from, span * SPAN_SECONDS), to: Math.min(to, (span + 1) * SPAN_SECONDS) };
      addDepartures(rides, request.planner, scopes(span), stretch, window);
    }
    return rides.sort(compareRides);
  };
}

export function compareRides(a: Ride, b: Ride): number {
  return a.departure - b.departure || a.arrival - b.arrival || a.trip - b.trip || a.addedTrip - b.addedTrip;
}

interface Window {
  readonly from: number;
  readonly to: number;
}

function addDepartures(rides: Ride[], planner: Planner, scope: RideScope, stretch: Stretch, window: Window): void {
  const { tables, places, task } = scope;
  const { base } = task.raptorRoutes;
  const view = createRouteView();
  const relative = { from: window.from - base, to: window.to - base };
  for (const place of stretch.origins.flatMap((stop) => places.placesOf(stop))) {
    if (task.isBlocked?.[place] === 1) continue;
    forEachDeparture(tables, task, place, relative, (_, route, entered, index) => {
      openRoute(view, tables, task, route);
      if (isTripBarred({ task, timetable: planner.timetable }, getTrip(view, task.live, index))) return;
      const left = findAlighting(scope, stretch, view, entered);
      if (left < 0) return;
      rides.push(toRide(scope, { route, entry: view.origin + index, entered, left }, false));
    });
  }
}

/** Returns the first call at a destination; -1 if there is none, or if the trip calls at an origin again before it. */
function findAlighting(
  { places, task }: RideScope,
  { origins, destinations }: Stretch,
  { firstCall, callCount, enterAt, leaveAt }: RouteView,
  entered: number,
): number {
  const isOpen = (place: number) => place >= 0 && task.isBlocked?.[place] !== 1;
  for (let position = entered + 1; position < callCount; position++) {
    const [leaves, enters] = [leaveAt[firstCall + position]!, enterAt[firstCall + position]!];
    if (isOpen(leaves) && destinations.has(places.stopOf(leaves))) return position;
    if (isOpen(enters) && origins.includes(places.stopOf(enters))) return -1;
  }
  return -1;
}
