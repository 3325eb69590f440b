import { describe, expect, it } from 'vitest';
import {
  listSlices,
  measureClasses,
  measureErrors,
  measureEtaAccuracy,
  measureIntervals,
} from '../../../pipeline/predictions/measured/build-prediction-metrics.ts';
import type { ComparisonTable, PredictionMethod } from '../../../pipeline/predictions/measured/comparison-table.ts';

const floats = (...values: number[]) => Float32Array.from(values);
const forecaster = (name: string, median: Float32Array, low?: Float32Array, high?: Float32Array): PredictionMethod => ({
  name,
  median,
  low: low ?? null,
  high: high ?? null,
});

const table: ComparisonTable = {
  unit: 'raw',
  count: 4,
  truth: floats(0, 100, 200, 400),
  current: floats(0, 60, 180, 600),
  horizonSeconds: floats(0, 299, 300, 4000),
  secondsToArrival: floats(10, 180, 359, 900),
  forecasters: [
    forecaster('persistence', floats(0, 60, 180, 600)),
    forecaster('ours', floats(0, 90, 260, 500), floats(0, 90, 210, 100), floats(0, 210, 300, 700)),
  ],
};
const buckets = [
  { name: 'near', from: 0, to: 300 },
  { name: 'far', from: 300, to: Number.POSITIVE_INFINITY },
  { name: 'nowhere', from: -10, to: -5 },
];
const [all, near, far, nowhere, late] = listSlices(table, buckets);

describe('errors', () => {
  it.each([
    ['all', all!, 4, 260 / 4, 170 / 4, 170 / 260 - 1],
    ['near', near!, 2, 20, 5, 10 / 40 - 1],
    ['far', far!, 2, 110, 80, 160 / 220 - 1],
    ['late', late!, 2, 110, 80, 160 / 220 - 1],
    ['without pairs', nowhere!, 0, null, null, null],
  ])('%s', (_, slice, pairs, persistence, ours, against) => {
    const metrics = measureErrors(table, slice);
    expect(metrics.pairs).toBe(pairs);
    expect(metrics.meanError).toEqual({ persistence, ours });
    expect(metrics.againstPersistence.ours).toEqual(against === null ? null : expect.closeTo(against, 10));
  });
});

describe('intervals', () => {
  it('are covered by their ends, and cost ten times the miss', () => {
    expect(measureIntervals(table, all!, table.forecasters[1]!)).toMatchObject({
      covered: 0.75,
      hit: 0.25,
      meanWidth: (0 + 120 + 90 + 600) / 4,
      winkler: (810 + 10 * 10) / 4,
    });
    expect(measureIntervals(table, nowhere!, table.forecasters[1]!)).toMatchObject({ covered: null, winkler: null });
    expect(measureIntervals(table, all!, table.forecasters[0]!)).toBeNull();
  });

  it('classify the pairs of at most an hour', () => {
    expect(measureClasses(table)).toEqual([
      { name: 'high', pairs: 3, share: 1, covered: 2 / 3, within60: 1, within120: 1, within180: 1 },
      { name: 'medium', pairs: 0, share: 0, covered: null, within60: null, within120: null, within180: null },
      { name: 'none', pairs: 0, share: 0, covered: null, within60: null, within120: null, within180: null },
    ]);
  });
});

describe('the ETA benchmark', () => {
  const accurate = (away: number, later: number) => {
    const one: ComparisonTable = {
      ...table,
      count: 1,
      truth: floats(100 + later),
      secondsToArrival: floats(away),
      forecasters: [forecaster('ours', floats(100))],
    };
    const hit = measureEtaAccuracy(one).find(({ pairs, bucket }) => pairs === 1 && bucket !== 'mean of buckets');
    return hit ? [hit.bucket, hit.accurate.ours] : null;
  };

  // Limits on both sides: https://github.com/TransitApp/ETA-Accuracy-Benchmark
  it.each([
    [0, -30, ['0-3 min', 1]],
    [179, -31, ['0-3 min', 0]],
    [10, 90, ['0-3 min', 1]],
    [10, 91, ['0-3 min', 0]],
    [180, -60, ['3-6 min', 1]],
    [200, 150, ['3-6 min', 1]],
    [200, 151, ['3-6 min', 0]],
    [360, -61, ['6-10 min', 0]],
    [599, 210, ['6-10 min', 1]],
    [600, -90, ['10-15 min', 1]],
    [899, 271, ['10-15 min', 0]],
    [900, 0, null],
    [-1, 0, null],
  ])('%i s away, %i s later than predicted', (away, later, expected) => {
    expect(accurate(away, later)).toEqual(expected);
  });

  it('weighs all buckets equally, and has no mean if one is empty', () => {
    expect(measureEtaAccuracy(table).at(-1)).toMatchObject({ bucket: 'mean of buckets', accurate: { ours: null } });
    const full: ComparisonTable = {
      ...table,
      secondsToArrival: floats(10, 200, 400, 700),
      forecasters: [forecaster('ours', floats(0, 100, 200, 0))],
    };
    expect(measureEtaAccuracy(full).at(-1)).toMatchObject({ pairs: 4, accurate: { ours: 0.75 } });
  });
});
