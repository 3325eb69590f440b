import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary, PlanQuery } from './itinerary.ts';
import { roundDown, roundUp, secondsOf, selectParetoOptimal } from './pareto.ts';
import type { Gate, TransferPlaces } from './places.ts';
import { runRounds } from './rounds.ts';
import { createRouteView, findEarliestTrip, getEnterTime, openRoute } from './route-view.ts';
import { enterPlace, enterRoute, type RideTask, resetSearch, type Search, type SearchTask } from './search.ts';
import { traceItinerary } from './trace.ts';

/**
 * Calls `take` for every dated trip that can be entered at a transfer place at a signed time in `[from, to)`, in no
 * particular order.
 * @param take receives the time, the route, the call, and the index of the dated trip in the route
 */
export function forEachDeparture(
  tables: TimetableTables,
  places: TransferPlaces,
  task: RideTask,
  place: number,
  { from, to }: { readonly from: number; readonly to: number },
  take: (time: number, route: number, position: number, index: number) => void,
): void {
  const { stops, stopCalls, patterns, routes } = tables;
  const { direction, raptorRoutes, live, liveDirection, products } = task;
  const view = createRouteView();
  const takeRoute = (route: number, position: number) => {
    openRoute(view, tables, task, route);
    for (let i = findEarliestTrip(view, position, from, view.count); i < view.count; i++) {
      const time = getEnterTime(view, i, position);
      if (time >= to) return;
      take(time, route, position, i);
    }
  };
  const isWanted = (product: number) => products === null || (products & (1 << product)) !== 0;
  const stop = places.stopOf(place);
  const first = stops.firstStopCall[stop]!;
  for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
    const pattern = stopCalls.pattern[i]!;
    const position = stopCalls.position[i]!;
    if (direction.enterAt[patterns.firstCall[pattern]! + position] !== place) continue;
    if (!isWanted(routes.product[patterns.route[pattern]!]!)) continue;
    for (let route = raptorRoutes.firstRoute[pattern]!; route >= 0; route = raptorRoutes.nextRoute[route]!)
      takeRoute(route, position);
    if (!live) continue;
    for (let extra = live.firstExtra[pattern]!; extra >= 0; extra = live.nextExtra[extra]!)
      takeRoute(raptorRoutes.count + extra, position);
  }
  const calls = liveDirection?.enterCalls.get(place) ?? [];
  for (let i = 0; i < calls.length; i += 2) {
    const extra = live!.extraPattern[calls[i]! - raptorRoutes.count]! - patterns.route.length;
    if (isWanted(live!.patternProduct[extra]!)) takeRoute(calls[i]!, calls[i + 1]!);
  }
}

/** Maximum period that a page covers. */
export const PAGE_SPAN_SECONDS = 24 * 3600;

/** Maximum duration of an itinerary. */
export const LONGEST_JOURNEY_SECONDS = 48 * 3600;

/** The parameters of a query that are the same for all windows of one span. */
export interface ProfileScope {
  readonly tables: TimetableTables;
  readonly places: TransferPlaces;
  readonly query: PlanQuery;
  readonly task: SearchTask;
  readonly search: Search;
  /** The places where the search enters the network, by layer, with the walk to them. */
  readonly entries: readonly (Gate & { readonly layer: number })[];
}

/**
 * Returns the best arrivals at the end for a begin at a signed time or later, by number of rides; `latest` if the end
 * is not reached. The necessary horizon is unknown, so the first search is short and each further one twice as long: a
 * short horizon prunes most of a country. Once the end is reached, only fewer rides are searched further.
 */
export function findEnds({ search, task, entries }: ProfileScope, time: number, latest: number): Int32Array {
  const searchUntil = (until: number, known: Int32Array | null) => {
    resetSearch(search, task, until);
    known?.forEach((end, rides) => {
      if (end < until) search.labels.ends[rides] = end;
    });
    for (const { layer, place, seconds } of entries) enterPlace(search, layer, place, time + seconds);
    runRounds(search);
    return search.labels.ends;
  };
  const least = measureMinSeconds(task, entries);
  if (time + least >= latest) return searchUntil(time, null).fill(latest);
  for (let spare = FIRST_SPARE_SECONDS; time + least + spare < latest; spare *= 2) {
    const until = time + least + spare;
    const known = searchUntil(until, null);
    if (known.at(-1)! >= until) continue;
    return searchUntil(
      latest,
      Int32Array.from(known, (end) => (end < until ? end : latest)),
    );
  }
  return searchUntil(latest, null);
}

/** Horizon of the first search, in addition to the lower bound of the duration. */
const FIRST_SPARE_SECONDS = 2400;

/** Returns a lower bound of the duration in seconds. */
export function measureMinSeconds({ bounds, vias }: SearchTask, entries: ProfileScope['entries']): number {
  let least: number = NEVER;
  for (const { layer, place, seconds } of entries) {
    least = Math.min(least, seconds + (layer < vias.length ? 0 : bounds.readySeconds[place]!));
  }
  return least;
}

export interface WindowResult {
  /** `null` if the next ones are so far off that scanning every departure until then is not worthwhile. */
  readonly itineraries: Itinerary[] | null;
  /** Best arrivals for begins after the window, and for begins in it or after it; see `ProfileScope`. */
  readonly endsAfterWindow: Int32Array;
  readonly endsFromWindow: Int32Array;
}

/**
 * Finds all itineraries that begin in `[from, to)` (signed) and are not dominated by any other, whenever that one
 * begins; unordered. This is rRAPTOR, RAPTOR's range query. The direct walk is ignored. Begins from `to` on are
 * searched first, because their arrivals prune earlier begins; then each begin separately, the latest first.
 * @param from relative to the base of the routes, like `to`; both are limits of `minuteOf`
 * @param mayGiveUp whether to stop after the first step if few results are expected
 */
export function collectItineraries(scope: ProfileScope, from: number, to: number, mayGiveUp: boolean): WindowResult {
  const { search, entries } = scope;
  const latest = to + PAGE_SPAN_SECONDS + LONGEST_JOURNEY_SECONDS;
  const copyEnds = () => Int32Array.from(search.labels.ends, (end) => (end < latest ? end : NEVER));
  findEnds(scope, to, latest);
  const endsAfterWindow = copyEnds();
  if (mayGiveUp && isFarOff(scope, endsAfterWindow, to))
    return { itineraries: null, endsAfterWindow, endsFromWindow: endsAfterWindow };
  const found: Itinerary[] = [];
  const { keys, departures } = listDepartures(scope, from, to);
  const timeOf = (i: number) => Math.floor(keys[i]! / MAX_DEPARTURES);
  for (let i = keys.length - 1; i >= 0; ) {
    const minute = roundDown(timeOf(i));
    const endsLater = copyEnds();
    const together: Itinerary[] = [];
    while (i >= 0 && timeOf(i) >= minute) {
      const time = timeOf(i);
      for (; i >= 0 && timeOf(i) === time; i--) {
        const at = (keys[i]! - time * MAX_DEPARTURES) * 3;
        const { layer, place, seconds } = entries[departures[at]!]!;
        enterRoute(search, layer, place, time + seconds, departures[at + 1]!, departures[at + 2]!);
      }
      runRounds(search);
      collectChoices(scope, time, endsLater, together);
    }
    found.push(...selectParetoOptimal(scope.query, together));
  }
  const itineraries = found.filter((itinerary) => secondsOf(itinerary) <= LONGEST_JOURNEY_SECONDS);
  return { itineraries, endsAfterWindow, endsFromWindow: copyEnds() };
}

/**
 * Returns whether the end is reached so late that the itinerary must contain a long wait, so that no earlier departure
 * is useful. Long itineraries contain waits anyway, and each of their searches is expensive.
 */
function isFarOff({ task, entries }: ProfileScope, ends: Int32Array, time: number): boolean {
  const least = measureMinSeconds(task, entries);
  const isShort = least < SHORT_WAY_SECONDS || ends.at(-1) === NEVER;
  return isShort && ends.at(-1)! - time > 3 * least + LONG_WAIT_SECONDS;
}

const SHORT_WAY_SECONDS = 7200;
const LONG_WAIT_SECONDS = 3600;

const MAX_DEPARTURES = 2 ** 24;

/**
 * Lists the possible begins with their departures.
 * @returns sorted keys `time * MAX_DEPARTURES + departure number`; entry, route and call of departures, alternating
 */
function listDepartures({ tables, places, task, entries }: ProfileScope, from: number, to: number) {
  const keys: number[] = [];
  const departures: number[] = [];
  entries.forEach(({ place, seconds }, entry) => {
    if (task.isBlocked?.[place] === 1) return;
    const window = { from: from + seconds, to: to + seconds };
    forEachDeparture(tables, places, task, place, window, (time, route, position) => {
      keys.push((time - seconds) * MAX_DEPARTURES + keys.length);
      departures.push(entry, route, position);
    });
  });
  return { keys: Float64Array.from(keys).sort(), departures };
}

/**
 * Adds the itineraries of the last run that improve on all later begins and on fewer rides. To count, the improvement
 * must reach another minute, unless the other has the same number of rides and begins in the same minute.
 * @param endsLater arrivals for begins in later minutes
 */
function collectChoices(scope: ProfileScope, time: number, endsLater: Int32Array, found: Itinerary[]): void {
  const { ends, isBetter } = scope.search.labels;
  for (let round = 1; round < ends.length; round++) {
    if (isBetter[round] === 0) continue;
    const toBeat = Math.min(roundUp(ends[round - 1]!), roundUp(endsLater[round]!));
    if (roundUp(ends[round]!) < toBeat) found.push(traceItinerary(scope, round, time, ends[round]!));
  }
}
