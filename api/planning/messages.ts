import { randomUUID } from 'node:crypto';
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { weighShared } from '../../pipeline/effects/shared-memory.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { RealtimeManifest } from '../../pipeline/snapshots/realtime-contract.ts';
import type { TimetableManifest } from '../../pipeline/snapshots/timetable-contract.ts';
import type { SharedStreets } from '../../pipeline/streets/open-walk-router.ts';
import { ApiProblem, type ProblemCode } from '../contract/problems.ts';
import type { Memory, SharedTables } from '../engine/planner/shared-tables.ts';
import type { PlainTables } from '../plugins/plain-tables.ts';
import type { PlanningTask } from './planning.ts';

/** Connects the threads of one timetable; passed to each of them. */
interface SharedTablesKey {
  readonly channel: string;
  /** One element: 1 while a thread builds a table. */
  readonly lock: Int32Array;
}

export function createSharedTablesKey(): SharedTablesKey {
  return { channel: randomUUID(), lock: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}

/** Message that carries a built table to the other threads. */
interface BuiltTable {
  readonly name: string;
  readonly table: object;
}

/**
 * Received tables that this thread has not used yet, more than those of a start; older ones are dropped and built again if
 * needed.
 */
const MAX_UNUSED_TABLES = 8;
/** A thread that builds for longer is taken to have died. */
const MAX_BUILD_MILLISECONDS = 20_000;

/**
 * One thread builds a table in shared memory and broadcasts it; the others wait for it meanwhile. Each thread holds the
 * tables that it uses, so unused ones are freed. A thread that starts later builds its own copy of earlier ones.
 */
export function joinSharedTables(
  { channel, lock }: SharedTablesKey,
  maxBuildMilliseconds = MAX_BUILD_MILLISECONDS,
): SharedTables {
  const others = new BroadcastChannel(channel);
  // The channel does not keep the thread alive.
  others.unref();
  // Node accepts a channel here as well as a port; its types do not.
  const receive = () => receiveMessageOnPort(others as unknown as MessagePort)?.message as BuiltTable | undefined;
  const received = new Map<string, object>();
  const receiveAll = () => {
    for (let message = receive(); message; message = receive()) {
      const { name, table } = message;
      if (!received.has(name)) received.set(name, weighArrays(table));
      const [oldest] = received.keys();
      if (received.size > MAX_UNUSED_TABLES && oldest !== undefined) received.delete(oldest);
    }
  };
  const take = (name: string) => {
    receiveAll();
    const table = received.get(name);
    received.delete(name);
    return table;
  };
  return {
    share<Shared extends object>(name: string, build: (memory: Memory) => Shared): Shared {
      // A name identifies one table, built by the same code in every thread.
      const ready = take(name) as Shared | undefined;
      if (ready) return ready;
      const hasLock = acquire(lock, maxBuildMilliseconds);
      try {
        const meanwhile = take(name) as Shared | undefined;
        if (meanwhile) return meanwhile;
        const table = build(sharedMemory);
        others.postMessage({ name, table } satisfies BuiltTable);
        return table;
      } finally {
        if (hasLock) release(lock);
      }
    },
  };
}

const sharedMemory: Memory = {
  int32: (length) => new Int32Array(allocate(length * Int32Array.BYTES_PER_ELEMENT)),
  uint8: (length) => new Uint8Array(allocate(length)),
};

function allocate(bytes: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes);
  weighShared(buffer);
  return buffer;
}

/** Counts the shared memory of a received table for this thread. */
function weighArrays(table: object): object {
  for (const member of Object.values(table)) {
    if (ArrayBuffer.isView(member) && member.buffer instanceof SharedArrayBuffer) weighShared(member.buffer);
    else if (typeof member === 'object' && member !== null && !ArrayBuffer.isView(member)) weighArrays(member);
  }
  return table;
}

/** @returns false when the lock was not released in time: then each waiting thread builds its own copy */
function acquire(lock: Int32Array, maxBuildMilliseconds: number): boolean {
  while (Atomics.compareExchange(lock, 0, 0, 1) !== 0) {
    if (Atomics.wait(lock, 0, 1, maxBuildMilliseconds) !== 'timed-out') continue;
    release(lock);
    return false;
  }
  return true;
}

function release(lock: Int32Array): void {
  Atomics.store(lock, 0, 0);
  Atomics.notify(lock, 0);
}

/** Creates the shared number of the last cancelled question of a thread: it cannot receive messages while it plans. */
export function createCancelledNumber(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Input of a planner thread. */
export interface ThreadStart {
  readonly referenceKey: Uint8Array;
  readonly now: Instant;
  /** null where there is no street graph. */
  readonly walks: SharedStreets | null;
  readonly sharedTables: SharedTablesKey;
  /** See `createCancelledNumber`. */
  readonly cancelled: Int32Array;
  readonly timetable: { readonly manifest: TimetableManifest; readonly tables: PlainTables } | null;
}

/** Newest realtime snapshots that a thread holds: more than one, as the next arrives while an answer is made. */
export const HELD_REALTIMES = 2;

/** A message to a planner thread, which handles them one after the other. */
export type ThreadQuestion =
  | {
      readonly kind: 'realtime';
      readonly number: number;
      readonly manifest: RealtimeManifest;
      readonly tables: PlainTables;
    }
  | {
      readonly kind: 'question';
      /** Counts the questions of this thread, from 1. */
      readonly number: number;
      readonly task: PlanningTask;
      /** Number of a snapshot that was sent and is still held. */
      readonly realtime: number | null;
      readonly instant: Instant;
      readonly milliseconds: number;
    };

/** The answer as JSON or the problem that refuses the question; null in reply to a realtime message. */
export type ThreadAnswer = Uint8Array | PlainProblem | null;

/** `ApiProblem` as a message: errors lose their class between threads. */
interface PlainProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly parameter: string | undefined;
}

/** @throws `error` itself unless it is an ApiProblem */
export function toPlainProblem(error: unknown): PlainProblem {
  if (!(error instanceof ApiProblem)) throw error;
  return { code: error.code, detail: error.message, parameter: error.parameter };
}

/** @throws ApiProblem */
export function readAnswer(answer: ThreadAnswer): Uint8Array {
  if (answer instanceof Uint8Array) return answer;
  if (answer === null) throw new Error('a question was not answered');
  throw new ApiProblem(answer.code, answer.detail, answer.parameter);
}
