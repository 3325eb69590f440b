import { type CallEvent, callEvents, OBSERVED } from '../../model/observation.ts';
import { toOccupancyNumber } from '../../model/occupancy.ts';
import type { CallReport } from '../../model/realtime.ts';
import { CALL_CLOSED, callFlags } from '../../snapshots/realtime-contract.ts';
import { isNoEvent } from './emitted-observations.ts';
import {
  type AnswerFacts,
  type CallEventState,
  type CallMemory,
  cancelCall,
  cancelEvent,
  createCallMemory,
  forgetTimes,
  isEventCancelled,
  isObserved,
  liftCancellation,
  setPropagated,
  setReported,
  withdrawEvent,
} from './memory.ts';
import { type BelievedReports, type JudgedTrip, readReportedTime, refuseTimes } from './refuse-times.ts';

/** A dated trip to which reports are applied. */
export interface AppliedTrip extends JudgedTrip {
  /** By position; undefined when nothing was ever reported. */
  readonly calls: (CallMemory | undefined)[];
  /** Receives the reported calls when delays do not propagate. */
  readonly touched: Set<CallMemory>;
}

/** A delay that propagates to the following calls. */
interface CarriedDelay {
  readonly seconds: number;
  /** Delay of the whole trip: it does not apply to past calls. */
  readonly isOfTrip: boolean;
}

/**
 * Applies one report to the state that the source last reported for the dated trip.
 * @param given the report's calls by position
 * @param tripDelay seconds; of the whole trip, for the calls before the first one with a reported delay
 * @returns the accepted reports, see `refuseTimes`
 */
export function applyReport(
  trip: AppliedTrip,
  given: ReadonlyMap<number, CallReport>,
  tripDelay: number | null,
): BelievedReports {
  const believed = refuseTimes(trip, given, tripDelay);
  const { reports } = believed;
  if (trip.answer.isPropagating) applyAllCalls(trip, reports, believed.tripDelay);
  else for (const [position, report] of reports) applyCall(trip, position, report, null);
  return believed;
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
function applyAllCalls(trip: AppliedTrip, reports: ReadonlyMap<number, CallReport>, tripDelay: number | null): void {
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

function isAhead({ plan, answer }: AppliedTrip, position: number, { seconds, isOfTrip }: CarriedDelay): boolean {
  return !isOfTrip || plan.at(position, 'departure') + seconds >= answer.knownAt;
}

/** Flags of a call that the vehicle serves, and passengers may not use. */
function readClosed({ properties }: CallReport): number {
  const boarding = properties?.pickup === false ? callFlags.boardingClosed : 0;
  return boarding | (properties?.dropOff === false ? callFlags.alightingClosed : 0);
}

/**
 * Applies the report of one call.
 * @param carried delay propagated from the calls before
 * @returns delay to propagate to the calls after
 */
function applyCall(
  trip: AppliedTrip,
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
  call.headsign = report.properties?.headsign ?? null;
  call.flags = (call.flags & ~(callFlags.noData | CALL_CLOSED)) | readClosed(report);
  if (trip.answer.isPropagating || report.departure) call.occupancy = toOccupancyNumber(report.departureOccupancy);
  // Boards report one event of a call: a cancellation of the other one alone may be known from another answer.
  const isWhole =
    trip.answer.isPropagating ||
    callEvents.every((event) => isNoEvent(trip.plan, position, event) || isEventCancelled(call, event));
  for (const event of callEvents) if (isWhole || report[event]) liftCancellation(call, event);
  if (report.state === 'noData') {
    forgetTimes(call);
    if (!isObserved(call)) call.flags |= callFlags.noData;
    return null;
  }
  const arrived = applyEvent(trip, call, position, 'arrival', report, carried);
  const departed = applyEvent(trip, call, position, 'departure', report, arrived);
  if (!isFromPosition(call.arrival) && !isFromPosition(call.departure)) call.flags &= ~callFlags.fromPosition;
  return departed;
}

/** @returns delay to propagate */
function applyEvent(
  trip: AppliedTrip,
  call: CallMemory,
  position: number,
  name: CallEvent,
  { [name]: report, cancelledEvent }: CallReport,
  carried: CarriedDelay | null,
): CarriedDelay | null {
  if (cancelledEvent === name) {
    cancelEvent(call, name);
    return carried;
  }
  const event = call[name];
  const { isPropagating, knownAt } = trip.answer;
  const plan = trip.plan.at(position, name);
  const time = readReportedTime(trip, position, name, report);
  if (time !== null) {
    setReported(event, time, report!.isMeasured, knownAt);
    return plan > 0 ? { seconds: time - plan, isOfTrip: false } : null;
  }
  if (isPropagating) propagateOrWithdraw(event, plan, carried, knownAt);
  // Withdrawn only when named without a time: an event that is not named may be known from another answer.
  else if (report) withdrawEvent(event, knownAt);
  return carried;
}

function propagateDelay(trip: AppliedTrip, position: number, carried: CarriedDelay): void {
  const { plan, answer } = trip;
  const call = touchCall(trip, position);
  liftCancellation(call);
  call.flags &= ~callFlags.noData;
  call.platform = null;
  call.headsign = null;
  call.occupancy = 0;
  propagateOrWithdraw(call.arrival, plan.at(position, 'arrival'), carried, answer.knownAt);
  propagateOrWithdraw(call.departure, plan.at(position, 'departure'), carried, answer.knownAt);
}

function propagateOrWithdraw(event: CallEventState, plan: number, carried: CarriedDelay | null, knownAt: number): void {
  if (carried && plan > 0) setPropagated(event, plan + carried.seconds, knownAt);
  else withdrawEvent(event, knownAt);
}

function isFromPosition({ evidence, isReported }: CallEventState): boolean {
  return evidence === OBSERVED && !isReported;
}

/**
 * Withdraws a call that the source stopped reporting.
 * @param plan its scheduled departure: a cancellation stays known when it has passed
 */
export function withdrawCall(call: CallMemory, plan: number, answer: AnswerFacts): void {
  withdrawTimes(call, answer);
  if (plan > answer.knownAt) liftCancellation(call);
}

/** As `withdrawCall`, but keeps a cancellation. */
export function withdrawTimes(call: CallMemory, { knownAt }: AnswerFacts): void {
  withdrawEvent(call.arrival, knownAt);
  withdrawEvent(call.departure, knownAt);
  call.flags &= ~callFlags.noData;
  call.occupancy = 0;
  // The remaining times are past, and this answer could have withdrawn them: they do not expire any more.
  call.seenAt = knownAt;
}

/** Returns the memory of a reported call, created when missing. */
function touchCall({ calls, answer, touched }: AppliedTrip, position: number): CallMemory {
  const call = calls[position] ?? createCallMemory(answer.part);
  calls[position] = call;
  call.part = answer.part;
  call.seenAt = answer.knownAt;
  call.isCarried = !answer.isPropagating;
  if (!answer.isPropagating) touched.add(call);
  return call;
}
