import { expect, it } from 'vitest';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';
import { distanceMeters } from '../../../pipeline/model/geo.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { parseCsv } from '../../../pipeline/sample/feed/csv.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../../pipeline/sample/feed/sample-feed.ts';
import { nameStops } from '../../../pipeline/timetable/snapshot/name-stops.ts';
import { parsePlaces } from '../../../pipeline/timetable/snapshot/stop-tables.ts';

/** Stops further apart are separate places, as in the engine. */
const SAME_PLACE_METERS = 500;

interface NamedPlace {
  readonly id: string;
  readonly published: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

/** Stations, and stops without one, with their names in the snapshot. */
async function readPlaces(): Promise<readonly NamedPlace[]> {
  const feed = buildSampleFeed({ today: '2026-11-22' as ServiceDate }, await readSampleLookups());
  const rows = parseCsv(feed.get('stops.txt')!).filter((row) => Number(row.location_type || 0) <= 1 && row.stop_name);
  const rowOf = new Map(rows.map((row, i) => [row.stop_id!, i]));
  const { name } = nameStops(
    {
      name: rows.map((row) => row.stop_name!),
      lat: Float64Array.from(rows, (row) => (row.stop_lat ? Number(row.stop_lat) : Number.NaN)),
      lon: Float64Array.from(rows, (row) => (row.stop_lon ? Number(row.stop_lon) : Number.NaN)),
      station: Int32Array.from(rows, (row, i) => rowOf.get(row.parent_station ?? '') ?? i),
    },
    parsePlaces(await readProjectFile('data/lookups/places.csv')),
  );
  return rows
    .map((row, i) => ({
      id: row.stop_id!,
      published: row.stop_name!,
      name: name[i]!,
      lat: Number(row.stop_lat),
      lon: Number(row.stop_lon),
      isPart: row.parent_station !== '',
    }))
    .filter(({ isPart, lat }) => !isPart && lat !== 0);
}

/** Pairs of places that share a name. */
function listTwins(places: readonly NamedPlace[], nameOf: (place: NamedPlace) => string): string[] {
  return places.flatMap((one, i) =>
    places
      .slice(i + 1)
      .filter((other) => nameOf(one) === nameOf(other))
      .filter((other) => distanceMeters(one.lat, one.lon, other.lat, other.lon) > SAME_PLACE_METERS)
      .map((other) => `${nameOf(one)}: ${one.id}, ${other.id}`),
  );
}

it('shows no two places under one name, although the feed publishes some twice', async () => {
  const places = await readPlaces();
  expect(places.length).toBeGreaterThan(400);
  expect(listTwins(places, ({ published }) => published).length).toBeGreaterThan(2);
  expect(listTwins(places, ({ name }) => name)).toEqual([]);
  const renamed = places.filter(({ name, published }) => name !== published);
  expect(renamed.map(({ name }) => name).sort()).toEqual([
    'Bregenz Landeskrankenhaus',
    'Graz Hauptplatz',
    'Graz Laudongasse',
    'Linz Hauptplatz',
    'Salzburg Landeskrankenhaus',
    'Salzburg Rathaus',
    'Villach Hauptplatz',
    'Wien Laudongasse',
    'Wien Rathaus',
  ]);
});
