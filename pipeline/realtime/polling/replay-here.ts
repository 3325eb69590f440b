import type { ConfiguredSource } from '../../config/configured-source.ts';
import type { Config } from '../../config/load-config.ts';
import type { Effects } from '../../effects/effects.ts';
import { serveThread } from '../../effects/threads.ts';
import { listRawAnswers, readRawBytes } from '../../lake/raw-answers.ts';
import type { Instant } from '../../model/service-time.ts';
import { openRealtimeSink } from './open-realtime-sink.ts';
import { openSources } from './open-sources.ts';
import { replayAnswers } from './replay-answers.ts';

/** Input of a replay. Plain data: it is sent to a thread. */
export interface ReplayInput {
  readonly config: Config;
  /** Where the replay publishes; see `replay-folder.ts`. */
  readonly folder: string;
  readonly sources: readonly ConfiguredSource[];
  /** Answers fetched at or after `from` and before `to` are played. */
  readonly from: Instant;
  readonly to: Instant;
}

/** Plays stored answers in this thread. @returns number of attempts by outcome */
async function replayHere(
  { config, folder, sources, from, to }: ReplayInput,
  effects: Effects,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const polled = await openSources(sources, effects);
  const sink = await openRealtimeSink({ ...config, dataDir: folder }, polled, effects);
  const recordings = {
    list: (source: ConfiguredSource['id']) => listRawAnswers(config.dataDir, source, from, to),
    read: (rawId: string) => readRawBytes(config.dataDir, rawId),
  };
  try {
    return Object.fromEntries(await replayAnswers({ sources: polled, recordings, sink, effects, signal }));
  } finally {
    await sink.close();
  }
}

serveThread(import.meta.url, (input: ReplayInput, { effects, signal }) => replayHere(input, effects, signal));
