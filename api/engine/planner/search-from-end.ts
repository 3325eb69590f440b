import { type DepartureScope, type Departures, enterDepartures, getBegin, listDepartures } from './departures.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary } from './itinerary.ts';
import { roundUp } from './pareto.ts';
import { countMinRides, measureMinSeconds, type ProfileScope } from './profile-scope.ts';
import { runRounds } from './rounds.ts';
import { hasDepartures, resetSearch } from './search.ts';
import { traceItinerary } from './trace.ts';

/** Opens the opposite direction of a search, in the same span. */
export interface OppositeScopes {
  readonly isWorthwhile: IsOppositeWorthwhile;
  readonly rides: () => DepartureScope;
  /** With lower bounds, and a search whose labels are not those of this direction. */
  readonly profile: () => ProfileScope;
}

/** An itinerary found from its end, with its signed begin and the number of its rides. */
interface FoundFromEnd {
  readonly begin: number;
  readonly rides: number;
  readonly itinerary: Itinerary;
}

/** Decides whether to search a window from its end, by the number of departures at its begin and of arrivals at its end. */
export type IsOppositeWorthwhile = (departureCount: number, arrivalCount: number) => boolean;

/** Accounts for the bounds of a search from the end; in a large city, a higher limit took more work. */
export function savesSearches(departureCount: number, arrivalCount: number): boolean {
  return departureCount > arrivalCount + 60;
}

/** The window to search, and what is known of its end. */
export interface WindowFromEnd {
  readonly from: number;
  readonly to: number;
  readonly departureCount: number;
  /** As in `WindowOptions`. */
  readonly needsShortest: boolean;
  /** No earliest end for begins after the window is later; `NEVER` if that is not known. */
  readonly sureEnd: number;
  /** Finds the earliest ends for begins after the window, by number of rides; with at most `maxRides`. */
  readonly findEnds: (maxRides: number) => Int32Array;
}

export interface FromEnd {
  /** Some may begin after the window. */
  readonly found: readonly FoundFromEnd[];
  /** By number of rides, in whole minutes unless the shortest itineraries are needed. */
  readonly endsAfterWindow: Int32Array;
}

/** How long after the sure end the ends with fewer rides are awaited before they are searched for. */
const AWAITED_SECONDS = 1800;

/**
 * Searches a window from its end, if fewer vehicles arrive there than depart at the begin: one arrival after the other,
 * the earliest first, as rRAPTOR backward in time. That finds every itinerary that begins at `from` or later and for
 * which no other one begins later, or at the same time, with as few rides and as early an end. The ends of a minute are
 * searched together. The search is complete once it has found, with each number of rides, an itinerary that begins
 * after the window.
 * @returns `null` if it is not worthwhile
 */
export function searchFromEnd(scope: ProfileScope, opposite: OppositeScopes, window: WindowFromEnd): FromEnd | null {
  const { from, departureCount, findEnds } = window;
  const { maxRounds } = scope.task;
  if (!opposite.isWorthwhile(departureCount, 0)) return null;
  const minRides = countMinRides(scope.task, scope.entries);
  const known = window.sureEnd < NEVER ? null : findEnds(maxRounds);
  const first = from + measureMinSeconds(scope.task, scope.entries);
  const last = known === null ? roundUp(window.sureEnd) : findLastEnd(known, minRides);
  if (last >= NEVER) return null;
  const rides = opposite.rides();
  const arrivals = listDepartures(rides, -last, 1 - first);
  if (!opposite.isWorthwhile(departureCount, arrivals.keys.length)) return null;
  const search = openFromEnd(opposite.profile(), window, minRides);
  searchArrivals(search, arrivals);
  if (known !== null) return { found: search.found, endsAfterWindow: known };
  const awaited = last + AWAITED_SECONDS;
  searchArrivals(search, listDepartures(rides, -awaited, -last));
  const { ends, found } = search;
  const unknown = ends.lastIndexOf(NEVER);
  if (unknown < minRides) return { found, endsAfterWindow: ends };
  ends.set(findEnds(unknown).subarray(0, unknown + 1));
  const furthest = findLastEnd(ends, minRides);
  if (furthest >= NEVER) return null;
  searchArrivals(search, listDepartures(rides, -furthest, -awaited));
  return { found, endsAfterWindow: ends };
}

/** Returns the latest end of an undominated itinerary that begins in the window; `NEVER` if there is no limit. */
function findLastEnd(ends: Int32Array, minRides: number): number {
  return ends.subarray(minRides).reduce((last, end) => Math.max(last, end), 0);
}

interface SearchFromEnd {
  readonly profile: ProfileScope;
  readonly window: WindowFromEnd;
  readonly minRides: number;
  readonly found: FoundFromEnd[];
  /** By number of rides: the earliest end of an itinerary that begins after the window. */
  readonly ends: Int32Array;
}

function openFromEnd(profile: ProfileScope, window: WindowFromEnd, minRides: number): SearchFromEnd {
  const { search, task } = profile;
  resetSearch(search, task, 1 - window.from);
  return { profile, window, minRides, found: [], ends: new Int32Array(task.maxRounds + 1).fill(NEVER) };
}

/** Searches further arrivals, which are later than those before. */
function searchArrivals(fromEnd: SearchFromEnd, arrivals: Departures): void {
  const { profile, window, found, minRides } = fromEnd;
  const { search, entries } = profile;
  for (let i = arrivals.keys.length - 1; i >= 0 && fromEnd.ends[minRides]! >= NEVER; ) {
    const end = window.needsShortest ? -getBegin(arrivals, i) : roundUp(-getBegin(arrivals, i));
    while (i >= 0 && -getBegin(arrivals, i) <= end) i = enterDepartures(search, entries, arrivals, i);
    if (!hasDepartures(search)) continue;
    runRounds(search);
    const { isBetter, ends } = search.labels;
    for (let rides = 1; rides < ends.length; rides++) {
      if (isBetter[rides] === 0) continue;
      found.push({ begin: -ends[rides]!, rides, itinerary: traceItinerary(profile, rides, ends[rides]!) });
    }
    for (let rides = minRides; rides < ends.length; rides++) {
      if (-ends[rides]! >= window.to) fromEnd.ends[rides] = Math.min(fromEnd.ends[rides]!, end);
    }
  }
}
