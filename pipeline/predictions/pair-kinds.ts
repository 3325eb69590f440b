/**
 * Kinds of pairs whose intervals are calibrated apart: limits of the horizon, and of the current delay; seconds. Where
 * the vehicle stands is another kind again: nobody knows how long it will.
 */
const HORIZONS = [300, 900, 1800, 3600];
const DELAYS = [60, 180, 600];

const MOVING_KINDS = (HORIZONS.length + 1) * (DELAYS.length + 1);
export const KIND_COUNT = 2 * MOVING_KINDS;

/** @returns a number below `KIND_COUNT` */
export function kindOfPair(horizonSeconds: number, currentDelay: number, isStanding: boolean): number {
  const kind = placeAmong(HORIZONS, horizonSeconds) * (DELAYS.length + 1) + placeAmong(DELAYS, currentDelay);
  return isStanding ? MOVING_KINDS + kind : kind;
}

function placeAmong(limits: readonly number[], value: number): number {
  const place = limits.findIndex((limit) => value < limit);
  return place < 0 ? limits.length : place;
}
