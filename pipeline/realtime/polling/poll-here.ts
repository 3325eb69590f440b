import type { ConfiguredSource } from '../../config/configured-source.ts';
import type { Config } from '../../config/load-config.ts';
import type { Clock } from '../../effects/clock.ts';
import type { Effects } from '../../effects/effects.ts';
import { serveThread } from '../../effects/threads.ts';
import { noteSourceCredits } from '../../lake/source-credits.ts';
import { isTextAhead } from '../../model/clock-tolerance.ts';
import type { SourceId } from '../../model/ids.ts';
import {
  noPredictions,
  openPredictionService,
  type TripPredictionService,
} from '../../predictions/live/prediction-service.ts';
import { peekRealtimeManifest } from '../../snapshots/realtime-files.ts';
import { diskStores } from './disk-stores.ts';
import { openRealtimeSink } from './open-realtime-sink.ts';
import { openSources, type PolledSource } from './open-sources.ts';
import { pollRealtime } from './poll-realtime.ts';
import type { PolledSourceState } from './realtime-sink.ts';
import type { EarlierRecord } from './source-record.ts';

/** Input of a polling thread. Plain data. */
export interface PollThreadInput {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
}

export interface PollingRequest extends PollThreadInput {
  /** How often each request is sent; null: until the signal aborts. */
  readonly rounds: number | null;
  readonly signal: AbortSignal;
  /** Aborts, some time after `signal`, what the database engine has not finished; the journal keeps those rows. */
  readonly engineSignal?: AbortSignal | undefined;
}

/** Polls in this thread. @returns the states of the sources at the end */
export async function pollHere(
  { config, sources, rounds, signal, engineSignal }: PollingRequest,
  effects: Effects,
): Promise<readonly PolledSourceState[]> {
  const polled = await openSources(sources, effects);
  await noteSourceCredits(
    config.dataDir,
    polled.map(({ id, facts }) => ({ id, ...facts })),
  );
  const forecasts = openPredictions(config, polled, rounds, effects);
  const sink = await openRealtimeSink(config, polled, effects, { forecasts, engineSignal });
  try {
    return await pollRealtime({
      sources: polled,
      sink,
      stores: diskStores(config.dataDir, effects),
      effects: { ...effects, random: Math.random },
      settings: config.polling,
      earlier: await readEarlier(config.dataDir, effects.clock),
      signal,
      rounds: rounds ?? Number.POSITIVE_INFINITY,
    });
  } finally {
    await sink.close();
  }
}

/** State of the sources in the published snapshot, so that it survives a restart. */
async function readEarlier(dataDir: string, clock: Clock): Promise<ReadonlyMap<SourceId, EarlierRecord>> {
  const now = clock.nowMilliseconds();
  // A time that a wrong clock has put into the future is not known.
  const toTime = (text: string | null | undefined) => (text && !isTextAhead(text, now) ? Date.parse(text) : null);
  const sources = (await peekRealtimeManifest(dataDir))?.sources ?? [];
  return new Map(
    sources.map(({ id, lastSuccessAt, troubleSince }) => [
      id as SourceId,
      { lastSuccessAt: toTime(lastSuccessAt), troubleSince: toTime(troubleSince) },
    ]),
  );
}

/** No forecasts for a limited number of rounds: it ends before a model is loaded. */
function openPredictions(
  { dataDir, ingest, predictions }: Config,
  sources: readonly PolledSource[],
  rounds: number | null,
  effects: Effects,
): TripPredictionService {
  if (rounds !== null || predictions.isPaused) return noPredictions;
  const settings = { memoryLimit: ingest.memoryLimit, threads: 1 };
  const ids = sources.map(({ id }) => id);
  return openPredictionService(dataDir, ids, settings, effects);
}

serveThread(import.meta.url, (input: PollThreadInput, { effects, signal, engineSignal }) =>
  pollHere({ ...input, rounds: null, signal, engineSignal }, effects),
);
