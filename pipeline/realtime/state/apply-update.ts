import type { CallSighting, ResolvedTrip } from '../../model/observation.ts';
import type { TripReport } from '../../model/realtime.ts';
import type { RealtimeTally } from '../../model/realtime-tally.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import { tripFlags } from '../snapshot/realtime-contract.ts';
import { endOfAdded } from './added-calls.ts';
import { applyAdded, cancelAdded, findAdded, findRepetition, isPlannedItself, isPlannedStart } from './apply-added.ts';
import { withdrawCall, withdrawTimes } from './apply-report.ts';
import { applyTrip, emitTrip, isAway } from './apply-trip.ts';
import { applyVehicle, dropUnmentionedVehicles, revisitVehicles } from './apply-vehicle.ts';
import {
  type AddedTrip,
  type AlertMemory,
  getPart,
  type Mention,
  nameDated,
  type PartMemory,
  type SourceMemory,
  type TripMemory,
  type UnresolvedReport,
} from './memory.ts';
import { endOfPlan } from './planned-calls.ts';
import { rememberResolved } from './resolved-trips.ts';
import {
  type Answer,
  count,
  matchContext,
  startRevisit,
  startRun,
  type UpdateContext,
  type UpdateRun,
} from './update-run.ts';

/** What came of an earlier answer of a part because another one has shown which trips it speaks of. */
interface RevisitedPart {
  readonly part: string;
  /** When that answer was fetched. */
  readonly seenAt: Instant;
  readonly sightings: readonly CallSighting[];
  /** Of that answer, with what has been found since. */
  readonly tally: RealtimeTally;
}

/**
 * Goes through what the newest answers of all parts say of trips and vehicles that were not found: an answer has shown
 * what some of their ids stand for, or has added their trip. So it does not matter which of them comes first.
 */
function revisitUnresolved(source: SourceMemory, context: UpdateContext): RevisitedPart[] {
  return [...source.parts].flatMap(([name, part]) => revisitPart(source, name, part, context) ?? []);
}

function revisitPart(
  source: SourceMemory,
  name: string,
  part: PartMemory,
  context: UpdateContext,
): RevisitedPart | null {
  if (part.isFrozen || part.newest === null) return null;
  const run = startRevisit(source, part.newest, part.mentioned, context);
  const unresolved = part.unresolved.filter((one) => !applyAgain(run, one));
  const isChanged = revisitVehicles(run) || unresolved.length < part.unresolved.length;
  part.unresolved = unresolved;
  part.alerts = part.alerts.map((one) => matchAgain(one, run));
  if (!isChanged) return null;
  part.newest = { ...part.newest, tally: run.tally };
  return { part: name, seenAt: part.answeredAt, sightings: run.sightings, tally: run.tally };
}

/** @returns whether it was found */
function applyAgain(revisit: UpdateRun, { report, reason, facts }: UnresolvedReport): boolean {
  const run = { ...revisit, facts };
  const match = run.context.matcher.matchTrip(report, matchContext(run));
  const added = match.kind === 'unmatched' && isAway(report) ? findAdded(run.source, report.trip) : null;
  if (match.kind === 'dated') {
    const key = run.context.planned.tables.trips.key[match.trip]!;
    // The part speaks of that trip in another report, which found it by itself.
    if (run.mentioned.has(nameDated({ key, day: match.day }))) return false;
    applyTrip(run, report, match);
  } else if (added) cancelAdded(run, report, added);
  else return false;
  uncount(run.tally.unmatched, reason);
  return true;
}

function matchAgain(known: AlertMemory, run: UpdateRun): AlertMemory {
  const { alert, places } = known;
  if (alert.trips.length === 0 || places.unmatchedCount === 0) return known;
  return { alert, places: run.context.matcher.matchAlert(alert, matchContext(run)) };
}

function uncount(counts: Record<string, number>, code: string): void {
  counts[code] = (counts[code] ?? 0) - 1;
  if (counts[code]! <= 0) delete counts[code];
}

/**
 * Takes back what the part said before and says no more: all that a complete answer does not name, of a differential
 * one what it deletes. What lies ahead is withdrawn, cancellations too; what is over stays as it was last known.
 */
function withdrawUnmentioned(run: UpdateRun): void {
  const { source, update, facts, mentioned } = run;
  const part = getPart(source, facts.part);
  const before = part.mentioned;
  if (update.scope === 'all') {
    part.mentioned = mentioned;
    for (const [name, mention] of before) {
      if (!mentioned.has(name)) withdrawTrip(run, name, mention);
      else if (!facts.isPropagating) withdrawUnsaidCalls(run, name);
    }
    return;
  }
  for (const [name, mention] of mentioned) before.set(name, mention);
  const gone = new Set(update.deletedIds.map(placeOfEntity));
  if (gone.size === 0) return;
  for (const [name, mention] of before) {
    if (!gone.has(mention.place) || mentioned.has(name)) continue;
    before.delete(name);
    withdrawTrip(run, name, mention);
  }
  for (const [id, vehicle] of source.vehicles) {
    if (vehicle.part === facts.part && gone.has(vehicle.report.place)) source.vehicles.delete(id);
  }
}

/** As grammars name the place of a report, see `TripReport.place`. */
function placeOfEntity(id: string): string {
  return `entity ${id}`;
}

/**
 * Nothing is left of it ahead. Where another part of the source stands by it, the times of this part alone are taken
 * back: that the trip runs after all, the other one would have to say.
 */
function withdrawTrip(run: UpdateRun, name: string, mention: Mention): void {
  const { source, facts, sightings } = run;
  const isGone = !isMentioned(source, name);
  const memory = source.trips.get(name);
  const told = sightings.length;
  if (memory) {
    if (isGone) forgetAhead(run, memory);
    else for (const call of memory.calls) if (call?.part === facts.part) withdrawTimes(call, facts);
    emitTrip(run, memory, () => false);
  }
  if (!isGone) return;
  const added = source.added.get(name);
  if (added && endOfAdded(added.calls) > facts.knownAt) source.added.delete(name);
  // What is taken back is told by this answer, so the trip ends with the next one.
  if (sightings.length > told) getPart(source, facts.part).mentioned.set(name, mention);
  else endTrip(run, name, mention);
}

function endTrip({ source, ended }: UpdateRun, name: string, { key, day }: Mention): void {
  ended.push({ key, day });
  source.told.delete(name);
}

function isMentioned({ parts }: SourceMemory, name: string): boolean {
  for (const { mentioned } of parts.values()) if (mentioned.has(name)) return true;
  return false;
}

/** That it was cancelled or replaced stays known when it is over. */
function forgetAhead({ context, facts }: UpdateRun, memory: TripMemory): void {
  const plan = context.planned.plan(memory.trip, memory.day);
  if (endOfPlan(plan) > facts.knownAt) memory.flags &= tripFlags.special;
  memory.calls.forEach((call, position) => {
    if (call) withdrawCall(call, plan.at(position, 'departure'), facts);
  });
}

/** Where each call speaks for itself, one that the part told of before and leaves out now is taken back by itself. */
function withdrawUnsaidCalls(run: UpdateRun, name: string): void {
  const memory = run.source.trips.get(name);
  if (!memory) return;
  const { facts, context } = run;
  const plan = context.planned.plan(memory.trip, memory.day);
  memory.calls.forEach((call, position) => {
    const isUnsaid = call?.part === facts.part && !run.touched.has(call);
    if (isUnsaid) withdrawCall(call, plan.at(position, 'departure'), facts);
  });
  emitTrip(run, memory, () => false);
}

export interface AppliedUpdate {
  readonly tally: RealtimeTally;
  /** What is new, in the order of the answer. */
  readonly sightings: readonly CallSighting[];
  /** Dated trips that no part of the source names any more. */
  readonly ended: readonly { readonly tripKey: bigint; readonly day: EpochDay }[];
  /** Trip ids of which it has shown what they stand for. */
  readonly resolved: readonly ResolvedTrip[];
  /** What it has made of earlier answers, also of its own part, whose reports name a trip by such an id alone. */
  readonly revisited: readonly RevisitedPart[];
}

/** Lays an answer over what the source said before, and tells what is new and what became of each record. */
export function applyUpdate(source: SourceMemory, answer: Answer, context: UpdateContext): AppliedUpdate {
  const run = startRun(source, answer, context);
  const part = getPart(source, run.facts.part);
  part.answeredAt = answer.fetchedAt;
  part.isFrozen = run.update.isFrozen;
  part.isDated = run.update.publishedAt !== null;
  // What a frozen answer says of times says nothing; what was said before grows old by itself.
  if (!part.isFrozen) applyReports(run);
  keepAlerts(run);
  for (const board of run.update.stationBoards) {
    source.boards.set(board.station, { board, fetchedAt: answer.fetchedAt, part: answer.part });
  }
  if (!part.isFrozen) keepUnresolved(part, run);
  const { tally, sightings, resolved } = run;
  return {
    tally,
    sightings,
    ended: run.ended.map(({ key, day }) => ({ tripKey: key, day })),
    resolved,
    revisited: resolved.length > 0 || run.addedNames.size > 0 ? revisitUnresolved(source, context) : [],
  };
}

/** Differential answers name a trip once, so what they leave unresolved stays; the oldest go first. */
const MAX_UNRESOLVED = 50_000;

function keepUnresolved(part: PartMemory, { update, unresolved, facts, tally }: UpdateRun): void {
  const isGone = new Set([...update.trips.map(({ place }) => place), ...update.deletedIds.map(placeOfEntity)]);
  const before = update.scope === 'all' ? [] : part.unresolved.filter(({ report }) => !isGone.has(report.place));
  part.unresolved = [...before, ...unresolved].slice(-MAX_UNRESOLVED);
  part.newest = { facts, tally };
}

function applyReports(run: UpdateRun): void {
  const { vehicles, scope } = run.update;
  applyTripReports(run);
  withdrawUnmentioned(run);
  for (const vehicle of vehicles) applyVehicle(run, vehicle);
  if (scope === 'all') dropUnmentionedVehicles(run);
}

/** A report, and what matching makes of it. */
interface MatchedReport {
  readonly report: TripReport;
  readonly match: TripMatch;
}

function applyTripReports(run: UpdateRun): void {
  const about = matchContext(run);
  const matched = run.update.trips.map(
    (report): MatchedReport => ({ report, match: run.context.matcher.matchTrip(report, about) }),
  );
  const named = listNamed(matched);
  for (const one of matched) applyReport(run, one, named);
}

function applyReport(run: UpdateRun, { report, match }: MatchedReport, named: NamedTrips): void {
  const repetition = isAway(report) ? findCancelled(run, report, match) : null;
  if (repetition) cancelAdded(run, report, repetition);
  else if (match.kind === 'dated' && isPlannedItself(run, report, match)) {
    applyTrip(run, { ...report, relationship: 'scheduled' }, match);
  } else if (match.kind === 'added' || isOfItsOwn(report, match)) applyAdded(run, report, match);
  else if (match.kind === 'unmatched') applyUnmatched(run, report, match.reason);
  else if (isReportedElsewhere(report, match, named)) count(run.tally.unmatched, 'told_twice');
  else {
    rememberResolved(run, report.trip, match);
    applyTrip(run, report, match);
  }
}

/** A repetition that is taken away under the id of the trip that it repeats: the start tells it from that one. */
function findCancelled({ source, context }: UpdateRun, { trip }: TripReport, match: TripMatch): AddedTrip | null {
  if (match.kind === 'added' || trip.startTime === null) return null;
  const base = match.kind === 'dated' ? match : null;
  if (base && isPlannedStart(trip, base, context.planned)) return null;
  return findRepetition(source, trip, base, context.planned);
}

/** Trips of the timetable that the reports of an answer speak of. */
interface NamedTrips {
  /** By their own ids, or by line and plan: a report that only looks like such a trip is of another one. */
  readonly surely: ReadonlySet<string>;
  /** As running: a report under an old id that takes the trip away makes room for the one under the new id. */
  readonly running: ReadonlySet<string>;
}

function listNamed(matched: readonly MatchedReport[]): NamedTrips {
  const surely = new Set<string>();
  const running = new Set<string>();
  for (const { report, match } of matched) {
    if (match.kind !== 'dated' || isOfItsOwn(report, match)) continue;
    if (!isUnsure(match)) surely.add(nameRow(match));
    if (!isAway(report)) running.add(nameRow(match));
  }
  return { surely, running };
}

function isUnsure({ how }: DatedMatch): boolean {
  return how === 'route_start' || how === 'resolved_id';
}

function isReportedElsewhere(report: TripReport, match: DatedMatch, { surely, running }: NamedTrips): boolean {
  if (!isUnsure(match)) return false;
  return surely.has(nameRow(match)) || (isAway(report) && running.has(nameRow(match)));
}

function nameRow({ trip, day }: DatedMatch): string {
  return `${trip}.${day}`;
}

/** What is no trip of the timetable may be one that was added, and that does not run after all. */
function applyUnmatched(run: UpdateRun, report: TripReport, reason: string): void {
  const added = isAway(report) ? findAdded(run.source, report.trip) : null;
  if (added) cancelAdded(run, report, added);
  else {
    count(run.tally.unmatched, reason);
    run.unresolved.push({ report, reason, facts: run.facts });
  }
}

/** A run of a frequency that the timetable does not write out is still a run with times. */
function isOfItsOwn({ relationship }: TripReport, match: TripMatch): boolean {
  if (relationship === 'unscheduled') return match.kind === 'unmatched';
  return relationship === 'replacement' || relationship === 'duplicated';
}

/** News are of their part too, and their places are looked up when they come: not with every snapshot. */
function keepAlerts({ source, update, facts, context }: UpdateRun): void {
  const part = getPart(source, facts.part);
  const told = update.alerts.map((alert) => ({
    alert,
    places: context.matcher.matchAlert(alert, matchContext({ context, facts })),
  }));
  const gone = new Set([...update.deletedIds, ...update.alerts.map(({ id }) => id)]);
  const kept = update.scope === 'all' ? [] : part.alerts.filter(({ alert }) => !gone.has(alert.id));
  part.alerts = [...kept, ...told];
}
