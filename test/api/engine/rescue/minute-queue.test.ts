import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMinuteQueue, MAX_RANK } from '../../../../api/engine/rescue/minute-queue.ts';

const items = fc.array(fc.record({ minute: fc.nat(2000), rank: fc.nat(MAX_RANK) }), { minLength: 1, maxLength: 60 });

test('items come by minute, then by rank', () => {
  fc.assert(
    fc.property(items, (pushed) => {
      const queue = createMinuteQueue<(typeof pushed)[number]>();
      for (const item of pushed) queue.push(item.minute, item.rank, item);
      const sorted = pushed.toSorted((a, b) => a.minute - b.minute || a.rank - b.rank);
      const taken = sorted.map(({ minute, rank }) => {
        expect(queue.nextMinute()).toBe(minute);
        const item = queue.pop()!;
        expect(queue.minute()).toBe(minute);
        expect(item.rank).toBe(rank);
        return item;
      });
      expect(new Set(taken)).toEqual(new Set(pushed));
      expect(queue.pop()).toBeUndefined();
      expect(queue.nextMinute()).toBe(Number.POSITIVE_INFINITY);
    }),
  );
});

test('an item for a minute that has passed comes in the present one', () => {
  const queue = createMinuteQueue<string>();
  queue.push(5, 2, 'first');
  queue.push(7, 0, 'last');
  expect(queue.pop()).toBe('first');
  queue.push(5, 3, 'third');
  queue.push(1, 1, 'second');
  expect([queue.pop(), queue.minute(), queue.pop(), queue.pop()]).toEqual(['second', 5, 'third', 'last']);
});
