import { type DepartureScope, enterDepartures, getBegin, listDepartures } from './departures.ts';
import { NEVER } from './int-list.ts';
import type { Itinerary } from './itinerary.ts';
import { roundUp } from './pareto.ts';
import { measureMinSeconds, type ProfileScope } from './profile-scope.ts';
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
export interface FoundFromEnd {
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

/**
 * Searches a window from its end, if fewer vehicles arrive there than depart at the begin: one arrival after the other,
 * the earliest first, as rRAPTOR backward in time. That finds every itinerary that begins at `from` or later and for
 * which no other one begins later, or at the same time, with as few rides and as early an end. The ends of a minute are
 * searched together.
 * @param endsAfterWindow by number of rides: earliest ends for begins after the window, which limit those in it
 * @param departureCount of the window, @param needsShortest as in `WindowOptions`
 * @returns `null` if it is not worthwhile; some itineraries may begin after the window
 */
export function searchFromEnd(
  scope: ProfileScope,
  opposite: OppositeScopes,
  from: number,
  endsAfterWindow: Int32Array,
  departureCount: number,
  needsShortest: boolean,
): FoundFromEnd[] | null {
  if (!opposite.isWorthwhile(departureCount, 0)) return null;
  const last = findLastEnd(scope, endsAfterWindow);
  if (last >= NEVER) return null;
  const first = from + measureMinSeconds(scope.task, scope.entries);
  const arrivals = listDepartures(opposite.rides(), -last, 1 - first);
  if (!opposite.isWorthwhile(departureCount, arrivals.keys.length)) return null;
  const profile = opposite.profile();
  const { search, task, entries } = profile;
  resetSearch(search, task, 1 - from);
  const found: FoundFromEnd[] = [];
  for (let i = arrivals.keys.length - 1; i >= 0; ) {
    const end = needsShortest ? -getBegin(arrivals, i) : roundUp(-getBegin(arrivals, i));
    while (i >= 0 && -getBegin(arrivals, i) <= end) i = enterDepartures(search, entries, arrivals, i);
    if (!hasDepartures(search)) continue;
    runRounds(search);
    const { isBetter, ends } = search.labels;
    for (let rides = 1; rides < ends.length; rides++) {
      if (isBetter[rides] === 0) continue;
      found.push({ begin: -ends[rides]!, rides, itinerary: traceItinerary(profile, rides, ends[rides]!) });
    }
  }
  return found;
}

/** Returns the latest end of an undominated itinerary that begins in the window; `NEVER` if there is no limit. */
function findLastEnd({ task, entries }: ProfileScope, endsAfterWindow: Int32Array): number {
  let minRides = endsAfterWindow.length;
  for (const { layer, place } of entries) {
    minRides = Math.min(minRides, layer < task.vias.length ? 1 : task.bounds.readyRides[place]!);
  }
  let last = 0;
  for (let rides = Math.max(minRides, 1); rides < endsAfterWindow.length; rides++) {
    last = Math.max(last, endsAfterWindow[rides]!);
  }
  return last;
}
