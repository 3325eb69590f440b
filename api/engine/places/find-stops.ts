import type { Stop, StopKind } from '../../contract/definitions.ts';
import { presentStop } from '../read/present.ts';
import type { Timetable } from '../read/timetable.ts';
import { searchStops } from '../search/search.ts';
import { findLinkedStop } from './link-stations.ts';
import type { PlacesIndex } from './place-index.ts';
import { presentPlace } from './present-place.ts';
import { type FoundPlace, searchPlaces } from './search-places.ts';

interface StopSearch {
  readonly query: string;
  readonly limit: number;
  readonly kinds?: readonly StopKind[] | undefined;
  readonly bias?: { readonly lat: number; readonly lon: number };
  /** null or absent: stops only. */
  readonly places?: PlacesIndex | null;
}

const allKinds: readonly StopKind[] = ['station', 'poi', 'address'];

/** An exact match ranks above every other match. */
const EXACT_POINTS = 200;
/** Among equal matches, stations rank first. */
const STATION_POINTS = 6;
/** The whole query matches; its last word may be incomplete. */
const WHOLE_QUERY_POINTS = 86;

interface Ranked {
  readonly points: number;
  /** Row of the timetable's stops; -1: a place. */
  readonly stop: number;
  readonly place: FoundPlace | null;
}

/**
 * Stations and single stops, places and addresses by name. Each sort keeps the order of its search; between them
 * the better match is first, stations where they match equally well. A town comes after the first station of its name,
 * and a station of the map is that of the timetable.
 */
export function findStopsByName(timetable: Timetable, search: StopSearch): Stop[] {
  const { query, limit, bias, kinds = allKinds, places = null } = search;
  const options = { query, limit, kinds, ...(bias ? { bias } : {}) };
  const stops = kinds.includes('station') ? rankStops(timetable, options) : [];
  const found = places ? rankPlaces(timetable, places, options, stops[0]?.points ?? 0) : [];
  const results: Stop[] = [];
  const seen = new Set<number>();
  for (let [s, p] = [0, 0]; results.length < limit && (s < stops.length || p < found.length); ) {
    const isStop = p === found.length || (s < stops.length && stops[s]!.points >= found[p]!.points);
    const next = isStop ? stops[s++]! : found[p++]!;
    if (next.stop >= 0) {
      if (!seen.has(next.stop)) results.push(presentStop(timetable, next.stop));
      seen.add(next.stop);
    } else results.push(presentPlace(places!, next.place!));
  }
  return results;
}

function rankStops(timetable: Timetable, { query, limit, bias }: StopSearch): Ranked[] {
  const { searchCoordinates: coordinates, searchWorkspace: workspace } = timetable;
  const found = searchStops(timetable.search, query, { limit, coordinates, workspace, ...(bias ? { bias } : {}) });
  return found.map(({ entry, points, exactness }) => ({
    points: points + STATION_POINTS + (exactness > 0 ? EXACT_POINTS : 0),
    stop: timetable.tables.searchEntries.stop[entry]!,
    place: null,
  }));
}

/** @param bestStop points of the first station */
function rankPlaces(
  timetable: Timetable,
  places: PlacesIndex,
  search: Parameters<typeof searchPlaces>[1],
  bestStop: number,
): Ranked[] {
  return searchPlaces(places, search).flatMap((place): Ranked[] => {
    const points = place.points + (place.isExact ? EXACT_POINTS : 0);
    const stop = place.house < 0 ? findLinkedStop(timetable, places, place.place) : null;
    if (stop !== null) {
      return search.kinds.includes('station') ? [{ points: points + STATION_POINTS, stop, place: null }] : [];
    }
    if (place.place >= places.streetCount && !search.kinds.includes('poi')) return [];
    const isBehind = place.isSettlement && bestStop >= WHOLE_QUERY_POINTS;
    return [{ points: isBehind ? Math.min(points, bestStop - STATION_POINTS) : points, stop: -1, place }];
  });
}
