import { distanceMeters, isCoordinate } from '../../model/geo.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';

/** Maximum distance of stations with one name that are one place of the map. */
const SAME_PLACE_METERS = 450;

export interface DrawnPlace {
  readonly name: string;
  /** Mean of its stations, in degrees. */
  readonly lat: number;
  readonly lon: number;
}

/** Places by stop: -1 if a stop has no coordinates or is not used. */
interface Places {
  readonly places: readonly DrawnPlace[];
  readonly placeOf: Int32Array;
}

/**
 * Merges stops into places: the platforms of a station, and nearby stations of one name, because the two sides of a
 * street often have no common station.
 * @param used stops that the lines of maps call at
 */
export function mergePlaces({ stops }: TimetableTables, used: ReadonlySet<number>): Places {
  const stations = [...new Set([...used].map((stop) => stops.station[stop]!))].sort((a, b) => a - b);
  const places: { name: string; lat: number; lon: number; count: number }[] = [];
  const byName = new Map<string, number[]>();
  const placeOfStation = new Map<number, number>();
  for (const station of stations) {
    const [lat, lon] = [stops.lat[station]!, stops.lon[station]!];
    if (!isCoordinate(lat, lon)) continue;
    const name = stops.name.get(station);
    const sameName = byName.get(name) ?? [];
    byName.set(name, sameName);
    const near = sameName.find(
      (place) => distanceMeters(places[place]!.lat, places[place]!.lon, lat, lon) <= SAME_PLACE_METERS,
    );
    const place = near ?? places.push({ name, lat: 0, lon: 0, count: 0 }) - 1;
    if (near === undefined) sameName.push(place);
    const merged = places[place]!;
    merged.lat = (merged.lat * merged.count + lat) / (merged.count + 1);
    merged.lon = (merged.lon * merged.count + lon) / (merged.count + 1);
    merged.count += 1;
    placeOfStation.set(station, place);
  }
  const placeOf = Int32Array.from(stops.station, (station) => placeOfStation.get(station) ?? -1);
  return { places: places.map(({ name, lat, lon }) => ({ name, lat, lon })), placeOf };
}
