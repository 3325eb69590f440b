/** Bytes that one thread holds for itself. */
export interface MemoryOfThread {
  readonly heapUsed: number;
  readonly external: number;
}

/** Receives the memory of threads, directly and by way of the threads that started them. */
export interface ThreadMonitor {
  /**
   * @param key of one thread in this process; that of a thread which it has started begins with it and a slash
   * @param thread name of its kind, the same for all threads that do the same work
   * @param memory null when it has ended, and with it the threads that it has started
   */
  report(key: string, thread: string, memory: MemoryOfThread | null): void;
}

export interface ThreadMemory extends ThreadMonitor {
  /** Sums by kind, of the threads that live. */
  list(): readonly { readonly thread: string; readonly count: number; readonly memory: MemoryOfThread }[];
}

export function createThreadMemory(): ThreadMemory {
  const living = new Map<string, { readonly thread: string; readonly memory: MemoryOfThread }>();
  return {
    report(key, thread, memory) {
      if (memory) {
        living.set(key, { thread, memory });
        return;
      }
      for (const one of [...living.keys()]) {
        if (one === key || one.startsWith(`${key}/`)) living.delete(one);
      }
    },
    list() {
      const sums = new Map<string, { count: number; heapUsed: number; external: number }>();
      for (const { thread, memory } of living.values()) {
        const sum = sums.get(thread) ?? { count: 0, heapUsed: 0, external: 0 };
        sums.set(thread, {
          count: sum.count + 1,
          heapUsed: sum.heapUsed + memory.heapUsed,
          external: sum.external + memory.external,
        });
      }
      return [...sums].map(([thread, { count, ...memory }]) => ({ thread, count, memory }));
    },
  };
}
