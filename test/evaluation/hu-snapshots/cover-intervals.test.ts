import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { minDelay } from './report-features.ts';
import { type CoverPairs, coverIntervals, roundForecast } from './snapshot-model.ts';

const PER_DAY = 6000;

/** Truths in whole minutes around 0, of the second kind wider, and of the third on the floor half of the time. */
function makePairs(seed: number): CoverPairs {
  const random = seededRandom(seed);
  const count = PER_DAY * 4;
  const day = Int32Array.from({ length: count }, (_, pair) => 100 + Math.floor(pair / PER_DAY));
  const kind = Uint16Array.from({ length: count }, () => Math.floor(random() * 3));
  const least = Float32Array.from(kind, (one) => (one === 2 ? 0 : -6000));
  const truth = Float32Array.from(kind, (one, pair) =>
    Math.max(least[pair]!, Math.round((random() * 2 - 1) * (one === 0 ? 8 : 20)) * 60),
  );
  const requestedAt = Float64Array.from(day, (one, pair) => one * 86_400 + (pair % PER_DAY));
  return { day, kind, truth, least, requestedAt, knownAt: requestedAt.map((at) => at + 600) };
}

function makeForecasts(count: number, seed: number) {
  const random = seededRandom(seed);
  const around = (value: number) => Float32Array.from({ length: count }, () => value + random() * 60);
  return { low: around(-300), median: around(-30), high: around(240) };
}

describe('forecasts as they are reported', () => {
  it.each([
    [100, -6000, 120],
    [89, -6000, 60],
    [-40, -6000, -60],
    [100, 300, 300],
  ])('%i s with at least %i s are %i s', (seconds, least, expected) => {
    expect(roundForecast(seconds, least)).toBe(expected);
  });

  // An arrival is ahead when it comes after now, not now.
  it.each([
    [-120, 180],
    [-121, 180],
    [-119, 120],
    [0, 60],
    [60, 0],
    [90, -60],
  ])('planned in %i s, an arrival that is ahead has at least %i s', (ahead, expected) => {
    expect(minDelay(ahead)).toBe(expected);
  });
});

describe('intervals of snapshots', () => {
  it('hold four fifths of the truths, neither more nor fewer, kind by kind', () => {
    const pairs = makePairs(1);
    const { low, high } = coverIntervals(pairs, makeForecasts(pairs.day.length, 2), [103]);
    for (const kind of [0, 1, 2]) {
      const mine = [...pairs.day.keys()].filter((place) => pairs.day[place] === 103 && pairs.kind[place] === kind);
      const inside = mine.filter((place) => pairs.truth[place]! >= low[place]! && pairs.truth[place]! <= high[place]!);
      expect(inside.length / mine.length).toBeGreaterThan(0.77);
      // Where the floor lets none lie below, no more than 15 % may lie above all the same.
      expect(inside.length / mine.length).toBeLessThan(kind === 2 ? 0.87 : 0.84);
    }
  });

  it('learn nothing from their own day, nor from what was not yet known', () => {
    const pairs = makePairs(3);
    const forecasts = makeForecasts(pairs.day.length, 4);
    const before = coverIntervals(pairs, forecasts, [102]);
    const truth = pairs.truth.map((delay, place) => (pairs.day[place]! >= 102 ? 6000 : delay));
    expect(coverIntervals({ ...pairs, truth }, forecasts, [102])).toEqual(before);
  });

  it('are in order and on whole minutes, and stay as they are without past pairs', () => {
    const pairs = makePairs(5);
    const { low, median, high } = coverIntervals(pairs, makeForecasts(pairs.day.length, 6), [100]);
    for (let place = 0; place < PER_DAY; place++) {
      expect(low[place]).toBeLessThanOrEqual(median[place]!);
      expect(high[place]).toBeGreaterThanOrEqual(median[place]!);
      for (const end of [low, median, high]) expect(Math.abs(end[place]! % 60)).toBe(0);
      if (pairs.least[place] === -6000) expect(low[place]).toBeLessThanOrEqual(-240);
    }
  });
});
