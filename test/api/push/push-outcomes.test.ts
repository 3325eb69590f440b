import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffSeconds, judgeStatus, tryLater } from '../../../api/push/push-outcomes.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { NOW, pushOf } from './push-cases.ts';

describe('a status', () => {
  test.each([
    [200, 'delivered'],
    [201, 'delivered'],
    [202, 'delivered'],
    [204, 'delivered'],
    [301, 'dropped'],
    [302, 'dropped'],
    [304, 'dropped'],
    [307, 'dropped'],
    [400, 'dropped'],
    [401, 'dropped'],
    [403, 'dropped'],
    [404, 'gone'],
    [405, 'dropped'],
    [408, 'retry'],
    [410, 'gone'],
    [413, 'dropped'],
    [425, 'retry'],
    [429, 'retry'],
    [500, 'retry'],
    [502, 'retry'],
    [503, 'retry'],
    [507, 'retry'],
    [599, 'retry'],
  ] as const)('%i is %s', (status, expected) => {
    expect(judgeStatus(status)).toBe(expected);
  });
});

describe('the wait after a failed attempt', () => {
  const attempts = fc.nat({ max: 10_000 });
  const random = fc.double({ min: 0, max: 1, noNaN: true });

  test('is between some seconds and a quarter of an hour, in whole seconds', () => {
    fc.assert(
      fc.property(attempts, random, (failed, chance) => {
        const seconds = backoffSeconds(failed, chance);
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(3);
        expect(seconds).toBeLessThanOrEqual(900);
      }),
    );
  });

  test('never decreases with another failure, for any random value', () => {
    fc.assert(
      fc.property(attempts, random, random, (failed, before, after) => {
        // One second is the rounding.
        const longestBefore = backoffSeconds(failed, before);
        const shortestAfter = backoffSeconds(failed + 1, after);
        const isAtItsEnd = backoffSeconds(failed, 1) === 900;
        if (!isAtItsEnd) expect(shortestAfter).toBeGreaterThanOrEqual(Math.min(longestBefore, 450) - 1);
      }),
    );
  });

  test('is spread: the minimum is half of the maximum', () => {
    expect([0, 1, 2, 3, 20].map((failed) => [backoffSeconds(failed, 0), backoffSeconds(failed, 1)])).toEqual([
      [3, 5],
      [5, 10],
      [10, 20],
      [20, 40],
      [450, 900],
    ]);
  });
});

test.each([
  ['while the event is valid', 59, { retryAt: NOW + 59 }],
  ['but not in its last second', 60, 'dropped'],
  ['nor after it', 61, 'dropped'],
])('an event is retried %s', (_when, waitSeconds, expected) => {
  const push = pushOf({ usefulUntil: (NOW + 60) as Instant });
  expect(tryLater(push, NOW, waitSeconds)).toEqual(expected);
});
