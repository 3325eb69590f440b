import { FORECAST, OBSERVED } from '../../model/observation.ts';
import type { CallReport, TimeReport } from '../../model/realtime.ts';
import { callFlags } from '../snapshot/realtime-contract.ts';
import {
  type AnswerFacts,
  type CallMemory,
  cancelCall,
  createCallMemory,
  type EventMemory,
  forgetTimes,
  isObserved,
  setPropagated,
  setReported,
  withdrawEvent,
} from './memory.ts';
import type { TripPlan } from './planned-calls.ts';

/** A dated trip to which reports are applied. */
interface AppliedTrip {
  /** By position; undefined when nothing was ever reported. */
  readonly calls: (CallMemory | undefined)[];
  readonly plan: TripPlan;
  readonly answer: AnswerFacts;
  /** Receives the reported calls when delays do not propagate. */
  readonly touched: Set<CallMemory>;
}

/** A time further from its plan than this is a publisher's error. */
export const MAX_DELAY_SECONDS = 24 * 3600;
/** For calls without a plan: no publisher adds a trip with times further ahead than this. */
const MAX_AHEAD_SECONDS = 48 * 3600;

/** A delay that propagates to the following calls. */
interface CarriedDelay {
  readonly seconds: number;
  /** Delay of the whole trip: it does not apply to past calls. */
  readonly isOfTrip: boolean;
}

interface CountedTrip extends AppliedTrip {
  implausibleTimes: number;
}

/**
 * Applies one report to the state that the source last reported for the dated trip.
 * @param reports the report's calls by position
 * @param tripDelay seconds; of the whole trip, for the calls before the first one with a delay of its own
 * @returns number of implausible times left out
 */
export function applyReport(
  trip: AppliedTrip,
  reports: ReadonlyMap<number, CallReport>,
  tripDelay: number | null,
): number {
  const counted: CountedTrip = { ...trip, implausibleTimes: 0 };
  if (trip.answer.isPropagating) applyAllCalls(counted, reports, tripDelay);
  else for (const [position, report] of reports) applyCall(counted, position, report, null);
  return counted.implausibleTimes;
}

/** Cancels every call of the trip. */
export function cancelAllCalls(trip: AppliedTrip): void {
  for (let position = 0; position < trip.plan.callCount; position++) cancelCall(touchCall(trip, position));
}

/** Removes the times of a trip that must not be shown; that neither cancels it nor confirms that it runs. */
export function forgetAllTimes(trip: AppliedTrip): void {
  for (let position = 0; position < trip.plan.callCount; position++) forgetTimes(touchCall(trip, position));
}

/**
 * Applies a report with propagation: the delay of one call holds for those after it until a call reports otherwise.
 * @see GTFS Realtime reference, "Trip updates": delays propagate, `NO_DATA` ends them, `SKIPPED` does not; the delay of
 * the trip counts up to the first call that has its own
 */
function applyAllCalls(trip: CountedTrip, reports: ReadonlyMap<number, CallReport>, tripDelay: number | null): void {
  const { calls, plan, answer } = trip;
  let carried: CarriedDelay | null = tripDelay === null ? null : { seconds: tripDelay, isOfTrip: true };
  for (let position = 0; position < plan.callCount; position++) {
    const report = reports.get(position);
    if (report) carried = applyCall(trip, position, report, carried);
    else if (carried && isAhead(trip, position, carried)) propagateDelay(trip, position, carried);
    else {
      const call = calls[position];
      if (call?.part === answer.part) withdrawCall(call, plan.at(position, 'departure'), answer);
    }
  }
}

function isAhead({ plan, answer }: CountedTrip, position: number, { seconds, isOfTrip }: CarriedDelay): boolean {
  return !isOfTrip || plan.at(position, 'departure') + seconds >= answer.knownAt;
}

/**
 * Applies the report of one call.
 * @param carried delay propagated from the calls before
 * @returns delay to propagate to the calls after
 */
function applyCall(
  trip: CountedTrip,
  position: number,
  report: CallReport,
  carried: CarriedDelay | null,
): CarriedDelay | null {
  const call = touchCall(trip, position);
  if (report.state === 'skipped') {
    cancelCall(call);
    return carried;
  }
  call.platform = report.platform;
  call.flags &= ~(callFlags.cancelled | callFlags.noData);
  if (report.state === 'noData') {
    forgetTimes(call);
    if (!isObserved(call)) call.flags |= callFlags.noData;
    return null;
  }
  const { plan } = trip;
  const arrived = applyEvent(trip, call.arrival, report.arrival, plan.at(position, 'arrival'), carried);
  const departed = applyEvent(trip, call.departure, report.departure, plan.at(position, 'departure'), arrived);
  keepOrder(call);
  if (!isFromPosition(call.arrival) && !isFromPosition(call.departure)) call.flags &= ~callFlags.fromPosition;
  return departed;
}

/** @returns delay to propagate */
function applyEvent(
  trip: CountedTrip,
  event: EventMemory,
  report: TimeReport | null,
  plan: number,
  carried: CarriedDelay | null,
): CarriedDelay | null {
  const { isPropagating, knownAt } = trip.answer;
  const time = readTime(trip, report, plan);
  if (time !== null) {
    setReported(event, time, report!.isMeasured, knownAt);
    return plan > 0 ? { seconds: time - plan, isOfTrip: false } : null;
  }
  if (isPropagating) propagateOrWithdraw(event, plan, carried, knownAt);
  // Withdrawn only when named without a time: an event that is not named may be known from another answer.
  else if (report) withdrawEvent(event, knownAt);
  return carried;
}

function readTime(trip: CountedTrip, report: TimeReport | null, plan: number): number | null {
  const moved = plan > 0 && typeof report?.delaySeconds === 'number' ? plan + report.delaySeconds : null;
  const time = report?.time ?? moved;
  if (time === null) return null;
  const [reference, limit] = plan > 0 ? [plan, MAX_DELAY_SECONDS] : [trip.answer.knownAt as number, MAX_AHEAD_SECONDS];
  if (Math.abs(time - reference) <= limit) return time;
  trip.implausibleTimes += 1;
  return null;
}

function propagateDelay(trip: CountedTrip, position: number, carried: CarriedDelay): void {
  const { plan, answer } = trip;
  const call = touchCall(trip, position);
  call.flags &= ~(callFlags.cancelled | callFlags.noData);
  call.platform = null;
  propagateOrWithdraw(call.arrival, plan.at(position, 'arrival'), carried, answer.knownAt);
  propagateOrWithdraw(call.departure, plan.at(position, 'departure'), carried, answer.knownAt);
  keepOrder(call);
}

function propagateOrWithdraw(event: EventMemory, plan: number, carried: CarriedDelay | null, knownAt: number): void {
  if (carried && plan > 0) setPropagated(event, plan + carried.seconds, knownAt);
  else withdrawEvent(event, knownAt);
}

/** A departure is never before its arrival: where the two contradict each other, the propagated one is adjusted. */
function keepOrder({ arrival, departure }: CallMemory): void {
  if (arrival.time === 0 || departure.time === 0 || departure.time >= arrival.time) return;
  if (isPropagated(departure)) departure.time = arrival.time;
  else if (isPropagated(arrival)) arrival.time = departure.time;
}

function isFromPosition({ evidence, isReported }: EventMemory): boolean {
  return evidence === OBSERVED && !isReported;
}

function isPropagated({ evidence, isReported }: EventMemory): boolean {
  return evidence === FORECAST && !isReported;
}

/**
 * Withdraws a call that is no longer reported.
 * @param plan its scheduled departure: a cancellation stays known when it has passed
 */
export function withdrawCall(call: CallMemory, plan: number, answer: AnswerFacts): void {
  withdrawTimes(call, answer);
  if (plan > answer.knownAt) call.flags &= ~callFlags.cancelled;
}

/** As `withdrawCall`, but keeps a cancellation. */
export function withdrawTimes(call: CallMemory, { knownAt }: AnswerFacts): void {
  withdrawEvent(call.arrival, knownAt);
  withdrawEvent(call.departure, knownAt);
  call.flags &= ~callFlags.noData;
  // The remaining times are past, and this answer could have withdrawn them: they do not expire any more.
  call.seenAt = knownAt;
}

/** Returns the memory of a reported call, created when missing. */
function touchCall({ calls, answer, touched }: AppliedTrip, position: number): CallMemory {
  const call = calls[position] ?? createCallMemory(answer.part);
  calls[position] = call;
  call.part = answer.part;
  call.seenAt = answer.knownAt;
  if (!answer.isPropagating) touched.add(call);
  return call;
}
