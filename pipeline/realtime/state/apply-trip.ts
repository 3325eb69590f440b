import type { CallReport, TripReport } from '../../model/realtime.ts';
import type { EpochDay } from '../../model/service-time.ts';
import type { DatedMatch } from '../matching/match-result.ts';
import { callFlags, tripFlags } from '../snapshot/realtime-contract.ts';
import { applyReport, cancelRun, silenceRun } from './apply-report.ts';
import { type EmittedRun, emitStopEvents, type ReportedEvents } from './emitted-sightings.ts';
import { createTripMemory, isCancelled, nameDated, type SourceMemory, type TripMemory } from './memory.ts';
import type { PlannedCalls, RunPlan } from './planned-calls.ts';
import { count, matchContext, mention, type UpdateRun } from './update-run.ts';

/** Lays a report over what the source said before of a dated trip of the timetable. */
export function applyTrip(run: UpdateRun, report: TripReport, match: DatedMatch): void {
  const { tally, facts, context } = run;
  const memory = getTrip(run.source, match, context.planned);
  mention(run, memory, report.place);
  const before = memory.flags;
  memory.flags = flagsOf(report);
  memory.recordedAt = report.recordedAt ?? facts.knownAt;
  memory.seenAt = facts.knownAt;
  // The trip itself is spoken of, so nothing runs in its place any more.
  if ((before & tripFlags.replaced) !== 0) run.source.added.delete(nameDated(memory));

  const laid = {
    calls: memory.calls,
    plan: context.planned.plan(match.trip, match.day),
    answer: facts,
    touched: run.touched,
  };
  count(tally.matched, match.how);
  if (report.relationship === 'cancelled') cancelRun(laid);
  else if (report.relationship === 'deleted') silenceRun(laid);
  else if ((before & tripFlags.cancelled) !== 0) bringBack(memory, laid.plan, facts.knownAt);
  const said = placeCalls(nameAssignedPlatforms(run, report), match);
  if (!isAway(report)) {
    count(tally.problems, 'implausible_time', applyReport(laid, said, report.delaySeconds));
    count(tally.problems, 'call_not_in_trip', match.callProblems);
    count(tally.problems, 'unplanned_call', report.calls.filter(({ state }) => state === 'unplanned').length);
  }
  emitTrip(run, memory, listReported(report, said));
}

export function isAway({ relationship }: TripReport): boolean {
  return relationship === 'cancelled' || relationship === 'deleted';
}

/** The events that a report names; of what it cancels all, save of a call that took place before. */
export function listReported(report: TripReport, said: ReadonlyMap<number, CallReport>): ReportedEvents {
  if (isAway(report)) return (_index, _event, call) => isCancelled(call);
  return (index, event, call) => {
    const told = said.get(index);
    return told !== undefined && (told.state === 'skipped' ? isCancelled(call) : told[event] !== null);
  };
}

/** Made when it is first spoken of. */
export function getTrip(
  { trips }: SourceMemory,
  { trip, day }: { readonly trip: number; readonly day: EpochDay },
  { tables }: PlannedCalls,
): TripMemory {
  const name = { key: tables.trips.key[trip]!, day };
  const known = trips.get(nameDated(name));
  if (known) return known;
  const made = createTripMemory(name, trip);
  trips.set(nameDated(name), made);
  return made;
}

function flagsOf({ relationship, isSpecial }: TripReport): number {
  const special = isSpecial ? tripFlags.special : 0;
  if (relationship === 'cancelled') return special | tripFlags.cancelled;
  if (relationship === 'deleted') return special | tripFlags.deleted;
  return special;
}

/** A trip that was cancelled runs after all: from here on at every call, whether or not the report names it. */
function bringBack({ calls }: TripMemory, plan: RunPlan, knownAt: number): void {
  calls.forEach((call, position) => {
    if (call && plan.at(position, 'departure') > knownAt) call.flags &= ~callFlags.cancelled;
  });
}

function placeCalls({ calls }: TripReport, { positions }: DatedMatch): Map<number, CallReport> {
  const said = new Map<number, CallReport>();
  calls.forEach((call, i) => {
    if (positions[i]! >= 0) said.set(positions[i]!, call);
  });
  return said;
}

/** A call that moves to another stop of its station moves to the platform that this stop is. */
function nameAssignedPlatforms(run: UpdateRun, report: TripReport): TripReport {
  if (report.calls.every(({ assignedStopId }) => assignedStopId === null)) return report;
  const { platformCode } = run.context.planned.tables.stops;
  const calls = report.calls.map((call) => {
    if (call.assignedStopId === null || call.platform !== null) return call;
    const stop = { id: call.assignedStopId, idSpace: 'gtfs', name: null, lat: null, lon: null } as const;
    const row = run.context.matcher.matchStop(stop, matchContext(run));
    return { ...call, platform: row === null ? null : platformCode.get(row) || null };
  });
  return { ...report, calls };
}

// ---- Sightings ---------------------------------------------------------------------------------

/** Tells what is new of it. A trip that is not to be shown is not a cancelled one: nothing is said of it. */
export function emitTrip(run: UpdateRun, memory: TripMemory, isReported: ReportedEvents): void {
  const { source, context, facts, sightings } = run;
  if ((memory.flags & tripFlags.deleted) !== 0) return;
  sightings.push(...emitStopEvents(source, describeTrip(context.planned, memory), isReported, facts.seenAt));
}

export function describeTrip(planned: PlannedCalls, memory: TripMemory): EmittedRun {
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
