import type { Instant } from '../../pipeline/model/service-time.ts';
import type { FootpathRequest, TripRequest } from '../contract/definitions.ts';
import type { Published, Realtime } from '../engine/read/realtime.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import type { FollowRequest } from '../engine/rescue/follow-trip.ts';
import type { RescueQuestion } from '../engine/rescue/plan-rescue.ts';
import type { HeldSnapshot, RouteRequest } from '../plugins/route-handler.ts';

/** A request that takes too long for the thread that serves HTTP. `body` is plain data, as `readBody` returns it. */
export type PlanningTask =
  | { readonly kind: 'trips'; readonly body: TripRequest }
  | { readonly kind: 'tripChoice'; readonly body: TripRequest }
  | { readonly kind: 'followedTrip'; readonly body: FollowRequest }
  | { readonly kind: 'rescue'; readonly body: RescueQuestion }
  | { readonly kind: 'footpath'; readonly body: FootpathRequest };

/** Answers tasks outside the thread that serves HTTP, as many at a time as there are workers. */
export interface Planning {
  /**
   * @param held the snapshot pair of the request; the answer uses it even when a newer one is published. null for tasks
   * that need no timetable
   * @param whenGone cancels the task when the client has disconnected
   * @returns the answer as JSON, in a buffer that nothing else references
   * @throws ApiProblem of the task, `overloaded` when the queue is full or the time limit has passed; Error for a bug
   */
  answer(
    task: PlanningTask,
    held: HeldSnapshot<Published> | null,
    instant: Instant,
    whenGone?: RouteRequest<unknown>['whenGone'],
  ): Promise<Uint8Array>;
  /**
   * Starts workers for the published snapshots, so that the first question does not wait.
   * @returns resolves when the workers are ready or have failed; never rejects
   */
  follow(held: HeldSnapshot<Published> | null): Promise<void>;
  /** Starts workers for the newest timetable, which may be served later, once there is realtime for it. */
  prepare(timetable: Timetable): void;
  /** False after all workers have died, until a restarted one has answered. */
  isWorking(): boolean;
  /** Questions that wait for a worker. */
  readonly queueDepth: number;
  /** Rejects queued queries and ends the workers. */
  close(): Promise<void>;
}

export interface PlanningLimits {
  /** Questions answered at a time. */
  readonly threads: number;
  /** Questions that may wait; further ones are refused at once. */
  readonly maxQueued: number;
  /** From question to answer, waiting included. */
  readonly timeLimitSeconds: number;
  /** Limit between two progress reports of a starting worker; see `WorkerSlot`. */
  readonly startLimitSeconds: number;
}

/** A task and the data that answers it, except for the timetable. */
export interface Question {
  readonly task: PlanningTask;
  readonly realtime: Realtime | null;
  readonly instant: Instant;
}

/** Answers questions about one timetable, one after the other: a worker thread or the calling thread. */
export interface PlannerWorker {
  /**
   * @param milliseconds time limit; a healthy worker stops by itself soon afterwards
   * @throws ApiProblem; Error for a bug and when the worker has ended
   */
  answer(question: Question, milliseconds: number): Promise<Uint8Array>;
  /** Ends the answer in progress as if its time limit had passed. */
  cancel(): void;
  /** Opens a realtime snapshot before the first question about it. */
  follow(realtime: Realtime): void;
  end(): Promise<void>;
}

/** Events that a worker reports. */
export interface WorkerEvents {
  /** A step of the start is complete. */
  progressed(): void;
  /** The worker accepts questions. */
  ready(): void;
  /** The worker has ended, on request or not; called before its current answer fails. */
  ended(reason: Error): void;
}

export type OpenWorker = (events: WorkerEvents) => PlannerWorker;
