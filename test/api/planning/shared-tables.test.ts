import { expect, test } from 'vitest';
import type { Memory } from '../../../api/engine/planner/shared-tables.ts';
import { createSharedTablesKey, joinSharedTables } from '../../../api/planning/messages.ts';

const makeRow = (value: number) => (memory: Memory) => ({ count: 1, row: memory.int32(3).fill(value) });
const refuse = () => {
  throw new Error('nobody should make this');
};

test('what one has made the others take, in the same memory', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  const made = one.share('lanes 1', makeRow(7));
  const taken = other.share<{ count: number; row: Int32Array }>('lanes 1', refuse);
  expect(taken).toEqual({ count: 1, row: Int32Array.of(7, 7, 7) });
  made.row[0] = 8;
  expect(taken.row[0]).toBe(8);
});

test('each name is made for itself, and other timetables share none', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  one.share('lanes 1', makeRow(1));
  expect(other.share('lanes 2', makeRow(2)).row[0]).toBe(2);
  expect(joinSharedTables(createSharedTablesKey()).share('lanes 1', makeRow(3)).row[0]).toBe(3);
});

test('who joins later makes his own, and the others keep theirs', () => {
  const key = createSharedTablesKey();
  joinSharedTables(key).share('lanes 1', makeRow(1));
  expect(joinSharedTables(key).share('lanes 1', makeRow(2)).row[0]).toBe(2);
});

test('who fails to make something leaves the others to try', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  expect(() => one.share('lanes 1', refuse)).toThrow('nobody should');
  expect(other.share('lanes 1', makeRow(2)).row[0]).toBe(2);
});

test('who died over it holds nobody up for long', () => {
  const key = createSharedTablesKey();
  const one = joinSharedTables(key, 20);
  Atomics.store(key.lock, 0, 1);
  expect(one.share('lanes 1', makeRow(1)).row[0]).toBe(1);
  // From then on all is as before.
  expect(Atomics.load(key.lock, 0)).toBe(0);
});

test('of what others made and nobody wants here, only the newest is held', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  for (let span = 0; span < 10; span++) one.share(`lanes ${span}`, makeRow(span));
  expect(other.share<{ row: Int32Array }>('lanes 9', refuse).row[0]).toBe(9);
  expect(other.share('lanes 0', makeRow(42)).row[0]).toBe(42);
});
