import { setImmediate } from 'node:timers/promises';
import type { ConfiguredSource } from '../../../pipeline/config/configured-source.ts';
import { fetchHttp, type Http } from '../../../pipeline/effects/http.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { diskStores } from '../../../pipeline/realtime/polling/disk-stores.ts';
import { openLiveSink } from '../../../pipeline/realtime/polling/live-sink.ts';
import { openSources } from '../../../pipeline/realtime/polling/open-sources.ts';
import { pollRealtime } from '../../../pipeline/realtime/polling/poll-realtime.ts';
import type { PollEffects, PollStores } from '../../../pipeline/realtime/polling/poll-source.ts';
import type { RealtimeSink } from '../../../pipeline/realtime/polling/realtime-sink.ts';
import type { AnswerSource } from '../../../pipeline/sample/upstream/answer-source.ts';
import type { Fault } from '../../../pipeline/sample/upstream/start-fake-upstream.ts';
import { startFakeUpstream } from '../../../pipeline/sample/upstream/start-fake-upstream.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

export interface PollingWorld {
  /** Data folder with a published timetable. */
  readonly dataDir: string;
  /** Answers of the upstream. */
  readonly answers: AnswerSource;
  /** RFC 3339. */
  readonly start: string;
  /** Returns the sources, whose upstream has the given address. */
  configure(baseUrl: string): readonly ConfiguredSource[];
}

/** Sources that are polled over HTTP from a fake upstream, with a real disk, by a clock that only `run` advances. */
export interface SteeredPolling extends Pick<VirtualTime, 'clock' | 'run'> {
  /** Makes some paths of the upstream fail, and no others; null: none. */
  setFault(paths: readonly string[], fault: Fault | null): void;
  /** Number of requests of a path. */
  countRequests(path: string): number;
  /** Stops the polling gracefully, then the upstream. */
  end(): Promise<void>;
}

export const pollSettings = { breakerFailures: 3, breakerSeconds: 60 };

export async function startPolling({ dataDir, answers, start, configure }: PollingWorld): Promise<SteeredPolling> {
  const activity = trackActivity();
  const { clock, sleep, run } = virtualTime(start, activity.settle);
  const upstream = await startFakeUpstream({ answers, clock });
  const silent = new Set<string>();
  const sources = await openSources(configure(upstream.url), { log: silentLog });
  const lake = { memoryLimit: '256MB', threads: 1, keepSnapshots: 3, raw: { maxAgeHours: 72, maxBytes: 100_000_000 } };
  const sink = await openLiveSink(dataDir, sources, lake, { log: silentLog });
  const http = impatientHttp(silent, activity);
  const effects: PollEffects = { clock, sleep, http, log: silentLog, random: () => 0 };
  const stop = new AbortController();
  const polling = pollRealtime({
    sources,
    ...trackWrites(sink, diskStores(dataDir, { log: silentLog }), activity),
    effects,
    settings: pollSettings,
    signal: stop.signal,
  });
  const ended = polling.finally(sink.close).finally(upstream.close);
  // A failure is reported by `end`.
  ended.catch(() => {});
  return {
    clock,
    run,
    setFault(paths, fault) {
      silent.clear();
      for (const one of paths) {
        upstream.setFault(one, fault);
        if (fault?.kind === 'hang' || fault?.kind === 'slowDrip') silent.add(one);
      }
    },
    countRequests: (path) => upstream.requests().get(path) ?? 0,
    async end() {
      stop.abort(new Error('the test ended'));
      await ended;
    },
  };
}

// ---- Activity ----------------------------------------------------------------------------------

interface Activity {
  track<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Resolves when no task is pending: everything else waits for time to pass. */
  settle(): Promise<void>;
}

/** Counts pending tasks of disk and network; between two of them there are only promises. */
function trackActivity(): Activity {
  const underWay = new Set<Promise<unknown>>();
  return {
    track(task) {
      const running = task();
      underWay.add(running);
      const end = () => underWay.delete(running);
      running.then(end, end);
      return running;
    },
    async settle() {
      for (let calmTurns = 0; calmTurns < 3; calmTurns++) {
        await setImmediate();
        if (underWay.size === 0) continue;
        await Promise.allSettled(underWay);
        calmTurns = -1;
      }
    },
  };
}

function trackWrites(
  sink: RealtimeSink,
  stores: PollStores,
  { track }: Activity,
): { readonly sink: RealtimeSink; readonly stores: PollStores } {
  return {
    sink: {
      apply: (answer) => track(() => sink.apply(answer)),
      confirm: (answer) => track(() => sink.confirm(answer)),
      publish: (states, now) => track(() => sink.publish(states, now)),
      close: sink.close,
    },
    stores: {
      spendBudget: (...spent) => track(() => stores.spendBudget(...spent)),
      readStandby: () => track(stores.readStandby),
      readDemands: (now) => track(() => stores.readDemands(now)),
      storeRaw: (answer) => track(() => stores.storeRaw(answer)),
    },
  };
}

const SHORT_SECONDS = 0.15;
const LONG_SECONDS = 60;
/** Upper limit of valid responses of the small country. */
const MAX_BYTES = 2 ** 21;

/** Real HTTP. Requests to paths known to be silent time out at once; others may take any time. */
function impatientHttp(silent: ReadonlySet<string>, { track }: Activity): Http {
  return (request) =>
    track(async () => {
      const timeoutSeconds = silent.has(new URL(request.url).pathname) ? SHORT_SECONDS : LONG_SECONDS;
      const answer = await fetchHttp({ ...request, timeoutSeconds, maxBytes: MAX_BYTES });
      if (!answer.body) return answer;
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.body) chunks.push(chunk);
      return { ...answer, body: toIterable(chunks) };
    });
}

async function* toIterable(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}
