import type { Effects } from '../../pipeline/effects/effects.ts';
import { startThread } from '../../pipeline/effects/threads.ts';

interface SampleUpstream {
  /** Address without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the simulated upstream of the sample, which uses the protocols of the real ones, in a thread. */
export async function startSampleUpstream(effects: Effects): Promise<SampleUpstream> {
  const file = new URL('../../pipeline/sample/upstream/serve-sample.js', import.meta.url);
  const stopping = new AbortController();
  const { ready, result } = startThread<null, void>(file, null, effects, { signal: stopping.signal });
  const url = await ready;
  return {
    url,
    close: () => {
      stopping.abort();
      return result;
    },
  };
}
