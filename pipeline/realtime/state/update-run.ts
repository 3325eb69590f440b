import type { CallObservation, ResolvedTrip } from '../../model/observation.ts';
import { emptyUpdate, type SourceUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { MatchContext } from '../matching/match-result.ts';
import type { Matcher } from '../matching/open-matcher.ts';
import type { AnswerFacts, UnresolvedReport } from './memory.ts';
import {
  type CallMemory,
  type DatedTripRef,
  datedTripKey,
  type Mention,
  type NewestAnswer,
  type RunningTally,
  type SourceMemory,
} from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { RefusedTimes } from './refuse-times.ts';

export interface ReceivedAnswer {
  readonly part: string;
  readonly fetchedAt: Instant;
  readonly update: SourceUpdate;
}

export interface UpdateContext {
  readonly planned: PlannedCalls;
  readonly matcher: Matcher;
  /** Source of the timetable whose ids the upstream uses; null: any. */
  readonly timetableSource: string | null;
  /** A time further before its plan is refused, see `applyReport`. */
  readonly maxEarlySeconds: number;
  /** A time that is derived from positions counts as observed up to this uncertainty. */
  readonly maxUncertaintySeconds: number;
}

/** The state while one answer is applied. */
export interface UpdateRun {
  readonly source: SourceMemory;
  readonly update: SourceUpdate;
  readonly facts: AnswerFacts;
  readonly context: UpdateContext;
  readonly tally: RunningTally;
  readonly observations: CallObservation[];
  readonly ended: DatedTripRef[];
  /** Calls that it reports, when delays do not propagate. */
  readonly touched: Set<CallMemory>;
  /** Dated trips that the answer names, by `datedTripKey`. */
  readonly mentioned: Map<string, Mention>;
  /** Trip ids that it resolved. */
  readonly resolved: ResolvedTrip[];
  /** Reports whose trip was not found. */
  readonly unresolved: UnresolvedReport[];
  /** Added trips that were not known before. */
  readonly addedNames: Set<string>;
  /** Seconds; of the first reported event of each trip of the timetable. */
  readonly delays: number[];
}

export function startRun(
  source: SourceMemory,
  { update, fetchedAt, part }: ReceivedAnswer,
  context: UpdateContext,
): UpdateRun {
  const { isFrozen, publishedAt, isPropagating, trips, vehicles, alerts, recordCount } = update;
  const problems: Record<string, number> = {};
  for (const { code } of update.problems) count(problems, code);
  return {
    source,
    update,
    context,
    facts: {
      part,
      knownAt: Math.min(publishedAt ?? fetchedAt, fetchedAt) as Instant,
      seenAt: fetchedAt,
      isPropagating,
    },
    tally: {
      matched: {},
      unmatched: isFrozen && trips.length > 0 ? { frozen: trips.length } : {},
      vehiclesMatched: 0,
      vehiclesOnRouteOnly: 0,
      vehiclesUnmatched: isFrozen ? vehicles.length : 0,
      alerts: alerts.length,
      records: recordCount,
      problems,
    },
    observations: [],
    ended: [],
    touched: new Set(),
    mentioned: new Map(),
    resolved: [],
    unresolved: [],
    addedNames: new Set(),
    delays: [],
  };
}

/** Resumes an earlier answer of which more was matched; nothing else of it is applied again. */
export function startRevisit(
  source: SourceMemory,
  { facts, tally }: NewestAnswer,
  mentioned: Map<string, Mention>,
  context: UpdateContext,
): UpdateRun {
  const { isPropagating } = facts;
  const update = { ...emptyUpdate, scope: 'mentioned', isPropagating } as const;
  return {
    source,
    update,
    context,
    facts,
    // A copy: the earlier tally was already returned.
    tally: {
      ...tally,
      matched: { ...tally.matched },
      unmatched: { ...tally.unmatched },
      problems: { ...tally.problems },
    },
    observations: [],
    ended: [],
    touched: new Set(),
    mentioned,
    resolved: [],
    unresolved: [],
    addedNames: new Set(),
    delays: [],
  };
}

export function count(counts: Record<string, number>, code: string, times = 1): void {
  if (times > 0) counts[code] = (counts[code] ?? 0) + times;
}

/** Counts refused times by their codes. */
export function countRefused(problems: Record<string, number>, refused: RefusedTimes): void {
  for (const [code, times] of Object.entries(refused)) count(problems, code, times);
}

export function mention({ mentioned }: UpdateRun, { key, day }: DatedTripRef, place: string): void {
  mentioned.set(datedTripKey({ key, day }), { key, day, place });
}

export function matchContext({ context, facts }: Pick<UpdateRun, 'context' | 'facts'>): MatchContext {
  return { timetableSource: context.timetableSource, now: facts.knownAt };
}
