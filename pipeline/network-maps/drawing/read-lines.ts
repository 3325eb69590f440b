import { type Product, products } from '../../model/product.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { MapLine } from './map-network.ts';
import { type DrawnPlace, mergePlaces } from './merge-places.ts';

/** Products on network maps. */
const mapProducts: readonly Product[] = ['subway', 'tram', 'sBahn', 'regionalTrain', 'train'];

/** Trips with the same sequence of places, in either direction. */
export interface LineRun {
  /** Rows of the places. */
  readonly places: readonly number[];
  /** Number of dated trips. */
  readonly datedTrips: number;
  /** Label of the line, as a drawn line may combine several. */
  readonly label: string;
}

export interface TimetableLine extends MapLine {
  readonly runs: readonly LineRun[];
  /** Versions that it comes from, as rows of `feeds`. */
  readonly feeds: readonly number[];
}

/** The lines that maps may show, and the places where they call. */
export interface TimetableLines {
  readonly places: readonly DrawnPlace[];
  readonly lines: readonly TimetableLine[];
}

/**
 * Colours for lines without a published one, distinguishable for most colour-blind readers (Okabe and Ito 2008,
 * extended).
 */
export const lineColors: readonly number[] = [
  0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x7a5195, 0x8c6d31, 0xc8102e, 0x5a8f29, 0x1f3c88,
  0xb5179e,
];

/**
 * Reads the rail lines of a timetable: routes with the same label, operator, product and colour that meet are one line.
 * @param isInForce whether a version (row of `feeds`) is shown
 */
export function readLines(tables: TimetableTables, isInForce: (feed: number) => boolean): TimetableLines {
  const { routes, patterns, patternCalls } = tables;
  const chosen = listPatterns(tables, isInForce);
  const used = new Set<number>();
  for (const pattern of chosen) {
    const first = patterns.firstCall[pattern]!;
    for (let i = 0; i < patterns.callCount[pattern]!; i++) used.add(patternCalls.stop[first + i]!);
  }
  const { places, placeOf } = mergePlaces(tables, used);
  const groups = new Map<string, { runs: LineRun[]; routes: Set<number> }[]>();
  for (const pattern of chosen) {
    const run = readRun(tables, placeOf, pattern);
    if (run.places.length < 2 || run.datedTrips === 0) continue;
    const route = patterns.route[pattern]!;
    const parts = groups.get(nameLine(tables, route)) ?? [];
    const at = new Set(run.places);
    // Lines that the run meets are merged with it.
    const met = parts.filter(
      (part) => part.routes.has(route) || part.runs.some((other) => other.places.some((place) => at.has(place))),
    );
    const joined = {
      runs: [...met.flatMap(({ runs }) => runs), run],
      routes: new Set([route, ...met.flatMap((part) => [...part.routes])]),
    };
    groups.set(nameLine(tables, route), [...parts.filter((part) => !met.includes(part)), joined]);
  }
  const parts = [...groups].sort(([a], [b]) => compareText(a, b)).flatMap(([, list]) => list);
  const lines = parts.map((part, i) =>
    presentLine(
      tables,
      [...part.routes].sort((a, b) => a - b),
      mergeRuns(part.runs),
      i,
    ),
  );
  return { places, lines: lines.sort(compareLines) };

  function presentLine(
    { agencies }: TimetableTables,
    rows: readonly number[],
    runs: readonly LineRun[],
    index: number,
  ): TimetableLine {
    const [route] = rows as [number];
    const agency = routes.agency[route]!;
    const color = routes.color[route]!;
    return {
      label: labelOf(routes, route),
      product: products[routes.product[route]!]!,
      color: color < 0 ? lineColors[index % lineColors.length]! : color,
      operator: agency < 0 ? null : agencies.name.get(agency) || null,
      runs,
      feeds: [...new Set(rows.map((row) => routes.feed[row]!))].sort((a, b) => a - b),
    };
  }
}

/** Patterns of the products of maps in the versions in force. */
function listPatterns({ patterns, routes }: TimetableTables, isInForce: (feed: number) => boolean): number[] {
  const isShown = (route: number) =>
    mapProducts.includes(products[routes.product[route]!]!) && isInForce(routes.feed[route]!);
  return Array.from(patterns.route, (_, pattern) => pattern).filter((pattern) => isShown(patterns.route[pattern]!));
}

function nameLine({ routes }: TimetableTables, route: number): string {
  const { source, agency, product, color } = routes;
  return JSON.stringify([source[route], agency[route], product[route], labelOf(routes, route), color[route]]);
}

const labelOf = ({ label, longName }: TimetableTables['routes'], route: number) =>
  label.get(route) || longName.get(route);

function readRun(
  { patterns, patternCalls, trips, ...tables }: TimetableTables,
  placeOf: Int32Array,
  pattern: number,
): LineRun {
  const first = patterns.firstCall[pattern]!;
  const places: number[] = [];
  for (let i = 0; i < patterns.callCount[pattern]!; i++) {
    const place = placeOf[patternCalls.stop[first + i]!]!;
    if (place >= 0 && place !== places.at(-1)) places.push(place);
  }
  let datedTrips = 0;
  for (let i = 0; i < patterns.tripCount[pattern]!; i++) {
    datedTrips += countDays(tables, trips.service[patterns.firstTrip[pattern]! + i]!);
  }
  return { places, datedTrips, label: labelOf(tables.routes, patterns.route[pattern]!) };
}

/** Days on which a service runs. */
function countDays(
  { services, serviceBits }: Pick<TimetableTables, 'services' | 'serviceBits'>,
  service: number,
): number {
  const days = services.lastDay[service]! - services.firstDay[service]! + 1;
  let count = 0;
  for (let i = 0; i < days; i++) {
    count += (serviceBits.bits[services.firstByte[service]! + (i >> 3)]! >> (i & 7)) & 1;
  }
  return count;
}

/** Sums runs with the same places in either direction; the most frequent first. */
function mergeRuns(runs: readonly LineRun[]): LineRun[] {
  const byPlaces = new Map<string, { places: readonly number[]; datedTrips: number; label: string }>();
  for (const { places, datedTrips, label } of runs) {
    const back = [...places].reverse();
    const way = compareRows(places, back) <= 0 ? places : back;
    const known = byPlaces.get(way.join());
    if (known) known.datedTrips += datedTrips;
    else byPlaces.set(way.join(), { places: way, datedTrips, label });
  }
  return [...byPlaces.values()].sort((a, b) => b.datedTrips - a.datedTrips || compareRows(a.places, b.places));
}

function compareRows(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return a.length - b.length;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Metro before trams before trains, then by label with its number: 2 before 10. */
function compareLines(a: MapLine, b: MapLine): number {
  const rank = mapProducts.indexOf(a.product) - mapProducts.indexOf(b.product);
  return (
    rank ||
    a.label.localeCompare(b.label, 'de', { numeric: true }) ||
    a.color - b.color ||
    compareText(a.operator ?? '', b.operator ?? '')
  );
}
