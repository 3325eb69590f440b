import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { RescueResult } from '../../contract/definitions.ts';
import { usualWalker } from '../planner/transfer-seconds.ts';
import type { FindTransferChance } from '../predictions/transfer-chances.ts';
import { hasFlag, type Published } from '../read/realtime.ts';
import { joinRides } from '../trips/present-legs.ts';
import { assessTransfer } from '../trips/present-walk.ts';
import type { DatedRide } from '../trips/run.ts';
import {
  computeTimeline,
  isCancelledRide,
  type TimedPart,
  type TimedRide,
  type TimedWalk,
  type Timeline,
} from '../trips/timeline.ts';

type TripState = RescueResult['state'];

/** Whether a trip still works out, from realtime and predictions alone. */
export interface Judgement {
  readonly state: TripState;
  /** The leg that cannot be ridden, or may be missed, from 0; null where all is well or unknown. */
  readonly atLeg: number | null;
  /** The trip with realtime. */
  readonly timeline: Timeline;
  /** Its rides, by leg. */
  readonly legs: readonly JudgedLeg[];
}

export interface JudgedLeg {
  readonly ride: TimedRide;
  /** The transfer before it; null for the first leg and where passengers stay on board. */
  readonly change: TimedWalk | null;
  readonly isCancelled: boolean;
  /** `missed` and `tight` are those of a transfer that is still to come, or that failed. */
  readonly risk: ReturnType<typeof assessTransfer> | null;
}

/**
 * Judges a trip at an instant of travel: finished parts no longer count. A certain failure comes before a risk, the
 * earlier leg before the later one. `unknown` where no source reports a vehicle that is still to be ridden.
 * @param rides one at least, in travel order
 * @param instant decides which realtime is fresh
 * @param now time of the request
 */
export function judgeTrip(
  published: Published,
  rides: readonly DatedRide[],
  instant: Instant,
  now: Instant = instant,
  findChance?: FindTransferChance,
): Judgement {
  const timeline = computeTimeline(published, joinRides(published, rides, usualWalker), instant, findChance);
  const legs = listLegs(timeline.parts, now);
  return { ...findState(legs, now), timeline, legs };
}

function findState(legs: readonly JudgedLeg[], now: Instant): Pick<Judgement, 'state' | 'atLeg'> {
  const failed = legs.findIndex(({ isCancelled, risk }) => isCancelled || risk === 'missed');
  if (failed >= 0) return { state: legs[failed]!.isCancelled ? 'cancelled' : 'missed', atLeg: failed };
  const risky = legs.findIndex(({ risk }) => risk === 'tight');
  if (risky >= 0) return { state: 'atRisk', atLeg: risky };
  return { state: legs.some((_, leg) => isKnown(legs, leg, now)) ? 'onTrack' : 'unknown', atLeg: null };
}

function listLegs(parts: readonly TimedPart[], now: Instant): JudgedLeg[] {
  const legs: JudgedLeg[] = [];
  let change: TimedWalk | null = null;
  for (const [i, part] of parts.entries()) {
    if (part.kind === 'walk') {
      change = part;
      continue;
    }
    legs.push({
      ride: part,
      change,
      // A finished ride is not cancelled any more, whatever is reported.
      isCancelled: part.end.expected > now && isCancelledRide(part, parts[i + 1]),
      risk: change && judgeTransfer(change, part, now),
    });
    change = null;
  }
  return legs;
}

/** A vehicle that waits is missed only when it was seen leaving; a transfer that was made is not at risk any more. */
function judgeTransfer({ walk, transfer }: TimedWalk, next: TimedRide, now: Instant): JudgedLeg['risk'] {
  if (transfer === null || next.end.expected <= now) return null;
  const hasLeft = next.begin.expected <= now;
  if (walk.isGuaranteed) return hasLeft && transfer.slackSeconds < 0 && isSeen(next) ? 'missed' : 'guaranteed';
  const risk = assessTransfer({ ...transfer, isGuaranteed: false });
  return hasLeft && risk === 'tight' ? 'ok' : risk;
}

function isSeen({ begin }: TimedRide): boolean {
  return begin.prognosis === 'observed_actual';
}

/** Whether a source reports the vehicle of a leg to come, on that leg or on those before it. */
function isKnown(legs: readonly JudgedLeg[], leg: number, now: Instant): boolean {
  const { ride, change } = legs[leg]!;
  if (ride.end.expected <= now) return false;
  if (change?.transfer?.estimate?.from === 'live') return true;
  let first = leg;
  while (first > 0 && legs[first]!.ride.isStaying) first--;
  return legs.slice(first, leg + 1).some((one) => isReported(one.ride));
}

function isReported({ begin, end, run }: TimedRide): boolean {
  return begin.prognosis !== null || end.prognosis !== null || hasFlag(run.view.flags, 'partlyCancelled');
}
