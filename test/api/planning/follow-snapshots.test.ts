import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followSnapshots } from '../../../api/planning/create-planning.ts';
import type { Planning } from '../../../api/planning/planning.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('planning receives the served snapshot: immediately, then on each change, until it is stopped', async () => {
  let current = 'first';
  const followed: unknown[] = [];
  const prepared: unknown[] = [];
  let letGo = () => {};
  const planning = {
    follow: (held: unknown) => {
      followed.push(held);
      return new Promise<void>((resolve) => {
        letGo = resolve;
      });
    },
    prepare: (timetable: unknown) => void prepared.push(timetable),
  } as unknown as Planning;
  const timetables = { current: () => ({ value: `timetable beside ${current}` }) as never };
  let isReady = false;
  const { ready, stop } = followSnapshots(planning, { current: () => current as never }, timetables);
  void ready.then(() => {
    isReady = true;
  });
  await vi.advanceTimersByTimeAsync(200);
  expect([followed, isReady]).toEqual([['first'], false]);
  letGo();
  await ready;
  current = 'second';
  await vi.advanceTimersByTimeAsync(250);
  current = 'third';
  await vi.advanceTimersByTimeAsync(250);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(followed).toEqual(['first', 'second', 'third']);
  expect(prepared).toEqual(['timetable beside second', 'timetable beside third']);
});
