import type { Log } from '../../pipeline/effects/log.ts';
import { backoffMilliseconds, type RetryPolicy } from '../../pipeline/model/retry-policy.ts';
import { clientGone, queueFull, serviceStopping, timeLimitPassed } from '../contract/overload-problems.ts';
import { ApiProblem } from '../contract/problems.ts';
import type { Realtime } from '../engine/read/realtime.ts';
import type { RouteRequest } from '../plugins/route-handler.ts';
import type { OpenWorker, PlannerWorker, PlanningLimits, PlanningTask, Question } from './planning.ts';

type WhenGone = RouteRequest<unknown>['whenGone'];

/** A question and the caller that waits for it. */
interface Job {
  readonly question: Question;
  /** End of its time limit, by `performance.now()`. */
  readonly deadline: number;
  /** Only the first call of `resolve` or `reject` has an effect. */
  resolve(answer: Uint8Array): void;
  reject(error: unknown): void;
}

/** Tasks that take a small part of the time of a page of trips. */
const shortTasks: ReadonlySet<PlanningTask['kind']> = new Set(['footpath', 'followedTrip', 'rescue']);
/** Short jobs taken in a row before one that has waited longer. */
const MAX_OVERTAKING = 3;

/**
 * Bounded queue of jobs, short ones first, otherwise in order of arrival; a job is refused and removed when its time
 * limit passes.
 */
interface WaitingJobs {
  /** @returns false when the queue is full or closed */
  put(job: Job): boolean;
  /** Removes and returns the next job. */
  take(): Job | null;
  /** Removes a job. @returns false if it does not wait */
  remove(job: Job): boolean;
  readonly size: number;
  /** Refuses all waiting and all later jobs. */
  close(): void;
}

function openWaitingJobs(max: number): WaitingJobs {
  let isOpen = true;
  // A map keeps insertion order and allows removal from the middle.
  const timers = new Map<Job, NodeJS.Timeout>();
  let overtaking = 0;
  const remove = (job: Job) => {
    clearTimeout(timers.get(job));
    return timers.delete(job);
  };
  return {
    put(job) {
      if (!isOpen || timers.size >= max) return false;
      const expire = () => {
        remove(job);
        job.reject(timeLimitPassed());
      };
      timers.set(job, setTimeout(expire, job.deadline - performance.now()));
      return true;
    },
    take() {
      const [oldest] = timers.keys();
      if (!oldest) return null;
      const short = overtaking < MAX_OVERTAKING ? [...timers.keys()].find(isShort) : undefined;
      const job = short ?? oldest;
      overtaking = job === oldest ? 0 : overtaking + 1;
      remove(job);
      return job;
    },
    remove,
    get size() {
      return timers.size;
    },
    close() {
      isOpen = false;
      for (const job of [...timers.keys()]) {
        remove(job);
        job.reject(serviceStopping());
      }
    },
  };
}

function isShort({ question }: Job): boolean {
  return shortTasks.has(question.task.kind);
}

interface WorkerSlotOptions {
  readonly openWorker: OpenWorker;
  /** How long after the deadline of a job its worker is terminated. */
  readonly graceMilliseconds: number;
  /** Limit between two progress reports of the first worker until it is ready. */
  readonly startMilliseconds: number;
  readonly log: Log;
  /** Called each time the slot becomes free. */
  readonly onFree: (slot: WorkerSlot) => void;
  /** Called each time a worker has died. */
  readonly onDeath: () => void;
}

/** Maximum of Node's timers, more than three weeks. */
const MAX_START_MILLISECONDS = 2 ** 31 - 1;
/**
 * The first worker that dies is replaced at once, the next ones after these waits: one that dies as it starts must not keep
 * a core busy.
 */
const workerRestart: RetryPolicy = { firstWaitMilliseconds: 1000, factor: 2, maxWaitMilliseconds: 60_000 };

/**
 * Holds one worker and replaces it when it dies. A start takes a second or two, but any time on a slow machine. The
 * limit therefore applies per step and doubles for the next worker: on any machine, a worker is ready after a few
 * attempts.
 */
class WorkerSlot {
  private readonly options: WorkerSlotOptions;
  private worker: PlannerWorker | null = null;
  private state: 'starting' | 'free' | 'busy' | 'ending' | 'empty' | 'closed' = 'empty';
  private newest: Realtime | null = null;
  /** The job that the worker is answering. */
  private job: Job | null = null;
  /** Consecutive deaths without an answer in between. */
  private deaths = 0;
  /** Present limit of a step of the start. */
  private startMilliseconds: number;
  /** Timeout of the present state. */
  private timer: NodeJS.Timeout | undefined;

  constructor(options: WorkerSlotOptions) {
    this.options = options;
    this.startMilliseconds = options.startMilliseconds;
    this.open();
  }

  isFree(): boolean {
    return this.state === 'free';
  }

  /** Whether a worker is ready, or starting for the first time. */
  isWell(): boolean {
    return this.state === 'free' || this.state === 'busy' || (this.state === 'starting' && this.deaths === 0);
  }

  /** Precondition: the slot is free. */
  work(job: Job): void {
    this.become('busy');
    this.job = job;
    const worker = this.worker!;
    const left = Math.max(0, job.deadline - performance.now());
    // The caller is answered in time; a worker that notices the limit late is not terminated for it.
    this.wait(left, () => {
      job.reject(timeLimitPassed());
      this.wait(this.options.graceMilliseconds, () => this.giveUp());
    });
    worker.answer(job.question, left).then(
      (answer) => {
        job.resolve(answer);
        this.finish(worker, true);
      },
      (error) => {
        job.reject(error);
        this.finish(worker, error instanceof ApiProblem);
      },
    );
  }

  /** Frees the worker soon if it is answering this job. */
  cancel(job: Job): void {
    if (this.job !== job) return;
    job.reject(clientGone());
    this.worker?.cancel();
  }

  follow(realtime: Realtime): void {
    this.newest = realtime;
    this.worker?.follow(realtime);
  }

  async close(): Promise<void> {
    this.become('closed');
    this.job?.reject(serviceStopping());
    await this.worker?.end();
  }

  private open(): void {
    this.become('starting');
    const worker = this.options.openWorker({
      progressed: () => this.awaitStep(),
      ready: () => this.free(),
      ended: (reason) => this.lose(reason),
    });
    this.worker = worker;
    if (this.newest) worker.follow(this.newest);
    this.awaitStep();
  }

  private awaitStep(): void {
    if (this.state !== 'starting') return;
    clearTimeout(this.timer);
    const milliseconds = this.startMilliseconds;
    this.wait(milliseconds, () => {
      this.startMilliseconds = Math.min(2 * milliseconds, MAX_START_MILLISECONDS);
      const limit = `${milliseconds / 1000} s for one step of getting ready`;
      this.options.log.warn(`a worker of the trip planner took over ${limit}; the next one may take twice as long`);
      this.giveUp();
    });
  }

  private finish(worker: PlannerWorker, isAnswered: boolean): void {
    // A worker that has died or is being ended is not free.
    if (this.worker !== worker || this.state !== 'busy') return;
    if (isAnswered) this.deaths = 0;
    this.job = null;
    this.free();
  }

  private free(): void {
    if (this.state !== 'starting' && this.state !== 'busy') return;
    this.become('free');
    this.options.onFree(this);
  }

  private giveUp(): void {
    this.become('ending');
    void this.worker?.end();
  }

  private lose(reason: Error): void {
    this.worker = null;
    this.job = null;
    if (this.state === 'closed') return;
    this.deaths += 1;
    this.options.log.warn(`a worker of the trip planner has ended: ${reason.message}`);
    this.become('empty');
    const pause = pauseAfter(this.deaths);
    if (pause > 0) this.wait(pause, () => this.open());
    else this.open();
    this.options.onDeath();
  }

  private become(state: typeof this.state): void {
    clearTimeout(this.timer);
    if (this.state !== 'closed') this.state = state;
  }

  private wait(milliseconds: number, act: () => void): void {
    this.timer = setTimeout(act, milliseconds);
  }
}

function pauseAfter(deaths: number): number {
  return deaths === 1 ? 0 : backoffMilliseconds(workerRestart, deaths - 1);
}

/** Workers that answer queries of one timetable, and their queue. */
export interface Pool {
  /** @throws as `Planning.answer` */
  request(question: Question, whenGone?: WhenGone): Promise<Uint8Array>;
  follow(realtime: Realtime): void;
  isWorking(): boolean;
  readonly queueDepth: number;
  /** Resolves at the first of: a worker is ready, a worker has died, the limit of one start step has passed. */
  readonly started: Promise<void>;
  /** Waits for pending queries, then closes. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** A promise that resolves when `settle` is called, or after the time. */
function settleWithin(milliseconds: number): { readonly settled: Promise<void>; settle(): void } {
  let resolve = () => {};
  const settled = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  const timer = setTimeout(() => resolve(), milliseconds);
  const settle = () => {
    clearTimeout(timer);
    resolve();
  };
  return { settled, settle };
}

export function openPool(openWorker: OpenWorker, limits: PlanningLimits, log: Log): Pool {
  const limitMilliseconds = limits.timeLimitSeconds * 1000;
  const waiting = openWaitingJobs(limits.maxQueued);
  const underWay = new Set<Promise<unknown>>();
  const startMilliseconds = limits.startLimitSeconds * 1000;
  // Boards need no planner: on a slow machine they are served while it starts.
  const { settled: started, settle: settleStarted } = settleWithin(startMilliseconds);
  const options: WorkerSlotOptions = {
    openWorker,
    graceMilliseconds: limitMilliseconds,
    startMilliseconds,
    log,
    onFree(slot) {
      settleStarted();
      const job = waiting.take();
      if (job) slot.work(job);
    },
    onDeath: settleStarted,
  };
  const slots = Array.from({ length: limits.threads }, () => new WorkerSlot(options));
  const cancel = (job: Job) => {
    if (waiting.remove(job)) job.reject(clientGone());
    for (const slot of slots) slot.cancel(job);
  };
  const enqueue = (question: Question, whenGone?: WhenGone) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const job = { question, deadline: performance.now() + limitMilliseconds, resolve, reject };
      whenGone?.(() => cancel(job));
      const free = slots.find((slot) => slot.isFree());
      if (free) free.work(job);
      else if (!waiting.put(job)) reject(queueFull());
    });
  const close = async () => {
    settleStarted();
    waiting.close();
    await Promise.all(slots.map((slot) => slot.close()));
  };
  return {
    async request(question, whenGone) {
      const answer = enqueue(question, whenGone);
      underWay.add(answer);
      try {
        return await answer;
      } finally {
        underWay.delete(answer);
      }
    },
    follow: (realtime) => slots.forEach((slot) => void slot.follow(realtime)),
    isWorking: () => slots.some((slot) => slot.isWell()),
    get queueDepth() {
      return waiting.size;
    },
    started,
    async drain() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
      await close();
    },
    close,
  };
}
