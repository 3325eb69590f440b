import { setMaxListeners } from 'node:events';
import { nowInstant } from '../../effects/clock.ts';
import type { SourceId } from '../../model/ids.ts';
import type { PolledSource } from './open-sources.ts';
import { type PollEffects, type PollStores, pollSource } from './poll-source.ts';
import type { PolledSourceState, RealtimeSink } from './realtime-sink.ts';
import type { BreakerRules } from './source-record.ts';

/** Lets tasks run one after the other, in the order in which they were handed in; a failed one does not stop the next. */
function oneAtATime(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run;
    return run;
  };
}

interface PollRequest {
  readonly sources: readonly PolledSource[];
  readonly sink: RealtimeSink;
  readonly stores: PollStores;
  readonly effects: PollEffects;
  readonly settings: BreakerRules;
  /** Ends the polling; an answer that is being applied is brought to its end first. */
  readonly signal: AbortSignal;
  /** How often every request is asked; left out: until the signal aborts. */
  readonly rounds?: number;
}

/** At most one snapshot in this time, however many answers come in. */
const PUBLISH_GAP_MILLISECONDS = 1000;

/**
 * Asks all sources side by side, hands what they say to the sink, and lets it publish. One source's trouble neither
 * delays nor ends another's polling.
 * @returns how the sources are doing at the end
 * @throws what no single answer is to blame for: the sink cannot publish, a store fails; all has stopped then
 */
export async function pollRealtime(request: PollRequest): Promise<readonly PolledSourceState[]> {
  const { sources, stores, effects, settings, signal } = request;
  const rounds = request.rounds ?? Number.POSITIVE_INFINITY;
  const sink = serialSink(request.sink);
  const states = new Map<SourceId, PolledSourceState>();
  const pool = new AbortController();
  // Every source listens while it sleeps; Node warns of more than ten, as though they were forgotten ones.
  setMaxListeners(0, pool.signal);
  const dismiss = () => pool.abort(signal.reason);
  if (signal.aborted) return [];
  signal.addEventListener('abort', dismiss, { once: true });
  const listStates = () => sources.flatMap(({ id }) => states.get(id) ?? []);
  const publish = () => sink.publish(listStates(), nowInstant(effects.clock));
  const publisher = publishAfterChanges(publish, { effects, signal: pool.signal });
  const onChange = (state: PolledSourceState) => {
    states.set(state.id, state);
    // A source that was not asked yet is no news: what was published before the start stands until then.
    if (state.lastAttemptAt !== null || state.isStandby || state.trouble !== null) publisher.ring();
  };
  const common = { rules: settings, rounds, stores, sink, effects, signal: pool.signal, onChange };
  // Whoever fails takes the others along, so that all of it can be started anew.
  const work = sources.map((polled) => pollSource({ polled, ...common }));
  for (const one of [...work, publisher.running]) one.catch(dismiss);
  const ends = await Promise.allSettled(work);
  pool.abort();
  ends.push(...(await Promise.allSettled([publisher.running])));
  signal.removeEventListener('abort', dismiss);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return listStates();
}

/** Publishes soon after each change, at most once a second, and once more at the end when something is left. */
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

/** A sink whose calls come one after the other, from however many sources. */
function serialSink(sink: RealtimeSink): Pick<RealtimeSink, 'apply' | 'confirm' | 'publish'> {
  const inTurn = oneAtATime();
  return {
    apply: (answer) => inTurn(() => sink.apply(answer)),
    confirm: (answer) => inTurn(() => sink.confirm(answer)),
    publish: (states, now) => inTurn(() => sink.publish(states, now)),
  };
}
