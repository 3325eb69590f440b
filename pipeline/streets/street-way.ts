import { straightWalkMeters } from '../model/walking.ts';
import { crowMeters } from './straight-path.ts';
import type { Point } from './walk-router.ts';

/** A way over streets, with what lies before the first and behind the last of them. Metres, not rounded. */
export interface StreetWay {
  readonly before: number;
  readonly between: number;
  readonly after: number;
}

export function sumWay({ before, between, after }: StreetWay): number {
  return Math.round(before + between + after);
}

/**
 * Whether to walk straight to a place that is closer than the streets are: across a park one does not go to the street
 * and back. Where the streets themselves make a detour something lies in between, a river or a railway.
 */
export function isDetour(way: StreetWay, from: Point, to: Point): boolean {
  const crow = crowMeters(from, to);
  const straight = straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
  return crow <= way.before + way.after && way.between <= straight && straight < sumWay(way);
}
