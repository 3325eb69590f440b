import type { MatchContext } from '../matching/match-result.ts';
import type { Matcher } from '../matching/open-matcher.ts';
import type { CallSighting } from '../model/observation.ts';
import type { SourceUpdate } from '../model/realtime.ts';
import type { RealtimeTally } from '../model/realtime-tally.ts';
import type { EpochDay, Instant } from '../model/service-time.ts';
import type { AnswerFacts } from './apply-trip.ts';
import type { SourceMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';

export interface Answer {
  readonly part: string;
  readonly fetchedAt: Instant;
  readonly update: SourceUpdate;
}

export interface UpdateContext {
  readonly planned: PlannedCalls;
  readonly matcher: Matcher;
  /** Source of the timetable whose ids the upstream uses; null: any. */
  readonly timetableSource: string | null;
}

interface Counts {
  readonly matched: Record<string, number>;
  readonly unmatched: Record<string, number>;
  readonly problems: Record<string, number>;
}

/** One answer on its way into the memory. */
export interface UpdateRun {
  readonly source: SourceMemory;
  readonly answer: Answer;
  readonly facts: AnswerFacts;
  readonly context: UpdateContext;
  readonly tally: RealtimeTally & Counts & { vehiclesMatched: number; vehiclesUnmatched: number };
  readonly sightings: CallSighting[];
  readonly ended: { tripKey: bigint; day: EpochDay }[];
  /** Names of the dated trips that it tells of, and where each stands in it. */
  readonly mentioned: Map<string, string>;
}

export function startRun(source: SourceMemory, answer: Answer, context: UpdateContext): UpdateRun {
  const { update, fetchedAt, part } = answer;
  const problems: Record<string, number> = {};
  for (const { code } of update.problems) count(problems, code);
  return {
    source,
    answer,
    context,
    facts: {
      part,
      knownAt: Math.min(update.publishedAt ?? fetchedAt, fetchedAt) as Instant,
      isPropagating: update.isPropagating,
    },
    tally: {
      matched: {},
      unmatched: update.isFrozen && update.trips.length > 0 ? { frozen: update.trips.length } : {},
      vehiclesMatched: 0,
      vehiclesUnmatched: 0,
      alerts: update.alerts.length,
      records: update.recordCount,
      problems,
    },
    sightings: [],
    ended: [],
    mentioned: new Map(),
  };
}

/** One more of a kind. */
export function count(counts: Record<string, number>, code: string): void {
  counts[code] = (counts[code] ?? 0) + 1;
}

export function matchContext({ context, facts }: UpdateRun): MatchContext {
  return { timetableSource: context.timetableSource, now: facts.knownAt };
}
