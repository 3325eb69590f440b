import { STRAIGHT_LINE_FACTOR, straightWalkMeters, walkSeconds } from '../../../pipeline/model/walking.ts';
import type { Point } from '../../../pipeline/streets/walk-router.ts';
import { findNearby, type NearbyIndex } from '../read/nearby.ts';
import type { Spot } from '../read/on-demand.ts';
import type { MeetingWalk } from '../read/open-times.ts';
import { locateStop, measureWalks, type Places, type RequestedPlace, type Walking } from './places.ts';

// Stops where on-demand rides begin and end, and the walks to and from them.

/** Maximum number of stops around a place to which a traveller walks for an on-demand ride; each costs one matrix. */
const MAX_NEAR = 4;

/** Longest walk between a stop of an on-demand ride and a stop of scheduled service, and number of the latter. */
const MAX_CHANGE_METERS = 300;
const MAX_CHANGE_STOPS = 8;

export interface MeetingTravel {
  readonly places: Places;
  readonly walking: Walking;
  readonly walkSpeedKmh: number;
}

/** Where an on-demand ride may begin or end. */
export interface OnDemandSpot extends Spot {
  readonly point: Point;
  /** The walk between it and the place of the request; `null` if it is that place. */
  readonly walk: MeetingWalk | null;
}

/** The place itself, and the nearest stops of on-demand rides within walking distance. */
export async function listSpots(travel: MeetingTravel, { stop, point }: RequestedPlace): Promise<OnDemandSpot[]> {
  const { timetable } = travel.places;
  if (point === null || timetable.onDemand === null) return [];
  const { maxMeters } = travel.walking;
  const near = findWithin(timetable.onDemand.meetingPoints, point, maxMeters, MAX_NEAR + 1)
    .filter((other) => other !== stop)
    .slice(0, MAX_NEAR);
  const points = near.map((other) => locateStop(timetable, other));
  const measured = await measureWalks(travel.walking, point, points);
  const walked = near.flatMap((other, i): OnDemandSpot[] => {
    const meters = measured[i] ?? null;
    return meters === null ? [] : [{ stop: other, point: points[i]!, walk: toWalk(travel, other, meters) }];
  });
  return [{ stop, point, walk: null }, ...walked];
}

/** Stops of scheduled service at or near a stop of on-demand rides, with the walk between them. */
export function listChanges(
  travel: MeetingTravel,
  stop: number,
): { readonly stop: number; readonly walk: MeetingWalk | null }[] {
  const { timetable, served } = travel.places;
  const { lat, lon, stopCallCount } = timetable.tables.stops;
  if (stopCallCount[stop]! > 0) return [{ stop, walk: null }];
  const point = locateStop(timetable, stop);
  return findWithin(served, point, MAX_CHANGE_METERS / STRAIGHT_LINE_FACTOR, MAX_CHANGE_STOPS).map((other) => {
    const meters = straightWalkMeters(point.lat, point.lon, lat[other]!, lon[other]!);
    return { stop: other, walk: toWalk(travel, stop, meters) };
  });
}

function findWithin(index: NearbyIndex, { lat, lon }: Point, radiusMeters: number, limit: number): number[] {
  return findNearby(index, lat, lon, radiusMeters, limit).map(({ entry }) => entry);
}

function toWalk({ walkSpeedKmh }: MeetingTravel, stop: number, meters: number): MeetingWalk {
  return { stop, meters, seconds: walkSeconds(meters, walkSpeedKmh) };
}
