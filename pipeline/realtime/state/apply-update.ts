import { clockOffsetCode } from '../../model/clock-offset-code.ts';
import type { CallObservation, ResolvedTrip } from '../../model/observation.ts';
import type { TripReport } from '../../model/realtime.ts';
import type { RealtimeTally } from '../../model/realtime-tally.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { tripFlags } from '../../snapshots/realtime-contract.ts';
import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import { endOfAdded } from './added-calls.ts';
import { applyAdded, cancelAdded, findAdded, findRepetition, isPlannedItself, isPlannedStart } from './apply-added.ts';
import { withdrawCall, withdrawTimes } from './apply-report.ts';
import { applyTrip, emitTrip, isCancelledOrDeleted } from './apply-trip.ts';
import { applyVehicle, dropUnmentionedVehicles, revisitVehicles } from './apply-vehicle.ts';
import { findClockOffset } from './clock-offset.ts';
import { describeAlertStops, describeStops, hasStopReports, keepEntities } from './described-entities.ts';
import {
  type AddedTrip,
  type AlertMemory,
  datedTripKey,
  getPart,
  type Mention,
  type PartMemory,
  type SourceMemory,
  type TripMemory,
  type UnresolvedReport,
} from './memory.ts';
import { applyModifications, applyModified, endModifications, findModified, isModifiable } from './modified-trips.ts';
import { endOfPlan } from './planned-calls.ts';
import { rememberResolved } from './resolved-trips.ts';
import {
  count,
  matchContext,
  type ReceivedAnswer,
  startRevisit,
  startRun,
  type UpdateContext,
  type UpdateRun,
} from './update-run.ts';

/** An earlier answer of a part, in which more reports were matched because another answer resolved their trips. */
interface RevisitedPart {
  readonly part: string;
  /** When that answer was fetched. */
  readonly seenAt: Instant;
  readonly observations: readonly CallObservation[];
  /** Of that answer, with later matches. */
  readonly tally: RealtimeTally;
}

/**
 * Matches the unmatched trips and vehicles of all parts' newest answers again, after an answer has resolved some of
 * their ids or added their trip. So the order of the answers does not matter.
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
  part.alerts = part.alerts.map((one) => matchAlertAgain(one, run));
  if (!isChanged) return null;
  part.newest = { ...part.newest, tally: run.tally };
  return { part: name, seenAt: part.answeredAt, observations: run.observations, tally: run.tally };
}

/** @returns whether the trip was found */
function applyAgain(revisit: UpdateRun, { report, reason, facts }: UnresolvedReport): boolean {
  const run = { ...revisit, facts };
  const match = run.context.matcher.matchTrip(report, matchContext(run));
  const added = match.kind === 'unmatched' && isCancelledOrDeleted(report) ? findAdded(run.source, report.trip) : null;
  if (match.kind === 'dated') {
    const key = run.context.planned.tables.trips.key[match.trip]!;
    const modified = isModifiable(report) ? findModified(run, match) : null;
    if (report.properties?.isModified && !modified) return false;
    // Another report of the part already matched that trip.
    const isReported = run.mentioned.has(datedTripKey({ key, day: match.day }));
    if (isReported && !report.properties?.isModified) return false;
    if (modified) applyModified(run, report, match, modified);
    else applyTrip(run, report, match);
  } else if (added) cancelAdded(run, report, added);
  else return false;
  uncount(run.tally.unmatched, reason);
  return true;
}

function matchAlertAgain(known: AlertMemory, run: UpdateRun): AlertMemory {
  const { alert, places } = known;
  if (alert.trips.length === 0 || places.unmatchedCount === 0) return known;
  return { alert, places: run.context.matcher.matchAlert(alert, matchContext(run)) };
}

function uncount(counts: Record<string, number>, code: string): void {
  counts[code] = (counts[code] ?? 0) - 1;
  if (counts[code]! <= 0) delete counts[code];
}

/**
 * Withdraws what the part no longer reports: all that a complete answer does not name, and what a differential one
 * deletes. Future times and cancellations are withdrawn; the past stays as it was last known.
 */
function withdrawUnmentioned(run: UpdateRun): void {
  const { source, update, facts, mentioned } = run;
  const part = getPart(source, facts.part);
  const before = part.mentioned;
  if (update.scope === 'all') {
    part.mentioned = mentioned;
    for (const [name, mention] of before) {
      if (!mentioned.has(name)) withdrawTrip(run, name, mention);
      else if (!facts.isPropagating) withdrawUnreportedCalls(run, name);
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

/** The place that grammars give to the report of this entity, see `TripReport.place`. */
function placeOfEntity(id: string): string {
  return `entity ${id}`;
}

/**
 * Withdraws the trip's future. While another part of the source reports the trip, only this part's times are withdrawn:
 * a cancellation stays until the other part lifts it.
 */
function withdrawTrip(run: UpdateRun, name: string, mention: Mention): void {
  const { source, facts, observations } = run;
  const isGone = !isMentioned(source, name);
  const memory = source.trips.get(name);
  const emittedBefore = observations.length;
  if (memory) {
    if (isGone) forgetAhead(run, memory);
    else for (const call of memory.calls) if (call?.part === facts.part) withdrawTimes(call, facts);
    emitTrip(run, memory, () => false);
  }
  const added = source.added.get(name);
  if (!isGone) {
    for (const call of added?.calls ?? []) if (call.part === facts.part) withdrawTimes(call, facts);
    return;
  }
  if (added && endOfAdded(added.calls) > facts.knownAt) source.added.delete(name);
  // This answer emits the withdrawal, so the trip ends with the next one.
  if (observations.length > emittedBefore) getPart(source, facts.part).mentioned.set(name, mention);
  else endTrip(run, name, mention);
}

function endTrip({ source, ended }: UpdateRun, name: string, { key, day }: Mention): void {
  ended.push({ key, day });
  source.emitted.delete(name);
}

function isMentioned({ parts }: SourceMemory, name: string): boolean {
  for (const { mentioned } of parts.values()) if (mentioned.has(name)) return true;
  return false;
}

/** A cancellation or replacement stays known after the end of the trip. */
function forgetAhead({ context, facts }: UpdateRun, memory: TripMemory): void {
  const plan = context.planned.plan(memory.trip, memory.day);
  if (endOfPlan(plan) > facts.knownAt) memory.flags &= tripFlags.special;
  memory.calls.forEach((call, position) => {
    if (call) withdrawCall(call, plan.at(position, 'departure'), facts);
  });
}

/** Without propagation, a call that the part reported before and leaves out now is withdrawn. */
function withdrawUnreportedCalls(run: UpdateRun, name: string): void {
  const memory = run.source.trips.get(name);
  if (!memory) return;
  const { facts, context } = run;
  const plan = context.planned.plan(memory.trip, memory.day);
  memory.calls.forEach((call, position) => {
    const isUnreported = call?.part === facts.part && !run.touched.has(call);
    if (isUnreported) withdrawCall(call, plan.at(position, 'departure'), facts);
  });
  emitTrip(run, memory, () => false);
}

export interface AppliedUpdate {
  readonly tally: RealtimeTally;
  /** New observations, in the order of the answer. */
  readonly observations: readonly CallObservation[];
  /** Dated trips that no part of the source names any more. */
  readonly ended: readonly { readonly tripKey: bigint; readonly day: EpochDay }[];
  /** Trip ids that the answer resolved. */
  readonly resolved: readonly ResolvedTrip[];
  /** Earlier answers, also of the same part, in which such ids could now be matched. */
  readonly revisited: readonly RevisitedPart[];
}

/** Applies an answer to the source's state. @returns new observations and the tally of all records */
export function applyUpdate(source: SourceMemory, answer: ReceivedAnswer, context: UpdateContext): AppliedUpdate {
  const run = startRun(source, answer, context);
  const part = getPart(source, run.facts.part);
  part.answeredAt = answer.fetchedAt;
  part.isFrozen = run.update.isFrozen;
  part.isDated = run.update.publishedAt !== null;
  // The times of a frozen response are not evidence; earlier values expire by themselves.
  if (!part.isFrozen) applyReports(run);
  keepAlerts(run);
  for (const board of run.update.stationBoards) {
    source.boards.set(board.station, { board, fetchedAt: answer.fetchedAt, part: answer.part });
  }
  if (!part.isFrozen) keepUnresolved(part, run);
  const { tally, observations, resolved } = run;
  return {
    tally,
    observations,
    ended: run.ended.map(({ key, day }) => ({ tripKey: key, day })),
    resolved,
    revisited: resolved.length > 0 || run.addedNames.size > 0 ? revisitUnresolved(source, context) : [],
  };
}

/** Differential answers name a trip once, so unresolved reports are kept; the oldest are dropped first. */
const MAX_UNRESOLVED = 50_000;

function keepUnresolved(part: PartMemory, { update, unresolved, facts, tally }: UpdateRun): void {
  const isGone = new Set([...update.trips.map(({ place }) => place), ...update.deletedIds.map(placeOfEntity)]);
  const before = update.scope === 'all' ? [] : part.unresolved.filter(({ report }) => !isGone.has(report.place));
  part.unresolved = [...before, ...unresolved].slice(-MAX_UNRESOLVED);
  part.newest = { facts, tally };
}

function applyReports(run: UpdateRun): void {
  const { vehicles, scope } = run.update;
  keepEntities(run);
  endModifications(run);
  applyTripReports(run);
  applyModifications(run);
  withdrawUnmentioned(run);
  for (const vehicle of vehicles) applyVehicle(run, vehicle);
  if (scope === 'all') dropUnmentionedVehicles(run);
}

/** A report with its match. */
interface MatchedReport {
  readonly report: TripReport;
  readonly match: TripMatch;
}

function applyTripReports(run: UpdateRun): void {
  const context = matchContext(run);
  const isDescribed = hasStopReports(run.source);
  const matched = run.update.trips.map((given): MatchedReport => {
    const report = isDescribed ? describeStops(run.source, given) : given;
    return { report, match: run.context.matcher.matchTrip(report, context) };
  });
  const named = listNamed(matched);
  for (const one of matched) if (!applyToModified(run, one, named)) applyReport(run, one, named);
  const offset = findClockOffset(run.delays);
  if (offset) count(run.tally.problems, clockOffsetCode(offset.hours), offset.trips);
}

/**
 * Applies the report of a modified trip. Where the publisher also reports it as planned, for readers without
 * modifications, that report is superseded; a modification that is not known yet may come with another answer.
 * @returns whether the report was one
 */
function applyToModified(run: UpdateRun, { report, match }: MatchedReport, { modified }: NamedTrips): boolean {
  if (match.kind !== 'dated' || !isModifiable(report)) return false;
  const found = findModified(run, match);
  const isOfModified = report.properties?.isModified ?? false;
  if (!found && !isOfModified) return false;
  if (!found) applyUnmatched(run, report, 'unknown_modification');
  else if (!isOfModified && modified.has(datedRowKey(match))) count(run.tally.matched, 'superseded_by_modified_trip');
  else applyModified(run, report, match, found);
  return true;
}

function applyReport(run: UpdateRun, { report, match }: MatchedReport, named: NamedTrips): void {
  const repetition = isCancelledOrDeleted(report) ? findCancelled(run, report, match) : null;
  if (repetition) cancelAdded(run, report, repetition);
  else if (match.kind === 'dated' && isPlannedItself(run, report, match)) {
    applyTrip(run, { ...report, relationship: 'scheduled' }, match);
  } else if (match.kind === 'added' || isKeptAsAdded(report, match)) applyAdded(run, report, match);
  else if (match.kind === 'unmatched') applyUnmatched(run, report, match.reason);
  else if (isReportedElsewhere(report, match, named)) count(run.tally.unmatched, 'duplicate_report');
  else {
    rememberResolved(run, report.trip, match);
    applyTrip(run, report, match);
  }
}

/** Finds the duplicate that is cancelled under its scheduled trip's id; its start time distinguishes it. */
function findCancelled({ source, context }: UpdateRun, { trip }: TripReport, match: TripMatch): AddedTrip | null {
  if (match.kind === 'added' || trip.startTime === null) return null;
  const base = match.kind === 'dated' ? match : null;
  if (base && isPlannedStart(trip, base, context.planned)) return null;
  return findRepetition(source, trip, base, context.planned);
}

/** Trips of the timetable that the reports of an answer name. */
interface NamedTrips {
  /** Matched by id, or by line and plan: a less certain match with such a trip is of another trip. */
  readonly certain: ReadonlySet<string>;
  /** Reported as running: a cancellation under an old id yields to the report under the new one. */
  readonly running: ReadonlySet<string>;
  /** Reported with the calls of their modification. */
  readonly modified: ReadonlySet<string>;
}

function listNamed(matched: readonly MatchedReport[]): NamedTrips {
  const certain = new Set<string>();
  const running = new Set<string>();
  const modified = new Set<string>();
  for (const { report, match } of matched) {
    if (match.kind !== 'dated' || isKeptAsAdded(report, match)) continue;
    if (!isUnsure(match)) certain.add(datedRowKey(match));
    if (!isCancelledOrDeleted(report)) running.add(datedRowKey(match));
    if (report.properties?.isModified) modified.add(datedRowKey(match));
  }
  return { certain, running, modified };
}

function isUnsure({ how }: DatedMatch): boolean {
  return how === 'route_start' || how === 'resolved_id';
}

function isReportedElsewhere(report: TripReport, match: DatedMatch, { certain, running }: NamedTrips): boolean {
  if (!isUnsure(match)) return false;
  return certain.has(datedRowKey(match)) || (isCancelledOrDeleted(report) && running.has(datedRowKey(match)));
}

function datedRowKey({ trip, day }: DatedMatch): string {
  return `${trip}.${day}`;
}

/** An unmatched cancellation may be of a trip that was added before. */
function applyUnmatched(run: UpdateRun, report: TripReport, reason: string): void {
  const added = isCancelledOrDeleted(report) ? findAdded(run.source, report.trip) : null;
  if (added) cancelAdded(run, report, added);
  else {
    count(run.tally.unmatched, reason);
    run.unresolved.push({ report, reason, facts: run.facts });
  }
}

/** Whether the report is kept as an added trip, as is a trip of a frequency that the timetable does not write out. */
function isKeptAsAdded({ relationship }: TripReport, match: TripMatch): boolean {
  if (relationship === 'unscheduled') return match.kind === 'unmatched';
  return relationship === 'replacement' || relationship === 'duplicated';
}

/** Alerts belong to their part; their places are matched when they arrive, not at every snapshot. */
function keepAlerts({ source, update, facts, context }: UpdateRun): void {
  const part = getPart(source, facts.part);
  const alerts = hasStopReports(source)
    ? update.alerts.map((alert) => describeAlertStops(source, alert))
    : update.alerts;
  const reported = alerts.map((alert) => ({
    alert,
    places: context.matcher.matchAlert(alert, matchContext({ context, facts })),
  }));
  const gone = new Set([...update.deletedIds, ...update.alerts.map(({ id }) => id)]);
  const kept = update.scope === 'all' ? [] : part.alerts.filter(({ alert }) => !gone.has(alert.id));
  part.alerts = [...kept, ...reported];
}
