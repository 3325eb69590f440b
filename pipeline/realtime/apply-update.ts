import type { DatedMatch, TripMatch } from '../matching/match-result.ts';
import type { CallSighting } from '../model/observation.ts';
import type { TripReport } from '../model/realtime.ts';
import type { RealtimeTally } from '../model/realtime-tally.ts';
import type { EpochDay } from '../model/service-time.ts';
import { applyAdded, cancelAdded, findAdded } from './apply-added.ts';
import { applyTrip, isAway } from './apply-trip.ts';
import { applyVehicle, dropUnmentionedVehicles } from './apply-vehicle.ts';
import { getPart, type SourceMemory } from './memory.ts';
import { type Answer, count, matchContext, startRun, type UpdateContext, type UpdateRun } from './update-run.ts';
import { withdrawUnmentioned } from './withdraw.ts';

export interface AppliedUpdate {
  readonly tally: RealtimeTally;
  /** What is new, in the order of the answer. */
  readonly sightings: readonly CallSighting[];
  /** Dated trips that no part of the source names any more. */
  readonly ended: readonly { readonly tripKey: bigint; readonly day: EpochDay }[];
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
  const { tally, sightings } = run;
  return { tally, sightings, ended: run.ended.map(({ key, day }) => ({ tripKey: key, day })) };
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
  for (const { report, match } of matched) {
    if (match.kind === 'added' || isOfItsOwn(report, match)) applyAdded(run, report, match);
    else if (match.kind === 'unmatched') applyUnmatched(run, report, match.reason);
    else if (match.how === 'route_start' && named.has(nameRow(match))) count(run.tally.unmatched, 'told_twice');
    else applyTrip(run, report, match);
  }
}

/** Trips that a report names by their own ids: one that only looks like such a trip is another one. */
function listNamed(matched: readonly MatchedReport[]): ReadonlySet<string> {
  return new Set(
    matched.flatMap(({ match }) => (match.kind === 'dated' && match.how !== 'route_start' ? nameRow(match) : [])),
  );
}

function nameRow({ trip, day }: DatedMatch): string {
  return `${trip}.${day}`;
}

/** What is no trip of the timetable may be one that was added, and that does not run after all. */
function applyUnmatched(run: UpdateRun, report: TripReport, reason: string): void {
  const added = isAway(report) ? findAdded(run.source, report.trip) : null;
  if (added) cancelAdded(run, report, added);
  else count(run.tally.unmatched, reason);
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
