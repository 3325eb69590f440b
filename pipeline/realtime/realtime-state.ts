import type { Matcher } from '../matching/open-matcher.ts';
import type { ResolvedTrip } from '../model/observation.ts';
import type { ObservedRun } from '../model/observed-run.ts';
import type { TripPrediction } from '../model/prediction.ts';
import type { Instant } from '../model/service-time.ts';
import type { TimetableTables } from '../snapshots/contract.ts';
import type { RealtimeTables } from '../snapshots/realtime-contract.ts';
import { type AppliedUpdate, applyUpdate } from './apply-update.ts';
import { buildTables } from './build-tables.ts';
import { forgetOld } from './forget-old.ts';
import { createSourceMemory, type DatedName, nameDated, type SourceMemory } from './memory.ts';
import { moveToTimetable } from './move-to-timetable.ts';
import { describeObserved } from './observed-runs.ts';
import { openPlannedCalls } from './planned-calls.ts';
import { findResolved, restoreResolved } from './resolved-trips.ts';
import { type RestoredSighting, restoreSightings } from './restore-sightings.ts';
import type { Answer } from './update-run.ts';

/** What the state must know of a source. */
export interface StateSource {
  readonly id: string;
  /** Source of the timetable that its publisher speaks of, of those that are loaded; null: any. */
  findTimetableSource(loaded: readonly string[]): string | null;
  readonly maxAgeSeconds: number;
}

/** The timetable that everything lies over. */
export interface StateTimetable {
  readonly tables: TimetableTables;
  readonly matcher: Matcher;
}

/**
 * What all sources have said and still counts, over one timetable. It never changes the timetable: it lies over it.
 * Pure but for its memory: the same answers in the same order make the same tables.
 */
export interface RealtimeState {
  /** @throws RangeError for a source that was not named at the beginning */
  apply(sourceId: string, answer: Answer): AppliedUpdate;
  /**
   * The last answer of a part still holds. Where it does not say when it was published, what it said is as fresh as if
   * it had said it again.
   * @returns whether it said anything that may hold: an answer that stands still does not
   */
  confirm(sourceId: string, part: string, seenAt: Instant): boolean;
  /** Goes on with another timetable. @returns dated trips that it no longer holds as they were */
  useTimetable(timetable: StateTimetable): number;
  /** Takes up what was told before a restart, or what is left of it when the last could not be kept. */
  restore(sourceId: string, sightings: Iterable<RestoredSighting>, resolved?: Iterable<ResolvedTrip>): void;
  /**
   * What a source has observed of dated trips under way.
   * @param wanted all where it is left out
   */
  listObserved(sourceId: string, wanted?: Iterable<DatedName>): ObservedRun[];
  /** Forgets on the way what has long been over. @param predictions those of all sources */
  build(now: Instant, predictions?: Iterable<TripPrediction>): RealtimeTables;
}

export function createRealtimeState(sources: readonly StateSource[], timetable: StateTimetable): RealtimeState {
  let { matcher } = timetable;
  let planned = openPlannedCalls(timetable.tables);
  let timetableSources = assignTimetables(sources, timetable.tables);
  const memories = new Map(sources.map(({ id }) => [id, createSourceMemory(id)]));
  const getMemory = (id: string) => {
    const memory = memories.get(id);
    if (!memory) throw new RangeError(`"${id}" is no realtime source of this state`);
    return memory;
  };
  const getContext = (id: string) => {
    const memory = getMemory(id);
    const known = planned;
    return {
      planned,
      matcher: matcher.withResolved((trip, now) => findResolved(memory, known, trip, now)),
      timetableSource: timetableSources.get(id) ?? null,
    };
  };
  const speakers = sources.map(({ id, maxAgeSeconds }, index) => ({
    source: { index, maxAgeSeconds },
    memory: getMemory(id),
  }));
  return {
    // Forgetting here, not with the tables alone: what an answer meets may not depend on when they were last built.
    apply(sourceId, answer) {
      const memory = getMemory(sourceId);
      forgetOld(memory, planned, answer.fetchedAt);
      return applyUpdate(memory, answer, getContext(sourceId));
    },
    confirm(sourceId, part, seenAt) {
      const memory = getMemory(sourceId);
      forgetOld(memory, planned, seenAt);
      return confirmPart(memory, part, seenAt);
    },
    useTimetable(next) {
      const before = planned;
      matcher = next.matcher;
      planned = openPlannedCalls(next.tables);
      timetableSources = assignTimetables(sources, next.tables);
      let lost = 0;
      for (const memory of memories.values()) lost += moveToTimetable(memory, before, getContext(memory.id));
      return lost;
    },
    restore(sourceId, sightings, resolved = []) {
      restoreResolved(getMemory(sourceId), resolved);
      restoreSightings(getMemory(sourceId), sightings, getContext(sourceId));
    },
    listObserved(sourceId, wanted) {
      const { trips } = getMemory(sourceId);
      const memories = wanted ? Array.from(wanted, (name) => trips.get(nameDated(name))) : [...trips.values()];
      return memories.flatMap((memory) => (memory && describeObserved(planned, memory)) || []);
    },
    build(now, predictions = []) {
      for (const memory of memories.values()) forgetOld(memory, planned, now);
      return buildTables(speakers, planned, now, predictions);
    },
  };
}

function confirmPart(source: SourceMemory, name: string, seenAt: Instant): boolean {
  const part = source.parts.get(name);
  if (!part || part.isFrozen) return false;
  part.answeredAt = seenAt;
  for (const board of source.boards.values()) if (board.part === name) board.fetchedAt = seenAt;
  if (part.isDated) return true;
  for (const mentioned of part.mentioned.keys()) {
    for (const trip of [source.trips.get(mentioned), source.added.get(mentioned)]) {
      if (!trip) continue;
      trip.seenAt = seenAt;
      for (const call of trip.calls) if (call?.part === name) call.seenAt = seenAt;
    }
  }
  return true;
}

function assignTimetables(
  sources: readonly StateSource[],
  { sources: { sourceId } }: TimetableTables,
): ReadonlyMap<string, string | null> {
  const loaded = Array.from({ length: sourceId.length }, (_, row) => sourceId.get(row));
  return new Map(sources.map((source) => [source.id, source.findTimetableSource(loaded)]));
}
