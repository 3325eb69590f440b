import type { Config } from '../pipeline/config/load-config.ts';
import { type ForecastDesk, noForecasts } from '../pipeline/polling/forecast-desk.ts';
import { openLiveSink } from '../pipeline/polling/live-sink.ts';
import type { PolledSource } from '../pipeline/polling/open-sources.ts';
import type { RealtimeSink } from '../pipeline/polling/realtime-sink.ts';
import type { JobEffects } from './job.ts';

/**
 * Opens what keeps the state of all realtime sources, publishes it, and brings sightings into the lake.
 * @throws WorldError `timetable_unavailable` while no timetable is published
 */
export async function openRealtimeSink(
  { dataDir, ingest, raw, snapshots }: Config,
  sources: readonly PolledSource[],
  { log }: JobEffects,
  { forecasts = noForecasts, engineSignal }: { forecasts?: ForecastDesk; engineSignal?: AbortSignal | undefined } = {},
): Promise<RealtimeSink> {
  const { memoryLimit, threads } = ingest;
  const settings = { memoryLimit, threads, signal: engineSignal, keepSnapshots: snapshots.keepRealtime, raw };
  return openLiveSink(dataDir, sources, settings, { log }, forecasts);
}
