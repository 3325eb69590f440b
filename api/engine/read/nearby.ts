import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { distanceMeters, isCoordinate } from '../../../pipeline/model/geo.ts';

/** Stops by location; built when a timetable is loaded. */
export interface NearbyIndex {
  readonly tree: KDBush;
  /** Entry of each point of the tree, which holds only entries with coordinates. */
  readonly entryByPoint: Uint32Array;
  readonly lat: Float64Array;
  readonly lon: Float64Array;
}

interface NearbyStop {
  readonly entry: number;
  /** Rounded to whole metres. */
  readonly distanceMeters: number;
}

const METERS_PER_KILOMETER = 1000;
/** The tree computes distances differently: it is searched a millimetre further, then our own distance decides. */
const TREE_MARGIN_METERS = 0.001;

/** @param lat degrees by entry; an entry without valid coordinates is never found */
export function buildNearbyIndex(lat: Float64Array, lon: Float64Array): NearbyIndex {
  const placed = new Uint32Array(lat.length);
  let points = 0;
  for (let entry = 0; entry < lat.length; entry++) {
    if (isCoordinate(lat[entry]!, lon[entry]!)) placed[points++] = entry;
  }
  const entryByPoint = placed.subarray(0, points);
  const tree = new KDBush(points);
  for (const entry of entryByPoint) tree.add(lon[entry]!, lat[entry]!);
  tree.finish();
  return { tree, entryByPoint, lat, lon };
}

/**
 * The entries nearest to a place.
 * @param radiusMeters up to half the circumference of the earth, inclusive
 * @returns by whole metres, then entry; the limit applies to this order
 */
export function findNearby(
  index: NearbyIndex,
  lat: number,
  lon: number,
  radiusMeters: number,
  limit: number,
): NearbyStop[] {
  const { tree } = index;
  if (limit < 1) return [];
  const nearest = around(tree, lon, lat, limit, kilometers(radiusMeters));
  if (nearest.length < limit) return toStops(index, lat, lon, radiusMeters, nearest);
  // Entries that round to the same metre as the last one compete with it by entry, so all of them are needed.
  const last = toStops(index, lat, lon, Infinity, nearest).at(-1)!;
  const reach = Math.min(radiusMeters, last.distanceMeters + 0.5);
  const candidates = around(tree, lon, lat, Infinity, kilometers(reach));
  return toStops(index, lat, lon, radiusMeters, candidates).slice(0, limit);
}

function kilometers(meters: number): number {
  return (meters + TREE_MARGIN_METERS) / METERS_PER_KILOMETER;
}

function toStops(
  { entryByPoint, lat: lats, lon: lons }: NearbyIndex,
  lat: number,
  lon: number,
  radiusMeters: number,
  points: readonly number[],
): NearbyStop[] {
  const stops: NearbyStop[] = [];
  for (const point of points) {
    const entry = entryByPoint[point]!;
    const distance = distanceMeters(lat, lon, lats[entry]!, lons[entry]!);
    if (distance <= radiusMeters) stops.push({ entry, distanceMeters: Math.round(distance) });
  }
  return stops.sort((a, b) => a.distanceMeters - b.distanceMeters || a.entry - b.entry);
}
