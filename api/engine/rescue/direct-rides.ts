import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { OnDemandWay, PlanQuery } from '../planner/itinerary.ts';
import { toStretch } from '../planner/trace.ts';
import { findWayEnd } from '../trips/choose-way.ts';
import type { TripsContext } from '../trips/plan-trips.ts';
import { findDirectRides, openOnDemandRequest } from '../trips/reach-on-demand.ts';
import { computeTimeline } from '../trips/timeline.ts';
import type { Candidate } from './candidates.ts';
import { certain } from './chances.ts';
import type { RescueEnds } from './open-query.ts';
import { FROM } from './option-plan.ts';
import { isAsLikely, WORSE_SECONDS, weigh } from './undominated.ts';

/**
 * The on-demand ride to the destination that arrives first, for a traveller who is not on board of a vehicle.
 * @param others the other options, including the plan
 * @returns none if a certain option arrives no later, or another one is much better
 */
export async function findDirectOptions(
  { published, places, walks, instant }: TripsContext,
  { from, to, now, traveller }: RescueEnds,
  query: PlanQuery,
  others: readonly Candidate[],
): Promise<Candidate[]> {
  if (traveller.kind === 'aboard') return [];
  const request = openOnDemandRequest(places, query, walks, { now, around: now });
  const ways = await findDirectRides(request, [from, to]);
  const endOf = (way: OnDemandWay) => findWayEnd(way, { time: now, walkSpeedKmh: query.walkSpeedKmh });
  const way = ways.reduce((best: OnDemandWay | null, one) => (best && endOf(best) <= endOf(one) ? best : one), null);
  if (way === null || !Number.isFinite(endOf(way))) return [];
  const arrival = endOf(way) as Instant;
  if (others.some((other) => isAsLikely(other.chance, certain) && other.arrival <= arrival)) return [];
  if (others.some((other) => isMuchWorse(arrival, weigh(other)))) return [];
  const departure = (arrival - way.onDemand.seconds) as Instant;
  const plan = { departure, transfers: 0, parts: [toStretch(query, FROM, way)] };
  const openTimeline = () => computeTimeline(published, plan, instant);
  return [{ openTimeline, rides: [], chance: certain, arrival, decideBy: departure }];
}

function isMuchWorse(weight: number, other: number): boolean {
  return weight > other + WORSE_SECONDS;
}

/** Adds an on-demand ride to other options, and drops those that are much worse. */
export function addDirectOptions(options: readonly Candidate[], direct: readonly Candidate[]): readonly Candidate[] {
  const kept = options.filter((one) => direct.every((other) => !isMuchWorse(weigh(one), weigh(other))));
  return [...kept, ...direct];
}
