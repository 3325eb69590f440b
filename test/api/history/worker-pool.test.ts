import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientGone, serviceStopping, timeLimitPassed } from '../../../api/contract/overload-problems.ts';
import { openWorkerPool, type PoolLimits } from '../../../api/history/worker-pool.ts';

/** Work that continues until the test ends or interrupts it. */
function openPool(limits: Partial<PoolLimits> = {}) {
  const begun: { name: string; place: number; end(): void; fail(error: Error): void }[] = [];
  const interrupted: number[] = [];
  const { maxConcurrent = 1, maxQueued = 2, timeLimitSeconds = 30 } = limits;
  const pool = openWorkerPool({
    workers: Array.from({ length: maxConcurrent }, (_, place) => place),
    limits: { maxQueued, timeLimitSeconds },
    interrupt(place) {
      interrupted.push(place);
      begun.find((work) => work.place === place)?.fail(new Error('interrupted'));
    },
    refusals: { timeLimitPassed, serviceStopping, clientGone },
  });
  const query = (name: string, whenGone: (listener: () => void) => void = () => {}) => {
    const answer = pool.work(
      (place) =>
        new Promise<string>((resolve, reject) => {
          begun.push({ name, place, end: () => resolve(name), fail: reject });
        }).finally(() => {
          begun.splice(
            begun.findIndex((work) => work.name === name),
            1,
          );
        }),
      whenGone,
    );
    // Failures are read by the test later.
    answer.catch(() => {});
    return answer;
  };
  const end = async (name: string) => {
    begun.find((work) => work.name === name)!.end();
    await settle();
  };
  return { pool, query, end, begun: () => begun.map(({ name }) => name), interrupted };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const overloaded = expect.objectContaining({ code: 'overloaded' });

describe('work', () => {
  test('runs on all workers, the rest in order of arrival', async () => {
    const { query, end, begun } = openPool({ maxConcurrent: 2 });
    const answers = ['a', 'b', 'c', 'd'].map((name) => query(name));
    expect(begun()).toEqual(['a', 'b']);
    await end('b');
    expect(begun()).toEqual(['a', 'c']);
    await end('a');
    await end('c');
    await end('d');
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('is refused immediately beyond the queue, and accepted again when one is done', async () => {
    const { query, end, begun } = openPool({ maxQueued: 1 });
    const [first, second] = [query('a'), query('b')];
    await expect(query('c')).rejects.toEqual(overloaded);
    await end('a');
    const third = query('d');
    await end('b');
    expect(begun()).toEqual(['d']);
    await end('d');
    expect(await Promise.all([first, second, third])).toEqual(['a', 'b', 'd']);
  });

  test('that fails frees its worker', async () => {
    const { pool, query, end } = openPool();
    await expect(
      pool.work(
        () => Promise.reject(new Error('broken')),
        () => {},
      ),
    ).rejects.toThrow('broken');
    await settle();
    const next = query('a');
    await end('a');
    expect(await next).toBe('a');
  });
});

describe('aborts', () => {
  // The test decides when limits are reached, however busy the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('work that takes too long, and frees its worker', async () => {
    const { query, begun, interrupted, end } = openPool({ timeLimitSeconds: 5 });
    const first = query('a');
    vi.advanceTimersByTime(5000);
    await expect(first).rejects.toEqual(overloaded);
    expect(interrupted).toEqual([0]);
    await settle();
    expect(begun()).toEqual([]);
    const next = query('b');
    await end('b');
    expect(await next).toBe('b');
  });

  test('work that waits too long; it never starts', async () => {
    const { query, begun, end } = openPool({ timeLimitSeconds: 5 });
    const [first, second] = [query('a'), query('b')];
    vi.advanceTimersByTime(5000);
    await expect(second).rejects.toEqual(overloaded);
    await expect(first).rejects.toEqual(overloaded);
    await settle();
    expect(begun()).toEqual([]);
    const next = query('c');
    await end('c');
    expect(await next).toBe('c');
  });

  test('work whose callers have gone, running or queued', async () => {
    const { query, begun, interrupted, end } = openPool();
    const leave: (() => void)[] = [];
    const whenGone = (listener: () => void) => void leave.push(listener);
    const answers = [query('a', whenGone), query('b', whenGone), query('c')];
    leave[1]!();
    leave[0]!();
    await settle();
    expect([begun(), interrupted]).toEqual([['c'], [0]]);
    await end('c');
    const settled = await Promise.allSettled(answers);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  test('nothing that was done before its caller left', async () => {
    const { query, end, interrupted } = openPool();
    let leave = () => {};
    const answer = query('a', (listener) => {
      leave = listener;
    });
    await end('a');
    leave();
    expect([await answer, interrupted]).toEqual(['a', []]);
  });

  test('all work when the service closes, and accepts no more', async () => {
    const { pool, query } = openPool();
    const answers = [query('a'), query('b')];
    await pool.close();
    const settled = await Promise.allSettled([...answers, query('c')]);
    expect(settled.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(Array(3).fill('overloaded'));
  });
});
