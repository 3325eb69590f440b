import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import type { CallSighting } from '../model/observation.ts';
import type { TripReport } from '../model/realtime.ts';
import type { RealtimeTally } from '../model/realtime-tally.ts';
import type { EpochDay } from '../model/service-time.ts';
import { callFlags, tripFlags } from '../snapshots/realtime-contract.ts';
import { type AddedTripContext, keepPastCalls, readAddedTrip } from './added-trips.ts';
import { type AnswerFacts, applyTrip, withdrawFuture } from './apply-trip.ts';
import { applyVehicle } from './apply-vehicle.ts';
import {
  type AddedTrip,
  type CallMemory,
  createTripMemory,
  nameDated,
  type SourceMemory,
  type TripMemory,
} from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { toAddedSighting, toSighting } from './sightings.ts';
import { type Answer, count, matchContext, startRun, type UpdateContext, type UpdateRun } from './update-run.ts';

export interface AppliedUpdate {
  readonly tally: RealtimeTally;
  readonly sightings: readonly CallSighting[];
  /** Dated trips that no part of the source names any more. */
  readonly ended: readonly { readonly tripKey: bigint; readonly day: EpochDay }[];
}

/** Lays an answer over what the source said before, and tells what is new and what became of each record. */
export function applyUpdate(source: SourceMemory, answer: Answer, context: UpdateContext): AppliedUpdate {
  const run = startRun(source, answer, context);
  const { update } = answer;
  // Times of a frozen answer say nothing; what it said before grows old by itself.
  if (!update.isFrozen) {
    for (const report of update.trips) applyTripReport(run, report);
    const ended = withdrawUnmentioned(run);
    for (const vehicle of update.vehicles) applyVehicle(run, vehicle);
    run.ended.push(...ended);
  }
  keepAlerts(source, answer);
  for (const board of update.stationBoards) source.boards.set(board.station, { board, fetchedAt: answer.fetchedAt });
  return { tally: run.tally, sightings: run.sightings, ended: run.ended };
}

// ---- Trips -------------------------------------------------------------------------------------

function applyTripReport(run: UpdateRun, report: TripReport): void {
  const match = run.context.matcher.matchTrip(report, matchContext(run));
  if (match.kind === 'added' || isOfItsOwn(report, match)) applyAdded(run, report, match);
  else if (match.kind === 'unmatched') count(run.tally.unmatched, match.reason);
  else applyDated(run, report, match);
}

/** A run of a frequency that the timetable does not write out is still a run with times. */
function isOfItsOwn({ relationship }: TripReport, match: TripMatch): boolean {
  if (relationship === 'unscheduled') return match.kind === 'unmatched';
  return relationship === 'replacement' || relationship === 'duplicated';
}

function applyDated(run: UpdateRun, report: TripReport, match: DatedMatch): void {
  count(run.tally.matched, match.how);
  const memory = getTrip(run, match.trip, match.day);
  memory.replacedBy = null;
  const tell = (position: number, event: 'arrival' | 'departure', call: CallMemory) =>
    run.sightings.push(toSighting(run.context.planned, memory, position, event, call, 'stop_events'));
  const implausible = applyTrip(
    memory,
    nameAssignedPlatforms(run, report),
    match.positions,
    run.context.planned,
    run.facts,
    tell,
  );
  for (let i = 0; i < implausible; i++) count(run.tally.problems, 'implausible_time');
  for (let i = 0; i < report.calls.length; i++) {
    if (match.positions[i]! < 0) count(run.tally.problems, 'call_not_in_trip');
  }
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

function getTrip({ source, facts, mentioned }: UpdateRun, trip: number, day: number): TripMemory {
  const name = nameDated(trip, day);
  const memory = source.trips.get(name) ?? createTripMemory(trip, day);
  source.trips.set(name, memory);
  memory.parts.add(facts.part);
  mentioned.add(name);
  return memory;
}

function applyAdded(run: UpdateRun, report: TripReport, base: TripMatch | null): void {
  const { source, context, facts } = run;
  const added: AddedTripContext = { ...context, sourceId: source.id, answer: facts };
  const read = readAddedTrip(report, base, added);
  if (!read) {
    count(run.tally.unmatched, `${report.relationship}_without_calls`);
    return;
  }
  count(run.tally.matched, report.relationship);
  const name = nameDated(read.key, read.day);
  const trip = keepPastCalls(read, source.added.get(name));
  tellAdded(run, trip, source.added.get(name));
  source.added.set(name, trip);
  run.mentioned.add(name);
  if (report.relationship === 'replacement' && base?.kind === 'dated') {
    const replaced = getTrip(run, base.trip, base.day);
    replaced.flags = tripFlags.replaced;
    replaced.replacedBy = name;
    replaced.seenAt = facts.seenAt;
  }
}

function tellAdded(run: UpdateRun, trip: AddedTrip, before: AddedTrip | undefined): void {
  trip.calls.forEach((call, position) => {
    const known = before?.calls[position];
    for (const event of ['arrival', 'departure'] as const) {
      const isSame =
        known !== undefined &&
        known[event] === call[event] &&
        known[`${event}Evidence`] === call[`${event}Evidence`] &&
        known.flags === call.flags &&
        known.platform === call.platform;
      const isEmpty = call[event] === 0 && (call.flags & callFlags.cancelled) === 0;
      if (!isSame && !isEmpty) run.sightings.push(toAddedSighting(trip, position, event));
    }
  });
}

/** What this part said before and says no more: of whole trips, forecasts and cancellations are taken back. */
function withdrawUnmentioned(run: UpdateRun): { tripKey: bigint; day: EpochDay }[] {
  const { source, answer, facts, mentioned, context } = run;
  const before = source.mentioned.get(facts.part) ?? new Set<string>();
  if (answer.update.scope === 'mentioned') {
    source.mentioned.set(facts.part, new Set([...before, ...mentioned]));
    return [];
  }
  source.mentioned.set(facts.part, mentioned);
  const ended: { tripKey: bigint; day: EpochDay }[] = [];
  for (const name of before) {
    if (mentioned.has(name)) continue;
    const added = source.added.get(name);
    if (added) {
      source.added.delete(name);
      ended.push({ tripKey: added.key, day: added.day as EpochDay });
      continue;
    }
    const memory = source.trips.get(name);
    if (!memory) continue;
    memory.parts.delete(facts.part);
    withdrawTrip(memory, context.planned, facts);
    if (memory.parts.size === 0) {
      ended.push({ tripKey: context.planned.tables.trips.key[memory.trip]!, day: memory.day as EpochDay });
    }
  }
  return ended;
}

function withdrawTrip(memory: TripMemory, planned: PlannedCalls, { part, knownAt }: AnswerFacts): void {
  const last = planned.callCount(memory.trip) - 1;
  if (planned.arrival(memory.trip, memory.day, last) > knownAt) {
    memory.flags = 0;
    memory.replacedBy = null;
  }
  memory.calls.forEach((call, position) => {
    if (call?.part === part) withdrawFuture(call, planned.departure(memory.trip, memory.day, position), knownAt);
  });
}

// ---- News --------------------------------------------------------------------------------------

function keepAlerts(source: SourceMemory, { part, update }: Answer): void {
  if (update.scope === 'all') {
    source.alerts.set(part, update.alerts);
    return;
  }
  const gone = new Set([...update.deletedIds, ...update.alerts.map(({ id }) => id)]);
  const kept = (source.alerts.get(part) ?? []).filter(({ id }) => !gone.has(id));
  source.alerts.set(part, [...kept, ...update.alerts]);
}
