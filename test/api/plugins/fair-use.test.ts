import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFairUse, type FairUseSettings } from '../../../api/plugins/fair-use.ts';

/** A clock with settable milliseconds. */
function handClock() {
  let now = 1_000_000;
  return {
    nowMilliseconds: () => now,
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

type Step = {
  readonly wait?: number;
  readonly from?: string;
  readonly as?: string;
  readonly cost: number;
  readonly times?: number;
  /** Verdict of the last call: remaining, reset, and the wait if refused. */
  readonly expect: readonly [remaining: number, reset: number, retryAfter: number];
};

function check(
  settings: FairUseSettings,
  steps: readonly Step[],
  limits?: { addresses: number; installations: number },
) {
  const clock = handClock();
  const fairUse = createFairUse(settings, clock, limits)!;
  for (const [index, { wait = 0, from = '192.0.2.1', as = null, cost, times = 1, expect: wanted }] of steps.entries()) {
    clock.advance(wait);
    let verdict = fairUse.charge(from, as, 0);
    for (let i = 0; i < times; i++) verdict = fairUse.charge(from, as, cost);
    const values = [verdict.remaining, verdict.resetSeconds, verdict.retryAfterSeconds];
    expect(values, `step ${index + 1}`).toEqual(wanted);
    expect(verdict.isAllowed, `step ${index + 1}`).toBe(wanted[2] === 0);
  }
}

const standard: FairUseSettings = { unitsPerMinute: 120, burst: 60 };

describe('one client at one address', () => {
  const cases: Record<string, Step[]> = {
    'looking costs nothing': [{ cost: 0, times: 9, expect: [60, 0, 0] }],
    'each call takes its cost': [
      { cost: 1, expect: [59, 1, 0] },
      { cost: 6, expect: [53, 4, 0] },
      { cost: 4, expect: [49, 6, 0] },
    ],
    'the burst ends, and a refused call takes nothing': [
      { cost: 1, times: 60, expect: [0, 30, 0] },
      { cost: 1, times: 5, expect: [0, 30, 1] },
      { cost: 4, expect: [0, 30, 2] },
    ],
    'two units come back each second': [
      { cost: 60, expect: [0, 30, 0] },
      { wait: 0.5, cost: 1, expect: [0, 30, 0] },
      { wait: 3, cost: 0, expect: [6, 27, 0] },
      { cost: 6, expect: [0, 30, 0] },
      { cost: 6, expect: [0, 30, 3] },
    ],
    'never more than the burst comes back': [
      { cost: 60, expect: [0, 30, 0] },
      { wait: 86_400, cost: 0, expect: [60, 0, 0] },
    ],
    'addresses do not know of each other': [
      { cost: 60, expect: [0, 30, 0] },
      { from: '192.0.2.2', cost: 1, expect: [59, 1, 0] },
    ],
    'a clock set back earns nothing': [
      { cost: 60, expect: [0, 30, 0] },
      { wait: -3600, cost: 1, expect: [0, 30, 1] },
      { wait: 1, cost: 2, expect: [0, 30, 0] },
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, steps) => check(standard, steps));

  test('lets a cost above the burst wait for a full bucket, which becomes negative', () => {
    check({ unitsPerMinute: 60, burst: 4 }, [
      { cost: 6, expect: [0, 6, 0] },
      { cost: 1, expect: [0, 6, 3] },
      { wait: 3, cost: 1, expect: [0, 4, 0] },
    ]);
  });

  test('states burst and refill time in the policy', () => {
    expect(createFairUse(standard, handClock())?.policy).toBe('"address";q=60;w=30');
    expect(createFairUse({ unitsPerMinute: 7, burst: 10 }, handClock())?.policy).toBe('"address";q=10;w=86');
  });

  test('is disabled with 0 units per minute', () => {
    expect(createFairUse({ unitsPerMinute: 0, burst: 60 }, handClock())).toBeNull();
  });
});

describe('several installations at one address', () => {
  const cases: Record<string, Step[]> = {
    'a token lifts nothing': [
      { as: 'device-1', cost: 60, expect: [0, 30, 0] },
      { as: 'device-2', cost: 1, expect: [0, 30, 1] },
      { cost: 1, expect: [0, 30, 1] },
    ],
    'a busy one leaves the others their portion of the lower half': [
      { as: 'device-1', cost: 1, expect: [59, 1, 0] },
      { as: 'device-2', cost: 1, times: 29, expect: [15, 15, 0] },
      { as: 'device-2', cost: 1, times: 15, expect: [0, 23, 0] },
      { as: 'device-2', cost: 1, expect: [0, 23, 1] },
      { as: 'device-1', cost: 1, times: 15, expect: [0, 30, 0] },
    ],
    'one that was busy alone starts with nothing of the lower half when another comes': [
      { as: 'device-1', cost: 60, expect: [0, 30, 0] },
      { wait: 1, as: 'device-2', cost: 1, expect: [1, 30, 0] },
      { wait: 0.5, as: 'device-1', cost: 2, expect: [1, 29, 1] },
      { as: 'device-2', cost: 2, expect: [0, 30, 0] },
    ],
    'the wait of one that took too much is that for its portion': [
      { as: 'device-1', cost: 1, expect: [59, 1, 0] },
      { as: 'device-2', cost: 44, expect: [0, 23, 0] },
      { as: 'device-2', cost: 6, expect: [0, 23, 6] },
      { wait: 6, as: 'device-2', cost: 6, expect: [0, 20, 0] },
    ],
    'one that fell silent is no longer counted': [
      { as: 'device-1', cost: 1, expect: [59, 1, 0] },
      { as: 'device-2', cost: 1, expect: [43, 1, 0] },
      { wait: 60, as: 'device-2', cost: 60, expect: [0, 30, 0] },
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, steps) => check(standard, steps));

  test('gives installations beyond the tracked number one shared portion', () => {
    check(
      standard,
      [
        { as: 'device-1', cost: 1, expect: [59, 1, 0] },
        { as: 'device-2', cost: 1, expect: [43, 1, 0] },
        { as: 'device-3', cost: 30, expect: [8, 16, 0] },
        { as: 'device-4', cost: 9, expect: [8, 16, 2] },
        { as: 'device-4', cost: 8, expect: [0, 20, 0] },
      ],
      { addresses: 10, installations: 2 },
    );
  });
});

test('evicts the least recently seen address', () => {
  check(
    standard,
    [
      { from: 'a', cost: 60, expect: [0, 30, 0] },
      { from: 'b', cost: 60, expect: [0, 30, 0] },
      { from: 'a', cost: 1, expect: [0, 30, 1] },
      { from: 'c', cost: 60, expect: [0, 30, 0] },
      { from: 'a', cost: 1, expect: [0, 30, 1] },
      { from: 'b', cost: 1, expect: [59, 1, 0] },
    ],
    { addresses: 2, installations: 4 },
  );
});

test('never lets an address spend more than burst plus refill, whatever its tokens', () => {
  const call = fc.record({
    waitMilliseconds: fc.nat(2000),
    as: fc.constantFrom(null, 'device-1', 'device-2', 'device-3'),
    cost: fc.constantFrom(1, 2, 4, 6),
  });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 200 }), (calls) => {
      const clock = handClock();
      const fairUse = createFairUse(standard, clock)!;
      let spent = 0;
      let elapsedMilliseconds = 0;
      for (const { waitMilliseconds, as, cost } of calls) {
        clock.advance(waitMilliseconds / 1000);
        elapsedMilliseconds += waitMilliseconds;
        const verdict = fairUse.charge('192.0.2.1', as, cost);
        if (verdict.isAllowed) spent += cost;
        expect(spent).toBeLessThanOrEqual(60 + (elapsedMilliseconds * 120) / 60_000);
        expect(verdict.remaining).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('admits a single client after the announced wait', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(1, 2, 4, 6), { minLength: 20, maxLength: 80 }), (costs) => {
      const clock = handClock();
      const fairUse = createFairUse(standard, clock)!;
      for (const cost of costs) {
        const verdict = fairUse.charge('192.0.2.1', 'device-1', cost);
        if (verdict.isAllowed) continue;
        clock.advance(verdict.retryAfterSeconds);
        expect(fairUse.charge('192.0.2.1', 'device-1', cost).isAllowed).toBe(true);
      }
    }),
  );
});
