import { callFlags } from '../snapshots/realtime-contract.ts';
import { type CallMemory, type EventMemory, FORECAST, OBSERVED, UNKNOWN } from './memory.ts';

// The law of evidence, one step at a time: a forecast stays a forecast however long it has passed, and what was
// observed gives way to another observation alone. See decisions, section 5.

/**
 * A time by the source's own word.
 * @param isMeasured by that word it is what happened, once it lies in the past
 * @param knownAt when the publisher knew
 */
export function setSaid(event: EventMemory, time: number, isMeasured: boolean, knownAt: number): void {
  const evidence = isMeasured && time <= knownAt ? OBSERVED : FORECAST;
  if (event.evidence === OBSERVED && evidence !== OBSERVED) return;
  event.time = time;
  event.evidence = evidence;
  event.isSaid = true;
}

/** A time that follows from another call; it never takes the place of what was said of the past. */
export function setFollowing(event: EventMemory, time: number, knownAt: number): void {
  if (event.evidence === OBSERVED || (event.isSaid && event.time <= knownAt)) return;
  event.time = time;
  event.evidence = FORECAST;
  event.isSaid = false;
}

/** A vehicle was seen there. */
export function setSeen(event: EventMemory, time: number): void {
  event.time = time;
  event.evidence = OBSERVED;
  event.isSaid = false;
}

/** Nothing is said of it any more: what lies ahead is withdrawn, what is over stays as it was last known. */
export function withdrawEvent(event: EventMemory, knownAt: number): void {
  if (event.time > knownAt && event.evidence !== OBSERVED) forgetEvent(event);
}

function forgetEvent(event: EventMemory): void {
  if (event.evidence === OBSERVED) return;
  event.time = 0;
  event.evidence = UNKNOWN;
  event.isSaid = false;
}

/** By explicit report. What has happened has happened: a train that is cancelled on its way did call there. */
export function cancelCall(call: CallMemory): void {
  if (isObserved(call)) return;
  forgetTimes(call);
  call.flags |= callFlags.cancelled;
}

/** Nothing is known of when it is, by the source's word. */
export function forgetTimes(call: CallMemory): void {
  forgetEvent(call.arrival);
  forgetEvent(call.departure);
  call.flags &= ~callFlags.noData;
}

export function isCancelled({ flags }: CallMemory): boolean {
  return (flags & callFlags.cancelled) !== 0;
}

export function isObserved({ arrival, departure }: CallMemory): boolean {
  return arrival.evidence === OBSERVED || departure.evidence === OBSERVED;
}
