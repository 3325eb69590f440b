import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { type CalibrationPairs, calibrateIntervals } from '../../../pipeline/predictions/model/calibrate.ts';

const PER_DAY = 4000;
const DAYS = 9;

/** True values around 0 whose spread depends on the kind, with predicted intervals that are all equal. */
function makePairs(seed: number) {
  const random = seededRandom(seed);
  const count = PER_DAY * DAYS;
  const day = Int32Array.from({ length: count }, (_, pair) => 100 + Math.floor(pair / PER_DAY));
  const kind = Uint16Array.from({ length: count }, () => (random() < 0.5 ? 0 : 1));
  const truth = Float32Array.from(kind, (one) => (random() * 2 - 1) * (one === 0 ? 50 : 300));
  const requestedAt = Float64Array.from(day, (one, pair) => one * 86_400 + (pair % PER_DAY));
  const pairs: CalibrationPairs = { day, kind, truth, requestedAt, knownAt: requestedAt.map((at) => at + 600) };
  const all = (value: number) => new Float32Array(count).fill(value);
  return { pairs, forecasts: { low: all(-120), median: all(0), high: all(120) } };
}

const places = (day: Int32Array, wanted: number) => [...day.keys()].filter((place) => day[place] === wanted);

describe('intervals', () => {
  it('have a twelfth of the true values beyond each end, kind by kind', () => {
    const { pairs, forecasts } = makePairs(1);
    const { low, high } = calibrateIntervals(pairs, forecasts, [108], 1);
    for (const kind of [0, 1]) {
      const mine = places(pairs.day, 108).filter((place) => pairs.kind[place] === kind);
      const below = mine.filter((place) => pairs.truth[place]! < low[place]!).length / mine.length;
      const above = mine.filter((place) => pairs.truth[place]! > high[place]!).length / mine.length;
      for (const beyond of [below, above]) {
        expect(beyond).toBeGreaterThan(0.06);
        expect(beyond).toBeLessThan(0.1);
      }
    }
  });

  it.each([
    ['few true values that equal the median', 150, 0.8, 0.87],
    ['many true values that equal the median', 40, 0.84, 0.96],
  ])('cover no more than necessary of whole minutes, with %s', (_what, spread, least, most) => {
    const { pairs, forecasts } = makePairs(5);
    const random = seededRandom(6);
    const sum = () => random() + random() + random() - 1.5;
    const truth = pairs.truth.map(() => Math.round((sum() * spread) / 60) * 60);
    const ends = (value: number) => forecasts.low.map(() => value + 60 * (random() - 0.5));
    const { low, high } = calibrateIntervals(
      { ...pairs, truth },
      { low: ends(-130), median: ends(0), high: ends(130) },
      [108],
      60,
    );
    const mine = places(pairs.day, 108);
    const covered = mine.filter((place) => low[place]! <= truth[place]! && truth[place]! <= high[place]!).length;
    expect(covered / mine.length).toBeGreaterThan(least);
    expect(covered / mine.length).toBeLessThan(most);
  });

  it('learn nothing from their own day or later, nor from events after its first instant', () => {
    const { pairs, forecasts } = makePairs(2);
    const before = calibrateIntervals(pairs, forecasts, [107], 60);
    const first = 107 * 86_400;
    const knownAt = pairs.knownAt.map((at, place) => (place % 3 === 0 ? first + 5 : at));
    const truth = pairs.truth.map((one, place) => (knownAt[place]! > first ? 5000 : one));
    // Whether it is missing or poisoned makes no difference.
    const poisoned = calibrateIntervals({ ...pairs, knownAt, truth }, forecasts, [107], 60);
    const clean = calibrateIntervals({ ...pairs, knownAt }, forecasts, [107], 60);
    expect(poisoned).toEqual(clean);
    const late = pairs.truth.map((one, place) => (pairs.day[place]! >= 107 ? 5000 : one));
    expect(calibrateIntervals({ ...pairs, truth: late }, forecasts, [107], 60)).toEqual(before);
  });

  it('lie on the grid with the median inside', () => {
    const { pairs, forecasts } = makePairs(3);
    const moved = { ...forecasts, median: forecasts.median.map((_, place) => (place % 7) * 40 - 100) };
    const { low, median, high } = calibrateIntervals(pairs, moved, [108], 60);
    for (const place of places(pairs.day, 108)) {
      for (const end of [low, median, high]) expect(Math.abs(end[place]! % 60)).toBe(0);
      expect(low[place]).toBeLessThanOrEqual(median[place]!);
      expect(high[place]).toBeGreaterThanOrEqual(median[place]!);
    }
  });

  it('are unchanged without past pairs', () => {
    const { pairs, forecasts } = makePairs(4);
    const { low, high } = calibrateIntervals(pairs, forecasts, [100], 1);
    expect(low[0]).toBe(-120);
    expect(high[0]).toBe(120);
  });
});
