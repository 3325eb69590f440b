import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildEntityTag,
  hashEntityTag,
  matchesAnyEntityTag,
  matchesEntityTag,
} from '../../../api/plugins/entity-tag.ts';

test('builds strong, quoted tags that are equal in every process', () => {
  expect(buildEntityTag(['data-1', { limit: 3 }])).toBe(buildEntityTag(['data-1', { limit: 3 }]));
  expect(buildEntityTag(['data-1', { limit: 3 }])).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
  expect(hashEntityTag(Buffer.from('page'))).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
});

test('builds different tags for different parts', () => {
  const parts = fc.array(fc.jsonValue(), { maxLength: 4 });
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(buildEntityTag(one) === buildEntityTag(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  expect(buildEntityTag(['a', 'b'])).not.toBe(buildEntityTag(['ab']));
});

const tag = '"abc"';
test.each([
  [undefined, false],
  ['"abc"', true],
  ['W/"abc"', true],
  ['"x", "abc"', true],
  ['"x",W/"abc","y"', true],
  ['"abcd"', false],
  ['abc', false],
  ['"x,abc"', false],
  ['*', false],
  ['', false],
])('If-None-Match %s: %s', (header, isNamed) => {
  expect(matchesEntityTag(header, tag)).toBe(isNamed);
});

test.each([
  [undefined, false],
  ['*', true],
  [' * ', true],
  ['"*"', false],
  ['*, "abc"', false],
])('If-None-Match %s matches any tag: %s', (header, isNamed) => {
  expect(matchesAnyEntityTag(header)).toBe(isNamed);
});
