import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createQueue,
  forEachConcurrently,
  limitConcurrency,
  shareItems,
} from '../../../pipeline/effects/concurrency.ts';

/** Tasks that last some turns of the event loop, and a record of how many ran at the same time. */
function trackTasks() {
  const started: number[] = [];
  let running = 0;
  const tracked = {
    started,
    most: 0,
    run: async (item: number, turns = 1) => {
      started.push(item);
      tracked.most = Math.max(tracked.most, ++running);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      running--;
      return item;
    },
  };
  return tracked;
}

const durations = fc.array(fc.integer({ min: 3, max: 8 }), { maxLength: 20 });
const limits = fc.integer({ min: 1, max: 6 });

describe('limitConcurrency', () => {
  it('runs every task, in order, at most as many as allowed at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(durations, limits, async (turns, limit) => {
        const tasks = trackTasks();
        const limiter = limitConcurrency(limit);
        const results = await Promise.all(turns.map((n, item) => limiter.run(() => tasks.run(item, n))));
        const items = turns.map((_, item) => item);
        expect([results, tasks.started]).toEqual([items, items]);
        expect(tasks.most).toBe(Math.min(limit, turns.length));
      }),
    );
  });

  it('counts acquired slots like running tasks', async () => {
    const limiter = limitConcurrency(1);
    const release = await limiter.acquire();
    let isDone = false;
    const task = limiter.run(async () => {
      isDone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    release();
    await task;
    expect(isDone).toBe(true);
  });
});

it('a queue continues after a failure, which only its caller receives', async () => {
  const inTurn = createQueue();
  const ended = await Promise.allSettled([
    inTurn(async () => 1),
    inTurn(() => Promise.reject(new Error('no'))),
    inTurn(async () => 3),
  ]);
  expect(ended.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
    1,
    'no',
    3,
  ]);
});

describe('forEachConcurrently', () => {
  it('begins no item after a failure, and throws when the running ones have ended', async () => {
    const tasks = trackTasks();
    const ended: number[] = [];
    const items = [1, 2, 3, 4, 5, 6];
    const running = forEachConcurrently(items, 3, async (item) => {
      await tasks.run(item, item === 2 ? 1 : 10);
      if (item === 2) throw new Error('no');
      ended.push(item);
    });
    await expect(running).rejects.toThrow('no');
    expect(tasks.started).toEqual([1, 2, 3]);
    expect(ended).toEqual([1, 3]);
  });
});

describe('shareItems', () => {
  it('gives each item to one worker', async () => {
    await fc.assert(
      fc.asyncProperty(durations, limits, async (turns, workers) => {
        const tasks = trackTasks();
        await shareItems(turns.entries(), workers, async (queue) => {
          for (const [item, n] of queue) await tasks.run(item, n);
        });
        expect(tasks.started).toEqual(turns.map((_, item) => item));
      }),
    );
  });

  it.each<[what: string, leave: () => void]>([
    ['leaves its loop', () => {}],
    [
      'fails before its loop',
      () => {
        throw new Error('no');
      },
    ],
  ])('ends the queue of all workers when one %s', async (_what, leave) => {
    const started: number[] = [];
    let workers = 0;
    await shareItems([1, 2, 3, 4, 5], 2, async (queue) => {
      if (workers++ === 0) return leave();
      for (const item of queue) {
        started.push(item);
        await Promise.resolve();
      }
    }).catch((error: Error) => expect(error.message).toBe('no'));
    // The other worker had begun this one.
    expect(started).toEqual([1]);
  });
});
