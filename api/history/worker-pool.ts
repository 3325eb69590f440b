import { queueFull } from '../contract/overload-problems.ts';

/** Registers a listener for the disconnection of the client. */
export type WhenGone = (listener: () => void) => void;

export interface PoolLimits {
  /** Tasks that run at once. */
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** From request to answer, including the wait. */
  readonly timeLimitSeconds: number;
}

/** Control of a running task. */
export interface TaskControl {
  /** Throws the reason once the task should end; called between steps, which cannot be interrupted. */
  check(): void;
}

/** A task of a worker. */
type Task<Worker, Result> = (worker: Worker, control: TaskControl) => Promise<Result>;

/** A fixed number of workers and a queue of waiting tasks. */
interface WorkerPool<Worker> {
  /**
   * @param whenGone aborts the task when the client has disconnected
   * @throws ApiProblem `overloaded` when too many wait, the time limit passes, or the service ends
   */
  work<Result>(task: Task<Worker, Result>, whenGone: WhenGone): Promise<Result>;
  /** Tasks that wait for a worker. */
  readonly queueDepth: number;
  /** No worker is free and the queue is full: the next task would be refused. */
  readonly isFull: boolean;
  /** Aborts all tasks, and resolves when none is running. */
  close(): Promise<void>;
}

interface WorkerPoolOptions<Worker> {
  readonly workers: readonly Worker[];
  readonly limits: Omit<PoolLimits, 'maxConcurrent'>;
  /** Interrupts the current task of a worker; repeated until the task has ended. */
  interrupt(worker: Worker): void;
  readonly refusals: { timeLimitPassed(): Error; clientGone(): Error; serviceStopping(): Error };
}

/** Repeated, because an interruption just before the engine starts a query has no effect. */
const QUERY_INTERRUPT_MILLISECONDS = 25;

interface Job<Worker> {
  start(worker: Worker): void;
  end(reason: Error): void;
}

export function openWorkerPool<Worker>(options: WorkerPoolOptions<Worker>): WorkerPool<Worker> {
  const { workers, limits, refusals } = options;
  const free = [...workers];
  // A set keeps the order, and allows removal from any position.
  const waiting = new Set<Job<Worker>>();
  const underWay = new Set<Job<Worker>>();
  const working = new Set<Promise<unknown>>();
  let isOpen = true;
  const isFull = () => free.length === 0 && waiting.size >= limits.maxQueued;

  const callbacks: JobCallbacks<Worker> = {
    leave: (job) => void waiting.delete(job),
    begin(job, work) {
      underWay.add(job);
      working.add(work);
    },
    finish(job, work, worker) {
      underWay.delete(job);
      working.delete(work);
      const [next] = waiting;
      if (!next) return void free.push(worker);
      waiting.delete(next);
      next.start(worker);
    },
  };

  return {
    work<Result>(task: Task<Worker, Result>, whenGone: WhenGone) {
      return new Promise<Result>((resolve, reject) => {
        const job = openJob(task, { resolve, reject }, callbacks, options);
        if (!isOpen) return job.end(refusals.serviceStopping());
        if (isFull()) return job.end(queueFull());
        const worker = free.pop();
        whenGone(() => job.end(refusals.clientGone()));
        if (worker === undefined) waiting.add(job);
        else job.start(worker);
      });
    },
    get queueDepth() {
      return waiting.size;
    },
    get isFull() {
      return isFull();
    },
    async close() {
      isOpen = false;
      for (const job of [...waiting, ...underWay]) job.end(refusals.serviceStopping());
      while (working.size > 0) await Promise.allSettled(working);
    },
  };
}

/** Callbacks of a job on its state changes. */
interface JobCallbacks<Worker> {
  leave(job: Job<Worker>): void;
  begin(job: Job<Worker>, work: Promise<unknown>): void;
  finish(job: Job<Worker>, work: Promise<unknown>, worker: Worker): void;
}

/** One task from its request on: it ends once, with its result or the first reason to abort. */
function openJob<Worker, Result>(
  task: Task<Worker, Result>,
  { resolve, reject }: { resolve(result: Result): void; reject(reason: unknown): void },
  callbacks: JobCallbacks<Worker>,
  { limits, interrupt, refusals }: WorkerPoolOptions<Worker>,
): Job<Worker> {
  let reason: Error | null = null;
  let isDone = false;
  let currentWorker: Worker | null = null;
  const end = (cause: Error) => {
    if (reason || isDone) return;
    reason = cause;
    clearTimeout(timer);
    callbacks.leave(job);
    if (currentWorker !== null) interrupt(currentWorker);
    reject(cause);
  };
  const check = () => {
    if (reason) throw reason;
  };
  const job: Job<Worker> = {
    end,
    start(worker) {
      currentWorker = worker;
      const again = setInterval(() => {
        if (reason) interrupt(worker);
      }, QUERY_INTERRUPT_MILLISECONDS);
      const work = task(worker, { check })
        // After an abort neither has an effect.
        .then(resolve, reject)
        .finally(() => {
          clearInterval(again);
          clearTimeout(timer);
          isDone = true;
          callbacks.finish(job, work, worker);
        });
      callbacks.begin(job, work);
    },
  };
  const timer = setTimeout(() => end(refusals.timeLimitPassed()), limits.timeLimitSeconds * 1000);
  return job;
}
