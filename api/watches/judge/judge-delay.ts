import type { NewEvent } from '../watch.ts';
import { type Emitting, emit, QUIET_SECONDS } from './emit-event.ts';
import type { NamedEvent } from './event-texts.ts';
import type { SeenLeg, SeenTime } from './seen.ts';

/** A delay is reported again when it has changed by this many minutes and by a third of itself. */
const MIN_STEP_MINUTES = 5;
/** A vehicle is early from this on, and from less soon before it departs. */
const EARLY_SECONDS = 120;
const SOON_EARLY_SECONDS = 60;
const SOON_SECONDS = 600;
/** An early departure that moves back towards its plan is reported again from this many minutes on. */
const EARLY_STEP_MINUTES = 2;
/** A traveller who is warned this long before a vehicle leaves early catches it. */
const WARNED_SECONDS = 120;

/** The delay that matters to the traveller: of departure or arrival before boarding, then of arrival alone. */
export function judgeDelay(emitting: Emitting): void {
  if (judgeLeaving(emitting)) return;
  const emitted = emitting.memory.delay?.value ?? 0;
  const early = countEarlyMinutes(emitting);
  if (early > 0) {
    emitEarly(emitting, early, emitted);
    return;
  }
  if (emitted < 0) {
    judgeNoLongerEarly(emitting);
    return;
  }
  judgeLate(emitting, emitted);
}

/** By the clocks that travellers see; early is negative. */
function countMinutes({ scheduled, expected }: SeenTime): number {
  return Math.floor(expected / 60) - Math.floor(scheduled / 60);
}

function countEarlySeconds({ departure: { scheduled, expected, isLive } }: SeenLeg): number {
  return isLive ? scheduled - expected : 0;
}

// ---- Early -------------------------------------------------------------------------------------

/** @returns 0 where the vehicle does not depart so early that it matters, or has departed */
function countEarlyMinutes({ leg, instant }: Emitting): number {
  if (leg.hasDeparted) return 0;
  const isSoon = leg.departure.expected - instant <= SOON_SECONDS;
  const isEarly = countEarlySeconds(leg) >= (isSoon ? SOON_EARLY_SECONDS : EARLY_SECONDS);
  return isEarly ? -countMinutes(leg.departure) : 0;
}

/** A vehicle that leaves still earlier is reported at once. */
function emitEarly(emitting: Emitting, minutes: number, emitted: number): void {
  const { leg, texts } = emitting;
  const isEarlier = minutes > Math.max(0, -emitted);
  if (!isEarlier && -emitted - minutes < EARLY_STEP_MINUTES) return;
  const event = { kind: 'delay', delayMinutes: -minutes, text: texts.early(leg, minutes) } as const;
  emit(emitting, 'delay', -minutes, event, isEarlier ? 0 : QUIET_SECONDS);
}

function judgeNoLongerEarly(emitting: Emitting): void {
  const { leg, texts, minDelayMinutes } = emitting;
  if (leg.hasDeparted) {
    // The traveller has caught it: only a late arrival counts from now on.
    const { delay: _, ...memory } = emitting.memory;
    emitting.memory = memory;
    judgeLate(emitting, 0);
    return;
  }
  if (!leg.departure.isLive || countEarlySeconds(leg) >= SOON_EARLY_SECONDS) return;
  const late = findLate(leg);
  if (late && late.minutes >= minDelayMinutes) {
    emitLate(emitting, late);
    return;
  }
  const delayMinutes = Math.max(0, countMinutes(leg.departure));
  emit(emitting, 'delay', 0, { kind: 'recovered', delayMinutes, text: texts.notEarly(leg) }, QUIET_SECONDS);
}

/**
 * Whether the first vehicle has left early without the traveller: one who was not warned in time comes for the published
 * time. A watch created after that time is of a traveller on board.
 * @returns true where its delay matters no longer
 */
function judgeLeaving(emitting: Emitting): boolean {
  const { leg, instant, isNew, texts } = emitting;
  const { leftBehind, ...rest } = emitting.memory;
  const hasLeftEarly = leg.leg === 0 && leg.hasDeparted && countEarlySeconds(leg) >= SOON_EARLY_SECONDS;
  if (!hasLeftEarly) {
    if (leftBehind !== undefined) emitting.memory = rest;
    return false;
  }
  if (leftBehind !== undefined) return leftBehind;
  const isAboard = wasWarned(emitting) || (isNew && instant >= leg.departure.scheduled);
  emitting.memory = { ...rest, leftBehind: !isAboard };
  if (isAboard) return false;
  const delayMinutes = countMinutes(leg.departure);
  const event = { kind: 'delay', delayMinutes, text: texts.leftEarly(leg, -delayMinutes) } as const;
  emit(emitting, 'delay', delayMinutes, event, 0);
  return true;
}

/** Warned of this departure, or of an earlier one. */
function wasWarned({ leg: { departure }, memory: { delay } }: Emitting): boolean {
  if (!delay || delay.value >= 0) return false;
  return delay.value <= countMinutes(departure) && delay.at + WARNED_SECONDS <= departure.expected;
}

// ---- Late --------------------------------------------------------------------------------------

interface Late {
  readonly event: NamedEvent;
  readonly minutes: number;
}

/** The greater delay, and whose it is; of equal ones that of the departure. null where nothing is known. */
function findLate({ departure, arrival, hasDeparted }: SeenLeg): Late | null {
  const arrives = arrival.isLive ? countMinutes(arrival) : null;
  const leaves = !hasDeparted && departure.isLive ? countMinutes(departure) : null;
  if (leaves !== null && leaves >= (arrives ?? leaves)) return { event: 'departure', minutes: leaves };
  return arrives === null ? null : { event: 'arrival', minutes: arrives };
}

function judgeLate(emitting: Emitting, emitted: number): void {
  const { leg, minDelayMinutes, texts } = emitting;
  const late = findLate(leg);
  if (late === null) return;
  const { minutes: delayMinutes } = late;
  const step = Math.max(MIN_STEP_MINUTES, emitted / 3);
  if (emitted > 0 && delayMinutes <= minDelayMinutes / 2) {
    const event = { kind: 'recovered', delayMinutes, text: texts.punctual(leg, delayMinutes) } as const;
    emit(emitting, 'delay', 0, event, QUIET_SECONDS);
  } else if (delayMinutes >= minDelayMinutes && (emitted === 0 || Math.abs(delayMinutes - emitted) >= step)) {
    emitLate(emitting, late);
  }
}

function emitLate(emitting: Emitting, { event, minutes }: Late): void {
  const { leg, texts } = emitting;
  const about: NewEvent = {
    kind: 'delay',
    journeyRef: event === 'departure' ? leg.journeyRef : leg.lastJourneyRef,
    delayMinutes: minutes,
    text: texts.late(leg, event, minutes),
  };
  emit(emitting, 'delay', minutes, about, QUIET_SECONDS);
}
