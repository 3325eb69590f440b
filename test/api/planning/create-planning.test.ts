import { describe, expect, test } from 'vitest';
import type { Realtime } from '../../../api/engine/read/realtime.ts';
import type { Timetable } from '../../../api/engine/read/timetable.ts';
import { createPlanning } from '../../../api/planning/create-planning.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { type FakeWorker, fakeWorkers, flush } from './fake-workers.ts';

const timetableOf = (name: string) => ({ name }) as unknown as Timetable;
const realtimeOf = (name: string) => ({ name }) as unknown as Realtime;
const pairOf = (timetable: Timetable, realtime: Realtime | null = null) => ({
  value: { timetable, realtime },
  dataVersion: 'of no interest',
});

/** Planning with fake workers, by the timetable that they were opened for. */
function open({ threads = 1, areReady = true } = {}) {
  const crews = new Map<Timetable | null, FakeWorker[]>();
  const limits = { threads, maxQueued: 10, timeLimitSeconds: 8, startLimitSeconds: 60 };
  const planning = createPlanning(
    (timetable) => {
      const { open: openWorker, opened } = fakeWorkers({ areReady });
      expect(crews.has(timetable)).toBe(false);
      crews.set(timetable, opened);
      return openWorker;
    },
    { limits, log: silentLog },
  );
  const request = (name: string, held: Parameters<typeof planning.answer>[1]) =>
    planning.answer(name as never, held, 0 as never).then((bytes) => new TextDecoder().decode(bytes));
  return { planning, crews, request };
}

describe('workers', () => {
  test('are opened once, for the first timetable that is followed or queried', async () => {
    const [a, b] = [timetableOf('a'), timetableOf('b')];
    const { planning, crews, request } = open({ threads: 2 });
    await planning.follow(pairOf(a));
    await planning.follow(pairOf(a, realtimeOf('r')));
    expect([...crews].map(([timetable, { length }]) => [timetable, length])).toEqual([[a, 2]]);
    const answer = request('q', pairOf(b));
    await flush();
    await crews.get(b)![0]!.answer();
    expect(await answer).toBe('q');
    expect([...crews.keys()]).toEqual([a, b]);
  });

  test('all load the current time before it is queried', async () => {
    const timetable = timetableOf('a');
    const [first, second] = [realtimeOf('first'), realtimeOf('second')];
    const { planning, crews } = open({ threads: 2 });
    await planning.follow(pairOf(timetable, first));
    await planning.follow(pairOf(timetable, second));
    expect(crews.get(timetable)!.map(({ followed }) => followed)).toEqual([
      [first, second],
      [first, second],
    ]);
  });

  test('exist before any timetable for tasks that need none', async () => {
    const { planning, crews, request } = open();
    expect(planning.isWorking()).toBe(true);
    await planning.follow(null);
    const answer = request('footpath', null);
    await flush();
    await crews.get(null)![0]!.answer();
    expect(await answer).toBe('footpath');
    const timetable = timetableOf('a');
    await planning.follow(pairOf(timetable));
    const later = request('later', null);
    await flush();
    await crews.get(timetable)![0]!.answer();
    expect(await later).toBe('later');
    expect(crews.get(null)![0]!.hasEnded()).toBe(true);
  });
});

describe('a swap of timetables', () => {
  test('finishes the queries of the old timetable, then closes its workers', async () => {
    const [a, b] = [timetableOf('a'), timetableOf('b')];
    const { planning, crews, request } = open();
    const old = [request('old, at work', pairOf(a)), request('old, waiting', pairOf(a))];
    await flush();
    const young = request('young', pairOf(b));
    await flush();
    const [[oldWorker], [youngWorker]] = [crews.get(a)!, crews.get(b)!];
    expect([oldWorker!.currentTask(), youngWorker!.currentTask()]).toEqual(['old, at work', 'young']);
    await youngWorker!.answer();
    expect(await young).toBe('young');
    await oldWorker!.answer();
    expect([oldWorker!.currentTask(), oldWorker!.hasEnded()]).toEqual(['old, waiting', false]);
    await oldWorker!.answer();
    expect(await Promise.all(old)).toEqual(['old, at work', 'old, waiting']);
    await flush();
    expect([oldWorker!.hasEnded(), youngWorker!.hasEnded()]).toEqual([true, false]);
    await planning.close();
    expect(youngWorker!.hasEnded()).toBe(true);
  });

  test('finds the new workers ready, opened before their timetable is served', async () => {
    const [a, b, c] = [timetableOf('a'), timetableOf('b'), timetableOf('c')];
    const { planning, crews, request } = open();
    await planning.follow(pairOf(a));
    planning.prepare(a);
    planning.prepare(b);
    planning.prepare(b);
    expect([...crews.keys()]).toEqual([a, b]);
    const old = request('old', pairOf(a));
    await flush();
    await crews.get(a)![0]!.answer();
    expect([await old, crews.get(a)![0]!.hasEnded()]).toEqual(['old', false]);
    await planning.follow(pairOf(b));
    expect([...crews.values()].map(([worker]) => worker!.hasEnded())).toEqual([true, false]);
    // A timetable that is replaced before it was ever served closes too.
    planning.prepare(c);
    planning.prepare(b);
    expect([...crews.values()].map(([worker]) => worker!.hasEnded())).toEqual([true, false, true]);
    await planning.close();
    expect([...crews.values()].every(([worker]) => worker!.hasEnded())).toBe(true);
  });

  test('sends a late query for the old timetable to its workers while they exist', async () => {
    const [a, b] = [timetableOf('a'), timetableOf('b')];
    const { planning, crews, request } = open();
    const first = request('first', pairOf(a));
    await planning.follow(pairOf(b));
    const late = request('late', pairOf(a));
    await flush();
    await crews.get(a)![0]!.answer();
    await crews.get(a)![0]!.answer();
    expect(await Promise.all([first, late])).toEqual(['first', 'late']);
    expect([...crews.keys()]).toEqual([a, b]);
  });

  test('closes all workers if it closes in the middle', async () => {
    const [a, b] = [timetableOf('a'), timetableOf('b')];
    const { planning, crews, request } = open();
    const answers = [request('old', pairOf(a)), request('young', pairOf(b))];
    await flush();
    await planning.close();
    const reasons = await Promise.allSettled(answers);
    expect(reasons.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([...crews.values()].flat().every((worker) => worker.hasEnded())).toBe(true);
  });
});

test('following rejects no query, and ends when it can never succeed', async () => {
  const timetable = timetableOf('a');
  const { planning, crews } = open({ areReady: false });
  let isOver = false;
  const following = planning.follow(pairOf(timetable)).then(() => {
    isOver = true;
  });
  await flush();
  expect(isOver).toBe(false);
  await crews.get(timetable)![0]!.die('broken');
  await following;
  await planning.close();
});
