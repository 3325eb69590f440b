import type { DepartureScope } from './departures.ts';
import { NEVER } from './int-list.ts';
import type { PlanQuery } from './itinerary.ts';
import type { Search, SearchTask } from './search.ts';

/** The parameters of a query that are the same for all windows of one span. */
export interface ProfileScope extends DepartureScope {
  readonly query: PlanQuery;
  readonly task: SearchTask;
  readonly search: Search;
  /** Returns a search with other labels. */
  getOtherSearch(): Search;
}

/** Returns a lower bound of the duration in seconds. */
export function measureMinSeconds({ bounds, vias }: SearchTask, entries: ProfileScope['entries']): number {
  let least: number = NEVER;
  for (const { layer, place, seconds } of entries) {
    least = Math.min(least, seconds + (layer < vias.length ? 0 : bounds.readySeconds[place]!));
  }
  return least;
}

/** Returns a lower bound of the number of rides, at least 1. */
export function countMinRides({ bounds, vias, maxRounds }: SearchTask, entries: ProfileScope['entries']): number {
  let least = maxRounds + 1;
  for (const { layer, place } of entries) {
    least = Math.min(least, layer < vias.length ? 1 : bounds.readyRides[place]!);
  }
  return Math.max(least, 1);
}
