/** Kinds of pairs whose intervals are calibrated apart: limits of the horizon, and of the current delay; seconds. */
const HORIZONS = [300, 900, 1800, 3600];
const DELAYS = [60, 180, 600];

export const KIND_COUNT = (HORIZONS.length + 1) * (DELAYS.length + 1);

/** @returns a number below `KIND_COUNT` */
export function kindOfPair(horizonSeconds: number, currentDelay: number): number {
  return placeAmong(HORIZONS, horizonSeconds) * (DELAYS.length + 1) + placeAmong(DELAYS, currentDelay);
}

function placeAmong(limits: readonly number[], value: number): number {
  const place = limits.findIndex((limit) => value < limit);
  return place < 0 ? limits.length : place;
}
