import { callEvents } from '../../model/observation.ts';
import type { CallReport, TripReport } from '../../model/realtime.ts';
import type { EpochDay } from '../../model/service-time.ts';
import { tripFlags } from '../../snapshots/realtime-contract.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import { type AppliedTrip, applyReport, cancelAllCalls, forgetAllTimes } from './apply-report.ts';
import { describeReported, settleProperties } from './call-properties.ts';
import { type DatedTripState, emitStopEvents, type ReportedEvents } from './emitted-observations.ts';
import {
  type AnswerFacts,
  createCallMemory,
  createTripMemory,
  datedTripKey,
  isEventCancelled,
  liftCancellation,
  type SourceMemory,
  type TripMemory,
} from './memory.ts';
import type { PlannedCalls, TripPlan } from './planned-calls.ts';
import { readReportedTime } from './refuse-times.ts';
import { count, countRefused, mention, type UpdateRun } from './update-run.ts';

/** Applies a report to the state that the source last reported for a dated trip of the timetable. */
export function applyTrip(run: UpdateRun, report: TripReport, match: DatedMatch): void {
  const { tally, facts, context } = run;
  const memory = getTrip(run.source, match, context.planned);
  mention(run, memory, report.place);
  const before = memory.flags;
  memory.flags = flagsOf(report);
  memory.recordedAt = report.recordedAt ?? facts.knownAt;
  memory.seenAt = facts.knownAt;
  // The trip itself is reported, so its replacement no longer runs.
  if ((before & tripFlags.replaced) !== 0) run.source.added.delete(datedTripKey(memory));

  const applied = {
    calls: memory.calls,
    plan: context.planned.plan(match.trip, match.day),
    answer: facts,
    touched: run.touched,
    maxEarlySeconds: context.maxEarlySeconds,
  };
  count(tally.matched, match.how);
  if (report.relationship === 'cancelled') cancelAllCalls(applied);
  else if (report.relationship === 'deleted') forgetAllTimes(applied);
  else if ((before & tripFlags.cancelled) !== 0) liftCancellationAhead(memory, applied.plan, facts.knownAt);
  let reports: ReadonlyMap<number, CallReport> = placeCalls(run, report, match);
  if (!isCancelledOrDeleted(report)) {
    noteDelay(run, applied, reports);
    const believed = applyReport(applied, reports, report.delaySeconds);
    reports = believed.reports;
    countRefused(tally.problems, believed.refused);
    setHeadsigns(memory, report, applied.plan.callCount, facts);
    count(tally.problems, 'call_not_in_trip', match.callProblems);
    count(tally.problems, 'unplanned_call', report.calls.filter(({ state }) => state === 'unplanned').length);
  }
  emitTrip(run, memory, listReported(report, reports));
}

/** Notes the delay of the first reported event, whether or not it is believed. */
function noteDelay({ delays }: UpdateRun, trip: AppliedTrip, reports: ReadonlyMap<number, CallReport>): void {
  for (const [position, report] of reports) {
    for (const event of callEvents) {
      const time = readReportedTime(trip, position, event, report[event]);
      if (time === null) continue;
      delays.push(time - trip.plan.at(position, event));
      return;
    }
  }
}

export function isCancelledOrDeleted({ relationship }: TripReport): boolean {
  return relationship === 'cancelled' || relationship === 'deleted';
}

/** The events that a report names; for a cancellation all events, except of calls that took place before. */
export function listReported(report: TripReport, reports: ReadonlyMap<number, CallReport>): ReportedEvents {
  if (isCancelledOrDeleted(report)) return (_index, event, call) => isEventCancelled(call, event);
  return (index, event, call) => {
    const reported = reports.get(index);
    if (reported === undefined) return false;
    const isNotServed = reported.state === 'skipped' || reported.cancelledEvent === event;
    if (isNotServed) return isEventCancelled(call, event);
    return reported[event] !== null || (event === 'departure' && reported.departureOccupancy !== undefined);
  };
}

/** Returns the trip's memory, created when missing. */
export function getTrip(
  { trips }: SourceMemory,
  { trip, day }: { readonly trip: number; readonly day: EpochDay },
  { tables }: PlannedCalls,
): TripMemory {
  const name = { key: tables.trips.key[trip]!, day };
  const known = trips.get(datedTripKey(name));
  if (known) return known;
  const made = createTripMemory(name, trip);
  trips.set(datedTripKey(name), made);
  return made;
}

function flagsOf({ relationship, isSpecial }: TripReport): number {
  const special = isSpecial ? tripFlags.special : 0;
  if (relationship === 'cancelled') return special | tripFlags.cancelled;
  if (relationship === 'deleted') return special | tripFlags.deleted;
  return special;
}

/** Lifts the cancellation of a trip that runs after all, at every future call, whether or not the report names it. */
function liftCancellationAhead({ calls }: TripMemory, plan: TripPlan, knownAt: number): void {
  calls.forEach((call, position) => {
    if (call && plan.at(position, 'departure') > knownAt) liftCancellation(call);
  });
}

function placeCalls(run: UpdateRun, { calls }: TripReport, { trip, positions }: DatedMatch): Map<number, CallReport> {
  const reports = new Map<number, CallReport>();
  calls.forEach((call, i) => {
    const position = positions[i]!;
    if (position >= 0) reports.set(position, settleProperties(run, call, describeReported(run, trip, position)));
  });
  return reports;
}

/** The headsign of the trip applies to all calls without a separate headsign, reported or not. */
function setHeadsigns(memory: TripMemory, report: TripReport, callCount: number, { part, knownAt }: AnswerFacts): void {
  const ofTrip = report.properties?.headsign ?? null;
  if (ofTrip === null) return;
  for (let position = 0; position < callCount; position++) {
    const call = memory.calls[position] ?? { ...createCallMemory(part), seenAt: knownAt };
    memory.calls[position] = call;
    call.headsign ??= ofTrip;
  }
}

// ---- Observations ---------------------------------------------------------------------------------

/** Emits what is new of a dated trip; nothing for a deleted one, which is not cancelled but must not be shown. */
export function emitTrip(run: UpdateRun, memory: TripMemory, isReported: ReportedEvents): void {
  const { source, context, facts, observations } = run;
  if ((memory.flags & tripFlags.deleted) !== 0) return;
  observations.push(...emitStopEvents(source, describeTrip(context.planned, memory), isReported, facts.seenAt));
}

export function describeTrip(planned: PlannedCalls, memory: TripMemory): DatedTripState {
  const { trips, patterns, routes, stops } = planned.tables;
  const { key, day, trip, recordedAt, calls } = memory;
  return {
    key,
    day,
    recordedAt,
    calls,
    plan: planned.plan(trip, day),
    position: (index) => index,
    stopId: (position) => stops.stopId.get(planned.stop(trip, position)),
    describe() {
      const route = patterns.route[trips.pattern[trip]!]!;
      return { tripId: trips.tripId.get(trip), routeId: routes.routeId.get(route), lineLabel: routes.label.get(route) };
    },
  };
}
