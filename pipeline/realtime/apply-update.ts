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
    applyTripReports(run);
    const ended = withdrawUnmentioned(run);
    for (const vehicle of update.vehicles) applyVehicle(run, vehicle);
    run.ended.push(...ended);
  }
  if (update.publishedAt === null) source.dated.delete(answer.part);
  else source.dated.add(answer.part);
  keepAlerts(source, answer);
  for (const board of update.stationBoards) source.boards.set(board.station, { board, fetchedAt: answer.fetchedAt });
  return { tally: run.tally, sightings: run.sightings, ended: run.ended };
}

// ---- Trips -------------------------------------------------------------------------------------

/** A report, and what matching makes of it. */
interface MatchedReport {
  readonly report: TripReport;
  readonly match: TripMatch;
}

function applyTripReports(run: UpdateRun): void {
  const about = matchContext(run);
  const matched = run.answer.update.trips.map(
    (report): MatchedReport => ({ report, match: run.context.matcher.matchTrip(report, about) }),
  );
  const named = listNamed(matched);
  for (const { report, match } of matched) {
    if (match.kind === 'added' || isOfItsOwn(report, match)) applyAdded(run, report, match);
    else if (match.kind === 'unmatched') count(run.tally.unmatched, match.reason);
    else if (match.how === 'route_start' && named.has(nameDated(match.trip, match.day))) {
      count(run.tally.unmatched, 'told_twice');
    } else applyDated(run, report, match);
  }
}

/** Trips that a report names by their own ids: one that only looks like such a trip is another one. */
function listNamed(matched: readonly MatchedReport[]): ReadonlySet<string> {
  return new Set(
    matched.flatMap(({ match }) =>
      match.kind === 'dated' && match.how !== 'route_start' ? nameDated(match.trip, match.day) : [],
    ),
  );
}

/** A run of a frequency that the timetable does not write out is still a run with times. */
function isOfItsOwn({ relationship }: TripReport, match: TripMatch): boolean {
  if (relationship === 'unscheduled') return match.kind === 'unmatched';
  return relationship === 'replacement' || relationship === 'duplicated';
}

function applyDated(run: UpdateRun, report: TripReport, match: DatedMatch): void {
  count(run.tally.matched, match.how);
  const memory = getTrip(run, match.trip, match.day, report.place);
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

function getTrip({ source, facts, mentioned }: UpdateRun, trip: number, day: number, place: string): TripMemory {
  const name = nameDated(trip, day);
  const memory = source.trips.get(name) ?? createTripMemory(trip, day);
  source.trips.set(name, memory);
  memory.parts.add(facts.part);
  mentioned.set(name, place);
  return memory;
}

function applyAdded(run: UpdateRun, report: TripReport, base: TripMatch | null): void {
  const { source, context, facts } = run;
  const added: AddedTripContext = { ...context, sourceId: source.id, answer: facts };
  const readNow = readAddedTrip(report, base, added);
  if (!readNow) {
    count(run.tally.unmatched, `${report.relationship}_without_calls`);
    return;
  }
  count(run.tally.matched, report.relationship);
  const read = keepDay(readNow, report, source);
  const name = nameDated(read.key, read.day);
  const trip = keepPastCalls(read, source.added.get(name));
  tellAdded(run, trip, source.added.get(name));
  source.added.set(name, trip);
  run.mentioned.set(name, report.place);
  if (report.relationship === 'replacement' && base?.kind === 'dated') {
    const replaced = getTrip(run, base.trip, base.day, report.place);
    replaced.flags = tripFlags.replaced;
    replaced.replacedBy = name;
    replaced.seenAt = facts.knownAt;
  }
}

/** Without a date it runs on the day on which it began, also when its calls before midnight are no longer told. */
function keepDay(trip: AddedTrip, report: TripReport, source: SourceMemory): AddedTrip {
  const isSince = report.trip.startDate === null && source.added.has(nameDated(trip.key, trip.day - 1));
  return isSince && !source.added.has(nameDated(trip.key, trip.day)) ? { ...trip, day: trip.day - 1 } : trip;
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
function withdrawUnmentioned(run: UpdateRun): Ended[] {
  const { source, answer, facts, mentioned } = run;
  const before = source.mentioned.get(facts.part) ?? new Map<string, string>();
  const { scope, deletedIds } = answer.update;
  const deleted = new Set(deletedIds.map((id) => `entity ${id}`));
  const isKept = (name: string, place: string) => mentioned.has(name) || (scope === 'mentioned' && !deleted.has(place));
  const ended: Ended[] = [];
  const kept = new Map<string, string>();
  for (const [name, place] of before) {
    if (isKept(name, place)) kept.set(name, place);
    else ended.push(...withdraw(run, name));
  }
  source.mentioned.set(facts.part, new Map([...kept, ...mentioned]));
  return ended;
}

type Ended = AppliedUpdate['ended'][number];

/** @returns the trip, where no other part of the source names it */
function withdraw({ source, facts, context: { planned } }: UpdateRun, name: string): Ended[] {
  const added = source.added.get(name);
  if (added) {
    source.added.delete(name);
    return [{ tripKey: added.key, day: added.day as EpochDay }];
  }
  const memory = source.trips.get(name);
  if (!memory) return [];
  memory.parts.delete(facts.part);
  withdrawTrip(memory, planned, facts);
  if (memory.parts.size > 0) return [];
  return [{ tripKey: planned.tables.trips.key[memory.trip]!, day: memory.day as EpochDay }];
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
