import type { PlanPlace, WalkableStop } from '../planner/itinerary.ts';
import { getWaySeconds } from '../planner/places.ts';
import { findLastBegin, findNextBegin } from '../read/open-times.ts';

/** A way between a place and a stop, as part of a trip. */
export type ChosenWay = Pick<WalkableStop, 'meters' | 'vehicle' | 'onDemand'>;

/** The time at which the vehicle departs from the stop, or arrives there. */
interface VehicleTime {
  readonly isArriving: boolean;
  readonly time: number;
  readonly walkSpeedKmh: number;
}

/**
 * Chooses the way between a place and a stop: not on demand if there is one. Of on-demand rides, it is the one that
 * begins last before the departure, or ends first after the arrival.
 * @returns `null` if there is no way, or no on-demand ride fits
 */
export function chooseWay({ members, reach }: PlanPlace, stop: number, at: VehicleTime): ChosenWay | null {
  if (members.includes(stop)) return { meters: 0 };
  const ways = reach.filter((way) => way.stop === stop);
  const anytime = ways.find(({ onDemand }) => !onDemand);
  if (anytime) return anytime;
  // Higher is better.
  const ranked = ways.map((way) => ({ way, rank: at.isArriving ? -findWayEnd(way, at) : findWayBegin(way, at) }));
  const best = ranked.reduce((a, b) => (b.rank > a.rank ? b : a), { way: null as ChosenWay | null, rank: UNFIT });
  return best.way;
}

const UNFIT = Number.NEGATIVE_INFINITY;

type WayTime = Pick<VehicleTime, 'time' | 'walkSpeedKmh'>;

/** The end of a way that begins at a time, or as soon as it can; Infinity if it cannot. */
export function findWayEnd(way: ChosenWay, { time, walkSpeedKmh }: WayTime): number {
  const seconds = getWaySeconds(way, walkSpeedKmh);
  return (way.onDemand ? findNextBegin(way.onDemand.open, time) : time) + seconds;
}

/** The latest begin of a way that ends by a time; -Infinity if it cannot. */
export function findWayBegin(way: ChosenWay, { time, walkSpeedKmh }: WayTime): number {
  const latest = time - getWaySeconds(way, walkSpeedKmh);
  return way.onDemand ? findLastBegin(way.onDemand.open, latest) : latest;
}
