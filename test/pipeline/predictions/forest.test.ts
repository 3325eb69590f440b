import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { type ForestSettings, pinballLoss, trainForest } from '../../../pipeline/predictions/forest/train-forest.ts';
import { predictForest, readForest, writeForest } from '../../../pipeline/snapshots/transfer-model/forest.ts';
import { trainNaively } from '../../support/oracles/naive-forest.ts';

const settings: ForestSettings = {
  quantile: 0.5,
  maxTrees: 60,
  maxLeaves: 8,
  minSamplesLeaf: 5,
  learningRate: 0.3,
  subsample: 1,
  columnShare: 1,
  patience: 60,
  seed: 1,
};

/** Rows of a function of two columns, with noise from -1 to 1; a third column is irrelevant. */
function makeRows(count: number, seed: number, truth: (a: number, b: number) => number, noise: number) {
  const random = seededRandom(seed);
  const values = new Float32Array(count * 3);
  const targets = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    const [a, b] = [random() * 10, random() < 0.1 ? Number.NaN : random() * 10];
    values.set([a, b, random()], row * 3);
    targets[row] = truth(a, b) + noise * (random() * 2 - 1);
  }
  return { values, targets };
}

const meanLoss = (forecast: Float32Array, targets: Float32Array, quantile: number) =>
  targets.reduce((sum, target, row) => sum + pinballLoss(target - forecast[row]!, quantile), 0) / targets.length;

describe('a forest', () => {
  it('equals one that is grown naively', () => {
    const cases = fc.record({
      seed: fc.nat(),
      quantile: fc.constantFrom(0.1, 0.5, 0.9),
      maxLeaves: fc.integer({ min: 2, max: 6 }),
      minSamplesLeaf: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(cases, ({ seed, ...given }) => {
        const rows = makeRows(60, seed, (a, b) => (a > 5 ? 10 : 0) + (Number.isNaN(b) ? 20 : b), 3);
        const requested = { ...settings, ...given, maxTrees: 5 };
        // Validated on its training data, so that no tree is cut.
        const { forest } = trainForest(3, rows, rows, requested);
        const naive = trainNaively(rows.values, rows.targets, 3, requested, forest.treeStart.length - 1);
        const forecast = predictForest(forest, rows.values);
        forecast.forEach((value, row) => {
          expect(value).toBeCloseTo(naive[row]!, 3);
        });
      }),
      { numRuns: 40 },
    );
  });

  it('learns steps, including of missing values', () => {
    const step = (a: number, b: number) => (a > 4 ? 100 : 0) + (Number.isNaN(b) ? -50 : b > 7 ? 30 : 0);
    const { forest, startLoss, loss } = trainForest(3, makeRows(3000, 1, step, 1), makeRows(500, 2, step, 1), settings);
    const test = makeRows(1000, 3, step, 1);
    const error = meanLoss(predictForest(forest, test.values), test.targets, 0.5);
    expect(startLoss).toBeGreaterThan(40);
    expect(loss).toBeLessThan(1.5);
    expect(error).toBeLessThan(1.5);
  });

  it.each([0.1, 0.5, 0.9])('leaves the share %s below its quantile', (quantile) => {
    const spread = (a: number) => a * 10;
    const noise = 40;
    const learn = makeRows(6000, 4, spread, noise);
    const { forest } = trainForest(3, learn, makeRows(2000, 5, spread, noise), {
      ...settings,
      quantile,
      learningRate: 0.1,
    });
    const test = makeRows(4000, 6, spread, noise);
    const forecast = predictForest(forest, test.values);
    const below = test.targets.filter((target, row) => target <= forecast[row]!).length / test.targets.length;
    expect(Math.abs(below - quantile)).toBeLessThan(0.04);
  });

  it('stops when later rows gain nothing', () => {
    const noise = trainForest(
      3,
      makeRows(500, 7, () => 0, 10),
      makeRows(500, 8, () => 0, 10),
      { ...settings, patience: 5 },
    );
    expect(noise.forest.treeStart.length - 1).toBeLessThan(10);
    expect(noise.loss).toBeLessThanOrEqual(noise.startLoss);
  });

  it('is the same for the same seed, and different for another', () => {
    const rows = makeRows(800, 9, (a) => a, 2);
    const grow = (seed: number) =>
      writeForest(trainForest(3, rows, rows, { ...settings, subsample: 0.5, columnShare: 0.7, seed }).forest);
    expect(grow(1)).toEqual(grow(1));
    expect(grow(1)).not.toEqual(grow(2));
  });

  it('is read as it was written', () => {
    const rows = makeRows(300, 10, (a, b) => a - (b || 0), 1);
    const { forest } = trainForest(3, rows, rows, settings);
    const bytes = writeForest(forest);
    // Also from the middle of a larger buffer.
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect(readForest(moved.subarray(3))).toEqual(forest);
    expect(predictForest(readForest(bytes), rows.values)).toEqual(predictForest(forest, rows.values));
    expect(() => readForest(bytes.subarray(0, bytes.length - 1))).toThrow('truncated');
    expect(() => readForest(new TextEncoder().encode('PAR1 something'))).toThrow('not a forest');
    expect(() => readForest(new TextEncoder().encode('{"magic":"TGFOREST","version":2}\n'))).toThrow('version 1');
  });

  it('without rows adds nothing', () => {
    const none = { values: new Float32Array(0), targets: new Float32Array(0) };
    const { forest } = trainForest(3, none, none, settings);
    expect(predictForest(forest, new Float32Array([1, 2, 3]))).toEqual(new Float32Array([0]));
  });
});
