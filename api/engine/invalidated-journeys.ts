import { evidences } from '../../pipeline/model/evidence.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { JourneyCall } from './journey-calls.ts';
import { findDatedTrip, isTooLongAgo, listCalls } from './journeys.ts';
import type { Published } from './realtime.ts';
import type { JourneyName } from './references.ts';

const OBSERVED = evidences.indexOf('observed_actual');

/**
 * Whether a journey reference has become useless: it is none of ours, its trip has left the timetable or was too long
 * ago, or the trip is over. What has not begun, and what is cancelled today, is none of that.
 * @param published null while there is no timetable: then nobody knows of a journey of these days
 * @param name what the reference says; null where it is none of ours
 */
export function isInvalidated(published: Published | null, name: JourneyName | null, moment: Instant): boolean {
  if (!name || isTooLongAgo(name, moment)) return true;
  if (!published) return false;
  const trip = findDatedTrip(published, name);
  return trip === null || isOver(listCalls(published, trip, name.day), moment);
}

/**
 * A trip is over when it was seen at its last stop, or when every word on that, however old, lies in the past: who was
 * told that a reference is useless asks no more, so that one too early does harm.
 */
function isOver(calls: readonly JourneyCall[], moment: Instant): boolean {
  const last = calls.findLast(({ live }) => !live?.isCancelled) ?? calls.at(-1);
  if (!last) return false;
  const { arrival, live } = last;
  const told = live && !live.isCancelled ? live.arrival : 0;
  if (told > 0 && live?.arrivalEvidence === OBSERVED) return told <= moment;
  const end = Math.max(arrival, told);
  // Whoever adds a trip need not say when it arrives.
  return end > 0 && end < moment;
}
