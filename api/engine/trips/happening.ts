import { type Evidence, evidences } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { TimeInfo } from '../../contract/definitions.ts';
import type { JourneyCall } from '../read/dated-trip.ts';
import { type CallEvent, findLiveTime } from '../read/live-calls.ts';
import { presentTimestamp } from '../read/present.ts';

/** Something that takes place at a time: a vehicle leaves, a walk ends. */
export interface Happening {
  /** By the timetable. */
  readonly scheduled: Instant;
  /** As it runs. */
  readonly expected: Instant;
  /** What stands behind `expected`; null: it is the planned time, or that of a call which is cancelled and has none. */
  readonly prognosis: Evidence | null;
}

export function asScheduled(time: Instant): Happening {
  return { scheduled: time, expected: time, prognosis: null };
}

/**
 * One event of a call, as far as anybody knows at a moment.
 * @param notBefore what the vehicle does before it: nobody arrives before he has left, whatever an older word says
 */
export function readHappening(call: JourneyCall, event: CallEvent, notBefore: number, moment: Instant): Happening {
  const { live } = call;
  const scheduled = call[event];
  const told = findLiveTime(live, event, moment);
  const expected = Math.max(told ?? scheduled, notBefore) as Instant;
  if (told !== null && told === expected) return { scheduled, expected, prognosis: readEvidence(call, event) };
  return { scheduled, expected, prognosis: expected === scheduled || live?.isCancelled ? null : 'forecast' };
}

function readEvidence({ live }: JourneyCall, event: CallEvent): Evidence {
  return evidences[event === 'departure' ? live!.departureEvidence : live!.arrivalEvidence]!;
}

/** What takes place some seconds after something else, or before it. */
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
