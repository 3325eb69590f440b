import { randomUUID } from 'node:crypto';
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { weighShared } from '../../pipeline/effects/shared-memory.ts';
import { TextColumn } from '../../pipeline/model/column.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { RealtimeManifest } from '../../pipeline/realtime/snapshot/realtime-contract.ts';
import type { SharedStreets } from '../../pipeline/streets/open-walk-router.ts';
import type { TimetableManifest } from '../../pipeline/timetable/snapshot/contract.ts';
import { ApiProblem, type ProblemCode } from '../contract/problems.ts';
import type { Memory, Workshop } from '../engine/planner/shared-tables.ts';
import type { PlanningTask } from './planning.ts';

/** A text column as what it is made of. */
interface PlainTexts {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

type Column = ArrayBufferView | TextColumn;
type Tables = Readonly<Record<string, Readonly<Record<string, Column>>>>;

/** Tables of a snapshot as they go from thread to thread: what lies in shared memory is shared, the rest copied. */
type PlainTables = Readonly<Record<string, Readonly<Record<string, ArrayBufferView | PlainTexts>>>>;

export function toPlainTables(tables: Tables): PlainTables {
  return mapColumns(tables, (column) =>
    column instanceof TextColumn ? { bytes: column.bytes, offsets: column.offsets } : column,
  );
}

/**
 * The tables in the thread that they went to, whose memory they count for from now on.
 * @param plain made of tables of the very type that is asked for
 */
export function fromPlainTables<Shape>(plain: PlainTables): Shape {
  return mapColumns(plain, (column) => {
    if (!('offsets' in column)) return weigh(column);
    return new TextColumn(weigh(column.bytes), weigh(column.offsets));
  }) as Shape;
}

function weigh<View extends ArrayBufferView>(view: View): View {
  if (view.buffer instanceof SharedArrayBuffer) weighShared(view.buffer);
  return view;
}

function mapColumns<From, To>(
  tables: Readonly<Record<string, Readonly<Record<string, From>>>>,
  change: (column: From) => To,
): Record<string, Record<string, To>> {
  return mapMembers(tables, (columns) => mapMembers(columns, change));
}

function mapMembers<From, To>(record: Readonly<Record<string, From>>, change: (member: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, change(member)]));
}

/** How the threads of one timetable find each other; goes to each of them. */
interface WorkshopKey {
  readonly channel: string;
  /** One number: 1 while somebody makes something. */
  readonly lock: Int32Array;
}

export function createWorkshopKey(): WorkshopKey {
  return { channel: randomUUID(), lock: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}

/** Something made, on its way to the others. */
interface Made {
  readonly name: string;
  readonly made: object;
}

/** What others have made and this thread has not asked for yet; older things are made anew if they ever are wanted. */
const MOST_KNOWN = 4;
/** Whoever takes longer to make something has died over it. */
const LONGEST_MAKING_MILLISECONDS = 20_000;

/**
 * One of the threads makes a thing, in shared memory, and tells the others, who wait for it meanwhile. Each thread holds
 * what it uses, so what nobody uses is given back. One that is started later makes its own of what was told before.
 */
export function joinWorkshop(
  { channel, lock }: WorkshopKey,
  longestMakingMilliseconds = LONGEST_MAKING_MILLISECONDS,
): Workshop {
  const others = new BroadcastChannel(channel);
  // A thread does not live on for it.
  others.unref();
  // Node takes a channel here as well as a port; the types have yet to learn it.
  const hear = () => receiveMessageOnPort(others as unknown as MessagePort)?.message as Made | undefined;
  const known = new Map<string, object>();
  const listen = () => {
    for (let heard = hear(); heard; heard = hear()) {
      const { name, made } = heard;
      if (!known.has(name)) known.set(name, weighArrays(made));
      const [oldest] = known.keys();
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    }
  };
  const take = (name: string) => {
    listen();
    const made = known.get(name);
    known.delete(name);
    return made;
  };
  return {
    share<Shared extends object>(name: string, make: (memory: Memory) => Shared): Shared {
      // Under a name there is only what was made under it, by the same code.
      const ready = take(name) as Shared | undefined;
      if (ready) return ready;
      const isMine = acquire(lock, longestMakingMilliseconds);
      try {
        const meanwhile = take(name) as Shared | undefined;
        if (meanwhile) return meanwhile;
        const made = make(sharedMemory);
        others.postMessage({ name, made } satisfies Made);
        return made;
      } finally {
        if (isMine) release(lock);
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

/** Shared memory counts for the thread that it went to, from now on. */
function weighArrays(made: object): object {
  for (const member of Object.values(made)) {
    if (ArrayBuffer.isView(member) && member.buffer instanceof SharedArrayBuffer) weighShared(member.buffer);
    else if (typeof member === 'object' && member !== null && !ArrayBuffer.isView(member)) weighArrays(member);
  }
  return made;
}

/** @returns false when the one who makes something has not come to an end: then everybody is on his own for once */
function acquire(lock: Int32Array, longestMakingMilliseconds: number): boolean {
  while (Atomics.compareExchange(lock, 0, 0, 1) !== 0) {
    if (Atomics.wait(lock, 0, 1, longestMakingMilliseconds) !== 'timed-out') continue;
    release(lock);
    return false;
  }
  return true;
}

function release(lock: Int32Array): void {
  Atomics.store(lock, 0, 0);
  Atomics.notify(lock, 0);
}

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

/** What a thread is told and asked; it reads one after the other. */
export type ThreadQuestion =
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

/** The answer as JSON, or what the question is refused with; null to what was no question. */
export type ThreadAnswer = Uint8Array | PlainProblem | null;

/** An error loses its class on the way from thread to thread. */
interface PlainProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly parameter: string | undefined;
}

/** @throws what is thrown, unless it is an ApiProblem */
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
