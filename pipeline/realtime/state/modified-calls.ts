import type { CallChange, CallName, CallReport, StopName, TripReport } from '../../model/realtime.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import { addDelay, placeStop, type ReportedAddedCall } from './added-calls.ts';
import { type AddedCall, createCallMemory } from './memory.ts';
import type { PlacedChange } from './modification-memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { repeatBaseCall } from './replaced-calls.ts';
import { count, matchContext, type UpdateRun } from './update-run.ts';

/** @returns null where the trip does not have the calls, or the changes are out of order or overlap */
export function placeChanges(
  changes: readonly CallChange[],
  trip: number,
  planned: PlannedCalls,
): readonly PlacedChange[] | null {
  const placed: PlacedChange[] = [];
  let free = 0;
  for (const change of changes) {
    const firstPosition = findCall(change.first, trip, planned, free);
    const last = change.last && findCall(change.last, trip, planned, firstPosition);
    if (firstPosition < free || (last !== null && last < firstPosition)) return null;
    const endPosition = last === null ? firstPosition : last + 1;
    placed.push({ ...change, firstPosition, endPosition });
    free = endPosition;
  }
  return placed;
}

/** Position of a call at or after `from`: by number where one is given, else by stop; -1 without one. */
function findCall(
  { stopSequence, stop }: CallName,
  trip: number,
  { tables, callCount, stop: stopAt }: PlannedCalls,
  from: number,
): number {
  const firstSequence = tables.trips.firstSequence[trip]!;
  for (let position = Math.max(from, 0); position < callCount(trip); position++) {
    const isNamed =
      stopSequence !== null
        ? tables.stopSequences.sequence[firstSequence + position] === stopSequence
        : tables.stops.stopId.get(stopAt(trip, position)) === stop?.id;
    if (isNamed) return position;
  }
  return -1;
}

/**
 * The calls that a modified trip serves. Those of the plan keep their planned times and are shifted by the delays of
 * the changes before them; a replacement stop is planned by its travel time, else evenly between its neighbours.
 * @see GTFS Realtime, Trip Modifications
 */
export function listModifiedCalls(run: UpdateRun, base: DatedMatch, changes: readonly PlacedChange[]): AddedCall[] {
  const callCount = run.context.planned.callCount(base.trip);
  const calls: AddedCall[] = [];
  let shift = 0;
  let position = 0;
  const repeatUntil = (end: number) => {
    for (; position < end; position++) calls.push(repeatBaseCall(run, base, position, shift));
  };
  for (const change of changes) {
    repeatUntil(change.firstPosition);
    const instants = timeStops(run, base, change, shift);
    change.stops.forEach(({ stop }, i) => {
      const number = callCount + calls.filter((call) => call.number >= callCount).length;
      calls.push(makeStop(run, stop, instants[i]!, number));
    });
    // A change of the way alone delays the calls after the one that it names.
    if (change.last === null && change.stops.length === 0) repeatUntil(change.firstPosition + 1);
    position = Math.max(position, change.endPosition);
    shift += change.delaySeconds;
  }
  repeatUntil(callCount);
  return calls;
}

/** When the replacement stops of a change are served; rising. */
function timeStops({ context }: UpdateRun, base: DatedMatch, change: PlacedChange, shift: number): number[] {
  const plan = context.planned.plan(base.trip, base.day);
  const { firstPosition, endPosition, stops, delaySeconds } = change;
  const reference = Math.max(firstPosition - 1, 0);
  const from = plan.at(reference, 'arrival') + shift;
  const begin = plan.at(reference, 'departure') + shift;
  const end =
    endPosition < plan.callCount
      ? plan.at(endPosition, 'arrival') + shift + delaySeconds
      : Math.max(begin, plan.at(plan.callCount - 1, 'arrival') + shift);
  let before = Number.NEGATIVE_INFINITY;
  return stops.map(({ travelSeconds }, i) => {
    const share = (i + (firstPosition === 0 ? 0 : 1)) / (stops.length + 1);
    const time = travelSeconds === null ? Math.round(begin + (end - begin) * share) : from + travelSeconds;
    before = Math.max(before, time);
    return before;
  });
}

function makeStop({ context, facts }: UpdateRun, stop: StopName, instant: number, number: number): AddedCall {
  return {
    ...createCallMemory(facts.part),
    ...placeStop(stop, context.matcher, matchContext({ context, facts }), context.planned),
    number,
    sequence: null,
    seenAt: facts.knownAt,
    scheduledArrival: instant,
    scheduledDeparture: instant,
    scheduledPlatform: stop.platformCode ?? null,
    shiftSeconds: 0,
    isLeftOut: false,
  };
}

/**
 * Places the reported calls of a modified trip. A report of the modified trip counts its calls from 1, and its delays
 * are those against the modified plan; a report of the trip as planned knows neither.
 */
export function placeModified(
  run: UpdateRun,
  { calls: reported, properties }: TripReport,
  base: DatedMatch,
  calls: readonly AddedCall[],
): ReportedAddedCall[] {
  const reports = properties?.isModified ? placeByCount(run, reported, calls) : placeByPlan(run, reported, base);
  return calls.map((call) => ({ call, report: reports.get(call.number) ?? null }));
}

/** By number of the call. */
function placeByCount(run: UpdateRun, reported: readonly CallReport[], calls: readonly AddedCall[]) {
  const reports = new Map<number, CallReport>();
  let next = 0;
  for (const report of reported) {
    const { stopSequence, stop } = report;
    const index =
      stopSequence !== null ? stopSequence - 1 : calls.findIndex((call, i) => i >= next && call.stopId === stop?.id);
    const call = calls[index];
    if (call) {
      reports.set(call.number, report);
      next = index + 1;
    } else count(run.tally.problems, 'call_not_in_trip');
  }
  return reports;
}

function placeByPlan(run: UpdateRun, reported: readonly CallReport[], base: DatedMatch) {
  const plan = run.context.planned.plan(base.trip, base.day);
  const reports = new Map<number, CallReport>();
  reported.forEach((report, i) => {
    const position = base.positions[i]!;
    if (position < 0) return;
    const arrival = addDelay(report.arrival, plan.at(position, 'arrival'));
    reports.set(position, {
      ...report,
      arrival,
      departure: addDelay(report.departure, plan.at(position, 'departure')),
    });
  });
  count(run.tally.problems, 'call_not_in_trip', base.callProblems);
  return reports;
}
