import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { LegMemory, NewEvent, Told } from '../watch.ts';
import type { EventTexts } from './event-texts.ts';
import type { SeenLeg } from './seen.ts';

/** No second event of one subject for this long, except that it is cancelled or missed. */
export const QUIET_SECONDS = 180;

type Subject = 'delay' | 'platform' | 'cancelled' | 'skipped' | 'change';

/** What a leg is judged by, beside what is seen of it. */
export interface LegContext {
  readonly texts: EventTexts;
  /** Of the watch. */
  readonly minDelayMinutes: number;
  readonly moment: Instant;
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
  const told = emitting.memory[subject] as Told<unknown> | undefined;
  const { moment } = emitting;
  // A clock that was set back must not silence a watch for long.
  const quietUntil = told && told.at <= moment ? told.at + quietSeconds : 0;
  if (quietUntil > moment) {
    emitting.recheckAt = Math.min(emitting.recheckAt, quietUntil);
    return;
  }
  emitting.memory = { ...emitting.memory, [subject]: { value, at: moment } };
  emitting.events.push({ journeyRef: emitting.leg.journeyRef, ...event });
}
