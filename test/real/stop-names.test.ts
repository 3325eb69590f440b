import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDuckdb, sqlPath } from '../../pipeline/effects/duckdb.ts';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { type NamedStops, nameStops } from '../../pipeline/timetable/snapshot/name-stops.ts';
import { parsePlaces } from '../../pipeline/timetable/snapshot/stop-tables.ts';
import { temporaryFolder } from '../support/worlds/ingest.ts';
import { copyRawFeed } from '../support/worlds/raw-feed.ts';
import { realData } from '../support/worlds/real-data.ts';

/** Stops and stations of some feeds as one timetable. */
async function readStops(feeds: readonly string[]): Promise<NamedStops> {
  const db = await openDuckdb({ threads: 1 });
  const rows: { name: string; lat: number; lon: number; station: number }[] = [];
  for (const feed of feeds) {
    const folder = path.join(await temporaryFolder(), 'feed');
    await copyRawFeed(realData(feed), folder);
    const file = sqlPath(path.join(folder, 'stops.txt'));
    const read = await db.query(`
      select columns(c -> c in ('stop_id', 'stop_name', 'stop_lat', 'stop_lon', 'location_type', 'parent_station'))
      from read_csv(${file}, header = true, all_varchar = true)`);
    const kept = read.filter((row) => Number(row.location_type ?? 0) <= 1);
    const first = rows.length;
    const at = new Map(kept.map((row, i) => [row.stop_id, first + i]));
    for (const [i, row] of kept.entries()) {
      const station = at.get(row.parent_station ?? '') ?? first + i;
      rows.push({ name: String(row.stop_name), lat: Number(row.stop_lat), lon: Number(row.stop_lon), station });
    }
  }
  db.close();
  return {
    name: rows.map(({ name }) => name),
    lat: Float64Array.from(rows, ({ lat }) => lat),
    lon: Float64Array.from(rows, ({ lon }) => lon),
    station: Int32Array.from(rows, ({ station }) => station),
  };
}

const PLACES = 'data/lookups/places.csv';

async function renameStops(stops: NamedStops): Promise<string[]> {
  const { name, town } = nameStops(stops, parsePlaces(await readProjectFile(PLACES)));
  return [...new Set(name.filter((_, stop) => town[stop] !== null))].sort();
}

/** Feeds of one city hardly have a name twice; Amtrak's pairs are towns of two states, which nothing distinguishes. */
const feeds = [
  'gtfs/bydgoszcz.zip',
  'gtfs/vilnius-2018.zip',
  'gtfs/milano-small.zip',
  'gtfs/vienna-ubahn.zip',
  'gtfs/caltrain.zip',
  'gtfs/tricky/amtrak-2021-10-06.zip',
  'gtfs/tricky/cairns.zip',
  'realtime/kingston/gtfs.zip',
  'realtime/king-county/kcm_gtfs.zip',
];

describe('changes no name of a real feed unnecessarily', () => {
  it.each(feeds)('%s', async (feed) => {
    expect(await renameStops(await readStops([feed]))).toEqual([]);
  });

  it('also in one timetable', async () => {
    const stops = await readStops(feeds);
    expect(stops.name).toHaveLength(5223);
    expect(await renameStops(stops)).toEqual([]);
  });
});

it('distinguishes equal street names of two cities by the names with a town', async () => {
  const vienna = await readStops(['gtfs/vienna-ubahn.zip']);
  // The same city 200 km further east, where half of the names begin with its own town.
  const name = vienna.name.flatMap((one, i) => (i % 2 === 0 ? [one] : [`Ostend ${one}`]));
  const east = { ...vienna, name: [...name, 'Ostend Hbf'], station: Int32Array.from([...vienna.station, name.length]) };
  const stops = {
    name: [...vienna.name, ...east.name],
    lat: Float64Array.from([...vienna.lat, ...vienna.lat, vienna.lat[0]!]),
    lon: Float64Array.from([...vienna.lon, ...[...vienna.lon, vienna.lon[0]!].map((lon) => lon + 2.7)]),
    station: Int32Array.from([...vienna.station, ...[...east.station].map((row) => row + vienna.name.length)]),
  };
  const renamed = await renameStops(stops);
  expect(renamed.length).toBeGreaterThan(80);
  expect(renamed.filter((one) => !/^(Wien|Ostend) /.test(one))).toEqual([]);
});
