import { setMaxListeners } from 'node:events';
import { nowInstant } from '../../effects/clock.ts';
import { createQueue } from '../../effects/concurrency.ts';
import type { SourceId } from '../../model/ids.ts';
import type { PolledSource } from './open-sources.ts';
import { type PollEffects, type PollStores, pollSource } from './poll-source.ts';
import type { PolledSourceState, RealtimeSink } from './realtime-sink.ts';
import type { BreakerRules, EarlierRecord } from './source-record.ts';

interface PollRequest {
  readonly sources: readonly PolledSource[];
  readonly sink: RealtimeSink;
  readonly stores: PollStores;
  readonly effects: PollEffects;
  readonly settings: BreakerRules;
  /** Ends the polling; an answer that is being applied is finished first. */
  readonly signal: AbortSignal;
  /** What an earlier poller has published of the sources; absent: nothing. */
  readonly earlier?: ReadonlyMap<SourceId, EarlierRecord>;
  /** How often each request is sent; absent: until the signal aborts. */
  readonly rounds?: number;
}

/** Minimum time between two snapshots. */
const PUBLISH_GAP_MILLISECONDS = 1000;

/**
 * Polls all sources concurrently, passes their answers to the sink and lets it publish. A failing source neither delays
 * nor ends the polling of another.
 * @returns the states of the sources at the end
 * @throws errors that no single answer causes, after stopping all sources: the sink cannot publish, a store fails
 */
export async function pollRealtime(request: PollRequest): Promise<readonly PolledSourceState[]> {
  const { sources, stores, effects, settings, signal } = request;
  const rounds = request.rounds ?? Number.POSITIVE_INFINITY;
  const sink = serialSink(request.sink);
  const states = new Map<SourceId, PolledSourceState>();
  const pool = new AbortController();
  // Every source adds a listener while it sleeps; above ten, Node would warn of a leak.
  setMaxListeners(0, pool.signal);
  const dismiss = () => pool.abort(signal.reason);
  if (signal.aborted) return [];
  signal.addEventListener('abort', dismiss, { once: true });
  const listStates = () => sources.flatMap(({ id }) => states.get(id) ?? []);
  const publish = () => sink.publish(listStates(), nowInstant(effects.clock));
  const publisher = publishAfterChanges(publish, { effects, signal: pool.signal });
  const onChange = (state: PolledSourceState) => {
    states.set(state.id, state);
    // A source that was not polled yet changes nothing: its state published before the start stays.
    if (state.lastAttemptAt !== null || state.isStandby || state.trouble !== null) publisher.ring();
  };
  const common = { rules: settings, rounds, stores, sink, effects, signal: pool.signal, onChange };
  // One failure stops all, so that all can be restarted.
  const work = sources.map((polled) => pollSource({ polled, ...common, earlier: request.earlier?.get(polled.id) }));
  for (const one of [...work, publisher.running]) one.catch(dismiss);
  const ends = await Promise.allSettled(work);
  pool.abort();
  ends.push(...(await Promise.allSettled([publisher.running])));
  signal.removeEventListener('abort', dismiss);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return listStates();
}

/** Publishes soon after each change, at most once a second, and at the end any remaining change. */
function publishAfterChanges(
  publish: () => Promise<void>,
  { effects, signal }: { readonly effects: PollEffects; readonly signal: AbortSignal },
) {
  let isDue = false;
  let wake = () => {};
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (isDue || signal.aborted) resolve();
    });
  const run = async () => {
    signal.addEventListener('abort', () => wake(), { once: true });
    while (!signal.aborted) {
      await change();
      if (isDue) {
        isDue = false;
        await publish();
      }
      await pauseUnlessAborted(PUBLISH_GAP_MILLISECONDS, effects, signal);
    }
    if (isDue) await publish();
  };
  return {
    running: run(),
    ring: () => {
      isDue = true;
      wake();
    },
  };
}

async function pauseUnlessAborted(milliseconds: number, { sleep }: PollEffects, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Serialises the calls that all sources make to the sink. */
function serialSink(sink: RealtimeSink): Pick<RealtimeSink, 'apply' | 'confirm' | 'publish'> {
  const inTurn = createQueue();
  return {
    apply: (answer) => inTurn(() => sink.apply(answer)),
    confirm: (answer) => inTurn(() => sink.confirm(answer)),
    publish: (states, now) => inTurn(() => sink.publish(states, now)),
  };
}
