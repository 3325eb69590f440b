import { enterDepartures, getBegin, listDepartures } from './departures.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary } from './itinerary.ts';
import type { Labels } from './labels.ts';
import { minuteOf, roundUp, secondsOf, selectParetoOptimal } from './pareto.ts';
import { measureMinSeconds, type ProfileScope } from './profile-scope.ts';
import { runRounds } from './rounds.ts';
import { enterPlace, hasDepartures, resetSearch, type Search } from './search.ts';
import type { Sign } from './search-direction.ts';
import { type FoundFromEnd, type OppositeScopes, searchFromEnd } from './search-from-end.ts';
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
  const task = { ...scope.task, maxRounds: fewer };
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
 * begins; unordered. This is rRAPTOR, RAPTOR's range query. The direct walk is ignored. Begins from `to` on are
 * searched first, because their arrivals prune earlier begins; then each minute, the latest first. All begins of a
 * minute are searched together, unless the shortest itinerary of the minute is needed: realtime distributes departures
 * over the seconds of a minute, of which the timetable uses one.
 * @param from relative to the base of the routes, like `to`; both are limits of `minuteOf`
 */
export function collectItineraries(
  scope: ProfileScope,
  from: number,
  to: number,
  options: WindowOptions,
): WindowResult {
  const latest = to + PAGE_SPAN_SECONDS + LONGEST_JOURNEY_SECONDS;
  const copyEnds = () => Int32Array.from(scope.search.labels.ends, (end) => (end < latest ? end : NEVER));
  findEnds(scope, to, latest);
  const endsAfterWindow = copyEnds();
  if (options.mayGiveUp && isFarOff(scope, endsAfterWindow, to))
    return { itineraries: null, endsAfterWindow, endsFromWindow: endsAfterWindow };
  const found = searchWindow(scope, from, to, endsAfterWindow, options);
  // The shortest one of that minute may be short enough.
  const isLong = (itinerary: Itinerary) => secondsOf(itinerary) > LONGEST_JOURNEY_SECONDS - MINUTE_SECONDS;
  if (!options.needsShortest && found.some(isLong)) {
    return collectItineraries(scope, from, to, { ...options, needsShortest: true });
  }
  const itineraries = found.filter((itinerary) => secondsOf(itinerary) <= LONGEST_JOURNEY_SECONDS);
  return { itineraries, endsAfterWindow, endsFromWindow: copyEnds() };
}

/**
 * Searches the begins of a window, the labels of those after it being known. From then on, the ends of the search are
 * those of begins from `from` on.
 */
function searchWindow(
  scope: ProfileScope,
  from: number,
  to: number,
  endsAfterWindow: Int32Array,
  { needsShortest, opposite }: WindowOptions,
): Itinerary[] {
  const { search, entries, query, task } = scope;
  const departures = listDepartures(scope, from, to);
  const { length } = departures.keys;
  // A search from the end would need to know when on-demand rides begin.
  const isTimed = task.timedEgress !== undefined || entries.some(({ open }) => open !== undefined);
  const fromEnd = isTimed
    ? null
    : opposite && searchFromEnd(scope, opposite, from, endsAfterWindow, length, needsShortest);
  const requested = task.direction.sign * (query.time - task.raptorRoutes.base);
  if (fromEnd !== null) return selectFromEnd(scope, to, requested, fromEnd, needsShortest);
  const found: Itinerary[] = [];
  for (let i = length - 1; i >= 0; ) {
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

/** Selects from itineraries found from their end those that a search of every begin would collect. */
function selectFromEnd(
  { search: { labels }, query, task }: ProfileScope,
  to: number,
  requested: number,
  fromEnd: readonly FoundFromEnd[],
  needsShortest: boolean,
): Itinerary[] {
  const { sign } = task.direction;
  const { base } = task.raptorRoutes;
  const inWindow = fromEnd.filter(({ begin }) => begin < to).sort((a, b) => b.begin - a.begin);
  const selected: Itinerary[] = [];
  for (let i = 0; i < inWindow.length; ) {
    const minute = minuteOf(requested, inWindow[i]!.begin).from;
    const endsLater = Int32Array.from(labels.ends);
    const together: Itinerary[] = [];
    while (i < inWindow.length && inWindow[i]!.begin >= minute) {
      const earliest = needsShortest ? inWindow[i]!.begin : minute;
      const best: (Itinerary | null)[] = Array.from(labels.ends, () => null);
      for (; i < inWindow.length && inWindow[i]!.begin >= earliest; i++) {
        const { rides, itinerary } = inWindow[i]!;
        if (lowerEnds(labels, rides, signedEnd(itinerary, sign) - sign * base)) best[rides] = itinerary;
      }
      best.forEach((itinerary, rides) => {
        if (itinerary !== null && isNewChoice(labels, rides, endsLater)) together.push(itinerary);
      });
    }
    selected.push(...selectParetoOptimal(query, together));
  }
  return selected;
}

function signedEnd({ departure, arrival }: Itinerary, sign: Sign): number {
  return sign > 0 ? arrival : -departure;
}

/** @returns whether the end is earlier than the one known for so many rides */
function lowerEnds({ ends }: Labels, rides: number, end: number): boolean {
  if (end >= ends[rides]!) return false;
  for (let more = rides; more < ends.length; more++) ends[more] = Math.min(ends[more]!, end);
  return true;
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

/**
 * Adds the itineraries of the last run that improve on all later begins and on fewer rides.
 * @param endsLater arrivals for begins in later minutes
 */
function collectChoices(scope: ProfileScope, endsLater: Int32Array, found: Itinerary[]): void {
  const { labels } = scope.search;
  for (let round = 1; round < labels.ends.length; round++) {
    if (labels.isBetter[round] === 0 || !isNewChoice(labels, round, endsLater)) continue;
    found.push(traceItinerary(scope, round, labels.ends[round]!));
  }
}

/**
 * Whether an improved end counts: it must reach another minute than that of fewer rides and that of later begins, unless
 * the other has the same number of rides and begins in the same minute.
 */
function isNewChoice({ ends }: Labels, rides: number, endsLater: Int32Array): boolean {
  return roundUp(ends[rides]!) < Math.min(roundUp(ends[rides - 1]!), roundUp(endsLater[rides]!));
}
