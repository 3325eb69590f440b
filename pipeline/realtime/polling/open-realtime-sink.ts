import type { Config } from '../../config/load-config.ts';
import type { Effects } from '../../effects/effects.ts';
import { noPredictions, type TripPredictionService } from '../../predictions/live/prediction-service.ts';
import { openLiveSink } from './live-sink.ts';
import type { PolledSource } from './open-sources.ts';
import type { RealtimeSink } from './realtime-sink.ts';

/**
 * Opens the sink that holds the state of all realtime sources, publishes it and writes observations to the lake.
 * @throws ExternalError `timetable_unavailable` while no timetable is published
 */
export async function openRealtimeSink(
  { dataDir, ingest, polling, raw, snapshots }: Config,
  sources: readonly PolledSource[],
  { log }: Pick<Effects, 'log'>,
  {
    forecasts = noPredictions,
    engineSignal,
  }: { forecasts?: TripPredictionService; engineSignal?: AbortSignal | undefined } = {},
): Promise<RealtimeSink> {
  const { memoryLimit, threads } = ingest;
  const settings = {
    memoryLimit,
    threads,
    signal: engineSignal,
    keepSnapshots: snapshots.keepRealtime,
    raw,
    maxEarlySeconds: polling.maxEarlySeconds,
    maxUncertaintySeconds: polling.maxUncertaintySeconds,
  };
  return openLiveSink(dataDir, sources, settings, { log }, forecasts);
}
