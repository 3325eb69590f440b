import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { Gate, PlaceIndex } from './places.ts';
import { createRouteView, findEarliestTrip, forEachRoute, getEnterTime, openRoute } from './route-view.ts';
import { enterPlace, enterRoute, isExtraWanted, isRouteWanted, type RideTask, type Search } from './search.ts';

/**
 * Calls `take` for every dated trip that can be entered at a transfer place at a signed time in `[from, to)`, in no
 * particular order.
 * @param take receives the time, the route, the call, and the index of the dated trip in the route
 */
export function forEachDeparture(
  tables: TimetableTables,
  task: RideTask,
  place: number,
  { from, to }: { readonly from: number; readonly to: number },
  take: (time: number, route: number, position: number, index: number) => void,
): void {
  const { patterns } = tables;
  const { direction, raptorRoutes, live, liveDirection } = task;
  const view = createRouteView();
  const takeRoute = (route: number, position: number) => {
    openRoute(view, tables, task, route);
    for (let i = findEarliestTrip(view, position, from, view.count); i < view.count; i++) {
      const time = getEnterTime(view, i, position);
      if (time >= to) return;
      take(time, route, position, i);
    }
  };
  const { starts, patterns: ofPattern, calls: callsThere } = direction.entering;
  for (let i = starts[place]!; i < starts[place + 1]!; i++) {
    const pattern = ofPattern[i]!;
    if (!isRouteWanted(task, patterns.route[pattern]!)) continue;
    const position = callsThere[i]! - patterns.firstCall[pattern]!;
    forEachRoute(task, pattern, (route) => takeRoute(route, position));
  }
  const calls = liveDirection?.enterCalls.get(place) ?? [];
  for (let i = 0; i < calls.length; i += 2) {
    const extra = live!.extraPattern[calls[i]! - raptorRoutes.count]! - patterns.route.length;
    if (isExtraWanted(task, extra)) takeRoute(calls[i]!, calls[i + 1]!);
  }
}

/** The data for listing where and when a search may begin. */
export interface DepartureScope {
  readonly tables: TimetableTables;
  readonly places: PlaceIndex;
  readonly task: RideTask;
  /** The places where the search enters the network, by layer, with the walk to them. */
  readonly entries: readonly (Gate & { readonly layer: number })[];
}

/** The possible begins of a period, sorted, with the trips that depart then. */
export interface Departures {
  /** `begin * MAX_DEPARTURES + departure number`. */
  readonly keys: Float64Array;
  /** Entry, route and call of each departure number. */
  readonly details: readonly number[];
}

const MAX_DEPARTURES = 2 ** 24;
const DETAILS = 3;

/** In place of a route: the traveller is at the place and may board any departure from then on. */
const ANY_ROUTE = -1;

/** The periods in `[from, to)` in which an access leg may begin. */
export function listPeriods({ open }: Gate, from: number, to: number) {
  if (!open) return [{ from, to, isLast: false }];
  return open
    .map((span) => ({
      from: Math.max(from, span.from),
      to: Math.min(to, span.until + 1),
      isLast: span.until >= from && span.until < to,
    }))
    .filter((period) => period.from < period.to);
}

/** Lists the begins in `[from, to)`; signed times. */
export function listDepartures({ tables, task, entries }: DepartureScope, from: number, to: number): Departures {
  const keys: number[] = [];
  const details: number[] = [];
  const add = (begin: number, entry: number, route: number, position: number) => {
    keys.push(begin * MAX_DEPARTURES + keys.length);
    details.push(entry, route, position);
  };
  entries.forEach((gate, entry) => {
    const { place, seconds } = gate;
    if (task.isBlocked?.[place] === 1) return;
    for (const period of listPeriods(gate, from, to)) {
      const window = { from: period.from + seconds, to: period.to + seconds };
      forEachDeparture(tables, task, place, window, (time, route, position) => {
        add(time - seconds, entry, route, position);
      });
      // By waiting, a traveller who begins last reaches all later departures, too.
      if (period.isLast) add(period.to - 1, entry, ANY_ROUTE, 0);
    }
  });
  return { keys: Float64Array.from(keys).sort(), details };
}

/** Returns the signed begin with the i-th departure. */
export function getBegin({ keys }: Departures, i: number): number {
  return Math.floor(keys[i]! / MAX_DEPARTURES);
}

/** Starts a search with all departures of one begin, the last of which is the i-th. @returns the one before them, or -1 */
export function enterDepartures(
  search: Search,
  entries: DepartureScope['entries'],
  departures: Departures,
  i: number,
): number {
  const { keys, details } = departures;
  const begin = getBegin(departures, i);
  let at = i;
  for (; at >= 0 && getBegin(departures, at) === begin; at--) {
    const detail = (keys[at]! - begin * MAX_DEPARTURES) * DETAILS;
    const { layer, place, seconds } = entries[details[detail]!]!;
    const route = details[detail + 1]!;
    if (route === ANY_ROUTE) enterPlace(search, layer, place, begin + seconds);
    else enterRoute(search, layer, place, begin + seconds, route, details[detail + 2]!);
  }
  return at;
}
