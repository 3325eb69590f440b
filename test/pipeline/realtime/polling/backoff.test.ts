import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../../pipeline/effects/retry-after.ts';
import { backoffMilliseconds } from '../../../../pipeline/model/retry-policy.ts';
import { sourceRetryPolicy } from '../../../../pipeline/realtime/polling/poll-once.ts';

describe('the wait after failures', () => {
  const cases: readonly [failures: number, intervalSeconds: number, random: number, seconds: number][] = [
    [1, 30, 0, 30],
    [1, 30, 1, 45],
    [2, 30, 0, 60],
    [4, 30, 0.5, 300],
    [5, 30, 0, 300],
    [99, 30, 1, 450],
    // A request with a long interval keeps it.
    [3, 900, 0, 900],
  ];
  it.each(cases)('%i at %i s, random %d: %d s', (failures, interval, random, seconds) => {
    expect(backoffMilliseconds(sourceRetryPolicy(interval), failures, random)).toBe(seconds * 1000);
  });

  it('is never shorter than the interval, and never decreases with more failures', () => {
    const [failures, interval] = [fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 86_400 })];
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(failures, interval, random, (n, seconds, r) => {
        const policy = sourceRetryPolicy(seconds);
        expect(backoffMilliseconds(policy, n, r)).toBeGreaterThanOrEqual(seconds * 1000);
        expect(backoffMilliseconds(policy, n + 1, r)).toBeGreaterThanOrEqual(backoffMilliseconds(policy, n, r));
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-02T07:00:00Z');
  const cases: readonly [header: string | null, seconds: number | null][] = [
    ['120', 120],
    [' 7 ', 7],
    ['0', 0],
    ['999999', 3600],
    ['Mon, 02 Mar 2026 07:00:30 GMT', 30],
    ['Mon, 02 Mar 2026 06:00:00 GMT', 0],
    ['Tue, 03 Mar 2026 06:00:00 GMT', 3600],
    ['later', null],
    ['-5', null],
    ['', null],
    [null, null],
  ];
  it.each(cases)('%j', (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds);
  });
});
