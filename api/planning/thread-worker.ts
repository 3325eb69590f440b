import { Worker } from 'node:worker_threads';
import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import type { OpenWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import type { Realtime } from '../engine/realtime.ts';
import type { Timetable } from '../engine/timetable.ts';
import { type FromThread, fromRefusal, HELD_REALTIMES, type ThreadStart, type ToThread } from './messages.ts';
import { toPlainTables } from './plain-tables.ts';
import type { OpenWorker, PlannerWorker, Question, WorkerEvents } from './planner-worker.ts';
import { createWorkshopKey } from './shared-workshop.ts';

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
