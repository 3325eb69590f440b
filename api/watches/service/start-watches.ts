import type { Clock } from '../../../pipeline/effects/clock.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { Log } from '../../../pipeline/effects/log.ts';
import type { ThreadMonitor } from '../../../pipeline/effects/thread-memory.ts';
import { type RunningThread, startThread } from '../../../pipeline/effects/threads.ts';
import { backoffMilliseconds, type RetryPolicy } from '../../../pipeline/model/retry-policy.ts';
import type { Published } from '../../engine/read/realtime.ts';
import type { Timetable } from '../../engine/read/timetable.ts';
import { toPlainTables } from '../../plugins/plain-tables.ts';
import type { SnapshotHolder } from '../../plugins/route-handler.ts';
import { openWatchStore } from '../store/sql-store.ts';
import { createLastingService } from './lasting-service.ts';
import type { WatchCall, WatchQuestion, WatchThreadStart } from './messages.ts';
import type { WatchService } from './watch-service.ts';

interface Effects {
  readonly clock: Clock;
  readonly log: Log;
  readonly threadMonitor?: ThreadMonitor | undefined;
}

/** Judges in the calling thread and blocks it meanwhile. */
export function watchHere({ store, limits, referenceKey }: WatchThreadStart, effects: Effects): WatchService {
  const options = { limits, referenceKey, clock: effects.clock };
  return createLastingService(() => openWatchStore(store, effects), options);
}

const threadRestart: RetryPolicy = { firstWaitMilliseconds: 1000, factor: 2, maxWaitMilliseconds: 60_000 };

/**
 * Evaluates watches in a separate thread, which is replaced when it ends. Confirmed watches are in the store.
 * @param file compiled `watch-thread.ts`
 */
export function watchInThread(file: URL, start: WatchThreadStart, effects: Effects): WatchService {
  let thread: RunningThread<void, WatchQuestion, unknown> | null = null;
  let deaths = 0;
  let newest: Published | null = null;
  let sent: Timetable | null = null;
  let restart: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  const open = () => {
    const opened = startThread<WatchThreadStart, void, WatchQuestion, unknown>(file, start, effects, {
      signal: closing.signal,
    });
    thread = opened;
    sent = null;
    // A thread that fails to open the pair is replaced.
    if (newest) follow(newest).catch((error) => void (error instanceof ExternalError || opened.end(error)));
    opened.result.catch((error: Error) => {
      if (closing.signal.aborted) return;
      thread = null;
      effects.log.warn(`the thread of the watches has ended: ${error.message}; the next starts soon`);
      restart = setTimeout(open, backoffMilliseconds(threadRestart, ++deaths));
      restart.unref();
    });
  };
  const request = async (question: WatchQuestion): Promise<unknown> => {
    const requested = thread;
    if (!requested) throw new ExternalError('watches_unavailable', 'the thread of the watches has ended');
    try {
      return await requested.request(question);
    } catch (error) {
      if (thread === requested) throw error;
      throw new ExternalError('watches_unavailable', 'the thread of the watches has ended', { cause: error });
    }
  };
  const follow = async (published: Published): Promise<number> => {
    newest = published;
    const question = toPair(published, sent);
    sent = published.timetable;
    return (await request(question)) as number;
  };
  open();
  return {
    ...callsBy(request),
    async follow(published) {
      const emitted = await follow(published);
      deaths = 0;
      return emitted;
    },
    async close() {
      clearTimeout(restart);
      closing.abort();
      await thread?.result.catch(() => {});
    },
  };
}

/** Methods of the service that pass their arguments to the thread. */
function callsBy(request: (question: WatchQuestion) => Promise<unknown>): Pick<WatchService, WatchCall> {
  const call =
    <Method extends WatchCall>(method: Method) =>
    (...values: Parameters<WatchService[Method]>) =>
      request({ kind: 'call', method, values }) as ReturnType<WatchService[Method]>;
  return {
    watch: call('watch'),
    unwatch: call('unwatch'),
    tick: call('tick'),
    listWanted: call('listWanted'),
    emitOptions: call('emitOptions'),
    claim: call('claim'),
    settle: call('settle'),
    confirmKeys: call('confirmKeys'),
    count: call('count'),
  };
}

/** Columns of the timetable lie in shared memory; those of realtime are copied. */
function toPair({ timetable, realtime }: Published, sent: Timetable | null): WatchQuestion {
  return {
    kind: 'pair',
    ...(timetable === sent
      ? {}
      : { timetable: { manifest: timetable.manifest, tables: toPlainTables(timetable.tables) } }),
    realtime: realtime && { manifest: realtime.manifest, tables: toPlainTables(realtime.tables) },
  };
}

/** Only memory is compared, so a short interval costs nothing. */
const FOLLOW_INTERVAL_MILLISECONDS = 250;
/** How often watches are judged between two snapshots, and learned from other replicas. */
const TICK_MILLISECONDS = 10_000;

/**
 * Passes each new pair of snapshots to the watches soon after it is served, and the time in between. What fails is
 * logged once, and tried again.
 * @param afterwards called after each judging
 */
export function followWithWatches(
  service: WatchService,
  snapshots: SnapshotHolder<Published>,
  { clock, log }: Effects,
  afterwards: () => Promise<void> = async () => {},
): { stop(): Promise<void> } {
  let followed: Published | null = null;
  let tickAt = 0;
  let underWay: Promise<void> | null = null;
  let lastFailure: string | null = null;

  const step = async () => {
    const pair = snapshots.current()?.value ?? null;
    const isDue = clock.nowMilliseconds() >= tickAt || clock.nowMilliseconds() < tickAt - TICK_MILLISECONDS;
    if (pair === null || (pair === followed && !isDue)) return;
    tickAt = clock.nowMilliseconds() + TICK_MILLISECONDS;
    const isNew = pair !== followed;
    // What fails is repeated by the next tick: the service has the pair.
    followed = pair;
    try {
      await (isNew ? service.follow(pair) : service.tick());
      await afterwards();
      if (lastFailure !== null) log.info('watches are judged again');
      lastFailure = null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== lastFailure) log.warn(`watches cannot be judged: ${message}`);
      lastFailure = message;
    }
  };
  const timer = setInterval(() => {
    underWay ??= step().finally(() => {
      underWay = null;
    });
  }, FOLLOW_INTERVAL_MILLISECONDS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}
