import type { JourneyStop } from '../../../contract/v2-board.ts';
import { type ShownTime, showTime } from '../../view-model/shown-time.ts';

/** Position of the vehicle of a journey relative to its calls. */
export type VehicleProgress =
  | { readonly kind: 'notStarted' | 'ended' | 'unknown' }
  /** The vehicle stands at the call `position`. */
  | { readonly kind: 'at'; readonly position: number }
  /** `position` is the next call; `share` is the part of the section before it that the vehicle has covered. */
  | { readonly kind: 'towards'; readonly position: number; readonly share: number };

/**
 * @param stops the current one, where the vehicle is or which it approaches, is marked
 * @param now milliseconds since 1970
 */
export function findVehiclePosition(stops: readonly JourneyStop[], now: number): VehicleProgress {
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
export function isPassed(vehiclePosition: VehicleProgress, position: number): boolean {
  if (vehiclePosition.kind === 'ended') return true;
  return 'position' in vehiclePosition && position < vehiclePosition.position;
}
