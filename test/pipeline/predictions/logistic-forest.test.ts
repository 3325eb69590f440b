import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import {
  type LogisticSettings,
  type OutcomeRows,
  trainLogisticForest,
} from '../../../pipeline/predictions/forest/train-logistic-forest.ts';
import { predictForest } from '../../../pipeline/snapshots/transfer-model/forest.ts';
import { toChance } from '../../../pipeline/snapshots/transfer-model/to-chance.ts';

const settings: LogisticSettings = {
  maxTrees: 80,
  maxLeaves: 6,
  minSamplesLeaf: 50,
  learningRate: 0.2,
  subsample: 0.7,
  columnShare: 1,
  patience: 10,
  seed: 1,
  risingColumns: [],
};

/** A probability by two columns, the second of which is sometimes unknown; a third column is irrelevant. */
const chanceOf = (a: number, b: number) => (Number.isNaN(b) ? 0.5 : a > 0.5 ? 0.99 : 0.2 + 0.6 * (b > 0.3 ? 1 : 0));

function makeRows(count: number, seed: number): OutcomeRows & { readonly chance: Float32Array } {
  const random = seededRandom(seed);
  const values = new Float32Array(3 * count);
  const chance = new Float32Array(count);
  const outcome = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    const [a, b] = [random(), random() < 0.2 ? Number.NaN : random()];
    values.set([a, b, random()], 3 * row);
    chance[row] = chanceOf(a, b);
    outcome[row] = random() < chance[row]! ? 1 : 0;
  }
  return { values, outcome, chance, start: new Float32Array(count).fill(0.5) };
}

const forecast = (rows: OutcomeRows, forest: Parameters<typeof predictForest>[0]) =>
  predictForest(forest, rows.values).map((sum, row) => toChance(rows.start[row]! + sum));

describe('a logistic forest', () => {
  const learn = makeRows(8000, 1);
  const validation = makeRows(3000, 2);
  const trained = trainLogisticForest(3, learn, validation, settings);

  it('learns probabilities, including for unknown values', () => {
    const requested = makeRows(2000, 3);
    const error = forecast(requested, trained.forest).reduce(
      (sum, one, row) => sum + Math.abs(one - requested.chance[row]!),
      0,
    );
    expect(error / 2000).toBeLessThan(0.04);
  });

  it('reports the log loss of the validation', () => {
    const loss = forecast(validation, trained.forest).reduce(
      (sum, one, row) => sum - Math.log(validation.outcome[row] === 1 ? one : 1 - one),
      0,
    );
    expect(trained.loss).toBeCloseTo(loss / 3000, 4);
    expect(trained.loss).toBeLessThan(trained.startLoss);
  });

  it('never decreases in a rising column, even if the outcomes do', () => {
    // In the second column the probability rises; with inverted outcomes it would fall.
    const turned = { ...learn, outcome: learn.outcome.map((one) => 1 - one) };
    for (const [rows, isRising] of [
      [learn, true],
      [turned, true],
      [turned, false],
    ] as const) {
      const { forest } = trainLogisticForest(3, rows, null, { ...settings, risingColumns: isRising ? [0, 1] : [] });
      let falls = 0;
      for (let a = 0; a < 1; a += 0.1) {
        const values = Float32Array.from({ length: 60 }, (_, i) => [a, i / 60, 0.5][i % 3]!);
        const sums = predictForest(forest, values);
        sums.forEach((sum, i) => {
          if (i > 0 && sum < sums[i - 1]! - 1e-6) falls++;
        });
      }
      if (isRising) expect(falls).toBe(0);
      else expect(falls).toBeGreaterThan(0);
    }
  });

  it('is pruned to its best size', () => {
    const noise = { ...learn, outcome: Uint8Array.from(learn.outcome, (_, row) => (row * 7919) % 2) };
    const { forest } = trainLogisticForest(3, noise, validation, settings);
    expect(forest.treeStart.length - 1).toBeLessThan(5);
  });

  it('has all its trees without validation, and is the same every time', () => {
    const train = () => trainLogisticForest(3, learn, null, settings).forest;
    expect(train().treeStart).toHaveLength(81);
    expect(train()).toEqual(train());
  });

  it('predicts the share of the outcomes if one leaf contains all', () => {
    const rows = { values: new Float32Array(4), outcome: Uint8Array.of(1, 1, 1, 0), start: new Float32Array(4) };
    const requested = { ...settings, minSamplesLeaf: 1, maxTrees: 1, learningRate: 1, subsample: 1 };
    // Gradient 4 × (0.75 - 0.5), curvature 4 × 0.25 and 1 of damping.
    expect(predictForest(trainLogisticForest(1, rows, null, requested).forest, Float32Array.of(0))[0]).toBeCloseTo(
      0.5,
      6,
    );
  });
});
