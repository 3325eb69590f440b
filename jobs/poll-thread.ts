import type { ConfiguredSource } from '../pipeline/config/configured-source.ts';
import type { Config } from '../pipeline/config/load-config.ts';
import { pollHere } from './poll-here.ts';
import { serveThread } from './threads.ts';

/** What the polling thread is started with. */
export interface PollThreadInput {
  readonly config: Config;
  readonly sources: readonly ConfiguredSource[];
}

await serveThread(({ config, sources }: PollThreadInput, effects, { signal, engineSignal }) =>
  pollHere({ config, sources, rounds: null, signal, engineSignal }, effects),
);
