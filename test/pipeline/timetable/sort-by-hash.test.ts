import { expect, it } from 'vitest';
import { sortByHash } from '../../../pipeline/timetable/snapshot/sort-by-hash.ts';

it.each<[title: string, hashes: readonly number[], order: readonly number[]]>([
  ['no rows', [], []],
  ['rows by hash', [3, 1, 2], [1, 2, 0]],
  ['hashes of all 32 bits as unsigned', [0xffffffff, 0, 0x80000000], [1, 2, 0]],
  // Here, the later row is the lesser one.
  ['rows of one hash by the comparison', [7, 5, 7, 7, 5], [4, 1, 3, 2, 0]],
])('sorts %s', (_title, hashes, order) => {
  expect([...sortByHash(Uint32Array.from(hashes), (a, b) => b - a)]).toEqual(order);
});

it('sorts rows that compare equal by row', () => {
  expect([...sortByHash(Uint32Array.of(7, 7, 7), () => 0)]).toEqual([0, 1, 2]);
});
