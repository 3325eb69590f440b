import { distanceMeters, METERS_PER_DEGREE } from '../../model/geo.ts';
import type { Product } from '../../model/product.ts';
import { type MapKind, type MapLanguage, mapTexts } from './map-texts.ts';
import type { DrawnPlace } from './merge-places.ts';
import { type LineRun, lineColors, type TimetableLine, type TimetableLines } from './read-lines.ts';

/** A town with the places around its centre. */
interface Town {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly radiusMeters: number;
}

/** A map to be drawn. */
export interface MapChoice {
  /** Small letters, digits and hyphens; unique. */
  readonly id: string;
  readonly kind: MapKind;
  readonly title: string;
  /** The town, the country or the operator that it shows. */
  readonly region: string;
  readonly lines: readonly TimetableLine[];
}

/** Minimum stations of a map; fewer are a list. */
const MIN_PLACES = 6;
/** With more lines than this, metro and trams of a city have separate maps. */
const MAX_CITY_PLACES = 220;
/** With more lines than this, lines of one product are drawn as one, because nobody would read the legend. */
const MAX_LINES = 48;
/** If more lines share a colour, each gets a distinct one. */
const MAX_OF_ONE_COLOR = 2;
/** Lines with stations this close belong to one city, even without a common station. */
const SAME_CITY_METERS = 600;
/** Minimum share of a map's stations in the town that it is named after. */
const MIN_SHARE_IN_TOWN = 0.4;
/** Towns of the list that a map of the country spans. */
const MIN_TOWNS_OF_COUNTRY = 3;
/** Maximum stations of a map: more names are unreadable, and the layout takes minutes. */
const MAX_PLACES = 500;
/** Maximum number of maps, largest networks first. */
const MAX_MAPS = 40;

const railProducts: readonly Product[] = ['sBahn', 'regionalTrain', 'train'];

/** Chooses the maps of a timetable: cities by their metro and trams, suburban trains with the metro, railways. */
export function chooseMaps(
  { lines, places }: TimetableLines,
  towns: readonly Town[],
  language: MapLanguage,
): MapChoice[] {
  const ofProducts = (products: readonly Product[], among = lines) =>
    among.filter(({ product }) => products.includes(product));
  const rail = groupLines(ofProducts(railProducts), places, 0).map((group) => ({
    kind: 'rail' as MapKind,
    lines: group,
  }));
  const cities = groupLines(ofProducts(['subway', 'tram']), places, SAME_CITY_METERS).flatMap((group) => {
    const metro = ofProducts(['subway'], group);
    const trams = ofProducts(['tram'], group);
    const isSmall = countPlaces(group) <= MAX_CITY_PLACES;
    const together = metro.length > 0 && trams.length > 0 && isSmall ? [{ kind: 'city' as MapKind, lines: group }] : [];
    const alone = isSmall && together.length > 0 ? [] : [{ kind: 'tram' as MapKind, lines: trams }];
    return [...together, { kind: 'metro' as MapKind, lines: metro }, ...alone];
  });
  const rapid = groupLines(ofProducts(['subway', 'sBahn']), places, SAME_CITY_METERS)
    .filter((group) => ofProducts(['subway'], group).length > 0 && ofProducts(['sBahn'], group).length > 0)
    .map((group) => ({ kind: 'rapid' as MapKind, lines: group }));
  const sound = [...cities, ...rapid, ...rail].filter((map) => countPlaces(map.lines) >= MIN_PLACES);
  const largest = sound.sort((a, b) => countPlaces(b.lines) - countPlaces(a.lines)).slice(0, MAX_MAPS);
  return nameMaps(largest, places, towns, language);
}

function countPlaces(lines: readonly TimetableLine[]): number {
  return new Set(lines.flatMap(({ runs }) => runs.flatMap((run) => run.places))).size;
}

/** Groups lines that meet, directly or through others; with a distance above 0, also lines with stations that close. */
function groupLines(
  lines: readonly TimetableLine[],
  places: readonly DrawnPlace[],
  nearMeters: number,
): TimetableLine[][] {
  const placesOf = lines.map(({ runs }) => [...new Set(runs.flatMap((run) => run.places))]);
  const group = lines.map((_, i) => i);
  const rootOf = (i: number): number => (group[i] === i ? i : rootOf(group[i]!));
  const lineAt = new Map<number, number>();
  for (const [line, at] of placesOf.entries()) {
    for (const place of at) {
      const other = lineAt.get(place);
      if (other === undefined) lineAt.set(place, line);
      else group[rootOf(line)] = rootOf(other);
    }
  }
  const shown = [...lineAt.keys()].sort((a, b) => places[a]!.lat - places[b]!.lat);
  // Sorted from south to north: only places within the distance are compared.
  const nearDegrees = nearMeters / METERS_PER_DEGREE;
  for (const [i, a] of shown.entries()) {
    for (
      let j = i + 1;
      j < shown.length && places[shown[j]!]!.lat - places[a]!.lat <= nearDegrees && nearMeters > 0;
      j++
    ) {
      const b = shown[j]!;
      const meters = distanceMeters(places[a]!.lat, places[a]!.lon, places[b]!.lat, places[b]!.lon);
      if (meters <= nearMeters) group[rootOf(lineAt.get(a)!)] = rootOf(lineAt.get(b)!);
    }
  }
  const groups = new Map<number, TimetableLine[]>();
  for (const [i, line] of lines.entries()) groups.set(rootOf(i), [...(groups.get(rootOf(i)) ?? []), line]);
  return [...groups.values()];
}

function nameMaps(
  maps: readonly { readonly kind: MapKind; readonly lines: readonly TimetableLine[] }[],
  places: readonly DrawnPlace[],
  towns: readonly Town[],
  language: MapLanguage,
): MapChoice[] {
  const taken = new Map<string, number>();
  return maps.map(({ kind, lines }) => {
    const region = findRegion(lines, places, towns, language);
    const name = toId(`${region} ${kind}`);
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    const title = `${region}: ${mapTexts[language].kinds[kind]}`;
    const shown = limitPlaces(joinLines(lines, language));
    return { id: count === 1 ? name : `${name}-${count}`, kind, title, region, lines: shown };
  });
}

/** The town with most of the stations, else the country, else the operator with most of the trips. */
function findRegion(
  lines: readonly TimetableLine[],
  places: readonly DrawnPlace[],
  towns: readonly Town[],
  language: MapLanguage,
): string {
  const shown = [...new Set(lines.flatMap(({ runs }) => runs.flatMap((run) => run.places)))];
  const counts = towns.map(({ name, lat, lon, radiusMeters }) => {
    const count = shown.filter(
      (place) => distanceMeters(lat, lon, places[place]!.lat, places[place]!.lon) <= radiusMeters,
    ).length;
    return { name, count };
  });
  const [first] = [...counts].sort((a, b) => b.count - a.count);
  if (first && first.count >= MIN_SHARE_IN_TOWN * shown.length) return first.name;
  if (counts.filter(({ count }) => count > 0).length >= MIN_TOWNS_OF_COUNTRY) return mapTexts[language].country;
  const trips = new Map<string, number>();
  for (const { operator, runs } of lines) {
    const sum = runs.reduce((total, { datedTrips }) => total + datedTrips, 0);
    if (operator !== null) trips.set(operator, (trips.get(operator) ?? 0) + sum);
  }
  const [busiest] = [...trips].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return busiest?.[0] ?? first?.name ?? mapTexts[language].network;
}

function toId(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
  return (
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 64)
      .replace(/-$/, '') || 'map'
  );
}

/** Lines as drawn: trains of one colour as one and, if there are still too many, those of one product. */
function joinLines(lines: readonly TimetableLine[], language: MapLanguage): readonly TimetableLine[] {
  const strands = joinBy(lines, (line) => {
    const { product, operator, color, label } = line;
    return JSON.stringify(
      railProducts.includes(product) ? [product, operator, color] : [product, operator, color, label],
    );
  });
  if (strands.length <= MAX_LINES) return assignDistinctColors(strands);
  return joinBy(lines, ({ product }) => product).map((line) => {
    return { ...line, label: mapTexts[language].products[line.product] ?? line.product, operator: null };
  });
}

function joinBy(lines: readonly TimetableLine[], keyOf: (line: TimetableLine) => string): TimetableLine[] {
  const groups = new Map<string, TimetableLine[]>();
  for (const line of lines) groups.set(keyOf(line), [...(groups.get(keyOf(line)) ?? []), line]);
  return [...groups.values()].map((group) => ({
    ...group[0]!,
    label: [...new Set(group.map(({ label }) => label))].join(' · '),
    runs: group.flatMap(({ runs }) => runs).sort((a, b) => b.datedTrips - a.datedTrips),
    feeds: [...new Set(group.flatMap(({ feeds }) => feeds))].sort((a, b) => a - b),
  }));
}

/** Assigns distinct colours where more than two lines share one: otherwise they could not be followed. */
function assignDistinctColors(lines: readonly TimetableLine[]): TimetableLine[] {
  const counts = new Map<number, number>();
  for (const { color } of lines) counts.set(color, (counts.get(color) ?? 0) + 1);
  const free = lineColors.filter((color) => !counts.has(color));
  let next = 0;
  return lines.map((line) => {
    const isShared = counts.get(line.color)! > MAX_OF_ONE_COLOR && line.product !== 'subway';
    return isShared ? { ...line, color: free[next++ % free.length]! } : line;
  });
}

/** Drops stations if there are too many: junctions and ends stay longest, then those with the most calls. */
function limitPlaces(lines: readonly TimetableLine[]): readonly TimetableLine[] {
  const neighbours = new Map<number, Set<number>>();
  const calls = new Map<number, number>();
  for (const { places, datedTrips } of lines.flatMap(({ runs }) => runs)) {
    for (const [i, place] of places.entries()) {
      const near = [places[i - 1], places[i + 1]].filter((other) => other !== undefined);
      neighbours.set(place, new Set([...(neighbours.get(place) ?? []), ...near]));
      calls.set(place, (calls.get(place) ?? 0) + datedTrips);
    }
  }
  if (calls.size <= MAX_PLACES) return lines;
  const isJunction = (place: number) => (neighbours.get(place)!.size === 2 ? 0 : 1);
  const ranked = [...calls.keys()].sort(
    (a, b) => isJunction(b) - isJunction(a) || calls.get(b)! - calls.get(a)! || a - b,
  );
  const kept = new Set(ranked.slice(0, MAX_PLACES));
  const shorten = (run: LineRun) => ({ ...run, places: run.places.filter((place) => kept.has(place)) });
  return lines
    .map((line) => ({ ...line, runs: line.runs.map(shorten).filter(({ places }) => places.length > 1) }))
    .filter(({ runs }) => runs.length > 0);
}
