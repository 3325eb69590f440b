import type { ConfiguredSource } from '../../config/configured-source.ts';
import type { Config } from '../../config/load-config.ts';
import type { Effects } from '../../effects/effects.ts';
import { serveThread } from '../../effects/threads.ts';
import { noteSourceCredits } from '../../lake/source-credits.ts';
import { type ForecastService, noForecasts, openForecastService } from '../../predictions/live/forecast-service.ts';
import { diskStores } from './disk-stores.ts';
import { openLiveSink } from './live-sink.ts';
import { openSources, type PolledSource } from './open-sources.ts';
import { pollRealtime } from './poll-realtime.ts';
import type { PolledSourceState, RealtimeSink } from './realtime-sink.ts';

/** What a polling thread is started with. Plain data. */
export interface PollThreadInput {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
}

export interface PollingRequest extends PollThreadInput {
  /** How often every request is asked; null: until the signal aborts. */
  readonly rounds: number | null;
  readonly signal: AbortSignal;
  /** Gives up what the database engine has not finished some time after `signal`; the journal keeps it. */
  readonly engineSignal?: AbortSignal | undefined;
}

/** Polls in this thread. @returns how the sources are doing at the end */
export async function pollHere(
  { config, sources, rounds, signal, engineSignal }: PollingRequest,
  effects: Effects,
): Promise<readonly PolledSourceState[]> {
  const polled = await openSources(sources, effects);
  await noteSourceCredits(
    config.dataDir,
    polled.map(({ id, facts }) => ({ id, ...facts })),
  );
  const forecasts = openForecasts(config, polled, rounds, effects);
  const sink = await openRealtimeSink(config, polled, effects, { forecasts, engineSignal });
  try {
    return await pollRealtime({
      sources: polled,
      sink,
      stores: diskStores(config.dataDir, effects),
      effects: { ...effects, random: Math.random },
      settings: config.polling,
      signal,
      rounds: rounds ?? Number.POSITIVE_INFINITY,
    });
  } finally {
    await sink.close();
  }
}

/** A single round is over before a model is read. */
function openForecasts(
  { dataDir, ingest, predictions }: Config,
  sources: readonly PolledSource[],
  rounds: number | null,
  effects: Effects,
): ForecastService {
  if (rounds !== null || predictions.paused) return noForecasts;
  const settings = { memoryLimit: ingest.memoryLimit, threads: 1 };
  const ids = sources.map(({ id }) => id);
  return openForecastService(dataDir, ids, settings, effects);
}

/**
 * Opens what keeps the state of all realtime sources, publishes it, and brings sightings into the lake.
 * @throws WorldError `timetable_unavailable` while no timetable is published
 */
export async function openRealtimeSink(
  { dataDir, ingest, raw, snapshots }: Config,
  sources: readonly PolledSource[],
  { log }: Pick<Effects, 'log'>,
  {
    forecasts = noForecasts,
    engineSignal,
  }: { forecasts?: ForecastService; engineSignal?: AbortSignal | undefined } = {},
): Promise<RealtimeSink> {
  const { memoryLimit, threads } = ingest;
  const settings = { memoryLimit, threads, signal: engineSignal, keepSnapshots: snapshots.keepRealtime, raw };
  return openLiveSink(dataDir, sources, settings, { log }, forecasts);
}

serveThread(import.meta.url, (input: PollThreadInput, { effects, signal, engineSignal }) =>
  pollHere({ ...input, rounds: null, signal, engineSignal }, effects),
);
