import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { DisruptionMemory, NewEvent, WatchMemory } from '../watch.ts';
import type { EventTexts } from './event-texts.ts';
import type { SeenDisruption } from './seen.ts';

/**
 * A disruption counts as ended after it has not been published for this long: sources drop disruptions and bring them
 * back.
 */
const MISSING_SECONDS = 300;
/** Disruptions that one watch remembers; further ones wait until some have ended. */
const MAX_DISRUPTIONS = 100;

interface DisruptionVerdict {
  readonly disruptions: WatchMemory['disruptions'];
  readonly events: readonly NewEvent[];
  readonly recheckAt: Instant | null;
}

/** Emits one event when a disruption appears, and one when it has ended. */
export function judgeDisruptions(
  before: WatchMemory['disruptions'],
  seen: readonly SeenDisruption[],
  instant: Instant,
  texts: EventTexts,
): DisruptionVerdict {
  const after: Record<string, DisruptionMemory> = {};
  const ended: NewEvent[] = [];
  let recheckAt = Number.POSITIVE_INFINITY;
  const present = new Set(seen.map(({ id }) => id));
  for (const [id, known] of Object.entries(before)) {
    const missingSince = present.has(id) ? null : Math.min(known.missingSince ?? instant, instant);
    if (missingSince !== null && missingSince + MISSING_SECONDS <= instant) {
      ended.push(eventOf('disruptionEnded', { id, ...known }, texts));
      continue;
    }
    if (missingSince !== null) recheckAt = Math.min(recheckAt, missingSince + MISSING_SECONDS);
    after[id] = { ...known, missingSince: missingSince as Instant | null };
  }
  const begun: NewEvent[] = [];
  for (const one of seen) {
    if (after[one.id] || Object.keys(after).length >= MAX_DISRUPTIONS) continue;
    const { id, ...known } = one;
    after[id] = { ...known, missingSince: null };
    begun.push(eventOf('disruption', one, texts));
  }
  return {
    disruptions: after,
    events: [...ended, ...begun],
    recheckAt: Number.isFinite(recheckAt) ? (recheckAt as Instant) : null,
  };
}

function eventOf(
  kind: 'disruption' | 'disruptionEnded',
  { id, title, journeyRef }: SeenDisruption,
  texts: EventTexts,
): NewEvent {
  const about = journeyRef === undefined ? {} : { journeyRef };
  return { kind, disruptionId: id, ...about, text: texts[kind](title) };
}
