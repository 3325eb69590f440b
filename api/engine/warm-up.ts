import type { Timetable } from './read/timetable.ts';
import { searchStops } from './search/search.ts';

const QUERIES = ['hauptbahnhof', 'bahnhf', 'strasse platz', 'st', 'w'];
const ROUNDS = 20;

/** Searches for stops, one search per step: the first search of a process takes 30 ms, later ones 1 ms. */
export function* warmUp({ search, searchCoordinates }: Timetable): Generator<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of QUERIES) {
      searchStops(search, query, { limit: 10, coordinates: searchCoordinates });
      yield;
    }
  }
}
