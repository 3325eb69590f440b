import type { JourneyStop } from '../../../contract/v2-board.ts';
import { type ShownTime, showTime } from '../times/shown-time.ts';

/** Where the vehicle of a journey is, by its calls. */
export type Whereabouts =
  | { readonly kind: 'notStarted' | 'ended' | 'unknown' }
  /** `position` is that of the call where it stands. */
  | { readonly kind: 'at'; readonly position: number }
  /** `position` is that of the next call; `share` how much of the way from the one before has passed. */
  | { readonly kind: 'towards'; readonly position: number; readonly share: number };

/**
 * @param stops the current one is marked, where the vehicle is or heads to
 * @param now milliseconds since 1970
 */
export function findWhereabouts(stops: readonly JourneyStop[], now: number): Whereabouts {
  const position = stops.findIndex(({ isCurrent }) => isCurrent);
  if (position < 0) return { kind: findEnd(stops, now) };
  const arrivesAt = timeOf(stops[position]!.arrival)?.at;
  const leftAt = timeOf(stops[position - 1]?.departure)?.at;
  if (arrivesAt === undefined || leftAt === undefined || now >= arrivesAt) return { kind: 'at', position };
  const share = Math.min(1, Math.max(0, (now - leftAt) / (arrivesAt - leftAt)));
  return { kind: 'towards', position, share };
}

function findEnd(stops: readonly JourneyStop[], now: number): 'notStarted' | 'ended' | 'unknown' {
  const first = timeOf(stops[0]?.departure)?.at;
  const last = timeOf(stops.at(-1)?.arrival)?.at;
  if (first !== undefined && now < first) return 'notStarted';
  return last !== undefined && now > last ? 'ended' : 'unknown';
}

function timeOf(time: JourneyStop['arrival']): ShownTime | null {
  return time ? showTime(time) : null;
}

/** Whether the vehicle has left a call. */
export function isPassed(whereabouts: Whereabouts, position: number): boolean {
  if (whereabouts.kind === 'ended') return true;
  return 'position' in whereabouts && position < whereabouts.position;
}
