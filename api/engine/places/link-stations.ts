import { nameWords } from '../../../pipeline/model/stop-name.ts';
import { findNearby } from '../read/nearby.ts';
import type { Timetable } from '../read/timetable.ts';
import { getPlaceKind, type PlacesIndex } from './place-index.ts';

/** A station of the map and one of the timetable with a word in common are one up to this distance. */
const SAME_NAME_METERS = 400;
/** Without a word in common, as timetables abbreviate and translate names. */
const SAME_SPOT_METERS = 60;
const NEIGHBOURS = 12;
const SHORTEST_COMMON_WORD = 3;

/**
 * The timetable's stop that a station of the map is.
 * @returns row of the timetable's stops; null for another kind of place, and for a station that the timetable lacks
 */
export function findLinkedStop(timetable: Timetable, index: PlacesIndex, place: number): number | null {
  if (getPlaceKind(index, place) !== 'station') return null;
  const { lat, lon, name } = index.tables.places;
  const words = listWords(name.get(place));
  const { stop, importance } = timetable.tables.searchEntries;
  const near = findNearby(timetable.nearby, lat[place]!, lon[place]!, SAME_NAME_METERS, NEIGHBOURS);
  let best: { readonly entry: number; readonly points: number } | null = null;
  for (const { entry, distanceMeters } of near) {
    const own = listWords(timetable.tables.stops.name.get(stop[entry]!));
    const common = [...words].filter((word) => own.has(word)).length;
    if (common === 0 && distanceMeters > SAME_SPOT_METERS) continue;
    const points = common + importance[entry]! - distanceMeters / SAME_NAME_METERS;
    if (best === null || points > best.points) best = { entry, points };
  }
  return best === null ? null : stop[best.entry]!;
}

function listWords(name: string): Set<string> {
  return new Set(nameWords(name).flatMap(({ text }) => (text.length >= SHORTEST_COMMON_WORD ? [text] : [])));
}
