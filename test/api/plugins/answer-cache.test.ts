import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnswerCache } from '../../../api/plugins/answer-cache.ts';

const answer = (size: number) => ({ bytes: Buffer.alloc(size), mediaType: 'application/json' });

test('returns stored responses', () => {
  const cache = createAnswerCache(10_000);
  const kept = answer(100);
  cache.keep('a', kept);
  expect(cache.find('a')).toBe(kept);
  expect(cache.find('b')).toBeNull();
});

test('evicts the least recently used', () => {
  const cache = createAnswerCache(4000);
  for (const tag of ['a', 'b', 'c', 'd']) cache.keep(tag, answer(550));
  cache.find('a');
  cache.keep('e', answer(550));
  expect([...'abcde'].filter((tag) => cache.find(tag))).toEqual(['a', 'c', 'd', 'e']);
});

test('stores responses that are made quickly while there is room, and then those that are made twice', () => {
  const cache = createAnswerCache(4000);
  for (const tag of 'abcde') cache.keepIfRepeated(tag, answer(550));
  expect([...'abcde'].filter((tag) => cache.find(tag))).toEqual(['a', 'b', 'c', 'd']);
  cache.keepIfRepeated('e', answer(550));
  expect([...'abcde'].filter((tag) => cache.find(tag))).toEqual(['b', 'c', 'd', 'e']);
});

test('does not store a response that would evict everything else', () => {
  const cache = createAnswerCache(3000);
  cache.keep('a', answer(100));
  cache.keep('huge', answer(2000));
  expect(cache.find('huge')).toBeNull();
  expect(cache.find('a')).not.toBeNull();
});

test('stores nothing with a limit of 0', () => {
  const cache = createAnswerCache(0);
  cache.keep('a', answer(0));
  cache.keepIfRepeated('a', answer(0));
  cache.keepIfRepeated('a', answer(0));
  expect(cache.find('a')).toBeNull();
});

test('never exceeds its limit, and tracks its size', () => {
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
