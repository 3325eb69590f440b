import process from 'node:process';
import { namePoint } from '../../api/engine/places/nearest-place.ts';
import { findPlaceRow, openPlaceIndex, type PlacesIndex } from '../../api/engine/places/place-index.ts';
import { locatePlace, nameShort } from '../../api/engine/places/present-place.ts';
import { searchPlaces } from '../../api/engine/places/search-places.ts';
import { findCurrentPlacesId, readPlacesSnapshot } from '../../pipeline/snapshots/places-files.ts';
import { SEED } from './made-up-country.ts';
import { makeRandom } from './made-up-stops.ts';
import { type Metric, measureRuns, quantile } from './metric.ts';

const QUERIES = 400;
const ROUNDS = 2;

/** Opens the published index in a separate process, and searches as riders do: with each letter. */
export async function measureCountrySearch({ dataDir }: { readonly dataDir: string }): Promise<Metric[]> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const index = openPlaceIndex(await readPlacesSnapshot(dataDir, (await findCurrentPlacesId(dataDir))!));
  const megabytes = (process.memoryUsage.rss() - before) / 1e6;
  const queries = listQueries(index);
  const kinds = ['poi', 'address'] as const;
  const bias = { lat: 48.2, lon: 16.37 };
  const searches = queries.flatMap((query, i) => [
    () => searchPlaces(index, { query, limit: 10, kinds, ...(i % 2 === 0 ? { bias } : {}) }),
  ]);
  const search = measureRuns(searches, ROUNDS);
  const points = listPoints(index);
  const reverse = measureRuns(
    points.map(
      ({ lat, lon }) =>
        () =>
          namePoint(index, lat, lon),
    ),
    ROUNDS,
  );
  const ids = measureRuns(
    Array.from(index.tables.placeHouses.ref.subarray(0, QUERIES), (ref) => () => findPlaceRow(index, ref)),
    ROUNDS,
  );
  return [
    { name: 'places: country, memory of the API', value: megabytes, unit: 'MB', target: { atMost: 150 } },
    {
      name: 'places: country, search with each letter, p50',
      value: quantile(search, 0.5),
      unit: 'ms',
      target: { atMost: 5 },
    },
    {
      name: 'places: country, search with each letter, p99',
      value: quantile(search, 0.99),
      unit: 'ms',
      target: { atMost: 25 },
    },
    { name: 'places: country, name of a coordinate, p99', value: quantile(reverse, 0.99), unit: 'ms' },
    { name: 'places: country, place by id, p99', value: quantile(ids, 0.99), unit: 'ms' },
  ];
}

/** Each beginning of addresses and places, and whole ones with errors. */
function listQueries(index: PlacesIndex): string[] {
  const random = makeRandom(SEED);
  const { places, placeHouses, placeTowns } = index.tables;
  return Array.from({ length: QUERIES }, (_, i) => {
    const place = Math.floor(random() * places.ref.length);
    const town = placeTowns.name.get(places.town[place]!);
    const house = i % 3 === 0 && place < index.streetCount ? index.tables.placeStreets.firstHouse[place]! : -1;
    const name = nameShort(index, { place, house: house < placeHouses.ref.length ? house : -1 });
    const whole = i % 4 === 0 ? `${town} ${name}` : `${name} ${town}`;
    if (i % 10 === 9) return whole.slice(0, 4) + whole.slice(5);
    return whole.slice(0, 1 + Math.floor(random() * whole.length));
  });
}

function listPoints(index: PlacesIndex) {
  const random = makeRandom(SEED);
  return Array.from({ length: QUERIES }, () => {
    const place = Math.floor(random() * index.tables.places.ref.length);
    const { lat, lon } = locatePlace(index, { place, house: -1 });
    return { lat: lat + (random() - 0.5) * 0.01, lon: lon + (random() - 0.5) * 0.01 };
  });
}
