/** A number of places, given in the order in which they were asked for. */
export interface Slots {
  /** @returns gives the place back; to be called once */
  acquire(): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return {
    async acquire() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return release;
    },
  };
}

export async function withSlot<Result>(slots: Slots, task: () => Promise<Result>): Promise<Result> {
  const release = await slots.acquire();
  try {
    return await task();
  } finally {
    release();
  }
}
