import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiProblem } from '../../../api/contract/problems.ts';
import type { PlanningTask } from '../../../api/planning/planning.ts';
import { openPool, type Pool } from '../../../api/planning/pool.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { fakeWorkers, flush, question } from './fake-workers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMIT_SECONDS = 8;
const START_LIMIT_SECONDS = 60;

/** A pool of fake workers, its log, and the results of the queries in the order of completion. */
async function open({ threads = 1, maxQueued = 3, areReady = true, readyAfterSeconds = Number.NaN } = {}) {
  const { open: openWorker, opened } = fakeWorkers({ areReady, readyAfterSeconds });
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (line: string) => void warnings.push(line) };
  const limits = { threads, maxQueued, timeLimitSeconds: LIMIT_SECONDS, startLimitSeconds: START_LIMIT_SECONDS };
  const pool = openPool(openWorker, limits, log);
  const ends: string[] = [];
  const request = (...names: string[]) => {
    for (const name of names) {
      pool.request(question(name)).then(
        (bytes) => ends.push(`${name}: ${new TextDecoder().decode(bytes)}`),
        (error: Error) => ends.push(`${name}: ${error instanceof ApiProblem ? error.code : error.message}`),
      );
    }
    return flush();
  };
  await flush();
  return { pool, opened, warnings, ends, request, currentTask: () => opened.map((worker) => worker.currentTask()) };
}

describe('queries', () => {
  test('are answered in order of arrival, by any free worker', async () => {
    const { opened, ends, request, currentTask } = await open({ threads: 2 });
    await request('a', 'b', 'c', 'd');
    expect(currentTask()).toEqual(['a', 'b']);
    await opened[1]!.answer();
    expect(currentTask()).toEqual(['a', 'c']);
    await opened[1]!.answer();
    expect(currentTask()).toEqual(['a', 'd']);
    await opened[0]!.answer();
    expect(currentTask()).toEqual([null, 'd']);
    await request('e');
    expect(currentTask()).toEqual(['e', 'd']);
    expect(ends).toEqual(['b: b', 'c: c', 'a: a']);
  });

  test.each<[waiting: number, currentTask: string[], refused: string[]]>([
    [3, ['a', 'b', 'c', 'd'], []],
    [3, ['a', 'b', 'c', 'd', 'e', 'f'], ['e: overloaded', 'f: overloaded']],
    [0, ['a', 'b'], ['b: overloaded']],
  ])('of which %i may wait are refused beyond that: %s', async (maxQueued, names, refused) => {
    const { ends, request } = await open({ maxQueued });
    await request(...names);
    expect(ends).toEqual(refused);
  });

  test('wait for workers that are only starting', async () => {
    const { opened, ends, request, currentTask } = await open({ areReady: false });
    await request('a', 'b');
    expect(currentTask()).toEqual([null]);
    opened[0]!.ready();
    await flush();
    await opened[0]!.answer();
    await opened[0]!.answer();
    expect(ends).toEqual(['a: a', 'b: b']);
  });

  test('that are refused or fail free their worker', async () => {
    const { opened, ends, request } = await open();
    await request('a', 'b', 'c');
    await opened[0]!.refuse(new ApiProblem('unknown_stop', 'No stop has that id.', '/from/stopId'));
    await opened[0]!.refuse(new Error('internal error'));
    await opened[0]!.answer();
    expect(ends).toEqual(['a: unknown_stop', 'b: internal error', 'c: c']);
    expect(opened).toHaveLength(1);
  });
});

describe('the queue', () => {
  test('favours short tasks, three in a row at most', async () => {
    const { pool, opened } = await open({ maxQueued: 8 });
    const answered: string[] = [];
    const enqueue = (name: string, kind: PlanningTask['kind']) =>
      void pool.request(question(name, kind)).then((bytes) => answered.push(new TextDecoder().decode(bytes)));
    for (const name of ['page 1', 'page 2', 'page 3']) enqueue(name, 'trips');
    for (const name of ['short 1', 'short 2']) enqueue(name, 'rescue');
    for (const name of ['short 3', 'short 4']) enqueue(name, 'followedTrip');
    enqueue('short 5', 'footpath');
    for (let answer = 0; answer < 8; answer++) await opened[0]!.answer();
    expect(answered).toEqual([
      ...['page 1', 'short 1', 'short 2', 'short 3'],
      ...['page 2', 'short 4', 'short 5', 'page 3'],
    ]);
  });
});

describe('a client that disconnects', () => {
  /** @returns ends the client's connection */
  async function requestFor(pool: Pool, name: string, ends: string[]): Promise<() => void> {
    let leave = () => {};
    pool
      .request(question(name), (listener) => {
        leave = listener;
      })
      .then(
        () => ends.push(`${name}: answered`),
        (error: Error) => ends.push(`${name}: ${error.message}`),
      );
    await flush();
    return leave;
  }

  test('frees its place in the queue', async () => {
    const { pool, opened, ends, request } = await open({ maxQueued: 1 });
    await request('a');
    const leave = await requestFor(pool, 'b', ends);
    leave();
    await request('c');
    await opened[0]!.answer();
    expect([ends, pool.queueDepth]).toEqual([['b: The client has disconnected.', 'a: a'], 0]);
    expect(opened[0]!.currentTask()).toBe('c');
    expect(opened[0]!.cancelled).toEqual([]);
  });

  test('frees its worker, which takes the next query', async () => {
    const { pool, opened, ends, request, currentTask } = await open();
    const leave = await requestFor(pool, 'a', ends);
    await request('b');
    leave();
    await flush();
    expect([ends, opened[0]!.cancelled, currentTask()]).toEqual([['a: The client has disconnected.'], ['a'], ['a']]);
    await opened[0]!.refuse(new ApiProblem('overloaded', 'The request timed out.'));
    expect([currentTask(), opened.length]).toEqual([['b'], 1]);
  });

  test('after the response changes nothing', async () => {
    const { pool, opened, ends, request } = await open();
    const leave = await requestFor(pool, 'a', ends);
    await opened[0]!.answer();
    await request('b');
    leave();
    await opened[0]!.answer();
    expect([ends, opened[0]!.cancelled]).toEqual([['a: answered', 'b: b'], []]);
  });
});

describe('time', () => {
  test('of a query runs while it waits, and its worker gets the rest', async () => {
    const { opened, request } = await open();
    await request('a', 'b');
    expect(opened[0]!.milliseconds()).toBe(8000);
    await vi.advanceTimersByTimeAsync(3000);
    await opened[0]!.answer();
    expect([opened[0]!.currentTask(), opened[0]!.milliseconds()]).toEqual(['b', 5000]);
  });

  test('limits end the waiting, and free its slot', async () => {
    const { opened, ends, request, currentTask } = await open({ maxQueued: 2 });
    await request('a');
    await vi.advanceTimersByTimeAsync(1000);
    await request('b');
    await vi.advanceTimersByTimeAsync(1000);
    await request('c', 'd');
    expect(ends).toEqual(['d: overloaded']);
    await vi.advanceTimersByTimeAsync(7000);
    expect(ends).toEqual(['d: overloaded', 'a: overloaded', 'b: overloaded']);
    await request('e', 'f');
    expect(ends.slice(3)).toEqual(['f: overloaded']);
    await opened[0]!.answer();
    expect([ends.length, currentTask()]).toEqual([4, ['c']]);
  });

  test('limits hold for the caller if all workers are busy for longer, whether its query waits or is answered', async () => {
    const { pool, opened, ends, request, currentTask } = await open({ threads: 2 });
    await request('a', 'b');
    await vi.advanceTimersByTimeAsync(6000);
    const rescue = pool.request(question('rescue', 'rescue'));
    const end = rescue.then(String, ({ code }: ApiProblem) => `${code} at ${Math.round(performance.now() - begin)}`);
    const begin = performance.now();
    await vi.advanceTimersByTimeAsync(2000);
    expect(ends).toEqual(['a: overloaded', 'b: overloaded']);
    await vi.advanceTimersByTimeAsync(1000);
    await opened[0]!.answer();
    // The time that the workers took beyond their limit is not added to that of the query.
    expect([currentTask()[0], opened[0]!.milliseconds()]).toEqual(['rescue', 5000]);
    await request('c');
    await vi.advanceTimersByTimeAsync(7999);
    expect(await end).toBe('overloaded at 8000');
    expect(ends).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends.slice(2)).toEqual(['c: overloaded']);
  });

  test('limits exceeded twice end the worker, which is replaced', async () => {
    const { opened, ends, warnings, request, currentTask } = await open();
    await request('a');
    await vi.advanceTimersByTimeAsync(15_000);
    await request('b');
    expect([ends, opened[0]!.hasEnded()]).toEqual([['a: overloaded'], false]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toEqual(['a: overloaded']);
    expect(opened.map((worker) => worker.hasEnded())).toEqual([true, false]);
    expect(warnings).toHaveLength(1);
    expect(currentTask()).toEqual([null, 'b']);
    await opened[1]!.answer();
    expect(ends).toEqual(['a: overloaded', 'b: b']);
  });
});

describe('a worker that dies', () => {
  test('fails only its own query', async () => {
    const { opened, ends, warnings, request, currentTask } = await open({ threads: 2 });
    await request('a', 'b', 'c');
    await opened[0]!.die('out of memory');
    expect(ends).toEqual(['a: out of memory']);
    expect(currentTask()).toEqual([null, 'b', 'c']);
    await opened[2]!.answer();
    await opened[1]!.answer();
    expect(ends).toEqual(['a: out of memory', 'c: c', 'b: b']);
    expect(warnings).toEqual(['a worker of the trip planner has ended: out of memory']);
  });

  test('repeatedly is replaced with growing delays, until one has answered', async () => {
    const { pool, opened, request } = await open({ areReady: false });
    const dieAndWait = async (milliseconds: number) => {
      const before = opened.length;
      await opened.at(-1)!.die('broken');
      if (milliseconds > 0) {
        await vi.advanceTimersByTimeAsync(milliseconds - 1);
        expect(opened.length - before).toBe(0);
        await vi.advanceTimersByTimeAsync(1);
      }
      expect(opened.length - before).toBe(1);
    };
    expect(pool.isWorking()).toBe(true);
    for (const seconds of [0, 1, 2, 4, 8, 16, 32, 60, 60]) await dieAndWait(seconds * 1000);
    expect(pool.isWorking()).toBe(false);
    opened.at(-1)!.ready();
    expect(pool.isWorking()).toBe(true);
    await dieAndWait(60_000);
    opened.at(-1)!.ready();
    await request('a');
    await opened.at(-1)!.answer();
    await dieAndWait(0);
  });

  test('is not a problem while another one lives', async () => {
    const { pool, opened } = await open({ threads: 2, areReady: false });
    for (const worker of opened) worker.ready();
    await opened[0]!.die('broken');
    expect(pool.isWorking()).toBe(true);
    await opened[1]!.die('broken');
    expect(pool.isWorking()).toBe(false);
    opened[3]!.ready();
    expect(pool.isWorking()).toBe(true);
  });
});

describe('a worker that is slow to get ready', () => {
  test('is abandoned when one step takes too long', async () => {
    const { opened, warnings } = await open({ areReady: false });
    await vi.advanceTimersByTimeAsync(59_999);
    expect(opened).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(opened.map((worker) => worker.hasEnded())).toEqual([true, false]);
    expect(warnings[0]).toContain('took over 60 s for one step');
  });

  test('is left alone while it makes progress', async () => {
    const { pool, opened, ends, request } = await open({ areReady: false });
    await request('a');
    for (let step = 0; step < 100; step++) {
      await vi.advanceTimersByTimeAsync(59_000);
      opened[0]!.progress();
    }
    expect([opened.length, pool.isWorking()]).toEqual([1, true]);
    opened[0]!.ready();
    await vi.advanceTimersByTimeAsync(3_600_000);
    await request('b');
    await opened[0]!.answer();
    expect([opened.length, ends]).toEqual([1, ['a: overloaded', 'b: b']]);
  });

  test.each([
    [30, 1],
    [61, 2],
    [200, 3],
    [1000, 6],
    [100_000, 12],
  ])('with a step of %i s is ready at attempt %i, and stays', async (stepSeconds, attempts) => {
    const { pool, opened, request, ends } = await open({ areReady: false, readyAfterSeconds: stepSeconds });
    await vi.advanceTimersByTimeAsync(10 * 86_400_000);
    await request('a');
    await opened.at(-1)!.answer();
    expect([opened.length, pool.isWorking(), ends]).toEqual([attempts, true, ['a: a']]);
  });

  test('does not block tasks that need no planner', async () => {
    const { pool, opened } = await open({ areReady: false });
    let isStarted = false;
    void pool.started.then(() => {
      isStarted = true;
    });
    for (let step = 0; step < 59; step++) {
      await vi.advanceTimersByTimeAsync(1000);
      opened[0]!.progress();
    }
    expect(isStarted).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect([isStarted, opened.length]).toEqual([true, 1]);
  });
});

describe('the start', () => {
  test.each<[how: string, act: (opened: ReturnType<typeof fakeWorkers>['opened']) => void | Promise<void>]>([
    ['the first worker is ready', (opened) => opened[1]!.ready()],
    ['one has died', (opened) => opened[0]!.die('broken')],
  ])('completes when %s', async (_how, act) => {
    const { pool, opened } = await open({ threads: 2, areReady: false });
    let isStarted = false;
    void pool.started.then(() => {
      isStarted = true;
    });
    await flush();
    expect(isStarted).toBe(false);
    await act(opened);
    await flush();
    expect(isStarted).toBe(true);
  });

  test('of a worker loads what the others already follow', async () => {
    const { pool, opened } = await open();
    const [first, second] = [{}, {}] as never[];
    pool.follow(first!);
    pool.follow(second!);
    await opened[0]!.die('broken');
    expect(opened.map(({ followed }) => followed)).toEqual([[first, second], [second]]);
  });
});

describe('the end', () => {
  test('comes after the last response if it waits for that', async () => {
    const { pool, opened, ends, request } = await open();
    await request('a', 'b');
    let isOver = false;
    void pool.drain().then(() => {
      isOver = true;
    });
    await opened[0]!.answer();
    expect([isOver, opened[0]!.hasEnded()]).toEqual([false, false]);
    await opened[0]!.answer();
    await flush();
    expect([isOver, opened[0]!.hasEnded(), ends]).toEqual([true, true, ['a: a', 'b: b']]);
  });

  test('refuses queued queries, replaces no worker, and leaves no timer behind', async () => {
    const { pool, opened, ends, warnings, request } = await open();
    await request('a', 'b');
    await pool.close();
    await flush();
    expect(ends).toEqual(['b: overloaded', 'a: overloaded']);
    await request('c');
    expect(ends.at(-1)).toBe('c: overloaded');
    expect([opened.length, warnings, vi.getTimerCount()]).toEqual([1, [], 0]);
  });
});
