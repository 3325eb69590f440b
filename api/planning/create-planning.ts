import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import { type Log, silentLog } from '../../pipeline/effects/log.ts';
import { type RunningThread, startThread } from '../../pipeline/effects/threads.ts';
import type { OpenWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import type { Published, Realtime } from '../engine/read/realtime.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import type { HeldSnapshot, SnapshotHolder } from '../plugins/route-handler.ts';
import { type DeskTools, openDesk } from './answer-job.ts';
import {
  createWorkshopKey,
  HELD_REALTIMES,
  readAnswer,
  type ThreadAnswer,
  type ThreadQuestion,
  type ThreadStart,
  toPlainTables,
} from './messages.ts';
import type { OpenWorker, Planning, PlanningLimits } from './planning.ts';
import { openPool, type Pool } from './pool.ts';

export interface ThreadOptions {
  /** Compiled `planner-thread.ts`. */
  readonly file: URL;
  readonly referenceKey: Uint8Array;
  /** Opened in this thread, and shared with each that is started; null where there is no street graph. */
  readonly walks: OpenWalkRouter | null;
  readonly clock: Clock;
}

/**
 * Memory for what a question throws away. Node lets it grow to 48, which makes a thread a third larger and no faster.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** Threads that share the tables of one timetable with this one. */
export function threadWorkers(
  timetable: Timetable | null,
  { file, referenceKey, walks: streets, clock }: ThreadOptions,
): OpenWorker {
  const published = timetable && { manifest: timetable.manifest, tables: toPlainTables(timetable.tables) };
  const workshop = createWorkshopKey();
  return (events) => {
    const walks = streets?.share() ?? null;
    const thread = startThread<ThreadStart, void, ThreadQuestion, ThreadAnswer>(
      file,
      { referenceKey, now: nowInstant(clock), walks, workshop, timetable: published },
      { clock, log: { ...silentLog, progress: events.progressed } },
      { transferList: walks ? [walks.port] : [], resourceLimits },
    );
    thread.result.catch(events.ended);
    thread.ready.then(events.ready, () => {});
    const send = openRealtimeLine(thread);
    return {
      async answer({ task, realtime, moment }, milliseconds) {
        const number = realtime && send(realtime);
        return readAnswer(await thread.ask({ kind: 'question', task, realtime: number, moment, milliseconds }));
      },
      follow: (realtime) => void send(realtime),
      end: () => thread.end(),
    };
  };
}

/** Sends realtime snapshots that the thread does not hold. @returns what gives the number of one there */
function openRealtimeLine({ ask, end }: RunningThread<void, ThreadQuestion, ThreadAnswer>) {
  /** What the thread holds, oldest first. */
  let held: { readonly realtime: Realtime; readonly number: number }[] = [];
  let sentCount = 0;
  return (realtime: Realtime): number => {
    const known = held.find((one) => one.realtime === realtime);
    if (known) return known.number;
    const number = sentCount++;
    held = [...held, { realtime, number }].slice(-HELD_REALTIMES);
    const tables = toPlainTables(realtime.tables);
    // A thread that cannot take it in could answer nothing from now on: another takes its place.
    ask({ kind: 'realtime', number, manifest: realtime.manifest, tables }).catch(end);
    return number;
  };
}

/** Of memory, so that it costs nothing. */
const LOOK_MILLISECONDS = 250;

/**
 * Hands planning each new pair soon after it is served.
 * @returns once it is ready for the present one; `stop` ends the looking
 */
export async function followSnapshots(
  planning: Planning,
  snapshots: SnapshotHolder<Published>,
): Promise<{ stop(): void }> {
  await planning.follow(snapshots.current());
  const timer = setInterval(() => void planning.follow(snapshots.current()), LOOK_MILLISECONDS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Answers in this thread, which does nothing else meanwhile: where there are no other threads. */
function localWorkers(timetable: Timetable | null, tools: DeskTools): OpenWorker {
  return (events) => {
    const desk = openDesk(timetable, tools);
    let hasEnded = false;
    queueMicrotask(() => events.ready());
    return {
      answer({ task, realtime, moment }, milliseconds) {
        const deadline = performance.now() + milliseconds;
        return desk.answer({ task, realtime, moment, isSpent: () => performance.now() >= deadline });
      },
      follow() {},
      async end() {
        if (hasEnded) return;
        hasEnded = true;
        events.ended(new Error('it was told to'));
      },
    };
  };
}

interface CreatePlanningOptions {
  readonly limits: PlanningLimits;
  readonly log: Log;
}

/** Plans in threads of their own, which share the timetable with this one. */
export function createThreadPlanning({ limits, log, ...thread }: CreatePlanningOptions & ThreadOptions): Planning {
  return createPlanning((timetable) => threadWorkers(timetable, thread), { limits, log });
}

/** Plans in this thread, one question after the other. */
export function planHere({ limits, log, ...tools }: CreatePlanningOptions & DeskTools): Planning {
  const one = { ...limits, threads: 1 };
  return createPlanning((timetable) => localWorkers(timetable, tools), { limits: one, log });
}

interface Crew {
  readonly timetable: Timetable | null;
  readonly pool: Pool;
}

/**
 * Each timetable has workers of its own. When another takes its place, new workers start for that one, and the old ones
 * end as soon as they have answered what they were asked: so an answer is made from one pair of snapshots, nobody waits
 * for a timetable to be opened in the middle of his question, and what is replaced is given back.
 */
export function createPlanning(
  workersFor: (timetable: Timetable | null) => OpenWorker,
  { limits, log }: CreatePlanningOptions,
): Planning {
  let current: Crew | null = null;
  const leaving = new Map<Crew, Promise<void>>();

  const start = (timetable: Timetable | null): Crew => {
    const pool = { timetable, pool: openPool(workersFor(timetable), limits, log) };
    const before = current;
    current = pool;
    if (before)
      leaving.set(
        before,
        before.pool.drain().finally(() => leaving.delete(before)),
      );
    return pool;
  };
  const poolFor = (held: HeldSnapshot<Published> | null): Crew => {
    // Whoever looks at no timetable asks those who are there.
    if (!held) return current ?? start(null);
    const { timetable } = held.value;
    if (current?.timetable === timetable) return current;
    return [...leaving.keys()].find((pool) => pool.timetable === timetable) ?? start(timetable);
  };
  return {
    answer(task, held, moment) {
      return poolFor(held).pool.ask({ task, realtime: held?.value.realtime ?? null, moment });
    },
    async follow(held) {
      const { pool } = poolFor(held);
      if (held?.value.realtime) pool.follow(held.value.realtime);
      await pool.started;
    },
    isWorking: () => current?.pool.isWorking() ?? true,
    async close() {
      const pools = [...leaving.keys(), ...(current ? [current] : [])];
      await Promise.all(pools.map(({ pool }) => pool.close()));
    },
  };
}
