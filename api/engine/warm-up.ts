import type { Timetable } from './read/timetable.ts';
import { searchStops } from './search/search.ts';

const QUERIES = ['hauptbahnhof', 'bahnhf', 'strasse platz', 'st', 'w'];
const ROUNDS = 20;

/**
 * Searches that are to run before the first request where there is time: the first search takes 30 ms, later ones 1 ms.
 */
export function* listWarmUps({ search, searchCoordinates }: Timetable): Generator<() => void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of QUERIES)
      yield () => void searchStops(search, query, { limit: 10, coordinates: searchCoordinates });
  }
}
