import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PlanQuery } from '../planner/itinerary.ts';
import type { Published } from '../realtime.ts';
import { isBroken, layTimeline, type Plan, type Timeline } from './timeline.ts';

/** So many of them an answer may hold beyond its limit. */
const MAX_RUNNING = 2;

/**
 * Whoever asks for a time that is over may be on his way: trips that were possible by the timetable, have begun, and
 * have not arrived yet, but that realtime has broken, so that no search would find them.
 * @param listPlanned the itineraries of the timetable alone, in the order of the answer
 * @returns as they run, the first two
 */
export function findRunningTrips(
  published: Published,
  moment: Instant,
  query: PlanQuery,
  listPlanned: () => readonly Plan[],
): Timeline[] {
  if (!published.realtime || query.timeMode !== 'departure' || query.time >= moment) return [];
  return listPlanned()
    .map((plan) => layTimeline(published, plan, moment))
    .filter((trip) => trip.begin.scheduled <= moment && trip.end.expected > moment && isBroken(trip))
    .slice(0, MAX_RUNNING);
}

/** Puts them where they belong in an answer by departure. */
export function mergeTrips(trips: readonly Timeline[], running: readonly Timeline[]): Timeline[] {
  return [...trips, ...running].sort(
    (a, b) => a.begin.expected - b.begin.expected || a.end.expected - b.end.expected || a.transfers - b.transfers,
  );
}
