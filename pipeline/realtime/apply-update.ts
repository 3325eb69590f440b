import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import type { CallSighting, ResolvedTrip } from '../model/observation.ts';
import type { TripReport } from '../model/realtime.ts';
import type { RealtimeTally } from '../model/realtime-tally.ts';
import type { EpochDay } from '../model/service-time.ts';
import { applyAdded, cancelAdded, findAdded, findRepetition, isPlannedItself, isPlannedStart } from './apply-added.ts';
import { applyTrip, isAway } from './apply-trip.ts';
import { applyVehicle, dropUnmentionedVehicles } from './apply-vehicle.ts';
import { type AddedTrip, getPart, type PartMemory, type SourceMemory } from './memory.ts';
import { rememberResolved } from './resolved-trips.ts';
import { type RevisitedPart, revisitUnresolved } from './revisit-unresolved.ts';
import { type Answer, count, matchContext, startRun, type UpdateContext, type UpdateRun } from './update-run.ts';
import { placeOfEntity, withdrawUnmentioned } from './withdraw.ts';

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
  else if (isSpokenOfElsewhere(report, match, named)) count(run.tally.unmatched, 'told_twice');
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

function isSpokenOfElsewhere(report: TripReport, match: DatedMatch, { surely, running }: NamedTrips): boolean {
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
