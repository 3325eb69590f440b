/** Runs a task as soon as its turn has come; its failure is the caller's and does not affect other tasks. */
export type RunTask = <Result>(task: () => Promise<Result>) => Promise<Result>;

export interface ConcurrencyLimiter {
  readonly run: RunTask;
  /** For work that begins and ends in different functions. @returns releases the slot; to be called once */
  acquire(): Promise<() => void>;
}

/** Runs at most `limit` tasks at the same time, and starts them in the order in which they were passed. */
export function limitConcurrency(limit: number): ConcurrencyLimiter {
  let free = limit;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  const acquire = async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return release;
  };
  return {
    acquire,
    async run(task) {
      await acquire();
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}

/** Runs tasks one after the other, in the order in which they were passed. */
export function createQueue(): RunTask {
  return limitConcurrency(1).run;
}

/** Runs a task on each item, at most `limit` at the same time and in order; after a failure no further item begins. */
export function forEachConcurrently<Item>(
  items: Iterable<Item>,
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  return shareItems(items, limit, async (queue) => {
    for (const item of queue) await task(item);
  });
}

/**
 * Runs several workers over one queue of items, for workers that keep something between items, such as an engine. A worker
 * that leaves its loop early, or fails, ends the queue of all.
 * @throws the first worker's failure, when all have ended
 */
export async function shareItems<Item>(
  items: Iterable<Item>,
  workers: number,
  work: (queue: Iterable<Item>) => Promise<void>,
): Promise<void> {
  const queue = iterate(items);
  const runWorker = async () => {
    try {
      await work(queue);
    } finally {
      queue.return();
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: workers }, runWorker));
  for (const worker of ended) if (worker.status === 'rejected') throw worker.reason;
}

/** A generator, since `for … of` closes one on `break` and on errors, unlike the iterator of an array. */
function* iterate<Item>(items: Iterable<Item>): Generator<Item, void, undefined> {
  yield* items;
}
