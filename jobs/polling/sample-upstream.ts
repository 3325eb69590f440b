import type { Effects } from '../../pipeline/effects/effects.ts';
import { moduleUrl } from '../../pipeline/effects/project-files.ts';
import { startThread } from '../../pipeline/effects/threads.ts';

interface SampleUpstream {
  /** Address without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the simulated upstream of the sample, which uses the protocols of the real ones, in a thread. */
export async function startSampleUpstream(effects: Effects): Promise<SampleUpstream> {
  const file = moduleUrl('pipeline/sample/upstream/serve-sample.js');
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
