import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnswerCache } from '../../../api/plugins/answer-cache.ts';

const answer = (size: number) => ({ bytes: Buffer.alloc(size), mediaType: 'application/json' });

test('gives back what it was given', () => {
  const cache = createAnswerCache(10_000);
  const kept = answer(100);
  cache.keep('a', kept);
  expect(cache.find('a')).toBe(kept);
  expect(cache.find('b')).toBeNull();
});

test('lets the one not asked for longest go first', () => {
  const cache = createAnswerCache(4000);
  for (const tag of ['a', 'b', 'c', 'd']) cache.keep(tag, answer(550));
  cache.find('a');
  cache.keep('e', answer(550));
  expect([...'abcde'].filter((tag) => cache.find(tag))).toEqual(['a', 'c', 'd', 'e']);
});

test('does not keep what would push out everything else', () => {
  const cache = createAnswerCache(3000);
  cache.keep('a', answer(100));
  cache.keep('huge', answer(2000));
  expect(cache.find('huge')).toBeNull();
  expect(cache.find('a')).not.toBeNull();
});

test('keeps nothing when it may hold nothing', () => {
  const cache = createAnswerCache(0);
  cache.keep('a', answer(0));
  expect(cache.find('a')).toBeNull();
});

test('never holds more than it may, and knows how much it holds', () => {
  const step = fc.record({ tag: fc.constantFrom(...'abcdefgh'), size: fc.nat(1500), isLookup: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const cache = createAnswerCache(5000);
      const sizes = new Map<string, number>();
      for (const { tag, size, isLookup } of steps) {
        if (isLookup) cache.find(tag);
        else {
          cache.keep(tag, answer(size));
          sizes.set(tag, size);
        }
        expect(cache.bytesHeld).toBeLessThanOrEqual(5000);
      }
      const held = [...sizes].filter(([tag]) => cache.find(tag)).map(([, size]) => size + 400);
      expect(cache.bytesHeld).toBe(held.reduce((sum, size) => sum + size, 0));
    }),
  );
});
