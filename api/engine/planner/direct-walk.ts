import type { Instant } from '../../../pipeline/model/service-time.ts';
import { walkSeconds } from '../../../pipeline/model/walking.ts';
import type { Itinerary, PlanQuery, Walk } from './itinerary.ts';
import { NEVER } from './labels.ts';
import { toStretch } from './trace.ts';

/** On foot all the way; `NEVER` where a stretch of it is too far. */
export function getDirectSeconds({ stretchMeters, walkSpeedKmh }: PlanQuery): number {
  let seconds = 0;
  for (const meters of stretchMeters) {
    if (meters === null) return NEVER;
    seconds += walkSeconds(meters, walkSpeedKmh);
  }
  return seconds;
}

/** On foot from the asked time on, or until it; null where a stretch of it is too far. */
export function walkDirectly(query: PlanQuery): Itinerary | null {
  const seconds = getDirectSeconds(query);
  if (seconds === NEVER) return null;
  const departure = query.timeMode === 'departure' ? query.time : ((query.time - seconds) as Instant);
  const parts: Walk[] = [];
  let now: number = departure;
  query.stretchMeters.forEach((_, first) => {
    const stretch = toStretch(query, first);
    parts.push({ ...stretch, role: 'direct', departure: now as Instant, arrival: (now + stretch.seconds) as Instant });
    now += stretch.seconds;
  });
  return { departure, arrival: now as Instant, transfers: 0, parts };
}
