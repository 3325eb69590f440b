import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Coord } from '../../contract/definitions.ts';
import type { Published } from '../read/realtime.ts';
import { type DatedRide, getAlighting, getBoarding, isBoardingCancelled, isCancelledRun } from '../trips/run.ts';
import type { TimedRide } from '../trips/timeline.ts';
import type { JudgedLeg } from './judge-trip.ts';
import { findPlaceOnRide } from './place-on-ride.ts';

/** Where the traveller is at an instant of a trip. */
export type Traveller =
  | { readonly kind: 'arrived' }
  /** On the vehicle of a leg; `position` is the last call that it has left. */
  | { readonly kind: 'aboard'; readonly leg: number; readonly ride: DatedRide; readonly position: number }
  | {
      readonly kind: 'waiting';
      /** The leg that is not begun. */
      readonly leg: number;
      /** Row of the timetable's stops where it is boarded, or where the previous leg has ended. */
      readonly stop: number;
      /** The ride that has ended there, and when; null before the first leg. */
      readonly alighted: { readonly ride: DatedRide; readonly at: Instant } | null;
      /** By the traveller's position, the vehicle has left without him. */
      readonly isLeftBehind: boolean;
    };

/**
 * By the times of the vehicles: the traveller is on each that he could board, from its departure to its arrival, and stays
 * on board of one that continues as another trip.
 * @param position of the traveller, if known: a traveller behind the vehicle, or away from its route, is not on it. Without
 * it, a traveller comes to the first vehicle in time for its planned departure, and so misses one that leaves early
 */
export function findTraveller(
  published: Published,
  legs: readonly JudgedLeg[],
  now: Instant,
  position: Coord | null,
): Traveller {
  for (const [i, { ride, risk }] of legs.entries()) {
    const neverBegins = isCancelledRun(ride.run) || (!ride.isStaying && isBoardingCancelled(ride.run));
    const isAhead = ride.begin.expected > now && !ride.isStaying;
    if (neverBegins || risk === 'missed' || isAhead) return waitFor(legs, i, false);
    if (ride.end.expected <= now) continue;
    const last = findLastLeft(ride, now);
    const isAway = position ? isNotOn(published, ride, now, position) : i === 0 && hasLeftEarly(ride);
    if (isAway) return waitFor(legs, i, true);
    const { ride: dated } = ride.run;
    return { kind: 'aboard', leg: i, ride: dated, position: dated.boardPosition + last };
  }
  return { kind: 'arrived' };
}

/** Travellers come for the minute that the timetable shows. */
const EARLY_SECONDS = 60;

function hasLeftEarly({ begin }: TimedRide): boolean {
  return begin.scheduled - begin.expected >= EARLY_SECONDS;
}

function waitFor(legs: readonly JudgedLeg[], leg: number, isLeftBehind: boolean): Traveller {
  const before = legs[leg - 1]?.ride ?? null;
  const stop = before ? getAlighting(before.run).stop : getBoarding(legs[leg]!.ride.run).stop;
  const alighted = before && { ride: before.run.ride, at: before.end.expected };
  return { kind: 'waiting', leg, stop, alighted, isLeftBehind };
}

function isNotOn(published: Published, ride: TimedRide, now: Instant, position: Coord): boolean {
  const place = findPlaceOnRide(published, ride, now, position);
  return place === 'behind' || place === 'elsewhere';
}

/** Index of the last call of the ride that the vehicle has left. */
function findLastLeft({ run: { calls } }: TimedRide, now: Instant): number {
  const left = calls.findLastIndex(({ departure }, k) => k < calls.length - 1 && departure.expected <= now);
  return Math.max(0, left);
}
