import { describe, expect, it } from 'vitest';
import { findConfidence } from '../../../pipeline/model/prediction.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import {
  AdaptiveForecasts,
  type ExpertRows,
  takeExpertRows,
} from '../../../pipeline/predictions/model/adaptive-forecasts.ts';

const SECONDS = { seconds: 1, offsetOf: () => 0 };
const noMisses = { below: [], above: [] };

/** Rows of a vehicle that is 60 s late: every expert expects the same change, with the given interval. */
function makeRows(change: number, down: number, up: number, count = 1): ExpertRows {
  const fill = (value: number) => new Float32Array(count).fill(value);
  return {
    count,
    current: fill(60),
    horizonGroup: new Uint8Array(count),
    changes: new Float32Array(4 * count).fill(change),
    down: fill(down),
    up: fill(up),
  };
}

/** A roughly normal error. */
const errorOf = (random: () => number, size: number) => size * (random() + random() + random() + random() - 2) * 1.7;

describe('AdaptiveForecasts', () => {
  it('publishes no confidence before it has seen enough outcomes', () => {
    const forecasts = new AdaptiveForecasts(false, 1, noMisses);
    const rows = makeRows(0, 10, 10);
    const width = () => {
      const { low, high } = forecasts.settle(rows, 0, SECONDS);
      return high - low;
    };
    expect(findConfidence(width())).toBe(null);
    for (let i = 0; i < 49; i++) forecasts.learn(rows, 0, 60, SECONDS);
    expect(findConfidence(width())).toBe(null);
    forecasts.learn(rows, 0, 60, SECONDS);
    expect(findConfidence(width())).toBe('high');
  });

  it.each([
    ['far too narrow', 2, 25],
    ['far too wide', 200, 25],
    ['right', 32, 25],
  ])('covers four fifths of the outcomes with intervals that were %s', (_what, half, size) => {
    const forecasts = new AdaptiveForecasts(false, 1, noMisses);
    const random = seededRandom(3);
    const rows = makeRows(0, half, half);
    let covered = 0;
    for (let i = 0; i < 3000; i++) {
      const truth = 60 + errorOf(random, size);
      const { low, high } = forecasts.settle(rows, 0, SECONDS);
      if (i >= 1000 && low <= truth && truth <= high) covered++;
      forecasts.learn(rows, 0, truth, SECONDS);
    }
    expect(covered / 2000).toBeGreaterThan(0.79);
    expect(covered / 2000).toBeLessThan(0.86);
  });

  it.each([
    ['half of which equal the median', 20, 0.91],
    ['few of which equal the median', 90, 0.86],
  ])('covers no more than necessary of delays in whole minutes, %s', (_what, size, most) => {
    const forecasts = new AdaptiveForecasts(false, 1, noMisses);
    const grid = { seconds: 60, offsetOf: () => 0 };
    const random = seededRandom(5);
    let covered = 0;
    for (let i = 0; i < 6000; i++) {
      // Every row has another interval, as from a forest.
      const rows = makeRows(20 * (random() - 0.5), 150 * random(), 150 * random());
      const truth = Math.round((60 + errorOf(random, size)) / 60) * 60;
      const { low, high } = forecasts.settle(rows, 0, grid);
      if (i >= 3000 && low <= truth && truth <= high) covered++;
      forecasts.learn(rows, 0, truth, grid);
    }
    expect(covered / 3000).toBeGreaterThan(0.8);
    expect(covered / 3000).toBeLessThan(most);
  });

  it('begins with the misses on an archive', () => {
    const wide = new AdaptiveForecasts(false, 1, { below: [[500]], above: [[700]] });
    const { low, median, high } = wide.settle(makeRows(0, 10, 20), 0, SECONDS);
    expect([low, median, high]).toEqual([60 - 510, 60, 60 + 720]);
  });

  it('forecasts only delays that can occur', () => {
    const forecasts = new AdaptiveForecasts(false, 1, noMisses);
    for (let i = 0; i < 60; i++) forecasts.learn(makeRows(0, 10, 10), 0, 60, SECONDS);
    const { low, median, high } = forecasts.settle(makeRows(25, 70, 40), 0, { seconds: 60, offsetOf: () => 30 });
    expect([low, median, high].map((seconds) => (seconds - 30) % 60)).toEqual([0, 0, 0]);
  });

  it('learns the same from a row that was kept', () => {
    const rows = { ...makeRows(30, 10, 10, 3), current: Float32Array.of(0, 60, 120) };
    const [one, other] = [new AdaptiveForecasts(false, 1, noMisses), new AdaptiveForecasts(false, 1, noMisses)];
    for (let i = 0; i < 100; i++) {
      one.learn(rows, 2, 120 + i, SECONDS);
      other.learn(takeExpertRows(rows, [0, 2]), 1, 120 + i, SECONDS);
    }
    expect(other.settle(rows, 0, SECONDS)).toEqual(one.settle(rows, 0, SECONDS));
  });
});
