import type { CallReport, TimeReport, TripReport } from '../model/realtime.ts';
import type { Instant } from '../model/service-time.ts';
import { callFlags, tripFlags } from '../snapshots/realtime-contract.ts';
import { type CallMemory, createCallMemory, FORECAST, OBSERVED, type TripMemory, UNKNOWN } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

/** The answer that a report stands in. */
export interface AnswerFacts {
  readonly part: string;
  /** When the publisher knew: what is measured lies before it, and what is said grows old from it on. */
  readonly knownAt: Instant;
  readonly isPropagating: boolean;
}

/** Told of each event of a call that the source named and that is not what it said before. */
export type TellSighting = (position: number, event: 'arrival' | 'departure', call: CallMemory) => void;

/** A time further from its plan than this is a slip of the publisher's. */
const MAX_DEVIATION_SECONDS = 24 * 3600;

/**
 * Lays one report over what the source said before of the same dated trip.
 * @param positions of the report's calls in the trip; -1 for one that it does not have
 * @returns times that were left out because they cannot be
 */
export function applyTrip(
  memory: TripMemory,
  report: TripReport,
  positions: ArrayLike<number>,
  planned: PlannedCalls,
  answer: AnswerFacts,
  tell: TellSighting,
): number {
  memory.flags = flagsOf(report);
  memory.recordedAt = report.recordedAt ?? answer.knownAt;
  memory.seenAt = answer.knownAt;
  memory.vehicleId = report.vehicleId ?? memory.vehicleId;
  if ((memory.flags & (tripFlags.cancelled | tripFlags.deleted)) !== 0) {
    cancelCalls(memory, planned, answer, tell);
    return 0;
  }
  const said = new Map<number, CallReport>();
  report.calls.forEach((call, i) => {
    if (positions[i]! >= 0) said.set(positions[i]!, call);
  });
  const run: TripRun = { memory, planned, answer, tell, implausible: 0 };
  if (answer.isPropagating) layWholeTrip(run, said, report.delaySeconds);
  else for (const [position, call] of said) layCall(run, position, call, null);
  notePartialCancellation(memory);
  return run.implausible;
}

function flagsOf({ relationship, isSpecial }: TripReport): number {
  const special = isSpecial ? tripFlags.special : 0;
  if (relationship === 'cancelled') return special | tripFlags.cancelled;
  if (relationship === 'deleted') return special | tripFlags.deleted;
  return special;
}

interface TripRun {
  readonly memory: TripMemory;
  readonly planned: PlannedCalls;
  readonly answer: AnswerFacts;
  readonly tell: TellSighting;
  implausible: number;
}

function cancelCalls(memory: TripMemory, planned: PlannedCalls, answer: AnswerFacts, tell: TellSighting): void {
  const count = planned.callCount(memory.trip);
  for (let position = 0; position < count; position++) {
    const call = getCall(memory, position, answer.part);
    // What has happened has happened: a train that is cancelled on its way did call there.
    if (Math.max(call.arrivalEvidence, call.departureEvidence) < OBSERVED) {
      setCancelled({ memory, planned, answer, tell, implausible: 0 }, position, call);
    }
    call.seenAt = answer.knownAt;
  }
}

/**
 * A report of a whole trip: what it says of one call holds for those after it, until it says otherwise.
 * @see GTFS Realtime reference, "Trip updates": delays propagate, `NO_DATA` ends them, `SKIPPED` does not; the delay of
 * the trip counts up to the first call that has its own
 */
function layWholeTrip(run: TripRun, said: ReadonlyMap<number, CallReport>, tripDelay: number | null): void {
  const { memory, planned, answer } = run;
  const count = planned.callCount(memory.trip);
  let delay: number | null = tripDelay;
  let isBeforeFirst = true;
  for (let position = 0; position < count; position++) {
    const call = said.get(position);
    if (call?.state === 'noData') {
      clearCall(getCall(memory, position, answer.part), answer, callFlags.noData);
      delay = null;
    } else if (call) {
      delay = layCall(run, position, call, delay);
    } else if (delay !== null && !(isBeforeFirst && isOver(run, position, delay))) {
      layPropagated(run, position, delay);
    } else {
      withdrawFuture(memory.calls[position], planned.departure(memory.trip, memory.day, position), answer.knownAt);
    }
    if (call) isBeforeFirst = false;
  }
}

function isOver({ memory, planned, answer }: TripRun, position: number, delay: number): boolean {
  return planned.departure(memory.trip, memory.day, position) + delay < answer.knownAt;
}

/**
 * What the source says of one call.
 * @param carried delay that reaches the call from before; null for none
 * @returns the delay that it carries on
 */
function layCall(run: TripRun, position: number, report: CallReport, carried: number | null): number | null {
  const { memory, planned, answer } = run;
  const call = getCall(memory, position, answer.part);
  call.part = answer.part;
  call.seenAt = answer.knownAt;
  if (report.state === 'skipped') {
    setCancelled(run, position, call);
    return carried;
  }
  const platformBefore = call.platform;
  call.platform = report.platform ?? (answer.isPropagating ? null : call.platform);
  call.flags &= ~(callFlags.cancelled | callFlags.noData);
  if (report.state === 'noData') {
    clearCall(call, answer, callFlags.noData);
    return null;
  }
  const isTold = call.platform !== platformBefore;
  const arrivalPlan = planned.arrival(memory.trip, memory.day, position);
  const departurePlan = planned.departure(memory.trip, memory.day, position);
  let delay = carried;
  const arrival = readTime(run, report.arrival, arrivalPlan);
  if (arrival !== null) {
    setSaid(run, position, call, 'arrival', arrival, report.arrival!.isMeasured, isTold);
    delay = arrival - arrivalPlan;
  } else if (answer.isPropagating) setPropagated(call, 'arrival', delay === null ? 0 : arrivalPlan + delay, answer);
  const departure = readTime(run, report.departure, departurePlan);
  if (departure !== null) {
    setSaid(run, position, call, 'departure', departure, report.departure!.isMeasured, isTold);
    delay = departure - departurePlan;
  } else if (answer.isPropagating) {
    setPropagated(call, 'departure', delay === null ? 0 : Math.max(departurePlan + delay, call.arrival), answer);
  }
  return delay;
}

function readTime(run: TripRun, report: TimeReport | null, plan: number): number | null {
  const time = report?.time ?? (typeof report?.delaySeconds === 'number' ? plan + report.delaySeconds : null);
  if (time === null) return null;
  if (Math.abs(time - plan) <= MAX_DEVIATION_SECONDS) return time;
  run.implausible += 1;
  return null;
}

function layPropagated({ memory, planned, answer }: TripRun, position: number, delay: number): void {
  const call = getCall(memory, position, answer.part);
  call.part = answer.part;
  call.seenAt = answer.knownAt;
  call.flags &= ~(callFlags.cancelled | callFlags.noData);
  call.platform = null;
  setPropagated(call, 'arrival', planned.arrival(memory.trip, memory.day, position) + delay, answer);
  const departure = planned.departure(memory.trip, memory.day, position) + delay;
  setPropagated(call, 'departure', Math.max(departure, call.arrival), answer);
}

/**
 * Nothing is said of a call any more: what lies ahead is withdrawn, what is over stays as it was last known.
 * @param plan its scheduled departure: a cancellation stays known when it has passed
 */
export function withdrawFuture(call: CallMemory | undefined, plan: number, knownAt: number): void {
  if (!call) return;
  if (call.arrival > knownAt && call.arrivalEvidence !== OBSERVED) forget(call, 'arrival');
  if (call.departure > knownAt && call.departureEvidence !== OBSERVED) forget(call, 'departure');
  call.flags &= ~callFlags.noData;
  if (plan > knownAt) call.flags &= ~callFlags.cancelled;
}

function clearCall(call: CallMemory, { part, knownAt }: AnswerFacts, flag: number): void {
  call.part = part;
  call.seenAt = knownAt;
  if (call.arrivalEvidence !== OBSERVED) forget(call, 'arrival');
  if (call.departureEvidence !== OBSERVED) forget(call, 'departure');
  call.flags = (call.flags & ~callFlags.cancelled) | flag;
}

function forget(call: CallMemory, event: 'arrival' | 'departure'): void {
  call[event] = 0;
  call[`${event}Evidence`] = UNKNOWN;
  if (event === 'arrival') call.isArrivalSaid = false;
  else call.isDepartureSaid = false;
}

function setCancelled({ memory, planned, answer, tell }: TripRun, position: number, call: CallMemory): void {
  const isNews = (call.flags & callFlags.cancelled) === 0;
  call.part = answer.part;
  forget(call, 'arrival');
  forget(call, 'departure');
  call.flags = (call.flags & ~callFlags.noData) | callFlags.cancelled;
  if (!isNews) return;
  if (position > 0) tell(position, 'arrival', call);
  if (position < planned.callCount(memory.trip) - 1) tell(position, 'departure', call);
}

/** A time by the source's own word; once observed, only another observation changes it. */
export function setSaid(
  run: Pick<TripRun, 'answer' | 'tell'>,
  position: number,
  call: CallMemory,
  event: 'arrival' | 'departure',
  time: number,
  isMeasured: boolean,
  isTold: boolean,
): void {
  const evidence = isMeasured && time <= run.answer.knownAt ? OBSERVED : FORECAST;
  const wasSaid = event === 'arrival' ? call.isArrivalSaid : call.isDepartureSaid;
  if (call[`${event}Evidence`] === OBSERVED && evidence !== OBSERVED) return;
  const isSame = wasSaid && call[event] === time && call[`${event}Evidence`] === evidence && !isTold;
  call[event] = time;
  call[`${event}Evidence`] = evidence;
  call.flags &= ~callFlags.fromPosition;
  if (event === 'arrival') call.isArrivalSaid = true;
  else call.isDepartureSaid = true;
  if (!isSame) run.tell(position, event, call);
}

/** A time that follows from another call; it never takes the place of what was said of the past. */
function setPropagated(
  call: CallMemory,
  event: 'arrival' | 'departure',
  time: number,
  { knownAt }: { knownAt: number },
): void {
  const wasSaid = event === 'arrival' ? call.isArrivalSaid : call.isDepartureSaid;
  if (call[`${event}Evidence`] === OBSERVED || (wasSaid && call[event] <= knownAt)) return;
  forget(call, event);
  if (time === 0) return;
  call[event] = time;
  call[`${event}Evidence`] = FORECAST;
}

function notePartialCancellation(memory: TripMemory): void {
  if (memory.calls.some((call) => call && (call.flags & callFlags.cancelled) !== 0)) {
    memory.flags |= tripFlags.partlyCancelled;
  }
}

export function getCall(memory: TripMemory, position: number, part: string): CallMemory {
  const known = memory.calls[position];
  if (known) return known;
  const call = createCallMemory(part);
  memory.calls[position] = call;
  return call;
}
