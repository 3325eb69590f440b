import { type Evidence, evidences } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { TimeInfo } from '../../contract/definitions.ts';
import type { JourneyCall } from '../read/dated-trip.ts';
import { type CallEvent, findLiveTime } from '../read/live-calls.ts';
import { presentTimestamp } from '../read/present.ts';

/** An event with a time: a vehicle departs, a walk ends. */
export interface Happening {
  /** By the timetable. */
  readonly scheduled: Instant;
  /** With realtime. */
  readonly expected: Instant;
  /** The evidence of `expected`; null: it is the planned time, or that of a cancelled call without one. */
  readonly prognosis: Evidence | null;
}

export function asScheduled(time: Instant): Happening {
  return { scheduled: time, expected: time, prognosis: null };
}

/**
 * One event of a call, from what is known at a moment.
 * @param notBefore previous event of the vehicle: an arrival is never before the departure, even where reports
 * contradict
 */
export function readHappening(call: JourneyCall, event: CallEvent, notBefore: number, moment: Instant): Happening {
  const { live } = call;
  const scheduled = call[event];
  const reported = findLiveTime(live, event, moment);
  const expected = Math.max(reported ?? scheduled, notBefore) as Instant;
  if (reported !== null && reported === expected) return { scheduled, expected, prognosis: readEvidence(call, event) };
  return { scheduled, expected, prognosis: expected === scheduled || live?.isCancelled ? null : 'forecast' };
}

function readEvidence({ live }: JourneyCall, event: CallEvent): Evidence {
  return evidences[event === 'departure' ? live!.departureEvidence : live!.arrivalEvidence]!;
}

/** The event shifted by some seconds, which may be negative. */
export function shift({ scheduled, expected, prognosis }: Happening, seconds: number): Happening {
  return {
    scheduled: (scheduled + seconds) as Instant,
    expected: (expected + seconds) as Instant,
    prognosis,
  };
}

export function presentHappening({ scheduled, expected, prognosis }: Happening): TimeInfo {
  if (prognosis === null) return { scheduled: presentTimestamp(scheduled), isRealtime: false };
  return {
    scheduled: presentTimestamp(scheduled),
    realtime: presentTimestamp(expected),
    isRealtime: true,
    prognosis,
  };
}
