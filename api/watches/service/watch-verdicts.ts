import type { Instant } from '../../../pipeline/model/service-time.ts';
import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { RescueOption } from '../../contract/definitions.ts';
import { textsOf } from '../judge/texts-by-language.ts';
import type { Verdict, WatchOrder } from '../store/watch-store.ts';
import { findExpiry, hasSameLegs } from '../track/watch-tracker.ts';
import type { NewEvent, StoredWatch } from '../watch.ts';

/** A search for options is not repeated sooner. */
const OPTIONS_PAUSE_SECONDS = 120;
export const LINE_WATCH_SECONDS = 30 * 86_400;

/** Whether a verdict differs from what is stored. */
export function isWorthStoring({ memory }: StoredWatch, verdict: Verdict): boolean {
  if (verdict.events.length > 0 || verdict.expiresAt !== null) return true;
  return verdict.memory !== memory && JSON.stringify(verdict.memory) !== JSON.stringify(memory);
}

/** Whether an order watches what the known watch does already; limits and delivery may differ. */
export function hasSameSubject({ spec }: StoredWatch, order: WatchOrder): boolean {
  if (spec.kind !== 'line' || order.spec.kind !== 'line') return hasSameLegs(spec, order.spec);
  const [known, ordered] = [spec, order.spec].map(({ lines, stopIds, repeat }) => [lines, stopIds, repeat ?? null]);
  return JSON.stringify(known) === JSON.stringify(ordered);
}

/** A watch without an explicit end that is requested again lasts at least as long as a new one. */
export function keepOrExtend({ spec, expiresAt }: StoredWatch, instant: Instant): Instant {
  const end = spec.kind === 'line' ? instant + LINE_WATCH_SECONDS : findExpiry(null, instant);
  return Math.max(expiresAt, end) as Instant;
}

/** The event that a rescue watch emits for its options; without any they are searched again after a pause. */
export function offerOptions(
  { spec, memory }: StoredWatch,
  options: readonly RescueOption[],
  instant: Instant,
): Verdict {
  const [best] = options;
  if (!best) {
    return {
      memory: { ...memory, optionsDue: (instant + OPTIONS_PAUSE_SECONDS) as Instant },
      events: [],
      expiresAt: null,
    };
  }
  const texts = textsOf(spec);
  const arrival = arrivalOf(best);
  const text = best.kind === 'wait' ? texts.keepPlan(arrival) : texts.options(options.length, arrival);
  const event: NewEvent = { kind: 'options', text, options: [...options] };
  return { memory: { ...memory, optionsDue: null }, events: [event], expiresAt: null };
}

function arrivalOf({ trip: { arrival } }: RescueOption): Instant {
  return parseTimestamp(arrival.realtime ?? arrival.scheduled!)!;
}
