import type { Config } from '../pipeline/config/load-config.ts';
import { noteSourceCredits } from '../pipeline/lake/source-credits.ts';
import { diskStores } from '../pipeline/realtime/polling/disk-stores.ts';
import { openSources, type PolledSource } from '../pipeline/realtime/polling/open-sources.ts';
import { pollRealtime } from '../pipeline/realtime/polling/poll-realtime.ts';
import type { PolledSourceState } from '../pipeline/realtime/polling/realtime-sink.ts';
import { type ForecastService, noForecasts } from '../pipeline/realtime/polling/realtime-sink.ts';
import type { JobEffects } from './job.ts';
import { openRealtimeSink } from './open-realtime-sink.ts';
import type { PollingRequest } from './parts.ts';

/** Polls in this thread. @returns how the sources are doing at the end */
export async function pollHere(
  { config, sources, rounds, signal, engineSignal }: PollingRequest,
  effects: JobEffects,
): Promise<readonly PolledSourceState[]> {
  const polled = await openSources(sources, effects);
  await noteSourceCredits(
    config.dataDir,
    polled.map(({ id, facts }) => ({ id, ...facts })),
  );
  const forecasts = await openForecasts(config, polled, rounds, effects);
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
async function openForecasts(
  { dataDir, ingest, predictions }: Config,
  sources: readonly PolledSource[],
  rounds: number | null,
  effects: JobEffects,
): Promise<ForecastService> {
  if (rounds !== null || predictions.paused) return noForecasts;
  const { openForecastService } = await import('./forecast-service.ts');
  const settings = { memoryLimit: ingest.memoryLimit, threads: 1 };
  return openForecastService(
    dataDir,
    sources.map(({ id }) => id),
    settings,
    effects,
  );
}
