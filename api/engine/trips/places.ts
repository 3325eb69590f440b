import { isCoordinate } from '../../../pipeline/model/geo.ts';
import { STRAIGHT_LINE_FACTOR, straightWalkMeters } from '../../../pipeline/model/walking.ts';
import type { Point, WalkProfile, WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import type { Place } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { NamedCoord } from '../places/resolve-places.ts';
import type { PlanPlace, WalkableStop } from '../planner/itinerary.ts';
import { buildNearbyIndex, findNearby, type NearbyIndex } from '../read/nearby.ts';
import { findStop } from '../read/stop-ids.ts';
import { getMembers, type Timetable } from '../read/timetable.ts';
import { describePoint, describeStop, type LegPlace } from './leg-stops.ts';

/** Stops with service, by location; built once per timetable. */
export interface Places {
  readonly timetable: Timetable;
  /** Entries are rows of the timetable's stops; those without calls are omitted. */
  readonly served: NearbyIndex;
}

export function openPlaces(timetable: Timetable): Places {
  const { lat, lon, stopCallCount } = timetable.tables.stops;
  const servedLat = Float64Array.from(lat, (value, stop) => (stopCallCount[stop]! > 0 ? value : Number.NaN));
  return { timetable, served: buildNearbyIndex(servedLat, lon) };
}

/** A place of a request. */
export interface RequestedPlace {
  /** Row of the timetable's stops, or -1: a coordinate. */
  readonly stop: number;
  /** null for a stop without coordinates. */
  readonly point: Point | null;
  readonly shown: LegPlace;
}

/** Parameters of walking. */
export interface Walking {
  readonly profile: WalkProfile;
  readonly maxMeters: number;
  /** null: straight-line distance times a detour factor. */
  readonly walks: WalkRouter | null;
}

/**
 * @param pointer of the place in the body, as JSON Pointer
 * @throws ApiProblem `unknown_stop`
 */
export function readPlace(timetable: Timetable, place: Place | NamedCoord, pointer: string): RequestedPlace {
  if ('coord' in place) {
    return { stop: -1, point: place.coord, shown: describePoint(place) };
  }
  const stop = findStop(timetable, place.stopId);
  if (stop === null) {
    throw new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', `${pointer}/stopId`);
  }
  const { lat, lon } = timetable.tables.stops;
  const point = isCoordinate(lat[stop]!, lon[stop]!) ? locateStop(timetable, stop) : null;
  return { stop, point, shown: describeStop(timetable, stop) };
}

/** Stops for boarding and alighting at a place: its own ones, and those within walking range of it. */
export async function openPlace(places: Places, { stop, point }: RequestedPlace, walking: Walking): Promise<PlanPlace> {
  const members = stop < 0 ? [] : [...getMembers(places.timetable.tables, stop)];
  if (point === null) return { members, reach: [] };
  const { walks, maxMeters } = walking;
  // No path is shorter than the straight line; the meter more is for whole metres that were rounded down.
  const radius = walks ? maxMeters : (maxMeters + 1) / STRAIGHT_LINE_FACTOR;
  const near = findNearby(places.served, point.lat, point.lon, radius, Number.POSITIVE_INFINITY)
    .map(({ entry }) => entry)
    .filter((entry) => !members.includes(entry));
  const points = near.map((entry) => locateStop(places.timetable, entry));
  const measured = await measureWalks(walking, point, points);
  const reach = near.flatMap((entry, i): WalkableStop[] => {
    const meters = measured[i] ?? null;
    return meters === null ? [] : [{ stop: entry, meters }];
  });
  return { members, reach };
}

/** Coordinates of a stop that has them. @param stop row of `stops` */
export function locateStop({ tables }: Timetable, stop: number): Point {
  return { lat: tables.stops.lat[stop]!, lon: tables.stops.lon[stop]! };
}

/**
 * Walking distances between a place and others around it.
 * @returns whole metres; `null` where unknown, or beyond the maximum
 */
export async function measureWalks(
  { walks, profile, maxMeters }: Walking,
  place: Point,
  others: readonly Point[],
): Promise<(number | null)[]> {
  if (others.length === 0) return [];
  const measured = walks
    ? await walks.measure(place, others, profile, maxMeters)
    : others.map(({ lat, lon }) => straightWalkMeters(place.lat, place.lon, lat, lon));
  return measured.map((meters) => (meters !== null && meters <= maxMeters ? meters : null));
}

/**
 * Walking distances from each place to the next.
 * @returns whole metres; null where unknown, or beyond the maximum
 */
export function measureStretches(requested: readonly RequestedPlace[], walking: Walking): Promise<(number | null)[]> {
  return Promise.all(requested.slice(1).map((to, i) => measureStretch(requested[i]!.point, to.point, walking)));
}

async function measureStretch(from: Point | null, to: Point | null, walking: Walking): Promise<number | null> {
  if (from === null || to === null) return null;
  // A straight line beyond the maximum need not be measured.
  const straight = straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
  if (straight > (walking.maxMeters + 1) * STRAIGHT_LINE_FACTOR) return null;
  const [meters = null] = await measureWalks(walking, from, [to]);
  return meters;
}
