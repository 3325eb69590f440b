import type { CallSighting } from '../model/observation.ts';
import type { TripReport } from '../model/realtime.ts';
import type { RealtimeTally } from '../model/realtime-tally.ts';
import type { Instant } from '../model/service-time.ts';
import { cancelAdded, findAdded } from './apply-added.ts';
import { applyTrip, isAway } from './apply-trip.ts';
import { revisitVehicles } from './apply-vehicle.ts';
import type { AnswerFacts } from './lay-report.ts';
import { type AlertMemory, nameDated, type PartMemory, type SourceMemory } from './memory.ts';
import { matchContext, startRevisit, type UpdateContext, type UpdateRun } from './update-run.ts';

/** A report of a trip that was not found; the next one of the source may show which it is. */
export interface UnresolvedReport {
  readonly report: TripReport;
  /** As it was counted. */
  readonly reason: string;
  readonly facts: AnswerFacts;
}

/** What came of an earlier answer of a part because another one has shown which trips it speaks of. */
export interface RevisitedPart {
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
export function revisitUnresolved(source: SourceMemory, context: UpdateContext): RevisitedPart[] {
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
