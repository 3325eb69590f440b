import { describe, expect, it } from 'vitest';
import { choosePairs } from '../../../../pipeline/predictions/features/build-features.ts';
import { limitForecasts, weighForecasts } from '../../../../pipeline/predictions/learning/final-forecasts.ts';
import { LEARN, TEST, UNUSED, VALIDATION } from '../../../../pipeline/predictions/model/share-out-days.ts';
import { makeDatedTripTable } from '../../../support/worlds/run-world.ts';

it.each([
  ['exact', 1000, 0, 1],
  ['as noisy as predictions', 1000, 30, 0.5],
  ['noisier', 1000, 60, 0.2],
  ['of unknown noise', 199, 0, 0.5],
])('a final forecast that is %s', (_what, pairs, medianSeconds, weight) => {
  expect(weighForecasts({ pairs, medianSeconds })).toBe(weight);
});

describe('pairs of a final forecast', () => {
  const table = makeDatedTripTable(5, { days: 6, trains: 40, calls: 10, unknown: 0 });
  const pairs = choosePairs(table);
  const isForecast = Uint8Array.from(table.stop, (_, call) => (call % 3 === 0 ? 1 : 0));
  const roles = Uint8Array.from({ length: pairs.count }, (_, pair) => [LEARN, VALIDATION, TEST][pair % 3]!);
  const touches = (pair: number) => isForecast[pairs.from[pair]!] === 1 || isForecast[pairs.to[pair]!] === 1;

  it('are for training only, and their weight is the share of them that is kept', () => {
    const limited = limitForecasts(pairs, roles, { isForecast, weight: 0.4 }, 1);
    let [kept, all] = [0, 0];
    for (let pair = 0; pair < pairs.count; pair++) {
      if (!touches(pair)) expect(limited[pair]).toBe(roles[pair]);
      else if (roles[pair] !== LEARN) expect(limited[pair]).toBe(UNUSED);
      else {
        all++;
        if (limited[pair] === LEARN) kept++;
      }
    }
    expect(all).toBeGreaterThan(300);
    expect(Math.abs(kept / all - 0.4)).toBeLessThan(0.08);
    expect(limitForecasts(pairs, roles, { isForecast, weight: 0.4 }, 1)).toEqual(limited);
  });
});
