import type { Config } from '../pipeline/config/load-config.ts';
import { openLiveSink } from '../pipeline/realtime/polling/live-sink.ts';
import type { PolledSource } from '../pipeline/realtime/polling/open-sources.ts';
import type { RealtimeSink } from '../pipeline/realtime/polling/realtime-sink.ts';
import { type ForecastService, noForecasts } from '../pipeline/realtime/polling/realtime-sink.ts';
import type { JobEffects } from './job.ts';

/**
 * Opens what keeps the state of all realtime sources, publishes it, and brings sightings into the lake.
 * @throws WorldError `timetable_unavailable` while no timetable is published
 */
export async function openRealtimeSink(
  { dataDir, ingest, raw, snapshots }: Config,
  sources: readonly PolledSource[],
  { log }: JobEffects,
  {
    forecasts = noForecasts,
    engineSignal,
  }: { forecasts?: ForecastService; engineSignal?: AbortSignal | undefined } = {},
): Promise<RealtimeSink> {
  const { memoryLimit, threads } = ingest;
  const settings = { memoryLimit, threads, signal: engineSignal, keepSnapshots: snapshots.keepRealtime, raw };
  return openLiveSink(dataDir, sources, settings, { log }, forecasts);
}
