import type { Log } from '../../pipeline/effects/log.ts';
import type { Realtime } from '../engine/realtime.ts';
import type { OpenWorker, Question } from './planner-worker.ts';
import type { PlanningLimits } from './planning.ts';
import { tooManyWait } from './refusals.ts';
import { Seat, type SeatOptions } from './seat.ts';
import { openWaitingJobs } from './waiting-jobs.ts';

/** Workers that answer questions about one timetable, and the line of those who wait for them. */
export interface Pool {
  /** @throws as `Planning.answer` */
  ask(question: Question): Promise<Uint8Array>;
  follow(realtime: Realtime): void;
  isWorking(): boolean;
  /** Resolves when a worker has started, or one has died before any had, or that takes longer than a step may. */
  readonly started: Promise<void>;
  /** Lets what was asked come to its end, and then closes. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export function openPool(openWorker: OpenWorker, limits: PlanningLimits, log: Log): Pool {
  const limitMilliseconds = limits.timeLimitSeconds * 1000;
  const waiting = openWaitingJobs(limits.maxQueued);
  const underWay = new Set<Promise<unknown>>();
  const startMilliseconds = limits.startLimitSeconds * 1000;
  let resolveStarted = () => {};
  const started = new Promise<void>((resolve) => {
    resolveStarted = resolve;
  });
  // Boards need no planner: on a slow machine they are served while it is getting ready.
  const startTimer = setTimeout(() => resolveStarted(), startMilliseconds);
  const tellStarted = () => {
    clearTimeout(startTimer);
    resolveStarted();
  };
  const options: SeatOptions = {
    openWorker,
    graceMilliseconds: limitMilliseconds,
    startMilliseconds,
    log,
    onFree(seat) {
      tellStarted();
      const job = waiting.take();
      if (job) seat.work(job);
    },
    onDeath: tellStarted,
  };
  const seats = Array.from({ length: limits.threads }, () => new Seat(options));
  const enqueue = (question: Question) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const job = { question, deadline: performance.now() + limitMilliseconds, resolve, reject };
      const free = seats.find((seat) => seat.isFree());
      if (free) free.work(job);
      else if (!waiting.put(job)) reject(tooManyWait());
    });
  const close = async () => {
    tellStarted();
    waiting.close();
    await Promise.all(seats.map((seat) => seat.close()));
  };
  return {
    async ask(question) {
      const answer = enqueue(question);
      underWay.add(answer);
      try {
        return await answer;
      } finally {
        underWay.delete(answer);
      }
    },
    follow: (realtime) => seats.forEach((seat) => void seat.follow(realtime)),
    isWorking: () => seats.some((seat) => seat.isWell()),
    started,
    async drain() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
      await close();
    },
    close,
  };
}
