import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { readDelayModel, writeDelayModel } from '../../../pipeline/predictions/learning/model-store.ts';
import {
  type ModelRows,
  predictDelays,
  predictMedian,
  trainDelayModel,
} from '../../../pipeline/predictions/model/delay-model.ts';

/** Delays that halve, with noise of up to a minute; every tenth row lacks the first column. */
function makeRows(seed: number, count: number): ModelRows {
  const random = seededRandom(seed);
  const current = Float32Array.from({ length: count }, () => Math.floor(random() * 1200));
  const values = new Float32Array(count * 2);
  current.forEach((delay, row) => {
    values.set([row % 10 === 0 ? Number.NaN : delay, random()], row * 2);
  });
  return { values, current, truth: current.map((delay) => delay / 2 + (random() * 2 - 1) * 60) };
}

const columns = ['current_delay', 'noise'];
const model = trainDelayModel(columns, makeRows(1, 4000), makeRows(2, 1000), 1);
const test = makeRows(3, 1000);

describe('a delay model', () => {
  it('predicts medians with ends around them', () => {
    const { low, median, high } = predictDelays(model, test);
    let error = 0;
    let covered = 0;
    test.truth.forEach((truth, row) => {
      expect(low[row]).toBeLessThanOrEqual(median[row]!);
      expect(high[row]).toBeGreaterThanOrEqual(median[row]!);
      error += Math.abs(truth - median[row]!) / test.truth.length;
      if (truth >= low[row]! && truth <= high[row]!) covered += 1 / test.truth.length;
    });
    // The noise alone is 30 s; without the delay the error is 150 s larger.
    expect(error).toBeLessThan(60);
    expect(covered).toBeGreaterThan(0.65);
  });

  it('splits only its upper end by what was observed of other vehicles', () => {
    const withTraffic = ['current_delay', 'route_delay'];
    const { low, median: middle, high } = trainDelayModel(withTraffic, makeRows(1, 4000), makeRows(2, 1000), 1);
    expect([low, middle, high].map(({ column }) => column.includes(1))).toEqual([false, false, true]);
  });

  it('rounds to its grid', () => {
    for (const delay of predictMedian(model.median, test, 60)) expect(Math.abs(delay % 60)).toBe(0);
  });

  it('is read as it was written, and rejects anything else', () => {
    const bytes = writeDelayModel(model);
    expect(readDelayModel(bytes)).toEqual(model);
    expect(predictDelays(readDelayModel(bytes), test)).toEqual(predictDelays(model, test));
    // As returned by `readFile`: a Buffer at any offset of a larger one.
    expect(readDelayModel(Buffer.concat([Buffer.alloc(3), bytes]).subarray(3))).toEqual(model);
    expect(() => readDelayModel(bytes.subarray(0, bytes.length - 2))).toThrow('truncated');
    expect(() => readDelayModel(new Uint8Array(0))).toThrow('not a delay model');
    expect(() => readDelayModel(new TextEncoder().encode('{"magic":"TGDELAYS","version":9}\n'))).toThrow('version 1');
    expect(() => readDelayModel(writeDelayModel({ ...model, columns: ['one'] }))).toThrow('other columns');
  });
});
