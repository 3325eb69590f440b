import { distanceMeters } from './geo.ts';

/** Ratio of walking to straight-line distance where there is no street graph. */
export const STRAIGHT_LINE_FACTOR = 1.3;

/** Default maximum walk between two rides. */
export const CHANGE_WALK_METERS = 1000;

/** Minimum transfer times at one stop, and between two stops. */
export const SAME_STOP_CHANGE_SECONDS = 120;
export const OTHER_STOP_CHANGE_SECONDS = 180;

/** @returns whole metres; NaN where a coordinate is NaN */
export function straightWalkMeters(latA: number, lonA: number, latB: number, lonB: number): number {
  return Math.round(STRAIGHT_LINE_FACTOR * distanceMeters(latA, lonA, latB, lonB));
}

/** @returns whole seconds, rounded up */
export function walkSeconds(meters: number, speedKmh: number): number {
  return Math.ceil((meters * 3.6) / speedKmh);
}
