import { distanceMeters } from './geo.ts';

/** What a way on foot is longer than the straight line, where no street graph tells. */
export const STRAIGHT_LINE_FACTOR = 1.3;

/** Who walks between two rides, without being asked, walks no further than this. */
export const CHANGE_WALK_METERS = 1000;

/** The least time between two rides: at one stop, and between two. */
export const SAME_STOP_CHANGE_SECONDS = 120;
export const OTHER_STOP_CHANGE_SECONDS = 180;

/** @returns whole metres; NaN where a coordinate is NaN */
export function straightWalkMeters(latA: number, lonA: number, latB: number, lonB: number): number {
  return Math.round(STRAIGHT_LINE_FACTOR * distanceMeters(latA, lonA, latB, lonB));
}

/** How long a walk takes, in whole seconds, the last one begun counting as whole. */
export function walkSeconds(meters: number, speedKmh: number): number {
  return Math.ceil((meters * 3.6) / speedKmh);
}
