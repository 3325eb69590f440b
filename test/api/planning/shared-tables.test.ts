import { expect, test } from 'vitest';
import type { Memory } from '../../../api/engine/planner/shared-tables.ts';
import { createSharedTablesKey, joinSharedTables } from '../../../api/planning/messages.ts';

const makeRow = (value: number) => (memory: Memory) => ({ count: 1, row: memory.int32(3).fill(value) });
const refuse = () => {
  throw new Error('this should never be built');
};

test('share a table that one thread has built, in the same memory', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  const made = one.share('routes 1', makeRow(7));
  const taken = other.share<{ count: number; row: Int32Array }>('routes 1', refuse);
  expect(taken).toEqual({ count: 1, row: Int32Array.of(7, 7, 7) });
  made.row[0] = 8;
  expect(taken.row[0]).toBe(8);
});

test('build each key separately, and share nothing between timetables', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  one.share('routes 1', makeRow(1));
  expect(other.share('routes 2', makeRow(2)).row[0]).toBe(2);
  expect(joinSharedTables(createSharedTablesKey()).share('routes 1', makeRow(3)).row[0]).toBe(3);
});

test('a thread that joins later builds its own table, and the others keep theirs', () => {
  const key = createSharedTablesKey();
  joinSharedTables(key).share('routes 1', makeRow(1));
  expect(joinSharedTables(key).share('routes 1', makeRow(2)).row[0]).toBe(2);
});

test('a thread that fails to build leaves it to the others', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  expect(() => one.share('routes 1', refuse)).toThrow('should never be built');
  expect(other.share('routes 1', makeRow(2)).row[0]).toBe(2);
});

test('a thread that dies while building blocks nobody for long', () => {
  const key = createSharedTablesKey();
  const one = joinSharedTables(key, 20);
  Atomics.store(key.lock, 0, 1);
  expect(one.share('routes 1', makeRow(1)).row[0]).toBe(1);
  // From then on the normal case.
  expect(Atomics.load(key.lock, 0)).toBe(0);
});

test('keep only the newest of unused tables of other threads', () => {
  const key = createSharedTablesKey();
  const [one, other] = [joinSharedTables(key), joinSharedTables(key)];
  for (let span = 0; span < 10; span++) one.share(`routes ${span}`, makeRow(span));
  expect(other.share<{ row: Int32Array }>('routes 9', refuse).row[0]).toBe(9);
  expect(other.share('routes 0', makeRow(42)).row[0]).toBe(42);
});
