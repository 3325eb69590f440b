import type { Matcher } from '../matching/open-matcher.ts';
import type { CallSighting } from '../model/observation.ts';
import type { Instant } from '../model/service-time.ts';
import { TextColumn } from '../snapshots/arrow-table.ts';
import type { TimetableTables } from '../snapshots/contract.ts';
import type { RealtimeTables } from '../snapshots/realtime-contract.ts';
import { type AppliedUpdate, applyUpdate } from './apply-update.ts';
import { buildAddedTables, sortAdded } from './build-added.ts';
import { buildBoardTables } from './build-boards.ts';
import { type BuildSource, buildTripTables, type TripWitnesses } from './build-trips.ts';
import { buildVehicleTable, sortVehicles } from './build-vehicles.ts';
import { forgetOld } from './forget-old.ts';
import { createSourceMemory, nameDated, type SourceMemory } from './memory.ts';
import { moveToTimetable } from './move-to-timetable.ts';
import { openPlannedCalls, type PlannedCalls } from './planned-calls.ts';
import { publishAlerts } from './publish-alerts.ts';
import { restoreSightings } from './restore-sightings.ts';
import { collectTexts } from './texts.ts';
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
   */
  confirm(sourceId: string, part: string, seenAt: Instant): void;
  /** Goes on with another timetable. @returns dated trips that it no longer holds as they were */
  useTimetable(timetable: StateTimetable): number;
  /** Takes up what was last seen before a restart. */
  restore(sourceId: string, sightings: Iterable<CallSighting & { readonly lastSeenAt: Instant }>): void;
  build(now: Instant): RealtimeTables;
}

export function createRealtimeState(sources: readonly StateSource[], timetable: StateTimetable): RealtimeState {
  let current = timetable;
  let planned = openPlannedCalls(timetable.tables);
  const memories = new Map(sources.map(({ id }) => [id, createSourceMemory(id)]));
  let timetableSources = assignTimetables(sources, timetable.tables);
  const getMemory = (id: string) => {
    const memory = memories.get(id);
    if (!memory) throw new RangeError(`"${id}" is no realtime source of this state`);
    return memory;
  };
  return {
    apply(sourceId, answer) {
      const timetableSource = timetableSources.get(sourceId) ?? null;
      const context = { planned, timetableSource, matcher: current.matcher };
      return applyUpdate(getMemory(sourceId), answer, context);
    },
    confirm: (sourceId, part, seenAt) => confirmPart(getMemory(sourceId), part, seenAt),
    useTimetable(next) {
      const nextPlanned = openPlannedCalls(next.tables);
      let lost = 0;
      for (const memory of memories.values()) lost += moveToTimetable(memory, planned, nextPlanned);
      current = next;
      timetableSources = assignTimetables(sources, next.tables);
      planned = nextPlanned;
      return lost;
    },
    restore: (sourceId, sightings) => restoreSightings(getMemory(sourceId), sightings, planned),
    build(now) {
      for (const memory of memories.values()) forgetOld(memory, planned, now);
      return buildTables(sources, memories, { planned, matcher: current.matcher, timetableSources, now });
    },
  };
}

function confirmPart(source: SourceMemory, part: string, seenAt: Instant): void {
  if (source.dated.has(part)) return;
  for (const name of source.mentioned.get(part)?.keys() ?? []) {
    const trip = source.trips.get(name) ?? source.added.get(name);
    if (!trip) continue;
    trip.seenAt = seenAt;
    for (const call of trip.calls) if (call?.part === part) call.seenAt = seenAt;
  }
}

function assignTimetables(
  sources: readonly StateSource[],
  { sources: { sourceId } }: TimetableTables,
): ReadonlyMap<string, string | null> {
  const loaded = Array.from({ length: sourceId.length }, (_, row) => sourceId.get(row));
  return new Map(sources.map((source) => [source.id, source.findTimetableSource(loaded)]));
}

interface Moment {
  readonly planned: PlannedCalls;
  readonly timetableSources: ReadonlyMap<string, string | null>;
  readonly matcher: Matcher;
  readonly now: Instant;
}

function buildTables(
  sources: readonly StateSource[],
  memories: ReadonlyMap<string, SourceMemory>,
  { planned, matcher, timetableSources, now }: Moment,
): RealtimeTables {
  const texts = collectTexts();
  const speakers = sources.map(({ id, maxAgeSeconds }, index) => ({
    source: { index, maxAgeSeconds } satisfies BuildSource,
    memory: memories.get(id)!,
    timetableSource: timetableSources.get(id) ?? null,
  }));
  const added = sortAdded(
    speakers.flatMap(({ source, memory }) => [...memory.added.values()].map((trip) => ({ source, trip }))),
  );
  const addedRows = new Map(added.map(({ trip }, row) => [nameDated(trip.key, trip.day), row]));
  const findAdded = (name: string) => addedRows.get(name) ?? -1;
  const vehicles = sortVehicles(
    speakers.flatMap(({ source, memory }) => [...memory.vehicles.values()].map((vehicle) => ({ source, vehicle }))),
    now,
  );
  const trips = buildTripTables(collectTrips(speakers), planned, texts, findAdded, now);
  const boards = speakers.flatMap(({ source, memory }) =>
    [...memory.boards.values()].map(({ board, fetchedAt }) => ({ source, board, fetchedAt })),
  );
  const alerts = speakers.flatMap(({ memory, timetableSource }) =>
    [...memory.alerts.values()].flat().map((alert) => ({
      sourceId: memory.id,
      alert,
      places: matcher.matchAlert(alert, { timetableSource, now }),
    })),
  );
  const tables = {
    ...trips,
    ...buildAddedTables(added, planned.tables.stops.station, texts),
    vehicles: buildVehicleTable(vehicles, texts, findAdded),
    alerts: { json: TextColumn.from(publishAlerts(alerts, now).map((alert) => JSON.stringify(alert))) },
    ...buildBoardTables(boards, texts),
  };
  // The last one: by now every table has named its texts.
  return { ...tables, texts: { text: texts.column() } };
}

function collectTrips(
  speakers: readonly { readonly source: BuildSource; readonly memory: SourceMemory }[],
): TripWitnesses[] {
  const dated = new Map<string, { trip: number; day: number; words: TripWitnesses['words'][number][] }>();
  for (const { source, memory } of speakers) {
    for (const [name, trip] of memory.trips) {
      const known = dated.get(name);
      if (known) known.words.push({ source, memory: trip });
      else dated.set(name, { trip: trip.trip, day: trip.day, words: [{ source, memory: trip }] });
    }
  }
  return [...dated.values()];
}
