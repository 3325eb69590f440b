import type { ConfiguredSource } from '../pipeline/config/configured-source.ts';
import type { Config } from '../pipeline/config/load-config.ts';
import { listRawAnswers, readRawBytes } from '../pipeline/lake/raw-answers.ts';
import type { Instant } from '../pipeline/model/service-time.ts';
import { openSources } from '../pipeline/realtime/polling/open-sources.ts';
import { replayAnswers } from '../pipeline/realtime/polling/replay-answers.ts';
import type { JobEffects } from './job.ts';
import { openRealtimeSink } from './open-realtime-sink.ts';

/** What a replay is told. Plain data: it goes to a thread. */
export interface ReplayInput {
  readonly config: Config;
  /** Where the replay publishes; see `replay-folder.ts`. */
  readonly folder: string;
  readonly sources: readonly ConfiguredSource[];
  /** Answers fetched at or after `from` and before `to` are played. */
  readonly from: Instant;
  readonly to: Instant;
}

/** Plays stored answers in this thread. @returns attempts by what came of them */
export async function replayHere(
  { config, folder, sources, from, to }: ReplayInput,
  effects: JobEffects,
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
