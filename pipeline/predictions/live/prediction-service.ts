import type { Effects } from '../../effects/effects.ts';
import { moduleUrl } from '../../effects/project-files.ts';
import { type RunningThread, startThread } from '../../effects/threads.ts';
import { findNewestStopEventDay } from '../../history/stop-events/stop-event-manifest.ts';
import type { LakeSettings } from '../../lake/observations/write-parts.ts';
import { isDue } from '../../model/clock-tolerance.ts';
import type { SourceId } from '../../model/ids.ts';
import {
  isFreshPrediction,
  type ObservedTrip,
  type PredictionModelState,
  type TripPrediction,
} from '../../model/prediction.ts';
import { backoffMilliseconds, type RetryPolicy } from '../../model/retry-policy.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { findCurrentModel, type ModelManifest, readTransferBytes } from '../learning/model-store.ts';
import { readPriorState } from '../prior/read-priors.ts';
import type { PredictionRequest, PredictionResponse, PredictionThreadOptions } from './serve-predictions.ts';
import { type PackedTrips, packTrips, unpackPredictions } from './thread-messages.ts';
import type { PredictedSource, PredictedTripRef } from './trip-predictor.ts';

/** Reference to a dated trip. */
export interface ObservedName {
  readonly key: bigint;
  readonly day: EpochDay;
}

/** What the sources have observed so far. */
export interface NewObservations {
  /** Dated trips with new observations since the last call. */
  readonly changed: ReadonlyMap<SourceId, readonly ObservedName[]>;
  /** @param wanted all trips where it is omitted */
  list(source: SourceId, wanted?: Iterable<ObservedName>): ObservedTrip[];
}

/** Predicts trips under way in parallel to polling, which waits at most `PREDICTION_WAIT_MILLISECONDS` for the result. */
export interface TripPredictionService {
  /** Passes on the observations and waits briefly for the predictions based on them. */
  update(observed: NewObservations, now: Instant): Promise<void>;
  /** The current predictions of all sources. */
  list(): Iterable<TripPrediction>;
  models(): readonly PredictionModelState[];
  /** The transfer models of the same sources, serialised; a source may lack one. */
  transferModels(): ReadonlyMap<SourceId, Uint8Array>;
  close(): Promise<void>;
}

/** For a single round of polling, a replay, or paused predictions: predicts nothing. */
export const noPredictions: TripPredictionService = {
  update: async () => {},
  list: () => [],
  models: () => [],
  transferModels: () => new Map(),
  close: async () => {},
};

/** How long a snapshot waits for its predictions; later ones are in the next snapshot. */
const PREDICTION_WAIT_MILLISECONDS = 1500;
/** Interval of looking for a newer model, or for the first one. */
const MODEL_LOOK_SECONDS = 60;
const FIRST_MODEL_LOOK_SECONDS = 10;
/** Wait before a thread that died is restarted; it grows with each further death. */
const threadRestart: RetryPolicy = { firstWaitMilliseconds: 60_000, factor: 2, maxWaitMilliseconds: 3_600_000 };

type PredictionThread = Pick<
  RunningThread<void, PredictionRequest, PredictionResponse>,
  'ready' | 'result' | 'request'
>;

/** Starts a thread that the signal stops; tests pass their own. */
export type StartPredictionThread = (
  input: PredictionThreadOptions,
  effects: Pick<Effects, 'clock' | 'log'>,
  options: { readonly signal: AbortSignal },
) => PredictionThread;

/** One thread with its sources. */
interface Generation {
  readonly sources: readonly PredictedSource[];
  readonly transfers: ReadonlyMap<SourceId, Uint8Array>;
  readonly thread: PredictionThread;
  readonly stopping: AbortController;
  isReady: boolean;
  /** Whether it has received all trips under way. */
  hasAllTrips: boolean;
}

interface PredictionServiceState {
  readonly dataDir: string;
  readonly sources: readonly SourceId[];
  readonly settings: LakeSettings;
  readonly effects: Pick<Effects, 'clock' | 'log'>;
  readonly start: StartPredictionThread;
  /** `current` answers; `next` replaces it once it has read its record. */
  current: Generation | null;
  next: Generation | null;
  lookedAt: Instant | null;
  now: Instant;
  /** Sources of which something was observed: without a model, a prior predicts them. */
  readonly observed: Set<SourceId>;
  /** The model by which such sources are predicted. */
  prior: Pick<PredictionModelState, 'model' | 'lastDay'> | null;
  /** Consecutive thread deaths, and the time before which none is started. */
  deaths: number;
  waitUntil: number;
  /** By source and dated trip. */
  readonly predictions: Map<string, TripPrediction>;
  /** Resolves when all threads that were stopped have ended. */
  ended: Promise<unknown>;
}

/**
 * Predicts in a separate thread. It looks for newer models by itself: a new thread reads them and their record while the
 * old one continues to answer.
 */
export function openPredictionService(
  dataDir: string,
  sources: readonly SourceId[],
  settings: LakeSettings,
  effects: Pick<Effects, 'clock' | 'log'>,
  start: StartPredictionThread = startPredictionThread,
): TripPredictionService {
  const state: PredictionServiceState = {
    dataDir,
    sources,
    settings,
    effects,
    start,
    current: null,
    next: null,
    lookedAt: null,
    now: 0 as Instant,
    observed: new Set(),
    prior: null,
    deaths: 0,
    waitUntil: 0,
    predictions: new Map(),
    ended: Promise.resolve(),
  };
  return {
    async update(observed, now) {
      state.now = now;
      await lookForModels(state, observed);
      takeOver(state);
      dropOld(state);
      await requestPredictions(state, observed);
    },
    list: () => state.predictions.values(),
    models: () => (state.current?.sources ?? []).map((source) => describeModel(state, source)),
    transferModels: () => state.current?.transfers ?? new Map(),
    async close() {
      const generations = [state.current, state.next];
      state.current = null;
      state.next = null;
      for (const generation of generations) if (generation) stop(state, generation);
      await state.ended;
    },
  };
}

async function lookForModels(state: PredictionServiceState, observed: NewObservations): Promise<void> {
  const { now } = state;
  if (!isDue(state.lookedAt, state.current ? MODEL_LOOK_SECONDS : FIRST_MODEL_LOOK_SECONDS, now)) return;
  state.lookedAt = now;
  // A remaining wait above the longest possible one means that the clock was set back.
  const isWaiting = now < state.waitUntil && state.waitUntil <= now + threadRestart.maxWaitMilliseconds / 1000;
  if (state.next || isWaiting) return;
  try {
    const sources = await listPredicted(state, observed);
    if (sources.length === 0 || sourcesKey(sources) === sourcesKey(state.current?.sources ?? [])) return;
    state.next = startGeneration(state, sources, await readTransfers(state, sources));
  } catch (error) {
    // The snapshot is published without newer models.
    state.effects.log.warn(`models cannot be read: ${(error as Error).message}`);
  }
}

/** Sources with a model, and those without one of which something was observed. */
async function listPredicted(state: PredictionServiceState, { list }: NewObservations): Promise<PredictedSource[]> {
  const { dataDir, sources, observed } = state;
  const predicted: PredictedSource[] = [];
  for (const sourceId of sources) {
    const manifest = await findCurrentModel(dataDir, sourceId);
    if (manifest) {
      predicted.push({ sourceId, manifest, lastDay: null });
      continue;
    }
    if (!observed.has(sourceId) && list(sourceId).length > 0) observed.add(sourceId);
    if (!observed.has(sourceId)) continue;
    state.prior ??= await readPriorState();
    predicted.push({ sourceId, manifest: null, lastDay: await findNewestStopEventDay(dataDir, sourceId) });
  }
  return predicted;
}

function describeModel(
  { prior }: PredictionServiceState,
  { sourceId, manifest }: PredictedSource,
): PredictionModelState {
  if (manifest) return describeTrained(manifest);
  return { sourceId, model: prior?.model ?? 'prior', lastDay: prior?.lastDay ?? '' };
}

function describeTrained({ sourceId, id, lastDay, comparison }: ModelManifest): PredictionModelState {
  const { pairs, persistence, trained, before, covered, kept } = comparison;
  const errorSeconds = kept === 'before' ? (before ?? trained) : trained;
  const test = { pairs, errorSeconds, persistenceErrorSeconds: persistence, coveredShare: covered };
  return { sourceId, model: id, lastDay, test };
}

/** A damaged transfer model does not stop the predictions. */
async function readTransfers(
  { dataDir, effects }: PredictionServiceState,
  sources: readonly PredictedSource[],
): Promise<Map<SourceId, Uint8Array>> {
  const transfers = new Map<SourceId, Uint8Array>();
  for (const { sourceId, manifest } of sources) {
    try {
      const bytes = manifest && (await readTransferBytes(dataDir, manifest));
      if (bytes) transfers.set(sourceId, bytes);
    } catch (error) {
      effects.log.warn(`transfers are not predicted: ${(error as Error).message}`);
    }
  }
  return transfers;
}

/** Changes with a new model and, where there is none, with a new day of the record. */
function sourcesKey(sources: readonly PredictedSource[]): string {
  return sources.map(({ sourceId, manifest, lastDay }) => `${sourceId} ${manifest?.id ?? `prior ${lastDay}`}`).join();
}

function startGeneration(
  state: PredictionServiceState,
  sources: readonly PredictedSource[],
  transfers: Generation['transfers'],
): Generation {
  const { dataDir, settings, effects } = state;
  const stopping = new AbortController();
  const thread = state.start({ dataDir, sources, settings }, effects, { signal: stopping.signal });
  const generation: Generation = { sources, transfers, thread, stopping, isReady: false, hasAllTrips: false };
  thread.ready.then(
    () => {
      generation.isReady = true;
    },
    () => {},
  );
  thread.result.catch((error: Error) => lose(state, generation, error));
  return generation;
}

/** Drops a thread that died or failed, for example when its tables were full; the next one rereads the record. */
function lose(state: PredictionServiceState, generation: Generation, error: Error): void {
  if (state.current === generation) state.current = null;
  else if (state.next === generation) state.next = null;
  else return;
  state.deaths += 1;
  const wait = backoffMilliseconds(threadRestart, state.deaths) / 1000;
  state.waitUntil = state.now + wait;
  state.effects.log.warn(`predictions have stopped: ${error.message}; again in ${wait} s`);
  stop(state, generation);
}

const startPredictionThread: StartPredictionThread = (...start) =>
  startThread(moduleUrl('pipeline/predictions/live/serve-predictions.js'), ...start);

function takeOver(state: PredictionServiceState): void {
  const { next, current, effects } = state;
  if (!next?.isReady) return;
  state.current = next;
  state.next = null;
  state.deaths = 0;
  effects.log.info(`Predictions: ${next.sources.map(nameModel).join(', ')}`);
  if (current) stop(state, current);
}

function nameModel({ sourceId, manifest }: PredictedSource): string {
  return manifest ? `${sourceId} by model ${manifest.id}` : `${sourceId} by the prior`;
}

async function requestPredictions(state: PredictionServiceState, { changed, list }: NewObservations): Promise<void> {
  const { current, now } = state;
  if (!current) return;
  const datedTrips = new Map<SourceId, PackedTrips>();
  for (const { sourceId } of current.sources) {
    const observed = current.hasAllTrips ? list(sourceId, changed.get(sourceId) ?? []) : list(sourceId);
    if (observed.length > 0) datedTrips.set(sourceId, packTrips(observed));
  }
  current.hasAllTrips = true;
  if (datedTrips.size === 0) return;
  const answered = current.thread.request({ now, datedTrips }).then(
    (answer) => takePredictions(state, current, answer),
    (error: Error) => lose(state, current, error),
  );
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PREDICTION_WAIT_MILLISECONDS);
  });
  await Promise.race([answered, patience]);
  clearTimeout(timer);
}

function takePredictions(
  state: PredictionServiceState,
  generation: Generation,
  { predictions, over }: PredictionResponse,
): void {
  if (state.current !== generation) return;
  for (const prediction of predictions.flatMap(unpackPredictions)) {
    state.predictions.set(predictionKey(prediction.sourceId, prediction), prediction);
  }
  for (const [source, trips] of over) for (const trip of trips) state.predictions.delete(predictionKey(source, trip));
}

function predictionKey(source: string, { tripKey, day }: PredictedTripRef): string {
  return `${source} ${tripKey} ${day}`;
}

function dropOld({ predictions, now }: PredictionServiceState): void {
  for (const [name, prediction] of predictions) if (!isFreshPrediction(prediction, now)) predictions.delete(name);
}

/** The thread stores its predictions before it ends. */
function stop(state: PredictionServiceState, { thread, stopping }: Generation): void {
  stopping.abort();
  state.ended = Promise.allSettled([state.ended, thread.result]);
}
