import type { Instant } from '../../pipeline/model/service-time.ts';
import type { TimetableManifest } from '../../pipeline/snapshots/contract.ts';
import type { RealtimeManifest } from '../../pipeline/snapshots/realtime-contract.ts';
import type { SharedStreets } from '../../pipeline/streets/open-walk-router.ts';
import { ApiProblem, type ProblemCode } from '../contract/problems.ts';
import type { PlainTables } from './plain-tables.ts';
import type { PlanningTask } from './planning.ts';
import type { WorkshopKey } from './shared-workshop.ts';

/** What a planner thread is started with. */
export interface ThreadStart {
  readonly referenceKey: Uint8Array;
  readonly now: Instant;
  /** null where there is no street graph. */
  readonly walks: SharedStreets | null;
  readonly workshop: WorkshopKey;
  readonly timetable: { readonly manifest: TimetableManifest; readonly tables: PlainTables } | null;
}

/** How many realtime snapshots a thread holds, the newest that it was sent: an answer is made while another comes. */
export const HELD_REALTIMES = 2;

/** To the thread; it reads one after the other. */
export type ToThread =
  | {
      readonly kind: 'realtime';
      readonly number: number;
      readonly manifest: RealtimeManifest;
      readonly tables: PlainTables;
    }
  | {
      readonly kind: 'question';
      readonly task: PlanningTask;
      /** Number of one that was sent, and is still held. */
      readonly realtime: number | null;
      readonly moment: Instant;
      readonly milliseconds: number;
    };

/** From the thread. Each question has one answer, problem or failure. */
export type FromThread =
  /** One more step on the way to ready is done. */
  | { readonly kind: 'progress' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array }
  | { readonly kind: 'problem'; readonly code: ProblemCode; readonly detail: string; readonly parameter: string | null }
  | { readonly kind: 'failure'; readonly message: string; readonly stack: string | null };

export type Refusal = Extract<FromThread, { kind: 'problem' | 'failure' }>;

/** An error loses its class on the way from thread to thread. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof ApiProblem) {
    return { kind: 'problem', code: error.code, detail: error.message, parameter: error.parameter ?? null };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'failure', message, stack: stack ?? null };
}

export function fromRefusal(refusal: Refusal): Error {
  if (refusal.kind === 'problem') {
    return new ApiProblem(refusal.code, refusal.detail, refusal.parameter ?? undefined);
  }
  const error = new Error(refusal.message);
  if (refusal.stack !== null) error.stack = refusal.stack;
  return error;
}
