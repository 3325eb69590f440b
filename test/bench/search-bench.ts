import process from 'node:process';
import { buildNearbyIndex, findNearby } from '../../api/engine/read/nearby.ts';
import { SearchWorkspace } from '../../api/engine/read/search-workspace.ts';
import { searchStops } from '../../api/engine/search/search.ts';
import { buildSearchIndex, type SearchEntry } from '../../pipeline/timetable/snapshot/search-index.ts';
import { makeRandom, makeStops, pickFrom } from './made-up-stops.ts';
import { type Metric, measureRuns, quantile } from './metric.ts';

interface StopSet {
  readonly entries: readonly SearchEntry[];
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

const STOPS = 100_000;
const CITY_STOPS = 9000;
const FULL_NAMES = 500;
const ROUNDS = 5;
const SEED = 20_251_026;

/** Measures search and nearby on generated stops of a country, in process, on one core, after warming up. */
export function benchSearch(): Metric[] {
  const stops = makeStopSet();
  const started = performance.now();
  const index = buildSearchIndex(stops.entries);
  const buildMillis = performance.now() - started;
  const columns: readonly { readonly byteLength: number }[] = Object.values(index);
  const indexBytes = columns.reduce((sum, column) => sum + column.byteLength, 0);

  const bias = { lat: 48.2, lon: 16.37 };
  const plain = { limit: 10, coordinates: stops, workspace: new SearchWorkspace(index) };
  const searches = [...listQueries(stops), ...WORST_QUERIES].flatMap((query) => [
    () => searchStops(index, query, plain),
    () => searchStops(index, query, { ...plain, limit: 50, bias }),
  ]);
  const worst = WORST_QUERIES.map((query) => () => searchStops(index, query, { ...plain, limit: 50, bias }));

  const nearbyStarted = performance.now();
  const nearby = buildNearbyIndex(stops.lat, stops.lon);
  const nearbyMillis = performance.now() - nearbyStarted;
  const lookups = Array.from({ length: 500 }, (_, i) => () => {
    const entry = (i * 197) % STOPS;
    return findNearby(nearby, stops.lat[entry]! + 0.003, stops.lon[entry]! - 0.003, 10_000, 100);
  });

  const city = makeCity();
  const fullNames = [...benchFullNames('country, 100,000 stops', stops), ...benchFullNames('city, 9,000 stops', city)];
  const search = measureRuns(searches, ROUNDS);
  const nearbyTimes = measureRuns(lookups, ROUNDS);
  return [
    { name: 'search: build the index, 100,000 stops', value: buildMillis, unit: 'ms' },
    { name: 'search: size of the index', value: indexBytes / 2 ** 20, unit: 'MiB' },
    { name: 'search: query mix, p50', value: quantile(search, 0.5), unit: 'ms' },
    { name: 'search: query mix, p99', value: quantile(search, 0.99), unit: 'ms', target: { atMost: 10 } },
    {
      name: 'search: worst queries alone, median of the slowest',
      value: slowest(worst),
      unit: 'ms',
      target: { atMost: 10 },
    },
    ...fullNames,
    { name: 'nearby: build the index', value: nearbyMillis, unit: 'ms' },
    { name: 'nearby: 10 km, limit 100, p50', value: quantile(nearbyTimes, 0.5), unit: 'ms' },
    { name: 'nearby: 10 km, limit 100, p99', value: quantile(nearbyTimes, 0.99), unit: 'ms', target: { atMost: 2 } },
  ];
}

/** Whole names, as an app sends them after the user picks one from a list. */
function benchFullNames(where: string, stops: StopSet): Metric[] {
  const index = buildSearchIndex(stops.entries);
  const options = { limit: 10, coordinates: stops, workspace: new SearchWorkspace(index) };
  const names = Array.from(
    { length: FULL_NAMES },
    (_, i) => stops.entries[(i * 661 + 17) % stops.entries.length]!.name,
  );
  const times = measureRuns(
    names.map((name) => () => searchStops(index, name, options)),
    ROUNDS,
  );
  // Processor time, which other programs change less than the time that passes.
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) for (const name of names) searchStops(index, name, options);
  const { user, system } = process.cpuUsage(before);
  const perSecond = (1e6 * ROUNDS * names.length) / (user + system);
  return [
    { name: `search: full names of a ${where}, p50`, value: quantile(times, 0.5), unit: 'ms' },
    { name: `search: full names of a ${where}, p99`, value: quantile(times, 0.99), unit: 'ms' },
    {
      name: `search: full names of a ${where}, by processor time`,
      value: perSecond,
      unit: '/s',
      target: { atLeast: 5000 },
    },
  ];
}

/** Stops on both sides of intersections, with names of 7 to 9 words, nearly all shared. */
function makeCity(): StopSet {
  const random = makeRandom(SEED);
  const ways = ['St', 'Ave', 'Rd', 'Blvd', 'Dr'];
  const street = () =>
    `${1 + Math.floor(random() * 150)}th ${pickFrom(ways, random)} ${pickFrom(['NW', 'SE', 'N', 'S'], random)}`;
  const entries = Array.from({ length: CITY_STOPS }, () => ({
    name: `${pickFrom(['Northbound', 'Southbound', 'Eastbound', 'Westbound'], random)} ${street()} @ ${street()}`,
    place: null,
    importance: -Math.log(random() + 1e-9),
  }));
  const nowhere = new Float64Array(CITY_STOPS).fill(Number.NaN);
  return { entries, lat: nowhere, lon: nowhere };
}

function makeStopSet(): StopSet {
  const random = makeRandom(SEED);
  const stops = makeStops(STOPS, random);
  return {
    entries: stops.map(({ name, place }) => ({ name, place, importance: -Math.log(random() + 1e-9) })),
    lat: Float64Array.from(stops, ({ lat }) => lat),
    lon: Float64Array.from(stops, ({ lon }) => lon),
  };
}

function slowest(runs: readonly (() => unknown)[]): number {
  return Math.max(...runs.map((run) => quantile(measureRuns([run], ROUNDS), 0.5)));
}

// ---- Queries -----------------------------------------------------------------------------------

const WORST_QUERIES: readonly string[] = [
  's',
  'b',
  'e',
  'st',
  'wi',
  'wien',
  'bahnhof',
  'strasse',
  'platz',
  'ber',
  'bahnhof strasse platz',
  'bahnhof strasse platz gasse wien graz linz ort mitte kirche schule markt',
  'bahnhofstrasse hauptplatz gemeindeamt wienerstrasse kirchengasse schulweg',
  'bahnhfstrase hauptpltz gemeindeant winerstrasse kirchngasse schulwge',
  'hauptbahnhofstrassenbahnhaltestellenplatz',
  'q'.repeat(100),
  'a'.repeat(100),
  'qxz '.repeat(25),
  'qxzw '.repeat(20),
  'straxe qlatzi bahnxof gaxse kirxhe marxt schule weginx oberdorx unterdoxf neudxrf',
  'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(2).slice(0, 100),
  'unterobersanktveitneudorfkirchenstrassebahnhofhauptplatz'.slice(0, 100),
  'xqzjwvkpyx bcdfghjklm nrtvwxzpqs lkjhgfdsaq mnbvcxyasd poiuztrewq yxcvbnmlkj qwertzuiop asdfghjkly',
];

/** Input while users type: names, places, prefixes and typing errors. */
function listQueries({ entries }: StopSet): string[] {
  const queries: string[] = [];
  for (let i = 0; i < 150; i++) {
    const { name, place } = entries[(i * 661 + 17) % entries.length]!;
    const middle = name.length >> 1;
    queries.push(
      name,
      `${place} ${name}`,
      name.slice(0, 1 + (i % 7)),
      name.slice(0, middle),
      name.slice(0, middle) + name.slice(middle + 1),
      `x${name.slice(1)}`,
      name.toLowerCase().replace('straße', 'str'),
    );
  }
  return queries;
}
