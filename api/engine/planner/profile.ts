import { type Departures, enterDepartures, getBegin, listDepartures } from './departures.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary } from './itinerary.ts';
import { minuteOf, roundUp, secondsOf, selectParetoOptimal } from './pareto.ts';
import { measureMinSeconds, type ProfileScope } from './profile-scope.ts';
import { runRounds } from './rounds.ts';
import { enterPlace, hasDepartures, limitRides, resetSearch, type Search } from './search.ts';
import type { Sign } from './search-direction.ts';
import { type FromEnd, type OppositeScopes, searchFromEnd, type WindowFromEnd } from './search-from-end.ts';
import { findSureEnd } from './sure-end.ts';
import { findGateEnd } from './timed-gates.ts';
import { traceItinerary } from './trace.ts';

/** Maximum period that a page covers. */
export const PAGE_SPAN_SECONDS = 24 * 3600;

/** Maximum duration of an itinerary. */
export const LONGEST_JOURNEY_SECONDS = 48 * 3600;

const MINUTE_SECONDS = 60;

/**
 * Returns the best arrivals at the end for a begin at a signed time or later, by number of rides; `latest` if the end
 * is not reached. The necessary horizon is unknown, so the first search is short and each further one twice as long,
 * unless an itinerary shows how long is enough: a short horizon prunes most of a country. Once the end is reached, only
 * fewer rides are searched further.
 * @param rides the only number of rides whose end is needed
 */
export function findEnds(scope: ProfileScope, time: number, latest: number, rides: number | null = null): Int32Array {
  const { search, task, entries } = scope;
  const least = measureMinSeconds(task, entries);
  if (time + least >= latest) return searchUntil(scope, search, time, time).fill(latest);
  const sure = task.vias.length > 0 ? NEVER : findSureEnd(search, task, entries, time);
  for (let spare = FIRST_SPARE_SECONDS; time + least + spare < latest; spare *= 2) {
    const isNear = sure < latest && sure - time - least < 4 * spare;
    const until = isNear ? sure + 1 : time + least + spare;
    const ends = searchUntil(scope, search, time, until);
    if (ends.at(-1)! >= until) continue;
    if (rides === null || ends[rides]! >= until) findFurtherEnds(scope, time, until, latest);
    return ends;
  }
  return searchUntil(scope, search, time, latest);
}

/** @param until arrivals at this signed time or later are ignored */
function searchUntil({ task, entries }: ProfileScope, search: Search, time: number, until: number): Int32Array {
  resetSearch(search, task, until);
  for (const entry of entries) {
    const ready = findGateEnd(entry, time);
    if (ready < NEVER) enterPlace(search, entry.layer, entry.place, ready);
  }
  runRounds(search);
  return search.labels.ends;
}

/**
 * Searches on where the last search has not reached the end with so few rides, in other labels: those of the last search
 * remain, with the ends that are found.
 */
function findFurtherEnds(scope: ProfileScope, time: number, until: number, latest: number): void {
  const { ends } = scope.search.labels;
  const fewer = ends.findIndex((end) => end < until) - 1;
  const task = limitRides(scope.task, fewer);
  const further = fewer > 0 ? searchUntil({ ...scope, task }, scope.getOtherSearch(), time, latest) : ends;
  for (let rides = 0; rides <= fewer; rides++) ends[rides] = rides > 0 ? further[rides]! : latest;
}

/** Horizon of the first search, in addition to the lower bound of the duration. */
const FIRST_SPARE_SECONDS = 2400;

interface WindowOptions {
  /** Whether to stop after the first step if few results are expected. */
  readonly mayGiveUp: boolean;
  /** Whether each choice must be represented by its shortest itinerary; otherwise by the one that ends first. */
  readonly needsShortest: boolean;
  /** For searching from the end where that is less work; `null` to search every begin. */
  readonly opposite: OppositeScopes | null;
}

interface WindowResult {
  /** `null` if the next ones are so far off that scanning every departure until then is not worthwhile. */
  readonly itineraries: Itinerary[] | null;
  /** Best arrivals for begins after the window, and for begins in it or after it; see `ProfileScope`. */
  readonly endsAfterWindow: Int32Array;
  readonly endsFromWindow: Int32Array;
}

/**
 * Finds all itineraries that begin in `[from, to)` (signed) and are not dominated by any other, whenever that one
 * begins; unordered. This is rRAPTOR, RAPTOR's range query. The direct walk is ignored.
 * @param from relative to the base of the routes, like `to`; both are limits of `minuteOf`
 */
export function collectItineraries(
  scope: ProfileScope,
  from: number,
  to: number,
  options: WindowOptions,
): WindowResult {
  const result = searchWindow(scope, { from, to, departures: listDepartures(scope, from, to) }, options);
  if (result.itineraries === null) return result;
  // The shortest one of that minute may be short enough.
  const isLong = (itinerary: Itinerary) => secondsOf(itinerary) > LONGEST_JOURNEY_SECONDS - MINUTE_SECONDS;
  if (!options.needsShortest && result.itineraries.some(isLong)) {
    return collectItineraries(scope, from, to, { ...options, needsShortest: true });
  }
  const itineraries = result.itineraries.filter((itinerary) => secondsOf(itinerary) <= LONGEST_JOURNEY_SECONDS);
  return { ...result, itineraries };
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly departures: Departures;
}

function searchWindow(scope: ProfileScope, window: Window, options: WindowOptions): WindowResult {
  const { mayGiveUp } = options;
  const { task, entries } = scope;
  // A search from the end would need to know when on-demand rides begin.
  const isTimed = task.timedEgress !== undefined || entries.some(({ open }) => open !== undefined);
  const opposite = isTimed ? null : options.opposite;
  const sureEnd = opposite?.isWorthwhile(window.departures.keys.length, 0) ? findSoonEnd(scope, window.to) : NEVER;
  if (opposite && sureEnd < NEVER) {
    const findFew = (maxRides: number) => findEndsOfFew(scope, window.to, maxRides);
    const early = searchFromEnd(scope, opposite, toFromEnd(window, options, sureEnd, findFew));
    if (early !== null) return selectFromEnd(scope, window, early, options);
  }
  const latest = latestAfter(window.to);
  const endsAfterWindow = cutOff(findEnds(scope, window.to, latest), latest);
  if (mayGiveUp && isFarOff(scope, endsAfterWindow.at(-1)!, window.to))
    return { itineraries: null, endsAfterWindow, endsFromWindow: endsAfterWindow };
  const late =
    opposite && sureEnd >= NEVER
      ? searchFromEnd(
          scope,
          opposite,
          toFromEnd(window, options, NEVER, () => endsAfterWindow),
        )
      : null;
  if (late !== null) return selectFromEnd(scope, window, late, options);
  const itineraries = searchBegins(scope, window, options);
  return { itineraries, endsAfterWindow, endsFromWindow: cutOff(scope.search.labels.ends, latest) };
}

function toFromEnd(
  { from, to, departures }: Window,
  { needsShortest }: WindowOptions,
  sureEnd: number,
  findEndsAfter: WindowFromEnd['findEnds'],
): WindowFromEnd {
  return { from, to, departureCount: departures.keys.length, needsShortest, sureEnd, findEnds: findEndsAfter };
}

/** No earliest ends for begins at this signed time are later. */
function latestAfter(time: number): number {
  return time + PAGE_SPAN_SECONDS + LONGEST_JOURNEY_SECONDS;
}

function cutOff(ends: Int32Array, latest: number): Int32Array {
  return ends.map((end) => (end < latest ? end : NEVER));
}

/**
 * Returns an upper bound of the earliest end for a begin at a signed time; `NEVER` if there is none, or if it is so late
 * that the window may have to be given up.
 */
function findSoonEnd({ search, task, entries }: ProfileScope, time: number): number {
  if (task.vias.length > 0) return NEVER;
  const sure = findSureEnd(search, task, entries, time);
  return sure - time > 3 * measureMinSeconds(task, entries) + LONG_WAIT_SECONDS ? NEVER : sure;
}

/** Returns the earliest ends with at most so many rides, which is a smaller search. */
function findEndsOfFew(scope: ProfileScope, time: number, maxRides: number): Int32Array {
  const latest = latestAfter(time);
  const task = limitRides(scope.task, maxRides);
  return cutOff(searchUntil({ ...scope, task }, scope.search, time, latest), latest);
}

/**
 * Searches the begins of a window, the labels of those after it being known, because their arrivals prune earlier
 * begins; then each minute, the latest first. All begins of a minute are searched together, unless the shortest
 * itinerary of the minute is needed: realtime distributes departures over the seconds of a minute, of which the
 * timetable uses one. From then on, the ends of the search are those of begins from the window on.
 */
function searchBegins(scope: ProfileScope, { departures }: Window, { needsShortest }: WindowOptions): Itinerary[] {
  const { search, entries, query } = scope;
  const requested = toRelative(scope);
  const found: Itinerary[] = [];
  for (let i = departures.keys.length - 1; i >= 0; ) {
    const minute = minuteOf(requested, getBegin(departures, i)).from;
    const endsLater = Int32Array.from(search.labels.ends);
    const together: Itinerary[] = [];
    while (i >= 0 && getBegin(departures, i) >= minute) {
      const earliest = needsShortest ? getBegin(departures, i) : minute;
      while (i >= 0 && getBegin(departures, i) >= earliest) i = enterDepartures(search, entries, departures, i);
      if (!hasDepartures(search)) continue;
      runRounds(search);
      collectChoices(scope, endsLater, together);
    }
    found.push(...selectParetoOptimal(query, together));
  }
  return found;
}

/** Returns the requested time, signed and relative to the base of the routes. */
function toRelative({ query, task }: ProfileScope): number {
  return task.direction.sign * (query.time - task.raptorRoutes.base);
}

/** Selects from itineraries found from their end those that a search of every begin would collect. */
function selectFromEnd(
  scope: ProfileScope,
  { to }: Window,
  { found, endsAfterWindow }: FromEnd,
  { needsShortest }: WindowOptions,
): WindowResult {
  const { query, task } = scope;
  const { sign } = task.direction;
  const { base } = task.raptorRoutes;
  const requested = toRelative(scope);
  const inWindow = found.filter(({ begin }) => begin < to).sort((a, b) => b.begin - a.begin);
  const ends = endsAfterWindow.map((end) => Math.min(end, latestAfter(to)));
  const selected: Itinerary[] = [];
  for (let i = 0; i < inWindow.length; ) {
    const minute = minuteOf(requested, inWindow[i]!.begin).from;
    const endsLater = ends.slice();
    const together: Itinerary[] = [];
    while (i < inWindow.length && inWindow[i]!.begin >= minute) {
      const earliest = needsShortest ? inWindow[i]!.begin : minute;
      const best: (Itinerary | null)[] = Array.from(ends, () => null);
      for (; i < inWindow.length && inWindow[i]!.begin >= earliest; i++) {
        const { rides, itinerary } = inWindow[i]!;
        if (lowerEnds(ends, rides, signedEnd(itinerary, sign) - sign * base)) best[rides] = itinerary;
      }
      best.forEach((itinerary, rides) => {
        if (itinerary !== null && isNewChoice(ends, rides, endsLater)) together.push(itinerary);
      });
    }
    selected.push(...selectParetoOptimal(query, together));
  }
  return { itineraries: selected, endsAfterWindow, endsFromWindow: cutOff(ends, latestAfter(to)) };
}

function signedEnd({ departure, arrival }: Itinerary, sign: Sign): number {
  return sign > 0 ? arrival : -departure;
}

/** @returns whether the end is earlier than the one known for so many rides */
function lowerEnds(ends: Int32Array, rides: number, end: number): boolean {
  if (end >= ends[rides]!) return false;
  for (let more = rides; more < ends.length; more++) ends[more] = Math.min(ends[more]!, end);
  return true;
}

/**
 * Returns whether the end is reached so late that the itinerary must contain a long wait, so that no earlier departure
 * is useful. Long itineraries contain waits anyway, and each of their searches is expensive.
 */
function isFarOff({ task, entries }: ProfileScope, end: number, time: number): boolean {
  const least = measureMinSeconds(task, entries);
  const isShort = least < SHORT_WAY_SECONDS || end === NEVER;
  return isShort && end - time > 3 * least + LONG_WAIT_SECONDS;
}

const SHORT_WAY_SECONDS = 7200;
const LONG_WAIT_SECONDS = 3600;

/**
 * Adds the itineraries of the last run that improve on all later begins and on fewer rides.
 * @param endsLater arrivals for begins in later minutes
 */
function collectChoices(scope: ProfileScope, endsLater: Int32Array, found: Itinerary[]): void {
  const { labels } = scope.search;
  for (let round = 1; round < labels.ends.length; round++) {
    if (labels.isBetter[round] === 0 || !isNewChoice(labels.ends, round, endsLater)) continue;
    found.push(traceItinerary(scope, round, labels.ends[round]!));
  }
}

/**
 * Whether an improved end counts: it must reach another minute than that of fewer rides and that of later begins, unless
 * the other has the same number of rides and begins in the same minute.
 */
function isNewChoice(ends: Int32Array, rides: number, endsLater: Int32Array): boolean {
  return roundUp(ends[rides]!) < Math.min(roundUp(ends[rides - 1]!), roundUp(endsLater[rides]!));
}
