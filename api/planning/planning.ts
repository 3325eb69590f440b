import type { Instant } from '../../pipeline/model/service-time.ts';
import type { FootpathRequest, TripRequest } from '../contract/definitions.ts';
import type { Published } from '../engine/realtime.ts';
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
  /** How long a worker that is getting ready may take from one step to the next; see `Seat`. */
  readonly startLimitSeconds: number;
}
