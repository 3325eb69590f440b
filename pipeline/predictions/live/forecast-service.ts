import type { Effects } from '../../effects/effects.ts';
import { type RunningThread, startThread } from '../../effects/threads.ts';
import type { LakeSettings } from '../../lake/observations/write-parts.ts';
import { isDue } from '../../model/clock-tolerance.ts';
import type { SourceId } from '../../model/ids.ts';
import {
  isFreshPrediction,
  type ObservedRun,
  type PredictionModelState,
  type TripPrediction,
} from '../../model/prediction.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { listCurrentModels, type ModelManifest } from '../learning/model-store.ts';
import type { DatedTrip } from './forecaster.ts';
import type { ForecastAnswer, ForecastQuestion, ForecastStart } from './serve-forecasts.ts';

/** A trip on one service day. */
export interface ObservedName {
  readonly key: bigint;
  readonly day: EpochDay;
}

/** What sources have observed by now. */
export interface Observed {
  /** Dated trips of which something new was observed since the last time. */
  readonly changed: ReadonlyMap<SourceId, readonly ObservedName[]>;
  /** @param wanted all where it is left out */
  list(source: SourceId, wanted?: Iterable<ObservedName>): ObservedRun[];
}

/** Where trips under way are forecast: beside the polling, which never waits for it longer than a moment. */
export interface ForecastService {
  /** Tells what was observed, and waits a moment for what is forecast of it. */
  hear(observed: Observed, now: Instant): Promise<void>;
  /** What is forecast by now, of all sources. */
  list(): Iterable<TripPrediction>;
  models(): readonly PredictionModelState[];
  close(): Promise<void>;
}

/** Where nothing is forecast: a single round of polling, a replay, or predictions that are paused. */
export const noForecasts: ForecastService = {
  hear: async () => {},
  list: () => [],
  models: () => [],
  close: async () => {},
};

/** How long a snapshot waits for what is forecast of it; what takes longer comes with the next one. */
const FORECAST_WAIT_MILLISECONDS = 1500;
/** How soon a newer model is noticed, and the first one, for which somebody waits. */
const MODEL_LOOK_SECONDS = 60;
const FIRST_MODEL_LOOK_SECONDS = 10;
/** A thread that dies is started anew this much later, and then later each time. */
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 3600;

type ForecastThread = Pick<RunningThread<void, ForecastQuestion, ForecastAnswer>, 'ready' | 'result' | 'ask'>;

/** Starts a thread that the signal stops; a test has its own. */
export type StartForecasts = (
  input: ForecastStart,
  effects: Pick<Effects, 'clock' | 'log'>,
  options: { readonly signal: AbortSignal },
) => ForecastThread;

/** One thread with its models. */
interface Generation {
  readonly models: readonly ModelManifest[];
  readonly thread: ForecastThread;
  readonly stopping: AbortController;
  isReady: boolean;
  /** Whether it has been told of all that is under way. */
  isTold: boolean;
}

interface ForecastServiceState {
  readonly dataDir: string;
  readonly sources: readonly SourceId[];
  readonly settings: LakeSettings;
  readonly effects: Pick<Effects, 'clock' | 'log'>;
  readonly start: StartForecasts;
  /** Answers now; and the one that is to take its place when it has read its record. */
  current: Generation | null;
  next: Generation | null;
  lookedAt: Instant | null;
  now: Instant;
  /** Dead threads in a row, and until when none is started. */
  deaths: number;
  waitUntil: number;
  /** By source and dated trip. */
  readonly predictions: Map<string, TripPrediction>;
  /** Resolves when all threads that were stopped have ended. */
  ended: Promise<unknown>;
}

/**
 * Forecasts in a thread of its own. It looks for newer models by itself: a new thread reads them and the record behind
 * them while the old one goes on.
 */
export function openForecastService(
  dataDir: string,
  sources: readonly SourceId[],
  settings: LakeSettings,
  effects: Pick<Effects, 'clock' | 'log'>,
  start: StartForecasts = startForecasts,
): ForecastService {
  const state: ForecastServiceState = {
    dataDir,
    sources,
    settings,
    effects,
    start,
    current: null,
    next: null,
    lookedAt: null,
    now: 0 as Instant,
    deaths: 0,
    waitUntil: 0,
    predictions: new Map(),
    ended: Promise.resolve(),
  };
  return {
    async hear(observed, now) {
      state.now = now;
      await lookForModels(state);
      takeOver(state);
      dropOld(state);
      await ask(state, observed);
    },
    list: () => state.predictions.values(),
    models: () => (state.current?.models ?? []).map(({ sourceId, id, lastDay }) => ({ sourceId, model: id, lastDay })),
    async close() {
      const generations = [state.current, state.next];
      state.current = null;
      state.next = null;
      for (const generation of generations) if (generation) stop(state, generation);
      await state.ended;
    },
  };
}

async function lookForModels(state: ForecastServiceState): Promise<void> {
  const { now } = state;
  if (!isDue(state.lookedAt, state.current ? MODEL_LOOK_SECONDS : FIRST_MODEL_LOOK_SECONDS, now)) return;
  state.lookedAt = now;
  // A wait that is longer than any is of a clock that was set back.
  const isWaiting = now < state.waitUntil && state.waitUntil <= now + LONGEST_WAIT_SECONDS;
  if (state.next || isWaiting) return;
  const models = await listCurrentModels(state.dataDir, state.sources);
  if (models.length === 0 || nameModels(models) === nameModels(state.current?.models ?? [])) return;
  state.next = startGeneration(state, models);
}

function nameModels(models: readonly ModelManifest[]): string {
  return models.map(({ sourceId, id }) => `${sourceId} ${id}`).join();
}

function startGeneration(state: ForecastServiceState, models: readonly ModelManifest[]): Generation {
  const { dataDir, settings, effects } = state;
  const stopping = new AbortController();
  const thread = state.start({ dataDir, models, settings }, effects, { signal: stopping.signal });
  const generation: Generation = { models, thread, stopping, isReady: false, isTold: false };
  thread.ready.then(
    () => {
      generation.isReady = true;
    },
    () => {},
  );
  thread.result.catch((error: Error) => lose(state, generation, error));
  return generation;
}

/** A thread that has died, or failed over what it was told, as one does that has no room left: another reads anew. */
function lose(state: ForecastServiceState, generation: Generation, error: Error): void {
  if (state.current === generation) state.current = null;
  else if (state.next === generation) state.next = null;
  else return;
  state.deaths += 1;
  const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** (state.deaths - 1), LONGEST_WAIT_SECONDS);
  state.waitUntil = state.now + wait;
  state.effects.log.warn(`predictions have stopped: ${error.message}; again in ${wait} s`);
  stop(state, generation);
}

const startForecasts: StartForecasts = (...start) =>
  startThread(new URL('./serve-forecasts.js', import.meta.url), ...start);

function takeOver(state: ForecastServiceState): void {
  const { next, current, effects } = state;
  if (!next?.isReady) return;
  state.current = next;
  state.next = null;
  state.deaths = 0;
  effects.log.info(`predictions by ${nameModels(next.models).replaceAll(',', ', ')}`);
  if (current) stop(state, current);
}

async function ask(state: ForecastServiceState, { changed, list }: Observed): Promise<void> {
  const { current, now } = state;
  if (!current) return;
  const runs = new Map<SourceId, readonly ObservedRun[]>();
  for (const { sourceId } of current.models) {
    const observed = current.isTold ? list(sourceId, changed.get(sourceId) ?? []) : list(sourceId);
    if (observed.length > 0) runs.set(sourceId, observed);
  }
  current.isTold = true;
  if (runs.size === 0) return;
  const heard = current.thread.ask({ now, runs }).then(
    (answer) => takeForecasts(state, current, answer),
    (error: Error) => lose(state, current, error),
  );
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FORECAST_WAIT_MILLISECONDS);
  });
  await Promise.race([heard, patience]);
  clearTimeout(timer);
}

function takeForecasts(
  state: ForecastServiceState,
  generation: Generation,
  { predictions, over }: ForecastAnswer,
): void {
  if (state.current !== generation) return;
  for (const prediction of predictions) state.predictions.set(nameOf(prediction.sourceId, prediction), prediction);
  for (const [source, trips] of over) for (const trip of trips) state.predictions.delete(nameOf(source, trip));
}

function nameOf(source: string, { tripKey, day }: DatedTrip): string {
  return `${source} ${tripKey} ${day}`;
}

function dropOld({ predictions, now }: ForecastServiceState): void {
  for (const [name, prediction] of predictions) if (!isFreshPrediction(prediction, now)) predictions.delete(name);
}

/** What it has forecast is stored first. */
function stop(state: ForecastServiceState, { thread, stopping }: Generation): void {
  stopping.abort();
  state.ended = Promise.allSettled([state.ended, thread.result]);
}
