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
  setFollowing,
  setSaid,
  withdrawEvent,
} from './memory.ts';
import type { RunPlan } from './planned-calls.ts';

/** A dated trip that reports are laid over. */
interface AppliedTrip {
  /** By position; a gap where nothing was ever said. */
  readonly calls: (CallMemory | undefined)[];
  readonly plan: RunPlan;
  readonly answer: AnswerFacts;
  /** Receives the calls that are spoken of, where each speaks for itself. */
  readonly touched: Set<CallMemory>;
}

/** A time further from its plan than this is a slip of the publisher's. */
export const MAX_DELAY_SECONDS = 24 * 3600;
/** Without a plan: nobody adds a trip earlier than this before it runs, and says when it comes. */
const MAX_AHEAD_SECONDS = 48 * 3600;

/** A delay on its way to the calls after. */
interface CarriedDelay {
  readonly seconds: number;
  /** Of the trip as a whole: of what is over it says nothing. */
  readonly isOfTrip: boolean;
}

interface Laying extends AppliedTrip {
  implausible: number;
}

/**
 * Lays one report over what the source said before of the same dated trip.
 * @param said the report's calls by position
 * @param tripDelay of the trip as a whole, where no call says better
 * @returns times that were left out because they cannot be
 */
export function applyReport(run: AppliedTrip, said: ReadonlyMap<number, CallReport>, tripDelay: number | null): number {
  const laying: Laying = { ...run, implausible: 0 };
  if (run.answer.isPropagating) layAllCalls(laying, said, tripDelay);
  else for (const [position, report] of said) layCall(laying, position, report, null);
  return laying.implausible;
}

/** The trip does not run at all. */
export function cancelRun(run: AppliedTrip): void {
  for (let position = 0; position < run.plan.callCount; position++) cancelCall(touchCall(run, position));
}

/** The trip is not to be spoken of: that is not to say that it is cancelled, nor that it runs after all. */
export function silenceRun(run: AppliedTrip): void {
  for (let position = 0; position < run.plan.callCount; position++) forgetTimes(touchCall(run, position));
}

/**
 * What a report says of one call holds for those after it, until it says otherwise.
 * @see GTFS Realtime reference, "Trip updates": delays propagate, `NO_DATA` ends them, `SKIPPED` does not; the delay of
 * the trip counts up to the first call that has its own
 */
function layAllCalls(laying: Laying, said: ReadonlyMap<number, CallReport>, tripDelay: number | null): void {
  const { calls, plan, answer } = laying;
  let carried: CarriedDelay | null = tripDelay === null ? null : { seconds: tripDelay, isOfTrip: true };
  for (let position = 0; position < plan.callCount; position++) {
    const report = said.get(position);
    if (report) carried = layCall(laying, position, report, carried);
    else if (carried && isAhead(laying, position, carried)) layFollowing(laying, position, carried);
    else {
      const call = calls[position];
      if (call?.part === answer.part) withdrawCall(call, plan.at(position, 'departure'), answer);
    }
  }
}

function isAhead({ plan, answer }: Laying, position: number, { seconds, isOfTrip }: CarriedDelay): boolean {
  return !isOfTrip || plan.at(position, 'departure') + seconds >= answer.knownAt;
}

/**
 * What the source says of one call.
 * @param carried delay that reaches it from before
 * @returns the delay that it carries on
 */
function layCall(
  laying: Laying,
  position: number,
  report: CallReport,
  carried: CarriedDelay | null,
): CarriedDelay | null {
  const call = touchCall(laying, position);
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
  const { plan } = laying;
  const arrived = layEvent(laying, call.arrival, report.arrival, plan.at(position, 'arrival'), carried);
  const departed = layEvent(laying, call.departure, report.departure, plan.at(position, 'departure'), arrived);
  keepOrder(call);
  if (!isSeen(call.arrival) && !isSeen(call.departure)) call.flags &= ~callFlags.fromPosition;
  return departed;
}

/** @returns the delay that it carries on */
function layEvent(
  laying: Laying,
  event: EventMemory,
  report: TimeReport | null,
  plan: number,
  carried: CarriedDelay | null,
): CarriedDelay | null {
  const { isPropagating, knownAt } = laying.answer;
  const time = readTime(laying, report, plan);
  if (time !== null) {
    setSaid(event, time, report!.isMeasured, knownAt);
    return plan > 0 ? { seconds: time - plan, isOfTrip: false } : null;
  }
  if (isPropagating) followOrWithdraw(event, plan, carried, knownAt);
  // It was named, and without a time; what is not named at all another answer of the source may have told.
  else if (report) withdrawEvent(event, knownAt);
  return carried;
}

function readTime(laying: Laying, report: TimeReport | null, plan: number): number | null {
  const moved = plan > 0 && typeof report?.delaySeconds === 'number' ? plan + report.delaySeconds : null;
  const time = report?.time ?? moved;
  if (time === null) return null;
  const [reference, limit] =
    plan > 0 ? [plan, MAX_DELAY_SECONDS] : [laying.answer.knownAt as number, MAX_AHEAD_SECONDS];
  if (Math.abs(time - reference) <= limit) return time;
  laying.implausible += 1;
  return null;
}

function layFollowing(laying: Laying, position: number, carried: CarriedDelay): void {
  const { plan, answer } = laying;
  const call = touchCall(laying, position);
  call.flags &= ~(callFlags.cancelled | callFlags.noData);
  call.platform = null;
  followOrWithdraw(call.arrival, plan.at(position, 'arrival'), carried, answer.knownAt);
  followOrWithdraw(call.departure, plan.at(position, 'departure'), carried, answer.knownAt);
  keepOrder(call);
}

function followOrWithdraw(event: EventMemory, plan: number, carried: CarriedDelay | null, knownAt: number): void {
  if (carried && plan > 0) setFollowing(event, plan + carried.seconds, knownAt);
  else withdrawEvent(event, knownAt);
}

/** Nobody leaves before arriving: of two times that do not go together, the one that follows from another call yields. */
function keepOrder({ arrival, departure }: CallMemory): void {
  if (arrival.time === 0 || departure.time === 0 || departure.time >= arrival.time) return;
  if (isFollowing(departure)) departure.time = arrival.time;
  else if (isFollowing(arrival)) arrival.time = departure.time;
}

function isSeen({ evidence, isSaid }: EventMemory): boolean {
  return evidence === OBSERVED && !isSaid;
}

function isFollowing({ evidence, isSaid }: EventMemory): boolean {
  return evidence === FORECAST && !isSaid;
}

/**
 * Nobody speaks of a call any more.
 * @param plan its scheduled departure: a cancellation stays known when it has passed
 */
export function withdrawCall(call: CallMemory, plan: number, answer: AnswerFacts): void {
  withdrawTimes(call, answer);
  if (plan > answer.knownAt) call.flags &= ~callFlags.cancelled;
}

/** As `withdrawCall`; that it is cancelled stays. */
export function withdrawTimes(call: CallMemory, { knownAt }: AnswerFacts): void {
  withdrawEvent(call.arrival, knownAt);
  withdrawEvent(call.departure, knownAt);
  call.flags &= ~callFlags.noData;
  // All that is left is over, and was not taken back by one who could have: it does not grow old any more.
  call.seenAt = knownAt;
}

/** The memory of a call that the answer speaks of. */
function touchCall({ calls, answer, touched }: AppliedTrip, position: number): CallMemory {
  const call = calls[position] ?? createCallMemory(answer.part);
  calls[position] = call;
  call.part = answer.part;
  call.seenAt = answer.knownAt;
  if (!answer.isPropagating) touched.add(call);
  return call;
}
