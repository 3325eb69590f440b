import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { LegMemory, NewEvent, Told } from '../watch.ts';
import type { EventTexts } from './event-texts.ts';
import type { SeenLeg } from './seen.ts';

/** Nothing is told again of one subject for so long, except that it got worse for good: cancelled, missed. */
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

/** Collects what is told of one leg. */
export interface Telling extends LegContext {
  readonly leg: SeenLeg;
  /** It was never judged before. */
  readonly isNew: boolean;
  memory: LegMemory;
  readonly events: NewEvent[];
  recheckAt: number;
}

/** Tells, unless the subject must stay quiet: then it is looked at again when it may be told. */
export function tell<S extends Subject>(
  telling: Telling,
  subject: S,
  value: NonNullable<LegMemory[S]>['value'],
  event: NewEvent,
  quietSeconds: number,
): void {
  const told = telling.memory[subject] as Told<unknown> | undefined;
  const { moment } = telling;
  // A clock that was set back must not silence a watch for long.
  const quietUntil = told && told.at <= moment ? told.at + quietSeconds : 0;
  if (quietUntil > moment) {
    telling.recheckAt = Math.min(telling.recheckAt, quietUntil);
    return;
  }
  telling.memory = { ...telling.memory, [subject]: { value, at: moment } };
  telling.events.push({ journeyRef: telling.leg.journeyRef, ...event });
}
