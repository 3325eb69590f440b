import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { ProfileScope } from '../planner/profile-scope.ts';
import { createRouteView, getScheduledBegin, openRoute, type RouteView } from '../planner/route-view.ts';
import { toGate, toStretch, toTransfer } from '../planner/trace.ts';
import { findPrognosis, type ReportedEvent } from '../predictions/recent-delays.ts';
import { findExpectedCall } from '../predictions/ride-estimates.ts';
import type { Published } from '../read/realtime.ts';
import { chooseWay } from '../trips/choose-way.ts';
import type { DatedRide } from '../trips/run.ts';
import type { Plan, PlannedRide, PlannedWalk } from '../trips/timeline.ts';
import type { Alighting, FindReportedEvent, FoundOption, OptionRide, StartGate } from './option-search.ts';

/** Numbers of the places of a rescue: where the traveller is, and the destination. */
export const [FROM, TO] = [0, 1];

/** Parts of an option in travel order, without times. @param departure of a walk all the way */
export function toPlan(scope: ProfileScope, option: FoundOption, departure: Instant): Plan {
  const { last } = option;
  if (!last) return { departure, transfers: 0, parts: [toStretch(scope.query, FROM)] };
  const parts: Plan['parts'][number][] = [];
  for (const { ride, position } of listAlightings(option)) {
    const { entry } = ride;
    if (entry.kind === 'gate') parts.push(walkTo(scope, entry.gate));
    if (entry.kind === 'transfer') parts.push(toTransfer(scope, entry.transfer));
    parts.push({ kind: 'ride', ...dateRide(scope, ride, position), isStaying: entry.kind === 'staying' });
  }
  const boarded = parts.filter((part) => part.kind === 'ride' && !part.isStaying).length;
  return { departure: null, transfers: boarded - 1, parts: [...parts, walkOff(scope, last)] };
}

/** The rides of an option, in travel order. */
export function listRides(scope: ProfileScope, option: FoundOption): DatedRide[] {
  return listAlightings(option).map(({ ride, position }) => dateRide(scope, ride, position));
}

function listAlightings({ last }: FoundOption): Alighting[] {
  const alightings: Alighting[] = [];
  for (let at = last; at !== null; at = findBefore(at)) alightings.push(at);
  return alightings.reverse();
}

/** Where the vehicle before is left; null if the ride is the first one. */
export function findBefore({ ride: { entry } }: Alighting): Alighting | null {
  return entry.kind === 'transfer' || entry.kind === 'staying' ? entry.after : null;
}

function walkTo({ places, query }: ProfileScope, { place, meters, ride }: StartGate): PlannedWalk {
  const onDemand = ride?.onDemand;
  const way = { meters, ...(onDemand ? { onDemand } : {}) };
  return toGate(query, { stop: places.stopOf(place), place: FROM, ...way, isArriving: false });
}

function walkOff({ tables, task, query }: ProfileScope, { ride, position, time }: Alighting): PlannedWalk {
  const { callStop, firstCall } = openRoute(createRouteView(), tables, task, ride.route);
  const stop = callStop[firstCall + position]!;
  const { walkSpeedKmh } = query;
  const at = { isArriving: true, time: time + task.raptorRoutes.base, walkSpeedKmh };
  return toGate(query, { stop, place: TO, ...chooseWay(query.to, stop, at)!, isArriving: true });
}

// ---- Rides -------------------------------------------------------------------------------------

function dateRide(
  { tables, task }: ProfileScope,
  ride: OptionRide,
  alightPosition: number,
): Omit<PlannedRide, 'kind' | 'isStaying'> {
  const view = openRoute(createRouteView(), tables, task, ride.route);
  return { ...dateEntry(view, task, ride.index), boardPosition: ride.from, alightPosition };
}

/** The dated trip of an entry of a route. */
function dateEntry(view: RouteView, { raptorRoutes, live }: ProfileScope['task'], index: number) {
  const at = view.origin + index;
  const trip = view.trips[at]!;
  if (trip >= 0) return { trip, addedTrip: -1, day: raptorRoutes.firstDay + view.days[at]! };
  const { trip: planned, addedTrip, day } = live!.liveTrips[~trip]!;
  return { trip: planned, addedTrip, day };
}

/** Events of dated trips with their forecasts, as for the transfers of a published trip. Each is looked up once. */
export function openExpectedEvents(published: Published, scope: ProfileScope, instant: Instant): FindReportedEvent {
  const lookUp = openLookUp(published, scope, instant);
  const known = new Map<number, ReportedEvent[]>();
  return (view, index, position, event) => {
    let ofRoute = known.get(view.route);
    if (!ofRoute) {
      ofRoute = [];
      known.set(view.route, ofRoute);
    }
    const slot = 2 * (index * view.callCount + position) + (event === 'arrival' ? 0 : 1);
    ofRoute[slot] ??= lookUp(view, index, position, event);
    return ofRoute[slot];
  };
}

function openLookUp(published: Published, { task }: ProfileScope, instant: Instant): FindReportedEvent {
  return (view, index, position, event) => {
    const at = view.origin + index;
    const expected = readTime(view, view.trips[at]!, at, position, event) + task.raptorRoutes.base;
    const call = { ...dateEntry(view, task, index), position, expected };
    const prognosis = findPrognosis(published, call, event, instant);
    return { ...findExpectedCall(published, call, event, instant), prognosis };
  };
}

function readTime(
  view: RouteView,
  entry: number,
  at: number,
  position: number,
  event: 'arrival' | 'departure',
): number {
  const isArrival = event === 'arrival';
  if (entry < 0) {
    const times = isArrival ? view.liveLeaveTimes : view.liveEnterTimes;
    return times[view.liveTripStart[~entry]! + position]!;
  }
  const times = isArrival ? view.leaveTimes : view.enterTimes;
  return times[view.tripRows[entry]! + position]! + getScheduledBegin(view, at);
}
