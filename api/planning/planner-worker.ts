import type { Instant } from '../../pipeline/model/service-time.ts';
import type { Realtime } from '../engine/realtime.ts';
import type { PlanningTask } from './planning.ts';

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
