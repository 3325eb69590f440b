import type { CallReport } from '../../model/realtime.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import { nameStop, type ReportedAddedCall, reportedCallInstant } from './added-calls.ts';
import {
  type AddedCall,
  type CallMemory,
  createCallMemory,
  datedTripKey,
  isCancelled,
  type SourceMemory,
} from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { UpdateRun } from './update-run.ts';

// A replacement holds every call of the trip that it replaces: those that it does not serve are cancelled calls of it.
// So none of them vanishes from a board, and a journey shows what is left out beside what is served instead. A call of
// the replaced trip has its position as number, in the state as in the lake.

type Base = Pick<DatedMatch, 'trip' | 'day'>;

/** A call of the replaced trip as planned, with what the source has reported of it. */
export function repeatBaseCall(run: UpdateRun, base: Base, position: number, shiftSeconds = 0): AddedCall {
  const { planned } = run.context;
  const plan = planned.plan(base.trip, base.day);
  const call: AddedCall = {
    ...createCallMemory(run.facts.part),
    ...nameStop(planned.stop(base.trip, position), planned),
    number: position,
    sequence: null,
    seenAt: run.facts.knownAt,
    scheduledArrival: plan.at(position, 'arrival'),
    scheduledDeparture: plan.at(position, 'departure'),
    scheduledPlatform: null,
    shiftSeconds,
    isLeftOut: false,
  };
  return withState(call, listKnownCalls(run.source, planned, base)[position]);
}

/** What the source reported of the calls of the trip itself, before it was replaced; by position. */
function listKnownCalls(
  { trips }: SourceMemory,
  { tables }: PlannedCalls,
  { trip, day }: Base,
): readonly (CallMemory | undefined)[] {
  return trips.get(datedTripKey({ key: tables.trips.key[trip]!, day }))?.calls ?? [];
}

/** Takes over the state of a call; the other one keeps its own. */
export function withState<Call extends CallMemory>(call: Call, known: CallMemory | undefined): Call {
  if (!known) return call;
  const { arrival, departure, flags, platform, headsign, occupancy, seenAt, part, isCarried } = known;
  return {
    ...call,
    arrival: { ...arrival },
    departure: { ...departure },
    flags: flags | call.flags,
    platform,
    headsign,
    occupancy,
    seenAt,
    part,
    isCarried,
  };
}

/** What is known of the replaced trip is known of the calls that its replacement has in common with it. */
export function seedCalls(run: UpdateRun, base: Base, placed: readonly ReportedAddedCall[]): ReportedAddedCall[] {
  const known = listKnownCalls(run.source, run.context.planned, base);
  return placed.map(({ call, report }) => ({ call: withState(call, known[call.number]), report }));
}

/**
 * Adds the calls of the replaced trip that are not among those of its replacement, as left out. Publishers drop calls
 * that are over: one before the first that is reported keeps its state where the vehicle is known to have left it.
 * @param isWhole the reported calls are all that the trip serves, past ones included
 */
export function addLeftOut(
  run: UpdateRun,
  base: Base,
  placed: readonly ReportedAddedCall[],
  isWhole: boolean,
): ReportedAddedCall[] {
  const { planned } = run.context;
  const callCount = planned.callCount(base.trip);
  const covered = new Set(placed.map(({ call }) => call.number));
  const firstCovered = Math.min(callCount, ...covered);
  const all = [...placed];
  for (let position = 0; position < callCount; position++) {
    if (covered.has(position)) continue;
    const call = repeatBaseCall(run, base, position);
    const isOver = !isWhole && position < firstCovered && wasServed(call, run.facts.knownAt);
    insertCall(all, isOver ? { call, report: null } : leaveOut(call), callCount);
  }
  return all;
}

function wasServed(call: AddedCall, knownAt: number): boolean {
  const time = call.departure.time || call.arrival.time;
  return time > 0 && time <= knownAt && !isCancelled(call);
}

function leaveOut(call: AddedCall): ReportedAddedCall {
  return { call: { ...call, isLeftOut: true }, report: { ...SKIPPED, stop: call.place } };
}

const SKIPPED: CallReport = {
  stopSequence: null,
  stop: null,
  arrival: null,
  departure: null,
  state: 'skipped',
  cancelledEvent: null,
  scheduledPlatform: null,
  platform: null,
  assignedStopId: null,
};

/** Inserts a call of the replaced trip between its neighbours there; among other calls by time. */
function insertCall(all: ReportedAddedCall[], placed: ReportedAddedCall, callCount: number): void {
  const { number } = placed.call;
  const begin = all.findLastIndex(({ call }) => call.number < number) + 1;
  const instant = reportedCallInstant(placed);
  const isLater = (other: ReportedAddedCall) =>
    (other.call.number > number && other.call.number < callCount) || reportedCallInstant(other) > instant;
  const later = all.findIndex((other, i) => i >= begin && isLater(other));
  all.splice(later < 0 ? all.length : later, 0, placed);
}
