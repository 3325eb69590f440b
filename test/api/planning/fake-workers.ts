import type { Realtime } from '../../../api/engine/read/realtime.ts';
import type {
  OpenWorker,
  PlannerWorker,
  PlanningTask,
  Question,
  WorkerEvents,
} from '../../../api/planning/planning.ts';

/** A worker controlled by the test. */
export interface FakeWorker {
  /** The task in progress, if any. */
  currentTask(): string | null;
  /** The time limit of the task in progress. */
  milliseconds(): number;
  answer(): Promise<void>;
  refuse(error: Error): Promise<void>;
  progress(): void;
  ready(): void;
  die(message: string): Promise<void>;
  /** Names of the tasks that were cancelled. */
  readonly cancelled: string[];
  readonly followed: Realtime[];
  /** Whether it was ended. */
  hasEnded(): boolean;
}

/** Tasks of these tests have names: instead of a body, or as the task. */
export function question(name: string, kind: PlanningTask['kind'] = 'trips'): Question {
  return { task: { kind, body: name } as never, realtime: null, instant: 0 as never };
}

function nameOf(task: PlanningTask): string {
  return typeof task === 'string' ? task : (task.body as never);
}

/**
 * Every worker that was opened, in order.
 * @param readyAfterSeconds time each needs to be ready without a progress report, if it lives that long
 */
export function fakeWorkers({ areReady = true, readyAfterSeconds = Number.NaN } = {}): {
  open: OpenWorker;
  opened: FakeWorker[];
} {
  const opened: FakeWorker[] = [];
  return {
    opened,
    open(events) {
      const { worker, fake } = openFake(events);
      opened.push(fake);
      if (areReady) queueMicrotask(() => events.ready());
      if (!Number.isNaN(readyAfterSeconds)) {
        setTimeout(() => !fake.hasEnded() && events.ready(), readyAfterSeconds * 1000);
      }
      return worker;
    },
  };
}

function openFake(events: WorkerEvents): { worker: PlannerWorker; fake: FakeWorker } {
  type Pending = { name: string; milliseconds: number; resolve(bytes: Uint8Array): void; reject(error: Error): void };
  let pending: Pending | null = null;
  let isOver = false;
  let isEnding = false;
  const followed: Realtime[] = [];
  const cancelled: string[] = [];
  const settle = async (act: (job: Pending) => void) => {
    const job = pending;
    pending = null;
    if (job) act(job);
    await flush();
  };
  const die = async (message: string) => {
    if (isOver) return;
    isOver = true;
    events.ended(new Error(message));
    await settle((job) => job.reject(new Error(message)));
  };
  return {
    worker: {
      answer: ({ task }, milliseconds) =>
        new Promise((resolve, reject) => {
          if (pending || isOver) throw new Error('a worker runs one task at a time, and only while it lives');
          pending = { name: nameOf(task), milliseconds, resolve, reject };
        }),
      cancel: () => void cancelled.push(pending!.name),
      follow: (realtime) => void followed.push(realtime),
      async end() {
        isEnding = true;
        await die('it was stopped');
      },
    },
    fake: {
      currentTask: () => pending?.name ?? null,
      milliseconds: () => pending!.milliseconds,
      answer: () => settle((job) => job.resolve(new TextEncoder().encode(job.name))),
      refuse: (error) => settle((job) => job.reject(error)),
      progress: () => events.progressed(),
      ready: () => events.ready(),
      die,
      followed,
      cancelled,
      hasEnded: () => isEnding,
    },
  };
}

/** Lets everything run that does not wait for time to pass. */
export async function flush(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
