import { randomUUID } from 'node:crypto';
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { weighShared } from '../../pipeline/effects/shared-memory.ts';
import type { Memory, Workshop } from '../engine/planner/workshop.ts';

/** How the threads of one timetable find each other; goes to each of them. */
export interface WorkshopKey {
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
