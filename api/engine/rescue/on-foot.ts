import type { ReportedEvent } from '../predictions/recent-delays.ts';
import type { ExpectedCallEvent } from '../predictions/transfer-estimates.ts';

/** The arrival of a traveller on foot at a stop, which no forecast delays. */
export function arriveOnFoot(ready: number): ReportedEvent {
  return { scheduled: ready, expected: ready, delay: { low: 0, median: 0, high: 0 }, at: null, prognosis: null };
}

/**
 * Whether a traveller on foot catches a vehicle for certain: whoever is at the stop before it has left catches it,
 * however late it is, and no vehicle leaves before its planned time.
 */
export function isCaughtForCertain(
  ready: number,
  now: number,
  departure: Pick<ExpectedCallEvent, 'scheduled'>,
): boolean {
  return ready <= now || ready <= departure.scheduled;
}
