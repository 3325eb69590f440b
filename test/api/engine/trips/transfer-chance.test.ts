import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExpectedCallEvent, findTransferChance } from '../../../../api/engine/predictions/transfer-estimates.ts';
import { type DelayQuantiles, findQuantile, findShare } from '../../../../pipeline/model/delay-distribution.ts';

const forecast = (low: number, median: number, high: number): DelayQuantiles => ({ low, median, high });
/** An arrival at 0, a departure at some second; `expected` only counts without a forecast. */
const expectedEvent = (scheduled: number, delay: DelayQuantiles | null, expected = scheduled): ExpectedCallEvent => ({
  scheduled,
  expected,
  delay,
  at: null,
});

const skewed = forecast(-60, 60, 240);

describe('a distribution', () => {
  test.each([
    [0, -180],
    [0.05, -120],
    [0.1, -60],
    [0.3, 0],
    [0.5, 60],
    [0.7, 150],
    [0.9, 240],
    [0.95, 330],
    [1, 420],
  ])('contains %f of the delays up to %i seconds', (share, seconds) => {
    expect(findQuantile(skewed, share)).toBeCloseTo(seconds, 9);
    expect(findShare(skewed, seconds)).toBeCloseTo(share, 9);
  });

  test('ends at its tails', () => {
    expect([findShare(skewed, -181), findShare(skewed, 421)]).toEqual([0, 1]);
  });

  test.each([
    ['a point', forecast(60, 60, 60), [0, 1, 1]],
    ['half of it is a point', forecast(60, 60, 100), [0, 0.5, 0.51]],
    ['another', forecast(20, 60, 60), [0.49, 1, 1]],
  ])('can be %s', (_what, delay, expected) => {
    const shares = [59, 60, 61].map((seconds) => findShare(delay, seconds));
    for (const [i, share] of shares.entries()) expect(share).toBeCloseTo(expected[i]!, 9);
  });
});

describe('the probability of a transfer', () => {
  const punctual = expectedEvent(600, null);

  test.each<[string, ExpectedCallEvent, ExpectedCallEvent, number, number | null]>([
    ['nothing is forecast', expectedEvent(0, null), punctual, 120, null],
    ['the arrival: p90 is exactly in time', expectedEvent(0, skewed), expectedEvent(360, null), 120, 0.9],
    ['the arrival: a second less', expectedEvent(0, skewed), expectedEvent(359, null), 120, 0.5 + (0.4 * 179) / 180],
    ['the arrival: certain', expectedEvent(0, skewed), punctual, 120, 1],
    ['the arrival: impossible', expectedEvent(0, skewed), expectedEvent(-100, null), 120, 0],
    ['the departure is at its expected time', expectedEvent(0, skewed), expectedEvent(0, null, 360), 120, 0.9],
    [
      'the forecast is relative to the schedule, not to the expected time',
      expectedEvent(0, skewed, 9999),
      expectedEvent(360, null),
      120,
      0.9,
    ],
    ['the departure: on time is sufficient', expectedEvent(0, null), expectedEvent(120, skewed), 120, 1],
    ['the departure: it must be a minute late', expectedEvent(0, null), expectedEvent(60, skewed), 120, 0.5],
    ['the departure: it must be four minutes late', expectedEvent(0, null), expectedEvent(-120, skewed), 120, 0.1],
    ['the departure is never early', expectedEvent(0, null), expectedEvent(120, forecast(-300, -200, -100)), 120, 1],
    ['both are points', expectedEvent(0, forecast(60, 60, 60)), expectedEvent(0, forecast(180, 180, 180)), 120, 1],
    [
      'both are points, a second too late',
      expectedEvent(0, forecast(61, 61, 61)),
      expectedEvent(0, forecast(180, 180, 180)),
      120,
      0,
    ],
  ])('%s', (_what, arrival, departure, transferSeconds, expected) => {
    const chance = findTransferChance(arrival, departure, transferSeconds);
    if (expected === null) expect(chance).toBeNull();
    else expect(chance).toBeCloseTo(expected, 9);
  });

  test('does not decrease with more time', () => {
    let before = 0;
    for (let scheduled = -600; scheduled < 900; scheduled += 7) {
      const chance = findTransferChance(expectedEvent(0, skewed), expectedEvent(scheduled, forecast(0, 30, 90)), 120)!;
      expect(chance).toBeGreaterThanOrEqual(before);
      before = chance;
    }
    expect(before).toBe(1);
  });
});

// ---- Simulation --------------------------------------------------------------------------------

const anyForecast = fc
  .tuple(fc.integer({ min: -300, max: 900 }), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 600 }))
  .map(([median, before, after]) => forecast(median - before, median, median + after));
const DRAWS = 20_000;

/** Draws delays as documented for the quantiles: a tenth below p10, four tenths up to the median, and so on. */
function drawDelay({ low, median, high }: DelayQuantiles, dice: () => number): number {
  const which = dice();
  const between = (from: number, to: number) => from + dice() * (to - from);
  if (which < 0.1) return between(low - (median - low), low);
  if (which < 0.5) return between(low, median);
  if (which < 0.9) return between(median, high);
  return between(high, high + (high - median));
}

/**
 * Numbers from 0 to 1, the same in every run.
 * @see Marsaglia, Xorshift RNGs, 2003
 */
function rollDice(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

test('matches the share in many trials', () => {
  const question = fc.record({
    arriving: fc.option(anyForecast, { nil: null }),
    leaving: anyForecast,
    isLeavingForecast: fc.boolean(),
    departure: fc.integer({ min: -300, max: 1500 }),
    transferSeconds: fc.integer({ min: 0, max: 600 }),
    seed: fc.integer({ min: 1, max: 2 ** 30 }),
  });
  fc.assert(
    fc.property(question, ({ arriving, leaving, isLeavingForecast, departure, transferSeconds, seed }) => {
      const delay = isLeavingForecast || arriving === null ? leaving : null;
      const chance = findTransferChance(expectedEvent(0, arriving), expectedEvent(departure, delay), transferSeconds)!;
      const dice = rollDice(seed);
      let caught = 0;
      for (let i = 0; i < DRAWS; i++) {
        const arrives = arriving ? drawDelay(arriving, dice) : 0;
        const leaves = departure + (delay ? Math.max(0, drawDelay(delay, dice)) : 0);
        if (arrives + transferSeconds <= leaves) caught++;
      }
      // The sampling error is below 0.004 in two of three cases; the sampling of departures adds at most 0.005.
      expect(Math.abs(chance - caught / DRAWS)).toBeLessThan(0.025);
    }),
    { numRuns: 150 },
  );
});
