import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import { type Log, silentLog } from '../../pipeline/effects/log.ts';
import type { ThreadMonitor } from '../../pipeline/effects/thread-memory.ts';
import { type RunningThread, startThread } from '../../pipeline/effects/threads.ts';
import type { OpenWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import type { Published, Realtime } from '../engine/read/realtime.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import { toPlainTables } from '../plugins/plain-tables.ts';
import type { HeldSnapshot, SnapshotHolder } from '../plugins/route-handler.ts';
import {
  createCancelledNumber,
  createSharedTablesKey,
  HELD_REALTIMES,
  readAnswer,
  type ThreadAnswer,
  type ThreadQuestion,
  type ThreadStart,
} from './messages.ts';
import type { OpenWorker, Planning, PlanningLimits } from './planning.ts';
import { openPlanningService, openTimeLimit, type PlanningServiceOptions } from './planning-service.ts';
import { openPool, type Pool } from './pool.ts';

export interface ThreadOptions {
  /** Compiled `planner-thread.ts`. */
  readonly file: URL;
  readonly referenceKey: Uint8Array;
  /** Opened in this thread and shared with each worker thread; null where there is no street graph. */
  readonly walks: OpenWalkRouter | null;
  readonly clock: Clock;
  readonly threadMonitor?: ThreadMonitor | undefined;
}

/** Young generation of the heap. Node's default is 48 MB, which makes a thread a third larger and no faster. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** Worker threads that share the tables of one timetable with this thread. */
export function threadWorkers(
  timetable: Timetable | null,
  { file, referenceKey, walks: streets, clock, threadMonitor }: ThreadOptions,
): OpenWorker {
  const published = timetable && { manifest: timetable.manifest, tables: toPlainTables(timetable.tables) };
  const sharedTables = createSharedTablesKey();
  return (events) => {
    const walks = streets?.share() ?? null;
    const cancelled = createCancelledNumber();
    const thread = startThread<ThreadStart, void, ThreadQuestion, ThreadAnswer>(
      file,
      { referenceKey, now: nowInstant(clock), walks, sharedTables, cancelled, timetable: published },
      { clock, log: { ...silentLog, progress: events.progressed }, threadMonitor },
      { transferList: walks ? [walks.port] : [], resourceLimits },
    );
    thread.result.catch(events.ended);
    thread.ready.then(events.ready, () => {});
    const send = openRealtimeLine(thread);
    let questionCount = 0;
    return {
      async answer({ task, realtime, instant }, milliseconds) {
        questionCount++;
        const held = realtime && send(realtime);
        const question = { number: questionCount, task, realtime: held, instant, milliseconds };
        return readAnswer(await thread.request({ kind: 'question', ...question }));
      },
      cancel: () => void Atomics.store(cancelled, 0, questionCount),
      follow: (realtime) => void send(realtime),
      end: () => thread.end(),
    };
  };
}

/** @returns a function that sends a realtime snapshot unless the thread holds it, and returns its number there */
function openRealtimeLine({ request, end }: RunningThread<void, ThreadQuestion, ThreadAnswer>) {
  /** Snapshots that the thread holds, oldest first. */
  let held: { readonly realtime: Realtime; readonly number: number }[] = [];
  let sentCount = 0;
  return (realtime: Realtime): number => {
    const known = held.find((one) => one.realtime === realtime);
    if (known) return known.number;
    const number = sentCount++;
    held = [...held, { realtime, number }].slice(-HELD_REALTIMES);
    const tables = toPlainTables(realtime.tables);
    // A thread that fails to open the snapshot could not answer any later question: it is replaced.
    request({ kind: 'realtime', number, manifest: realtime.manifest, tables }).catch(end);
    return number;
  };
}

/** Only memory is compared, so a short interval costs nothing. */
const FOLLOW_INTERVAL_MILLISECONDS = 250;

/**
 * Passes each new pair of snapshots to planning soon after it is served, and each new timetable before.
 * @returns `ready` resolves once planning is ready for the current pair; `stop` ends the comparison
 */
export function followSnapshots(
  planning: Planning,
  snapshots: SnapshotHolder<Published>,
  timetables: SnapshotHolder<Timetable>,
): { readonly ready: Promise<void>; stop(): void } {
  const ready = planning.follow(snapshots.current());
  const follow = () => {
    void planning.follow(snapshots.current());
    const newest = timetables.current();
    if (newest) planning.prepare(newest.value);
  };
  const timer = setInterval(follow, FOLLOW_INTERVAL_MILLISECONDS);
  timer.unref();
  return { ready, stop: () => clearInterval(timer) };
}

/** Answers in this thread, and blocks it meanwhile: for `planner.threads: 0`. */
function localWorkers(timetable: Timetable | null, tools: PlanningServiceOptions): OpenWorker {
  return (events) => {
    const service = openPlanningService(timetable, tools);
    let hasEnded = false;
    queueMicrotask(() => events.ready());
    return {
      answer({ task, realtime, instant }, milliseconds) {
        return service.answer({ task, realtime, instant, isSpent: openTimeLimit(milliseconds) });
      },
      // While it answers, this thread reads nothing from connections.
      cancel() {},
      follow() {},
      async end() {
        if (hasEnded) return;
        hasEnded = true;
        events.ended(new Error('it was stopped'));
      },
    };
  };
}

interface CreatePlanningOptions {
  readonly limits: PlanningLimits;
  readonly log: Log;
}

/** Plans in worker threads, which share the timetable with this one. */
export function createThreadPlanning({ limits, log, ...thread }: CreatePlanningOptions & ThreadOptions): Planning {
  return createPlanning((timetable) => threadWorkers(timetable, thread), { limits, log });
}

/** Plans in this thread, one question after the other. */
export function planHere({ limits, log, ...tools }: CreatePlanningOptions & PlanningServiceOptions): Planning {
  const single = { ...limits, threads: 1 };
  return createPlanning((timetable) => localWorkers(timetable, tools), { limits: single, log });
}

interface TimetablePool {
  readonly timetable: Timetable | null;
  readonly pool: Pool;
}

/**
 * Each timetable has a separate pool. A new timetable gets its pool while the previous snapshot pair is still served
 * and the new one waits for its realtime. Once the pair is replaced, the old pool closes after answering its pending
 * queries. So an answer uses exactly one snapshot pair, queries only wait for a timetable to open if it has no
 * realtime, and the memory of the replaced timetable is freed.
 */
export function createPlanning(
  workersFor: (timetable: Timetable | null) => OpenWorker,
  { limits, log }: CreatePlanningOptions,
): Planning {
  let current: TimetablePool | null = null;
  let prepared: TimetablePool | null = null;
  /** Pools of replaced timetables that still have queries. */
  const draining = new Set<TimetablePool>();

  const open = (timetable: Timetable | null): TimetablePool => ({
    timetable,
    pool: openPool(workersFor(timetable), limits, log),
  });
  const drain = (replaced: TimetablePool) => {
    draining.add(replaced);
    void replaced.pool.drain().finally(() => draining.delete(replaced));
  };
  const start = (timetable: Timetable | null): TimetablePool => {
    const started = prepared?.timetable === timetable ? prepared : open(timetable);
    if (started === prepared) prepared = null;
    if (current) drain(current);
    current = started;
    return started;
  };
  const poolFor = (held: HeldSnapshot<Published> | null): TimetablePool => {
    // A task without a timetable may be answered by any pool.
    if (!held) return current ?? start(null);
    const { timetable } = held.value;
    if (current?.timetable === timetable) return current;
    return [...draining].find((pool) => pool.timetable === timetable) ?? start(timetable);
  };
  return {
    answer(task, held, instant, whenGone) {
      return poolFor(held).pool.request({ task, realtime: held?.value.realtime ?? null, instant }, whenGone);
    },
    async follow(held) {
      const { pool } = poolFor(held);
      if (held?.value.realtime) pool.follow(held.value.realtime);
      await pool.started;
    },
    prepare(timetable) {
      if (prepared?.timetable === timetable) return;
      void prepared?.pool.close();
      const isServed = [current, ...draining].some((pool) => pool?.timetable === timetable);
      prepared = isServed ? null : open(timetable);
    },
    isWorking: () => current?.pool.isWorking() ?? true,
    get queueDepth() {
      return [...draining, ...(current ? [current] : [])].reduce((sum, { pool }) => sum + pool.queueDepth, 0);
    },
    async close() {
      const pools = [...draining, current, prepared].filter((pool) => pool !== null);
      prepared = null;
      await Promise.all(pools.map(({ pool }) => pool.close()));
    },
  };
}
