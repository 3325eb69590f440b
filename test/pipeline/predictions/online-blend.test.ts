import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { OnlineBlend } from '../../../pipeline/predictions/model/online-blend.ts';

/** Outcomes at the beginning whose errors do not count. */
const FIRST = 100;

/** Mean error of a blend of two experts over outcomes, and that of persistence. */
function meanErrors(
  outcomes: number,
  start: readonly [number, number],
  next: (random: () => number) => readonly [change: number, first: number, second: number],
): { blend: number; persistence: number; weights: readonly number[] } {
  const random = seededRandom(5);
  const blend = new OnlineBlend(1, start);
  let [error, persistence] = [0, 0];
  for (let i = 0; i < outcomes; i++) {
    const [change, ...experts] = next(random);
    const row = Float32Array.of(...experts);
    if (i >= FIRST) error += Math.abs(change - blend.mix(0, row, 0));
    if (i >= FIRST) persistence += Math.abs(change);
    blend.learn(0, row, 0, change);
  }
  return {
    blend: error / (outcomes - FIRST),
    persistence: persistence / (outcomes - FIRST),
    weights: [blend.weight(0, 0), blend.weight(0, 1), blend.weight(0, 2)],
  };
}

const noise = (random: () => number, size: number) => size * (random() + random() + random() - 1.5);

describe('OnlineBlend', () => {
  it('starts with the given weights, and leaves the rest to persistence', () => {
    const blend = new OnlineBlend(2, [0.5, 0.2]);
    expect(blend.mix(1, Float32Array.of(100, 10, 20), 1)).toBeCloseTo(0.5 * 10 + 0.2 * 20);
    expect(blend.weight(0, 2)).toBeCloseTo(0.3);
  });

  it('comes to trust the expert that is right, in its group alone', () => {
    const blend = new OnlineBlend(2, [0.2, 0.2]);
    for (let i = 0; i < 400; i++) blend.learn(0, Float32Array.of(60, -60), 0, 60);
    expect(blend.weight(0, 0)).toBeGreaterThan(0.9);
    expect(blend.weight(1, 0)).toBeCloseTo(0.2);
  });

  it.each([
    ['noise', (random: () => number) => [noise(random, 30), noise(random, 40), noise(random, 80)] as const],
    [
      'the wrong direction',
      (random: () => number) => {
        const change = noise(random, 30);
        return [change, -change, 20 - change] as const;
      },
    ],
    ['a large bias', (random: () => number) => [noise(random, 30), 300, -45] as const],
  ])('is hardly worse than persistence when its experts report %s', (_what, next) => {
    const { blend, persistence } = meanErrors(3000, [1, 0], next);
    expect(blend).toBeLessThan(1.01 * persistence);
  });

  it('is better than each of two experts with independent errors', () => {
    const { blend, persistence } = meanErrors(5000, [0.5, 0.5], (random) => {
      const change = noise(random, 60);
      return [change, change + noise(random, 40), change + noise(random, 40)];
    });
    const alone = meanErrors(5000, [1, 0], (random) => {
      const change = noise(random, 60);
      const first = change + noise(random, 40);
      return [change, first, first];
    });
    expect(blend).toBeLessThan(0.9 * alone.blend);
    expect(alone.blend).toBeLessThan(persistence);
  });

  it('takes up a change of which expert is right', () => {
    let outcome = 0;
    const { weights } = meanErrors(4000, [1, 0], (random) => {
      const change = noise(random, 60);
      return outcome++ < 1000 ? [change, change, 0] : [change, 0, change];
    });
    expect(weights[1]).toBeGreaterThan(0.8);
  });
});
