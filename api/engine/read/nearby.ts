import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { distanceMeters, isCoordinate } from '../../../pipeline/model/geo.ts';

/** Stops by place; made when a timetable is loaded. */
export interface NearbyIndex {
  readonly tree: KDBush;
  /** Entry of each point of the tree: entries without coordinates are not in it. */
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
/** The tree computes distances its own way: ask for a millimetre more, then judge by our own. */
const TREE_MARGIN_METERS = 0.001;

/** @param lat degrees by entry; where it or `lon` is NaN or no coordinate, the entry is never found */
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
 * @param radiusMeters up to half the way around the earth; entries at this distance are still in
 * @returns by whole metres, then entry; also where the limit cuts
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
  // Entries that round to the same metre as the last one compete with it by entry, so that all of them are needed.
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
