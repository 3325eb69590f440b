import type { Instant } from '../../../pipeline/model/service-time.ts';
import { findLastBegin, findNextBegin } from '../read/open-times.ts';
import type { DirectWay, Itinerary, OnDemandWay, PlanQuery, Walk } from './itinerary.ts';
import { dominates, isEqual } from './pareto.ts';
import { getStayBefore, sumSeconds, toStretch, type Untimed } from './trace.ts';

/** Returns the walk that begins, or ends, at the requested time; `null` if part of it is too far, or not wanted. */
export function walkDirectly(query: PlanQuery): Itinerary | null {
  if (query.withoutDirectWalk || query.stretchMeters.includes(null)) return null;
  return travelDirectly(
    query,
    query.stretchMeters.map((_, first) => toStretch(query, first)),
  );
}

/**
 * Returns the direct ways on wheels at the requested time. One of a simpler vehicle, or the walk, hides those that it
 * dominates or equals; never the other way round.
 */
export function rideDirectly(query: PlanQuery, walk: Itinerary | null): Itinerary[] {
  const shown: Itinerary[] = walk === null ? [] : [walk];
  const found: Itinerary[] = [];
  for (const way of query.directWays ?? []) {
    const itinerary = travelDirectly(query, toStretches(query, way));
    if (shown.some((one) => dominates(query, one, itinerary) || isEqual(query, one, itinerary))) continue;
    shown.push(itinerary);
    found.push(itinerary);
  }
  return found;
}

/** Maximum number of on-demand rides on one page, to leave room for scheduled ones. */
const MAX_DIRECT_RIDES = 3;

/**
 * Returns the on-demand rides from origin to destination within a day of the requested time: the closest one, and every
 * fixed departure. Rides that the walk or another ride dominates or equals are left out.
 */
export function rideOnDemand(query: PlanQuery, walk: Itinerary | null): Itinerary[] {
  const found = (query.directRides ?? []).flatMap((way) =>
    listBegins(query, way).map((departure) => {
      const stretch = toStretch(query, 0, way);
      const arrival = (departure + stretch.seconds) as Instant;
      return { departure, arrival, transfers: 0, parts: [{ ...stretch, departure, arrival }] };
    }),
  );
  const sign = query.timeMode === 'departure' ? 1 : -1;
  found.sort((a, b) => sign * (sign > 0 ? a.arrival - b.arrival : a.departure - b.departure));
  const shown: Itinerary[] = walk === null ? [] : [walk];
  const best: Itinerary[] = [];
  for (const itinerary of found) {
    if (shown.some((one) => dominates(query, one, itinerary) || isEqual(query, one, itinerary))) continue;
    shown.push(itinerary);
    best.push(itinerary);
  }
  return best.slice(0, MAX_DIRECT_RIDES);
}

const SECONDS_PER_DAY = 86_400;

/** The possible begin closest to the requested time, and further fixed departures. */
function listBegins({ time, timeMode }: PlanQuery, { onDemand: { open, seconds } }: OnDemandWay): Instant[] {
  const isForward = timeMode === 'departure';
  const latest = time - seconds;
  const nearest = isForward ? findNextBegin(open, time) : findLastBegin(open, latest);
  const fixed = open.flatMap(({ from, until }) =>
    from === until && (isForward ? from >= time : from <= latest) ? from : [],
  );
  const begins = [...new Set([nearest, ...fixed])];
  return begins.filter((begin) => Math.abs(begin - time) <= SECONDS_PER_DAY) as Instant[];
}

function toStretches(query: PlanQuery, { vehicle, stretches }: DirectWay): Untimed[] {
  return stretches.map(({ meters, ...use }, first) =>
    toStretch(query, first, { meters, vehicle: { vehicle, ...use } }),
  );
}

function travelDirectly({ time, timeMode }: PlanQuery, stretches: readonly Untimed[]): Itinerary {
  const seconds = sumSeconds(stretches);
  const departure = timeMode === 'departure' ? time : ((time - seconds) as Instant);
  const parts: Walk[] = [];
  let now: number = departure;
  for (const stretch of stretches) {
    const begin = now + getStayBefore(stretch);
    now = begin + stretch.seconds;
    parts.push({ ...stretch, role: 'direct', departure: begin as Instant, arrival: now as Instant });
  }
  return { departure, arrival: now as Instant, transfers: 0, parts };
}
