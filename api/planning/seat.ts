import type { Log } from '../../pipeline/effects/log.ts';
import { ApiProblem } from '../contract/problems.ts';
import type { Realtime } from '../engine/realtime.ts';
import type { OpenWorker, PlannerWorker } from './planner-worker.ts';
import { serviceEnds, timeIsOver } from './refusals.ts';
import type { Job } from './waiting-jobs.ts';

export interface SeatOptions {
  readonly openWorker: OpenWorker;
  /** How long after its deadline a worker may still be at a job before it is given up. */
  readonly graceMilliseconds: number;
  /** How long the first worker may take from step to step until it is ready. */
  readonly startMilliseconds: number;
  readonly log: Log;
  /** Called whenever the seat has become free. */
  readonly onFree: (seat: Seat) => void;
  /** Called whenever a worker has died. */
  readonly onDeath: () => void;
}

/** As long as Node's timers go, or more than three weeks. */
const LONGEST_START_MILLISECONDS = 2 ** 31 - 1;
const LONGEST_PAUSE_MILLISECONDS = 60_000;

/**
 * The place of one worker: whoever dies there is replaced, sooner or later. Getting ready takes a second or two, but on a
 * slow machine what it takes; so a worker is given up for a step that takes too long only, and the next one has twice as
 * long for each. One that is merely slow is ready after a few attempts, however slow it is.
 */
export class Seat {
  private readonly options: SeatOptions;
  private worker: PlannerWorker | null = null;
  private state: 'starting' | 'free' | 'busy' | 'ending' | 'empty' | 'closed' = 'empty';
  private newest: Realtime | null = null;
  /** What the worker is at. */
  private job: Job | null = null;
  /** In a row, without an answer in between. */
  private deaths = 0;
  /** What a worker may take from step to step until it is ready. */
  private startMilliseconds: number;
  /** Of what the present state waits for. */
  private timer: NodeJS.Timeout | undefined;

  constructor(options: SeatOptions) {
    this.options = options;
    this.startMilliseconds = options.startMilliseconds;
    this.open();
  }

  isFree(): boolean {
    return this.state === 'free';
  }

  /** Whether somebody is there, or about to come for the first time. */
  isWell(): boolean {
    return this.state === 'free' || this.state === 'busy' || (this.state === 'starting' && this.deaths === 0);
  }

  /** Only when it is free. */
  work(job: Job): void {
    this.become('busy');
    this.job = job;
    const worker = this.worker!;
    const left = Math.max(0, job.deadline - performance.now());
    this.wait(left + this.options.graceMilliseconds, () => {
      job.reject(timeIsOver());
      this.giveUp();
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

  follow(realtime: Realtime): void {
    this.newest = realtime;
    this.worker?.follow(realtime);
  }

  async close(): Promise<void> {
    this.become('closed');
    this.job?.reject(serviceEnds());
    await this.worker?.end();
  }

  private open(): void {
    this.become('starting');
    const worker = this.options.openWorker({
      progressed: () => this.awaitStep(),
      ready: () => this.free(),
      ended: (why) => this.lose(why),
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
      this.startMilliseconds = Math.min(2 * milliseconds, LONGEST_START_MILLISECONDS);
      const limit = `${milliseconds / 1000} s for one step of getting ready`;
      this.options.log.warn(`a worker of the trip planner took over ${limit}; the next one may take twice as long`);
      this.giveUp();
    });
  }

  private finish(worker: PlannerWorker, isAnswered: boolean): void {
    // Whoever has died over it, or is about to, is not free.
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

  private lose(why: Error): void {
    this.worker = null;
    this.job = null;
    if (this.state === 'closed') return;
    this.deaths += 1;
    this.options.log.warn(`a worker of the trip planner has ended: ${why.message}`);
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

/** The first is replaced at once, then after 1, 2, 4 … seconds: what dies as it starts must not keep a core busy. */
function pauseAfter(deaths: number): number {
  return deaths === 1 ? 0 : Math.min(1000 * 2 ** (deaths - 2), LONGEST_PAUSE_MILLISECONDS);
}
