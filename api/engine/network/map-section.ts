import { isCoordinate } from '../../../pipeline/model/geo.ts';
import { type Product, products } from '../../../pipeline/model/product.ts';
import type { LonLat, MapSection, MapSectionLine, MapSectionStop } from '../../contract/site-map.ts';
import { isInSection, type Section } from '../read/section.ts';
import { getStopId } from '../read/stop-ids.ts';
import { getMembers, type Timetable } from '../read/timetable.ts';
import { boundPoints, indexWays, type NetworkLine, readPoints } from './index-ways.ts';
import { mergeWays } from './merge-ways.ts';
import { cutWay, simplifyWay } from './simplify-way.ts';

/** From which zoom lines and stops of a product are drawn. Railways first: they are drawn below the others. */
const visible: readonly { readonly product: Product; readonly lineZoom: number; readonly stopZoom: number }[] = [
  { product: 'train', lineZoom: 0, stopZoom: 5 },
  { product: 'regionalTrain', lineZoom: 6, stopZoom: 8 },
  { product: 'sBahn', lineZoom: 8, stopZoom: 10 },
  { product: 'cityBus', lineZoom: 12, stopZoom: 14 },
  { product: 'regionalBus', lineZoom: 11, stopZoom: 13 },
  { product: 'nightBus', lineZoom: 13, stopZoom: 14 },
  { product: 'ship', lineZoom: 9, stopZoom: 12 },
  { product: 'cableway', lineZoom: 11, stopZoom: 13 },
  { product: 'other', lineZoom: 12, stopZoom: 14 },
  { product: 'tram', lineZoom: 10, stopZoom: 13 },
  { product: 'subway', lineZoom: 9, stopZoom: 11 },
];

/** The answer stays below half a megabyte: a point takes about 20 bytes. */
const MAX_POINTS = 20_000;
const MAX_STOPS = 250;
/** Points nearer than half a pixel to the line are not seen; 512 pixels are the world at zoom 0. */
const TOLERANCE_PIXELS = 0.6;
const WORLD_PIXELS = 512;
/** Ways of a line nearer than this are drawn as one: about the width of a line, or of a wide street. */
const MERGED_PIXELS = 3;
const MIN_MERGED_METERS = 60;
const METERS_PER_DEGREE = 111_195;
/** Chosen products are drawn from farther away than all together. */
const CHOSEN_ZOOM_LEVELS = 2;

/** A timetable's network for maps. */
interface NetworkMap {
  readonly timetable: Timetable;
  readonly lines: readonly NetworkLine[];
  readonly bounds: MapSection['bounds'];
  readonly products: readonly Product[];
}

interface SectionQuery {
  readonly section: Section;
  readonly zoom: number;
  /** null: all. */
  readonly chosen: readonly Product[] | null;
}

export function openNetworkMap(timetable: Timetable): NetworkMap {
  const { lat, lon } = timetable.tables.stops;
  const points: LonLat[] = [];
  for (let stop = 0; stop < lat.length; stop++) {
    if (isCoordinate(lat[stop]!, lon[stop]!)) points.push([lon[stop]!, lat[stop]!]);
  }
  const { minLat, minLon, maxLat, maxLon } = boundPoints(points);
  const bounds = points.length === 0 ? null : { south: minLat, west: minLon, north: maxLat, east: maxLon };
  const lines = indexWays(timetable);
  return { timetable, lines, bounds, products: products.filter((one) => lines.some(({ product }) => product === one)) };
}

/** Lines and stops of a section, as much of them as is seen at a zoom. */
export function findSection(network: NetworkMap, query: SectionQuery): MapSection {
  const lines = findLines(network, query);
  const stops = findStops(network.timetable, query);
  return {
    bounds: network.bounds,
    products: network.products,
    lines: lines.found,
    stops: stops.slice(0, MAX_STOPS).map((stop) => presentStop(network.timetable, stop)),
    isPartial: lines.isPartial || stops.length > MAX_STOPS,
  };
}

function findLines({ timetable, lines }: NetworkMap, query: SectionQuery) {
  const { section, zoom } = query;
  const pixelDegrees = 360 / (WORLD_PIXELS * 2 ** zoom);
  const tolerance = TOLERANCE_PIXELS * pixelDegrees;
  const mergedMeters = Math.max(MIN_MERGED_METERS, MERGED_PIXELS * pixelDegrees * METERS_PER_DEGREE);
  const found: MapSectionLine[] = [];
  let points = 0;
  for (const { product, lineZoom } of visible) {
    if (!isShown(query, product, lineZoom)) continue;
    for (const line of lines.filter((one) => one.product === product)) {
      const near = line.ways.filter(({ around }) => doOverlap(around, section));
      const parts = near.flatMap((way) =>
        cutWay(readPoints(timetable, way), section).map((part) => simplifyWay(part, tolerance)),
      );
      const ways = mergeWays(parts, mergedMeters);
      if (ways.length === 0) continue;
      points += ways.reduce((sum, way) => sum + way.length, 0);
      if (points > MAX_POINTS) return { found, isPartial: true };
      const { label, colorHex } = line;
      found.push({ label, product, colorHex, ways: ways.map((way) => way.map(round)) });
    }
  }
  return { found, isPartial: false };
}

function isShown({ zoom, chosen }: SectionQuery, product: Product, fromZoom: number): boolean {
  if (chosen === null) return zoom >= fromZoom;
  return chosen.includes(product) && zoom >= fromZoom - CHOSEN_ZOOM_LEVELS;
}

/** Metres. */
function round([lon, lat]: LonLat): LonLat {
  return [Math.round(lon * 1e5) / 1e5, Math.round(lat * 1e5) / 1e5];
}

function doOverlap(a: Section, b: Section): boolean {
  return a.minLat <= b.maxLat && b.minLat <= a.maxLat && a.minLon <= b.maxLon && b.minLon <= a.maxLon;
}

/** Rows of the stations and single stops in a section that the zoom shows; those with the most calls first. */
function findStops(timetable: Timetable, query: SectionQuery): number[] {
  const { stops } = timetable.tables;
  const shown = visible.reduce(
    (bits, { product, stopZoom }) =>
      isShown(query, product, stopZoom) ? bits | (1 << products.indexOf(product)) : bits,
    0,
  );
  const found: { readonly stop: number; readonly calls: number }[] = [];
  for (let stop = 0; stop < stops.lat.length; stop++) {
    if (stops.station[stop] !== stop || (stops.productClasses[stop]! & shown) === 0) continue;
    if (!isInSection(query.section, stops.lat[stop]!, stops.lon[stop]!)) continue;
    const calls = getMembers(timetable.tables, stop).reduce((sum, member) => sum + stops.stopCallCount[member]!, 0);
    found.push({ stop, calls });
  }
  return found.sort((a, b) => b.calls - a.calls || a.stop - b.stop).map(({ stop }) => stop);
}

function presentStop(timetable: Timetable, stop: number): MapSectionStop {
  const { stops } = timetable.tables;
  const [lon, lat] = round([stops.lon[stop]!, stops.lat[stop]!]);
  return { id: getStopId(timetable, stop), name: stops.name.get(stop), lat, lon };
}
