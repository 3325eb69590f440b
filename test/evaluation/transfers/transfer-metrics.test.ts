import { describe, expect, it } from 'vitest';
import type { KnownSide, TransferCases } from '../../../pipeline/predictions/past-transfers/transfer-cases.ts';
import { ruleOfDelays, sharesByPlannedMinutes, tableOfDelays } from './transfer-baselines.ts';
import { measureInstant, measureProbabilities } from './transfer-metrics.ts';

/** One case: planned seconds, last known delays of both (null where none is), seconds left in the end. */
type Row = readonly [planned: number, arrival: number | null, departure: number | null, left: number];

function makeCases(rows: readonly Row[]): TransferCases {
  const side = (column: 1 | 2): KnownSide => ({
    call: Int32Array.from(rows, (row) => (row[column] === null ? -1 : 0)),
    isDeparture: new Uint8Array(rows.length),
    delay: Float32Array.from(rows, (row) => row[column] ?? Number.NaN),
    age: new Float32Array(rows.length),
    overdue: new Float32Array(rows.length),
  });
  return {
    count: rows.length,
    transfers: { count: 0, arrival: new Int32Array(0), departure: new Int32Array(0) },
    day: new Int32Array(rows.length),
    secondsToArrival: new Int32Array(rows.length),
    requestedAt: new Float64Array(rows.length),
    plannedSeconds: Int32Array.from(rows, ([planned]) => planned),
    hour: new Uint8Array(rows.length),
    dwellSeconds: new Float32Array(rows.length),
    leftSeconds: Float32Array.from(rows, (row) => row[3]),
    arrival: side(1),
    departure: side(2),
  };
}

const places = (from: number, to: number) => Int32Array.from({ length: to - from }, (_, i) => from + i);
const round = (values: Float32Array) => [...values].map((value) => Number(value.toFixed(4)));

describe('the baselines', () => {
  // Four cases of the past, and below the ones that are asked.
  const rows: Row[] = [
    [300, 60, null, 0],
    [300, 60, null, -1],
    [359, 119, null, 30],
    [600, 0, 0, 30],
    // The same minutes and knowledge as the first three; other knowledge; never seen; late departure; beyond the table.
    [330, 90, null, 0],
    [300, 60, 0, 0],
    [900, null, null, 0],
    [600, 500, 40, 0],
    [600, 481, null, 0],
    [1200, 0, 900, 0],
  ];
  const cases = makeCases(rows);

  it.each([
    // (held + 1) / (n + 2)
    ['share by planned minutes', sharesByPlannedMinutes, [0.6, 0.6, 0.5, 0.6667, 0.6667, 0.5]],
    ['rule', ruleOfDelays, [1, 1, 1, 1, 0, 1]],
    ['table', tableOfDelays, [0.6, 0.5, 0.5, 0.5, 0.5, 0.5]],
  ])('%s', (_, baseline, expected) => {
    expect(round(baseline(cases, places(0, 4), places(4, 10)))).toEqual(expected);
  });

  it('the table ends at 20 minutes', () => {
    const late = makeCases([
      [1200, 0, 900, 0],
      [1200, 0, 60, 5],
      [1200, 0, 6000, 5],
    ]);
    expect(round(tableOfDelays(late, places(0, 1), places(1, 3)))).toEqual([0.6667, 0.6667]);
  });
});

describe('metrics of probabilities', () => {
  it('are Brier and log loss as defined', () => {
    const { brier, logLoss, bins, maxDeviation } = measureProbabilities(
      Float32Array.of(0.5, 0.75, 1, 0),
      Uint8Array.of(1, 0, 1, 1),
    );
    expect(brier).toBeCloseTo((0.25 + 0.5625 + 0 + 1) / 4, 9);
    expect(logLoss).toBeCloseTo((Math.log(2) + Math.log(4) - Math.log(0.999) - Math.log(0.001)) / 4, 6);
    expect([bins, maxDeviation]).toEqual([[], 0]);
  });

  it('compare bins of 300 and more', () => {
    // 300 forecasts of 0.85, of which 240 held; 299 of 0.35, of which none held; 400 of 1, all held.
    const probability = Float32Array.from({ length: 999 }, (_, i) => (i < 300 ? 0.85 : i < 599 ? 0.35 : 1));
    const held = Uint8Array.from(probability, (_, i) => (i < 240 || i >= 599 ? 1 : 0));
    const { bins, maxDeviation } = measureProbabilities(probability, held);
    expect(bins.map(({ from, pairs }) => [from, pairs])).toEqual([
      [0.8, 300],
      [0.9, 400],
    ]);
    expect(bins[0]!.held).toBe(0.8);
    expect(maxDeviation).toBeCloseTo(0.05, 6);
  });

  it('separate short transfers and those of past days, and refer to the table', () => {
    const cases = makeCases([
      [480, 0, null, 0],
      [481, null, null, -1],
      [300, null, null, -1],
    ]);
    const slices = measureInstant(cases, 30, places(0, 3), [
      { name: 'table', probability: Float32Array.of(0.5, 0.5, 0.5) },
      { name: 'ours', probability: Float32Array.of(1, 0, 0.5) },
    ]);
    expect(slices.map(({ slice, pairs, held }) => [slice, pairs, held])).toEqual([
      ['all', 3, 1 / 3],
      ['8 min or less', 2, 0.5],
      ['history', 3, 1 / 3],
    ]);
    expect(slices[0]!.observed).toBeCloseTo(1 / 3, 9);
    expect(slices.map(({ forecasters }) => forecasters[1]!.ofTable)).toEqual([1 / 3, 0.5, 1 / 3]);
  });
});
