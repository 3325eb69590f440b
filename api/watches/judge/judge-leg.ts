import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { ChangeState, LegMemory, NewEvent, Told } from '../watch.ts';
import { eventTexts } from './event-texts.ts';
import type { SeenLeg } from './seen.ts';

/** Nothing is told again of one subject for so long, except that it got worse for good: cancelled, missed. */
export const QUIET_SECONDS = 180;
/** A change that was told to be at risk must have been so for this long before it is told to be safe again. */
export const CHANGE_QUIET_SECONDS = 600;
/** A told delay is told anew when it has moved by this many minutes and by a third of itself. */
export const MIN_STEP_MINUTES = 5;

/** Result for one leg. */
export interface LegVerdict {
  readonly memory: LegMemory;
  readonly events: readonly NewEvent[];
  /** When something that is quiet now may be told; null: nothing waits. */
  readonly recheckAt: Instant | null;
}

type Subject = keyof LegMemory;

/** Collects what is told of one leg. */
interface Telling {
  readonly leg: SeenLeg;
  readonly moment: Instant;
  memory: LegMemory;
  readonly events: NewEvent[];
  recheckAt: number;
}

/**
 * The events of one leg, from what was told of it and what is seen. A leg that is over is left alone.
 * @param minDelayMinutes of the watch
 */
export function judgeLeg(before: LegMemory, leg: SeenLeg, minDelayMinutes: number, moment: Instant): LegVerdict {
  if (leg.isOver) return { memory: before, events: [], recheckAt: null };
  const telling: Telling = { leg, moment, memory: before, events: [], recheckAt: Number.POSITIVE_INFINITY };
  judgeCancellation(telling);
  if (!leg.isCancelled) {
    judgeChange(telling);
    judgeDelay(telling, minDelayMinutes);
    judgePlatform(telling);
  }
  const { memory, events, recheckAt } = telling;
  return { memory, events, recheckAt: Number.isFinite(recheckAt) ? (recheckAt as Instant) : null };
}

/** Tells, unless the subject must stay quiet: then it is looked at again when it may be told. */
function tell<S extends Subject>(
  telling: Telling,
  subject: S,
  value: NonNullable<LegMemory[S]>['value'],
  event: Omit<NewEvent, 'journeyRef'>,
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
  telling.events.push({ ...event, journeyRef: telling.leg.journeyRef });
}

function judgeCancellation(telling: Telling): void {
  const { leg, memory } = telling;
  const wasCancelled = memory.cancelled?.value ?? false;
  if (leg.isCancelled === wasCancelled) return;
  if (leg.isCancelled) {
    tell(telling, 'cancelled', true, { kind: 'cancelled', text: eventTexts.cancelled(leg) }, 0);
  } else {
    tell(telling, 'cancelled', false, { kind: 'recovered', text: eventTexts.notCancelled(leg) }, QUIET_SECONDS);
  }
}

function judgeChange(telling: Telling): void {
  const { leg, memory } = telling;
  const before: ChangeState = memory.change?.value ?? 'safe';
  if (leg.change === null || leg.change === before) return;
  const events = {
    missed: { kind: 'transferMissed', text: eventTexts.changeMissed(leg) },
    atRisk: { kind: 'transferAtRisk', text: eventTexts.changeAtRisk(leg) },
    safe: { kind: 'recovered', text: eventTexts.changeSafe(leg) },
  } as const;
  const quietSeconds = { missed: 0, atRisk: QUIET_SECONDS, safe: CHANGE_QUIET_SECONDS };
  tell(telling, 'change', leg.change, events[leg.change], quietSeconds[leg.change]);
}

/** The delay that matters to the traveller: of departure or arrival before boarding, then of arrival alone. */
function findDelayMinutes({ departure, arrival, hasDeparted }: SeenLeg): number | null {
  const times = [...(hasDeparted ? [] : [departure]), arrival].filter(({ isLive }) => isLive);
  if (times.length === 0) return null;
  return Math.max(...times.map(({ scheduled, expected }) => Math.floor((expected - scheduled) / 60)));
}

function judgeDelay(telling: Telling, minDelayMinutes: number): void {
  const { leg, memory } = telling;
  const delayMinutes = findDelayMinutes(leg);
  if (delayMinutes === null) return;
  const told = memory.delay?.value ?? 0;
  const step = Math.max(MIN_STEP_MINUTES, told / 3);
  if (told > 0 && delayMinutes <= minDelayMinutes / 2) {
    const event = { kind: 'recovered', delayMinutes, text: eventTexts.punctual(leg, delayMinutes) } as const;
    tell(telling, 'delay', 0, event, QUIET_SECONDS);
  } else if (delayMinutes >= minDelayMinutes && (told === 0 || Math.abs(delayMinutes - told) >= step)) {
    const event = { kind: 'delay', delayMinutes, text: eventTexts.delay(leg, delayMinutes) } as const;
    tell(telling, 'delay', delayMinutes, event, QUIET_SECONDS);
  }
}

/** A platform that is announced where none was planned is no change of one. */
function judgePlatform(telling: Telling): void {
  const { leg, memory, moment } = telling;
  if (leg.platform === null || leg.hasDeparted) return;
  const before = memory.platform?.value ?? leg.plannedPlatform;
  if (before === leg.platform) return;
  if (before === null) {
    telling.memory = { ...memory, platform: { value: leg.platform, at: moment } };
    return;
  }
  const event = { kind: 'platform', text: eventTexts.platform(leg, leg.platform, before) } as const;
  tell(telling, 'platform', leg.platform, event, QUIET_SECONDS);
}
