import type { Instant } from '../../pipeline/model/service-time.ts';
import type { FootpathRequest, TripRequest } from '../contract/definitions.ts';
import { ApiProblem } from '../contract/problems.ts';
import type { Published, Realtime } from '../engine/read/realtime.ts';
import type { HeldSnapshot } from '../plugins/route-handler.ts';

/** What takes too long for the thread of the requests. Bodies are as `readBody` makes them: plain data. */
export type PlanningTask =
  | { readonly kind: 'trips'; readonly body: TripRequest }
  | { readonly kind: 'footpath'; readonly body: FootpathRequest };

/** Answers tasks away from the thread of the requests, as many at a time as there are workers. */
export interface Planning {
  /**
   * @param held the pair that the request took; the answer is made from it, whatever is published meanwhile. null for
   * tasks that look at no timetable
   * @returns the answer as JSON, in memory of its own
   * @throws ApiProblem of the task, `overloaded` when too many wait or its time is over; Error for a failure of ours
   */
  answer(task: PlanningTask, held: HeldSnapshot<Published> | null, moment: Instant): Promise<Uint8Array>;
  /**
   * Gets ready for questions on what is published now, so that the first one does not wait.
   * @returns resolves when they can be answered, or it is known that they cannot; never rejects
   */
  follow(held: HeldSnapshot<Published> | null): Promise<void>;
  /** false while all who should answer have died, until one of them is back and has answered. */
  isWorking(): boolean;
  /** Refuses what waits, and ends the workers. */
  close(): Promise<void>;
}

export interface PlanningLimits {
  /** How many questions are answered at a time. */
  readonly threads: number;
  /** How many more may wait; others are refused at once. */
  readonly maxQueued: number;
  /** From the question to its answer, waiting included. */
  readonly timeLimitSeconds: number;
  /** How long a worker that is getting ready may take from one step to the next; see `WorkerSlot`. */
  readonly startLimitSeconds: number;
}

/** A task and what it is answered from, beside the timetable. */
export interface Question {
  readonly task: PlanningTask;
  readonly realtime: Realtime | null;
  readonly moment: Instant;
}

/** Somebody who answers questions about one timetable, one after the other: a thread, or nobody but this one. */
export interface PlannerWorker {
  /**
   * @param milliseconds it may take; it ends by itself soon afterwards, if all is well
   * @throws ApiProblem; Error for a failure of ours, among them that the worker has ended
   */
  answer(question: Question, milliseconds: number): Promise<Uint8Array>;
  /** Takes the present moment in before it is asked about it. */
  follow(realtime: Realtime): void;
  end(): Promise<void>;
}

/** What a worker tells of itself. */
export interface WorkerEvents {
  /** It has got further with what it does before it is ready. */
  progressed(): void;
  /** From now on it can be asked. */
  ready(): void;
  /** It is no more, whether it was told to end or not; comes before the failure of the answer it was at. */
  ended(why: Error): void;
}

export type OpenWorker = (events: WorkerEvents) => PlannerWorker;

// What a question is refused with for reasons that lie not in itself.

export function timeIsOver(): ApiProblem {
  return new ApiProblem('overloaded', 'The answer could not be made in time.');
}

export function tooManyWait(): ApiProblem {
  return new ApiProblem('overloaded', 'Too many questions are waiting already.');
}

export function serviceEnds(): ApiProblem {
  return new ApiProblem('overloaded', 'The service is about to end.');
}

/** Nobody reads it; it ends the work. */
export function isGone(): ApiProblem {
  return new ApiProblem('overloaded', 'The one who asked has gone.');
}
