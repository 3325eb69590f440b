import type { Question } from './planner-worker.ts';
import { serviceEnds, timeIsOver } from './refusals.ts';

/** A question that somebody waits for. */
export interface Job {
  readonly question: Question;
  /** By `performance.now()`: when its time is over. */
  readonly deadline: number;
  /** The first of these counts. */
  resolve(answer: Uint8Array): void;
  reject(error: unknown): void;
}

/** Jobs in the order in which they came, as many as may wait; one whose time is over is refused and leaves. */
export interface WaitingJobs {
  /** @returns false when there is no room */
  put(job: Job): boolean;
  /** The one that has waited longest. */
  take(): Job | null;
  /** Nobody waits any more, from now on. */
  close(): void;
}

export function openWaitingJobs(max: number): WaitingJobs {
  let isOpen = true;
  // A map keeps the order, and lets anybody leave it.
  const timers = new Map<Job, NodeJS.Timeout>();
  const remove = (job: Job) => {
    clearTimeout(timers.get(job));
    timers.delete(job);
  };
  return {
    put(job) {
      if (!isOpen || timers.size >= max) return false;
      const leave = () => {
        remove(job);
        job.reject(timeIsOver());
      };
      timers.set(job, setTimeout(leave, job.deadline - performance.now()));
      return true;
    },
    take() {
      const [job] = timers.keys();
      if (!job) return null;
      remove(job);
      return job;
    },
    close() {
      isOpen = false;
      for (const job of [...timers.keys()]) {
        remove(job);
        job.reject(serviceEnds());
      }
    },
  };
}
