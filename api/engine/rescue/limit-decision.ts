import type { Instant } from '../../../pipeline/model/service-time.ts';
import { listRideBookings } from '../read/on-demand-rides.ts';
import type { Timetable } from '../read/timetable.ts';
import { getRide, spanRide } from '../trips/present-on-demand.ts';
import type { Timeline } from '../trips/timeline.ts';
import type { Candidate } from './candidates.ts';
import { isAsLikely } from './undominated.ts';

/**
 * Limits the time to decide for an option to that of its on-demand rides: the first one leaves, and all must be booked,
 * except those whose deadline has passed, which are assumed to be booked.
 */
export function limitDecision(timetable: Timetable, { parts }: Timeline, decideBy: Instant, now: Instant): Instant {
  let limit: number = decideBy;
  for (const part of parts) {
    const use = part.kind === 'walk' ? part.walk.onDemand : undefined;
    if (part.kind === 'ride' || use === undefined) continue;
    const begin = spanRide(part.walk, use, part.begin, part.end).pickup.expected;
    const bookings = listRideBookings(timetable, getRide(use, part.begin.expected), begin);
    const deadlines = bookings.flatMap(({ deadline }) => (deadline !== null && deadline >= now ? deadline : []));
    limit = Math.min(limit, ...deadlines, ...(part.walk.role === 'egress' ? [] : [part.begin.expected]));
  }
  return Math.min(decideBy, Math.max(now, limit)) as Instant;
}

/**
 * Limits the time to decide for options with on-demand rides, and drops those that another option dominates then.
 * @param planned the plan, which is not among them; `null` if it cannot be carried out
 */
export function limitOptions(
  timetable: Timetable,
  options: readonly Candidate[],
  planned: Candidate | null,
  now: Instant,
): readonly Candidate[] {
  if (timetable.onDemand === null) return options;
  const limited = options.map((one) => ({
    ...one,
    decideBy: limitDecision(timetable, one.openTimeline(), one.decideBy, now),
  }));
  const all = planned ? [planned, ...limited] : limited;
  const isLimited = (one: Candidate, i: number) => one.decideBy < options[i]!.decideBy;
  return limited.filter((one, i) => !isLimited(one, i) || !all.some((other) => other !== one && isAsGood(other, one)));
}

function isAsGood(other: Candidate, one: Candidate): boolean {
  const isBetter = other.arrival < one.arrival || other.decideBy > one.decideBy;
  return (
    isBetter && other.arrival <= one.arrival && other.decideBy >= one.decideBy && isAsLikely(other.chance, one.chance)
  );
}
