import { performance } from 'node:perf_hooks';
import { buildNearbyIndex, findNearby } from '../../api/engine/nearby.ts';
import { searchStops } from '../../api/engine/search.ts';
import { buildSearchIndex, type SearchEntry } from '../../pipeline/timetable/search-index.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the value must stay under. */
  readonly target?: number;
}

interface StopSet {
  readonly entries: readonly SearchEntry[];
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

const STOPS = 100_000;
const ROUNDS = 5;
const SEED = 20_251_026;

/** Search and nearby on made-up stops of a country: times in process, on one core, after warming up. */
export async function benchSearch(): Promise<Figure[]> {
  const stops = makeStops(STOPS, makeRandom(SEED));
  const started = performance.now();
  const index = buildSearchIndex(stops.entries);
  const buildMillis = performance.now() - started;
  const columns: readonly { readonly byteLength: number }[] = Object.values(index);
  const indexBytes = columns.reduce((sum, column) => sum + column.byteLength, 0);

  const bias = { lat: 48.2, lon: 16.37 };
  const plain = { limit: 10, coordinates: stops };
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

  const search = measure(searches);
  const nearbyTimes = measure(lookups);
  return [
    { name: 'search: build the index, 100,000 stops', value: buildMillis, unit: 'ms' },
    { name: 'search: size of the index', value: indexBytes / 2 ** 20, unit: 'MiB' },
    { name: 'search: query mix, p50', value: quantile(search, 0.5), unit: 'ms' },
    { name: 'search: query mix, p99', value: quantile(search, 0.99), unit: 'ms', target: 10 },
    { name: 'search: worst queries alone, median of the slowest', value: slowest(worst), unit: 'ms', target: 10 },
    { name: 'nearby: build the index', value: nearbyMillis, unit: 'ms' },
    { name: 'nearby: 10 km, limit 100, p50', value: quantile(nearbyTimes, 0.5), unit: 'ms' },
    { name: 'nearby: 10 km, limit 100, p99', value: quantile(nearbyTimes, 0.99), unit: 'ms', target: 2 },
  ];
}

/** Milliseconds of every run, in ascending order; the first round warms up and does not count. */
function measure(runs: readonly (() => unknown)[]): number[] {
  const millis: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const run of runs) {
      const started = performance.now();
      run();
      if (round > 0) millis.push(performance.now() - started);
    }
  }
  return millis.sort((a, b) => a - b);
}

function slowest(runs: readonly (() => unknown)[]): number {
  return Math.max(...runs.map((run) => quantile(measure([run]), 0.5)));
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
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

/** Names as they are, places, beginnings, mistyped names: what people send while they type. */
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

// ---- Made-up stops -----------------------------------------------------------------------------

const TOWNS = (
  'Wien Graz Linz Salzburg Innsbruck Klagenfurt Villach Wels Dornbirn Steyr Feldkirch Bregenz Leonding Baden Leoben ' +
  'Krems Traun Amstetten Kapfenberg Mödling Hallein Kufstein Traiskirchen Schwechat Braunau Stockerau Saalfelden Telfs'
).split(' ');
const HEADS = (
  'Ober Unter Neu Alt Groß Klein Kirch Mitter Hinter Vorder Wald Wiesen Stein Berg Brunn Hof Mühl Bach Eich Buch Linden ' +
  'Föhren Hirsch Reh Fuchs Wolf Adler Falken Rosen Veilchen Sonnen Mond Stern Gold Silber Eisen Kupfer Salz Sand Lehm ' +
  'Kalten Warm Hoch Tief Lang Kurz Breiten Schmal Schwarz Weiß Rot Grün Franzens Josef Maria Leopold Ferdinand Karl ' +
  'Heinrich Rudolf Ulrichs Florians Georgs Martins Niklas Peters Pauls Lorenzen Stefans Matthias Jakobs Annen Barbara'
).split(' ');
const TAILS = (
  'dorf berg bach feld hofen kirchen stetten heim ing au see tal stein burg markt brunn wald wang ried egg eben leiten ' +
  'schlag reith bruck furt mühle graben haus kreuz boden eck moos winkel'
).split(' ');
const WAYS = 'straße gasse platz weg allee ring steig siedlung brücke hof park'.split(' ');
const SPOTS = (
  'Bahnhof|Hauptplatz|Ort|Ortsmitte|Gemeindeamt|Kirche|Volksschule|Feuerwehr|Friedhof|Abzw.|Sportplatz|Gh Post|Siedlung|' +
  'Mitte|Industriestraße|Krankenhaus|Schulzentrum|Kreisverkehr|Bahnhst.|Talstation|Seebad|Bahnhofstr.|Wiener Str.|Lagerhaus'
).split('|');

function makeStops(count: number, random: () => number): StopSet {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const villages = HEADS.flatMap((head) => TAILS.map((tail) => head + tail));
  const lat = new Float64Array(count);
  const lon = new Float64Array(count);
  const entries = Array.from({ length: count }, (_, i): SearchEntry => {
    const isTown = random() < 0.35;
    const townNumber = Math.floor(random() ** 3 * TOWNS.length);
    const place = isTown ? TOWNS[townNumber]! : pick(villages);
    // A third of the stops crowd around the capital, as tightly as real ones.
    const isDense = isTown && townNumber === 0;
    lat[i] = isDense ? 48.1 + random() * 0.2 : 46.5 + random() * 2.4;
    lon[i] = isDense ? 16.2 + random() * 0.35 : 9.6 + random() * 7.4;
    return { name: makeName(place, pick, random), place, importance: -Math.log(random() + 1e-9) };
  });
  return { entries, lat, lon };
}

function makeName(place: string, pick: <T>(list: readonly T[]) => T, random: () => number): string {
  const kind = random();
  if (kind < 0.02) return `${place} Hbf`;
  if (kind < 0.35) return `${place} ${pick(SPOTS)}`;
  if (kind < 0.6) return `${place} ${pick(HEADS)}${pick(TAILS)}${pick(WAYS)}`;
  if (kind < 0.75) return `${pick(HEADS)}${pick(TAILS)}er ${pick(['Straße', 'Str.', 'Platz', 'Hauptstraße'])}`;
  if (kind < 0.85)
    return `St. ${pick(HEADS)} ${pick(['am', 'im', 'bei', 'ob'])} ${pick(HEADS)}${pick(TAILS)} ${pick(SPOTS)}`;
  if (kind < 0.95) return `${place} ${pick(HEADS)}${pick(TAILS)} ${pick(SPOTS)}`;
  return `${pick(HEADS)}${pick(TAILS)}-${pick(SPOTS)} ${1 + Math.floor(random() * 99)}`;
}

/** A small seeded generator (mulberry32): the same stops in every run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
