import { Worker } from 'node:worker_threads';
import type { Log } from '../pipeline/effects/log.ts';
import type { LakeSettings } from '../pipeline/lake/observations/write-parts.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
import type { ObservedRun } from '../pipeline/model/prediction.ts';
import { isFreshPrediction, type TripPrediction } from '../pipeline/model/prediction.ts';
import type { Instant } from '../pipeline/model/service-time.ts';
import type { ModelManifest } from '../pipeline/predictions/learning/model-store.ts';
import type { DatedTrip } from '../pipeline/predictions/live/forecaster.ts';
import { listCurrentModels } from '../pipeline/predictions/live/forecaster.ts';
import { isDue } from '../pipeline/realtime/polling/chore.ts';
import type { ForecastService, Observed } from '../pipeline/realtime/polling/realtime-sink.ts';
import type { ForecastStart, FromForecasts, ToForecasts } from './forecast-messages.ts';
import { THREAD_GRACE_MILLISECONDS } from './threads.ts';

/** How long a snapshot waits for what is forecast of it; what takes longer comes with the next one. */
const FORECAST_WAIT_MILLISECONDS = 1500;
/** How soon a newer model is noticed, and the first one, for which somebody waits. */
const MODEL_LOOK_SECONDS = 60;
const FIRST_MODEL_LOOK_SECONDS = 10;
/** A thread that dies is started anew this much later, and then later each time. */
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 3600;

/** Where forecasts are made: a thread, or in a test what speaks like one. */
export type ForecastWorker = Pick<Worker, 'postMessage' | 'on' | 'once' | 'terminate'>;

/** One thread with its models. */
interface Generation {
  readonly models: readonly ModelManifest[];
  readonly worker: ForecastWorker;
  isReady: boolean;
  /** Whether it has been told of all that is under way. */
  isTold: boolean;
  readonly stopped: Promise<void>;
}

interface ForecastServiceState {
  readonly dataDir: string;
  readonly sources: readonly SourceId[];
  readonly settings: LakeSettings;
  readonly log: Log;
  readonly start: (input: ForecastStart) => ForecastWorker;
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
  asked: number;
  readonly pending: Map<number, () => void>;
}

/**
 * Forecasts in a thread of its own. It looks for newer models by itself: a new thread reads them and the record behind
 * them while the old one goes on.
 */
export function openForecastService(
  dataDir: string,
  sources: readonly SourceId[],
  settings: LakeSettings,
  { log }: { readonly log: Log },
  start: (input: ForecastStart) => ForecastWorker = startWorker,
): ForecastService {
  const state: ForecastServiceState = {
    dataDir,
    sources,
    settings,
    log,
    start,
    current: null,
    next: null,
    lookedAt: null,
    now: 0 as Instant,
    deaths: 0,
    waitUntil: 0,
    predictions: new Map(),
    asked: 0,
    pending: new Map(),
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
      const threads = [state.current, state.next].filter((one) => one !== null);
      state.current = null;
      state.next = null;
      await Promise.all(threads.map(stopThread));
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
  state.next = startThread(state, models);
}

function nameModels(models: readonly ModelManifest[]): string {
  return models.map(({ sourceId, id }) => `${sourceId} ${id}`).join();
}

function startThread(state: ForecastServiceState, models: readonly ModelManifest[]): Generation {
  const { dataDir, settings, log } = state;
  const worker = state.start({ dataDir, models, settings });
  const stopped = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const generation: Generation = { models, worker, isReady: false, isTold: false, stopped };
  worker.on('message', (message: FromForecasts) => {
    if (message.kind === 'ready') generation.isReady = true;
    else if (message.kind === 'warn') log.warn(message.text);
    else if (message.kind === 'heard') takeForecasts(state, generation, message);
  });
  worker.on('error', (error) => {
    if (state.current === generation) state.current = null;
    if (state.next === generation) state.next = null;
    state.deaths += 1;
    const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** (state.deaths - 1), LONGEST_WAIT_SECONDS);
    state.waitUntil = state.now + wait;
    log.warn(`predictions have stopped: ${error.message}; again in ${wait} s`);
    releaseAll(state);
  });
  return generation;
}

function startWorker(input: ForecastStart): Worker {
  return new Worker(new URL('./forecast-thread.js', import.meta.url), { workerData: input });
}

function takeOver(state: ForecastServiceState): void {
  const { next, current, log } = state;
  if (!next?.isReady) return;
  state.current = next;
  state.next = null;
  state.deaths = 0;
  log.info(`predictions by ${nameModels(next.models).replaceAll(',', ', ')}`);
  if (current) void stopThread(current);
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
  const number = ++state.asked;
  const heard = new Promise<void>((resolve) => state.pending.set(number, resolve));
  current.worker.postMessage({ kind: 'hear', number, now, runs } satisfies ToForecasts);
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
  { number, predictions, over }: Extract<FromForecasts, { kind: 'heard' }>,
): void {
  state.pending.get(number)?.();
  state.pending.delete(number);
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

function releaseAll({ pending }: ForecastServiceState): void {
  for (const release of pending.values()) release();
  pending.clear();
}

/**
 * What it has forecast is stored first; one that still reads its record has forecast nothing. A thread that computes
 * does not get the message. It is ended from outside only after its engine was interrupted, see `threads.ts`.
 */
async function stopThread({ worker, stopped }: Generation): Promise<void> {
  worker.postMessage({ kind: 'stop' } satisfies ToForecasts);
  const end = setTimeout(() => void worker.terminate(), THREAD_GRACE_MILLISECONDS);
  await stopped;
  clearTimeout(end);
}
