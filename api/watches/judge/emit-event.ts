import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { LastEmitted, LegMemory, NewEvent } from '../watch.ts';
import type { EventTexts } from './event-texts.ts';
import type { SeenLeg } from './seen.ts';

/** No second event of one subject for this long, except that it is cancelled or missed. */
export const QUIET_SECONDS = 180;

type Subject = 'delay' | 'platform' | 'cancelled' | 'skipped' | 'change';

/** Input of the judgement of a leg, besides its current state. */
export interface LegContext {
  readonly texts: EventTexts;
  /** Of the watch. */
  readonly minDelayMinutes: number;
  readonly instant: Instant;
  readonly polledAt: Instant;
}

/** Collects the events of one leg. */
export interface Emitting extends LegContext {
  readonly leg: SeenLeg;
  /** It was never judged before. */
  readonly isNew: boolean;
  memory: LegMemory;
  readonly events: NewEvent[];
  recheckAt: number;
}

/** Adds an event, unless one of this subject was added shortly before: then the leg is judged again afterwards. */
export function emit<S extends Subject>(
  emitting: Emitting,
  subject: S,
  value: NonNullable<LegMemory[S]>['value'],
  event: NewEvent,
  quietSeconds: number,
): void {
  const emitted = emitting.memory[subject] as LastEmitted<unknown> | undefined;
  const { instant } = emitting;
  // A clock that was set back must not silence a watch for long.
  const quietUntil = emitted && emitted.at <= instant ? emitted.at + quietSeconds : 0;
  if (quietUntil > instant) {
    emitting.recheckAt = Math.min(emitting.recheckAt, quietUntil);
    return;
  }
  emitting.memory = { ...emitting.memory, [subject]: { value, at: instant } };
  emitting.events.push({ journeyRef: emitting.leg.journeyRef, ...event });
}
