import { Worker } from 'node:worker_threads';
import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { OpenWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import type { Published, Realtime } from '../engine/read/realtime.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import type { HeldSnapshot, SnapshotHolder } from '../plugins/route-handler.ts';
import { type DeskTools, openDesk } from './answer-job.ts';
import {
  createWorkshopKey,
  type FromThread,
  fromRefusal,
  HELD_REALTIMES,
  type ThreadStart,
  type ToThread,
  toPlainTables,
} from './messages.ts';
import type { OpenWorker, PlannerWorker, Planning, PlanningLimits, Question, WorkerEvents } from './planning.ts';
import { openPool, type Pool } from './pool.ts';

export interface ThreadOptions {
  /** Compiled `planner-thread.ts`. */
  readonly file: URL;
  readonly referenceKey: Uint8Array;
  /** Opened in this thread, and shared with each that is started; null where there is no street graph. */
  readonly walks: OpenWalkRouter | null;
  readonly clock: Clock;
}

/** Threads that share the tables of one timetable with this one. */
export function threadWorkers(
  timetable: Timetable | null,
  { file, referenceKey, walks, clock }: ThreadOptions,
): OpenWorker {
  const published = timetable && { manifest: timetable.manifest, tables: toPlainTables(timetable.tables) };
  const workshop = createWorkshopKey();
  return (events) =>
    new ThreadWorker(
      file,
      {
        referenceKey,
        now: nowInstant(clock),
        walks: walks === null ? null : walks.share(),
        workshop,
        timetable: published,
      },
      events,
    );
}

/**
 * Memory for what a question throws away. Node lets it grow to 48, which makes a thread a third larger and no faster.
 */
const YOUNG_MEBIBYTES = 12;

interface Pending {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

class ThreadWorker implements PlannerWorker {
  private readonly thread: Worker;
  private readonly events: WorkerEvents;
  private pending: Pending | null = null;
  /** What the thread holds, oldest first. */
  private held: { readonly realtime: Realtime; readonly number: number }[] = [];
  private sentCount = 0;
  private isTold = false;
  private why = new Error('it came to its end');

  constructor(file: URL, start: ThreadStart, events: WorkerEvents) {
    this.events = events;
    this.thread = new Worker(file, {
      workerData: start,
      transferList: start.walks ? [start.walks.port] : [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
    });
    this.thread.on('message', (message: FromThread) => this.hear(message));
    this.thread.on('error', (error: Error) => {
      this.why = error;
    });
    this.thread.on('exit', () => {
      events.ended(this.why);
      this.takePending()?.reject(new Error('the thread ended over a question', { cause: this.why }));
    });
  }

  answer({ task, realtime, moment }: Question, milliseconds: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      const number = realtime && this.send(realtime);
      this.post({ kind: 'question', task, realtime: number, moment, milliseconds });
    });
  }

  follow(realtime: Realtime): void {
    this.send(realtime);
  }

  async end(): Promise<void> {
    this.isTold = true;
    this.why = new Error('it was told to');
    await this.thread.terminate();
  }

  private hear(message: FromThread): void {
    // Nobody waits for what it says between being told to end and its end.
    if (this.isTold) return;
    if (message.kind === 'progress') this.events.progressed();
    else if (message.kind === 'ready') this.events.ready();
    else if (message.kind === 'answer') this.takePending()?.resolve(message.bytes);
    else this.takePending()?.reject(fromRefusal(message));
  }

  private takePending(): Pending | null {
    const pending = this.pending;
    this.pending = null;
    return pending;
  }

  /** Sends a realtime snapshot that the thread does not hold. @returns its number there */
  private send(realtime: Realtime): number {
    const known = this.held.find((one) => one.realtime === realtime);
    if (known) return known.number;
    const number = this.sentCount++;
    this.held = [...this.held, { realtime, number }].slice(-HELD_REALTIMES);
    this.post({ kind: 'realtime', number, manifest: realtime.manifest, tables: toPlainTables(realtime.tables) });
    return number;
  }

  private post(message: ToThread): void {
    this.thread.postMessage(message);
  }
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
