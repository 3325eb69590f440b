import { findTimetables } from '../../config/configured-source.ts';
import { ExternalError } from '../../effects/external-error.ts';
import type { Log } from '../../effects/log.ts';
import { readProjectFile } from '../../effects/project-files.ts';
import {
  type ObservationStore,
  openMemoryOnlyObservations,
  openObservations,
} from '../../lake/observations/observation-store.ts';
import type { LakeSettings } from '../../lake/observations/write-parts.ts';
import { pruneRawAnswers, type RawLimits } from '../../lake/prune-raw-answers.ts';
import { isDue } from '../../model/clock-tolerance.ts';
import type { SourceId } from '../../model/ids.ts';
import { parseMetroStations } from '../../model/metro-stations.ts';
import type { CallObservation } from '../../model/observation.ts';
import type { RealtimeTally } from '../../model/realtime-tally.ts';
import type { Instant } from '../../model/service-time.ts';
import type { ObservedName, TripPredictionService } from '../../predictions/live/forecast-service.ts';
import { noPredictions } from '../../predictions/live/forecast-service.ts';
import { publishRealtime } from '../../snapshots/publish-realtime.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../snapshots/timetable-files.ts';
import { type Matcher, openMatcher } from '../matching/open-matcher.ts';
import { parseStopLinks } from '../matching/stop-link-overrides.ts';
import type { AppliedUpdate } from '../state/apply-update.ts';
import { datedTripKey } from '../state/memory.ts';
import {
  createRealtimeState,
  type RealtimeState,
  type StateLimits,
  type StateTimetable,
} from '../state/realtime-state.ts';
import { type Chore, openChore } from './chore.ts';
import { describeSource, openVehicleCells, type SinkSource, type VehicleCells } from './describe-source.ts';
import type { PolledAnswer, RealtimeSink } from './realtime-sink.ts';

interface SinkSettings extends LakeSettings, Partial<StateLimits> {
  /** Realtime snapshots kept on disk, the current one included. */
  readonly keepSnapshots: number;
  /** Limits of the store of raw answers. */
  readonly raw: RawLimits;
}

/** Interval at which closed observations are written to Parquet; until then the journal holds them. */
const FLUSH_SECONDS = 600;
/** Wait before an unreadable timetable is tried again: an ingest may have repaired it. */
const REFUSED_SECONDS = 60;
/** A store exceeds its limit by at most the answers of this time. */
const PRUNE_SECONDS = 3600;

/**
 * Opens the sink of the poller: it applies answers to the timetable, writes what is new to the lake and publishes the
 * result. Nothing is written to disk of a source whose licence forbids an archive.
 * @throws ExternalError `timetable_unavailable` while no timetable is published: answers cannot be matched
 */
export async function openLiveSink(
  dataDir: string,
  sources: readonly SinkSource[],
  settings: SinkSettings,
  effects: { readonly log: Log },
  forecasts: TripPredictionService = noPredictions,
): Promise<RealtimeSink> {
  const timetable = await loadTimetable(dataDir, effects.log);
  const state = createRealtimeState(sources.map(toStateSource), timetable, settings);
  const stores = await openStores(dataDir, sources, settings, effects);
  const sink: SinkMemory = {
    state,
    timetableId: timetable.id,
    stores,
    tallies: new Map(),
    rawIds: new Map(),
    doubtful: restoreStates(state, sources, stores),
    refused: null,
    successes: new Map(),
    observed: new Map(),
    cells: openVehicleCells(),
    chores: openChores(dataDir, stores, settings, effects.log),
  };

  return {
    async apply(answer) {
      await keepDurable(sink, answer.sourceId, (store) => {
        const applied = state.apply(answer.sourceId, answer);
        noteApplied(sink, answer, applied);
        return appendAnswer(sink, store, answer, applied);
      });
    },
    async confirm({ sourceId, part, fetchedAt }) {
      await keepDurable(sink, sourceId, async (store) => {
        if (!state.confirm(sourceId, part, fetchedAt)) return;
        noteSuccess(sink, { sourceId, part, fetchedAt });
        const rawId = sink.rawIds.get(`${sourceId} ${part}`) ?? '';
        await store.append({ part, rawId, seenAt: fetchedAt, observations: [], ended: [], resolved: [] });
      });
    },
    async publish(states, now) {
      await followTimetable(sink, dataDir, now, effects.log);
      const list = (source: SourceId, wanted?: Iterable<ObservedName>) => state.listObserved(source, wanted);
      await forecasts.update({ changed: takeObserved(sink), list }, now);
      const tables = state.build(now, forecasts.list(), forecasts.transferModels());
      const described = sources.map((source) => describeSource(source, states, sink, now));
      await publishRealtime(
        dataDir,
        { timetableId: sink.timetableId, sources: described, models: forecasts.models(), tables },
        now * 1000,
        settings.keepSnapshots,
      );
      for (const chore of sink.chores) chore.startIfDue(now);
    },
    async close() {
      await forecasts.close();
      for (const chore of sink.chores) await chore.finish();
      for (const store of stores.values()) await store.find()?.close();
    },
  };
}

/** @returns sources without a store: what they reported before is not known */
function restoreStates(
  state: RealtimeState,
  sources: readonly SinkSource[],
  stores: ReadonlyMap<SourceId, LazyStore>,
): Set<SourceId> {
  const unknown = new Set<SourceId>();
  for (const { id } of sources) {
    const store = stores.get(id)!.find();
    if (store) restoreState(state, id, store);
    else unknown.add(id);
  }
  return unknown;
}

interface SinkMemory {
  readonly state: RealtimeState;
  timetableId: string;
  readonly stores: ReadonlyMap<SourceId, LazyStore>;
  /** Of the newest answer, by source and part. */
  readonly tallies: Map<SourceId, Map<string, RealtimeTally>>;
  /** The raw answer that is valid until the next one, by source and part. */
  readonly rawIds: Map<string, string>;
  /** Sources with reported values that the lake may not contain. */
  readonly doubtful: Set<SourceId>;
  /** A timetable that could not be read, and when. */
  refused: { readonly id: string; readonly at: Instant } | null;
  /** Time of the last answer that may be shown as live, by source and part. */
  readonly successes: Map<string, Instant>;
  /** Dated trips with observed times since the last snapshot, by source and name. */
  observed: Map<SourceId, Map<string, ObservedName>>;
  readonly cells: VehicleCells;
  readonly chores: readonly Chore[];
}

/** After a failed write the state is restored from the lake, so that what the lake lacks is written again. */
async function keepDurable(
  { state, stores, doubtful }: SinkMemory,
  sourceId: SourceId,
  append: (store: ObservationStore) => Promise<void>,
): Promise<void> {
  const store = await stores.get(sourceId)!.get();
  if (doubtful.has(sourceId)) restoreState(state, sourceId, store);
  doubtful.add(sourceId);
  await append(store);
  doubtful.delete(sourceId);
}

function restoreState(state: RealtimeState, sourceId: SourceId, store: ObservationStore): void {
  state.restore(sourceId, store.listOpen(), store.listResolved());
}

/** A frozen answer confirms no earlier report, so it is not appended. */
async function appendAnswer(
  sink: SinkMemory,
  store: ObservationStore,
  answer: PolledAnswer,
  { observations, ended, resolved, revisited }: AppliedUpdate,
): Promise<void> {
  const { sourceId, part, fetchedAt, update } = answer;
  if (update.isFrozen) return;
  await store.append({ part, rawId: noteRawId(sink, answer), seenAt: fetchedAt, observations, ended, resolved });
  for (const earlier of revisited) {
    const rawId = sink.rawIds.get(`${sourceId} ${earlier.part}`) ?? '';
    await store.append({ ...earlier, rawId, ended: [], resolved: [] });
  }
}

function toStateSource({ id, timetable, facts }: SinkSource) {
  return {
    id,
    maxAgeSeconds: facts.maxAgeSeconds,
    findTimetableSource(loaded: readonly string[]) {
      const wanted = findTimetables({ id, timetable }, loaded as readonly SourceId[]);
      // A configured timetable that is not loaded is returned: its ids must not match those of another one.
      return wanted.length === 1 ? wanted[0]! : timetable;
    },
  };
}

/** The observations of a source, opened later when that fails at the start. */
interface LazyStore {
  /** Null until they have been opened. */
  find(): ObservationStore | null;
  /** Opens them if needed. @throws the error of opening; each call tries again, as the disk may have recovered */
  get(): Promise<ObservationStore>;
}

/** When the folder of a source cannot be opened, only its answers fail; each tries to open it again. */
async function openStores(
  dataDir: string,
  sources: readonly SinkSource[],
  settings: LakeSettings,
  effects: { readonly log: Log },
): Promise<Map<SourceId, LazyStore>> {
  const stores = new Map<SourceId, LazyStore>();
  for (const { id, facts } of sources) {
    const isKept = facts.archive === 'full';
    const lazy = lazyStore(async () =>
      isKept ? openObservations(dataDir, id, settings, effects) : openMemoryOnlyObservations(),
    );
    stores.set(id, lazy);
    await lazy.get().catch((error: Error) => {
      effects.log.warn(`${id}: its observations cannot be opened, so its answers fail: ${error.message}`);
    });
  }
  return stores;
}

function lazyStore(open: () => Promise<ObservationStore>): LazyStore {
  let store: ObservationStore | null = null;
  return {
    find: () => store,
    async get() {
      store ??= await open();
      return store;
    },
  };
}

// ---- The timetable -----------------------------------------------------------------------------

async function loadTimetable(dataDir: string, log: Log): Promise<StateTimetable & { readonly id: string }> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) {
    throw new ExternalError(
      'timetable_unavailable',
      'no timetable is published to match realtime to: run ingest-timetable',
      {
        isRetryable: true,
      },
    );
  }
  const snapshot = await readTimetableSnapshot(dataDir, id);
  const matcher = await makeMatcher(snapshot, log);
  return { id, tables: snapshot.tables, matcher };
}

async function makeMatcher(snapshot: Parameters<typeof openMatcher>[0], log: Log): Promise<Matcher> {
  const links = parseStopLinks(await readProjectFile('data/lookups/stop-links.csv'));
  const metroStations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const matcher = openMatcher(snapshot, { stopLinks: links.records, metroStations });
  for (const { code, place, detail } of [...links.problems, ...matcher.problems])
    log.warn(`${place}: ${code}, ${detail}`);
  return matcher;
}

/** Switches to a newly published timetable with the next snapshot; keeps the present one if the new is unreadable. */
async function followTimetable(sink: SinkMemory, dataDir: string, now: Instant, log: Log): Promise<void> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null || id === sink.timetableId) return;
  if (sink.refused?.id === id && !isDue(sink.refused.at, REFUSED_SECONDS, now)) return;
  try {
    const next = await loadTimetable(dataDir, log);
    const lost = sink.state.useTimetable(next);
    sink.timetableId = next.id;
    log.info(`realtime continues with timetable ${next.id}; ${lost} trips are missing in it or have changed`);
  } catch (error) {
    sink.refused = { id, at: now };
    log.warn(`timetable ${id} cannot be used for realtime: ${(error as Error).message}; ${sink.timetableId} stays`);
  }
}

// ---- Forecasts ---------------------------------------------------------------------------------

/** Notes what an answer, and the earlier ones that were revisited with it, changed. */
function noteApplied(sink: SinkMemory, answer: PolledAnswer, applied: AppliedUpdate): void {
  const { sourceId, part } = answer;
  for (const one of [{ part, ...applied }, ...applied.revisited]) {
    noteTally(sink, { sourceId, part: one.part }, one.tally);
    noteObserved(sink, sourceId, one.observations);
  }
  sink.cells.note(answer);
  if (!answer.update.isFrozen) noteSuccess(sink, answer);
}

function noteObserved({ observed }: SinkMemory, source: SourceId, observations: readonly CallObservation[]): void {
  const names = observed.get(source) ?? new Map<string, ObservedName>();
  for (const { evidence, tripKey: key, day } of observations) {
    if (evidence === 'observed_actual') names.set(datedTripKey({ key, day }), { key, day });
  }
  if (names.size > 0) observed.set(source, names);
}

function takeObserved(sink: SinkMemory): ReadonlyMap<SourceId, readonly ObservedName[]> {
  const taken = new Map([...sink.observed].map(([source, names]) => [source, [...names.values()]] as const));
  sink.observed = new Map();
  return taken;
}

// ---- Source states -----------------------------------------------------------------------------

function noteTally(
  { tallies }: SinkMemory,
  { sourceId, part }: Pick<PolledAnswer, 'sourceId' | 'part'>,
  tally: RealtimeTally,
): void {
  const parts = tallies.get(sourceId) ?? new Map<string, RealtimeTally>();
  parts.set(part, tally);
  tallies.set(sourceId, parts);
}

/** @returns '' where no raw answer may be kept */
function noteRawId({ rawIds }: SinkMemory, { sourceId, part, rawId }: PolledAnswer): string {
  rawIds.set(`${sourceId} ${part}`, rawId ?? '');
  return rawId ?? '';
}

function noteSuccess(
  { successes }: SinkMemory,
  { sourceId, part, fetchedAt }: Pick<PolledAnswer, 'sourceId' | 'part' | 'fetchedAt'>,
): void {
  successes.set(`${sourceId} ${part}`, fetchedAt);
}

// ---- The lake ----------------------------------------------------------------------------------

/** A failure is only logged and tried again: the journal holds the observations, and excess raw answers do no harm. */
function openChores(
  dataDir: string,
  stores: ReadonlyMap<SourceId, LazyStore>,
  { raw }: SinkSettings,
  log: Log,
): readonly Chore[] {
  const flushAll = async (now: Instant) => {
    for (const [source, store] of stores) {
      await store
        .find()
        ?.flush(now)
        .catch(({ message }: Error) => log.warn(`${source}: observations stay in the journal for now: ${message}`));
    }
  };
  return [
    openChore(FLUSH_SECONDS, flushAll, ({ message }) =>
      log.warn(`observations stay in the journal for now: ${message}`),
    ),
    openChore(
      PRUNE_SECONDS,
      (now) => pruneRawAnswers(dataDir, raw, now),
      ({ message }) => log.warn(`excess raw answers are kept for now: ${message}`),
    ),
  ];
}
