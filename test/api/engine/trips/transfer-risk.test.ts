import { expect, test } from 'vitest';
import { assessTransfer } from '../../../../api/engine/trips/present-walk.ts';

/** A walk of a minute; the publisher requires five. */
const lasting = (seconds: number, chance: number | null = null, isGuaranteed = false) =>
  assessTransfer({ spareSeconds: seconds - 60, requiredSlackSeconds: seconds - 300, chance, isGuaranteed });

test.each([
  [-3600, 'missed'],
  [59, 'missed'],
  [60, 'tight'],
  [299, 'tight'],
  [300, 'ok'],
  [3600, 'ok'],
])('a transfer of %i seconds is %s', (seconds, expected) => {
  expect(lasting(seconds)).toBe(expected);
});

test.each([
  [300, 0.9, 'ok'],
  [3600, 0.899, 'tight'],
  [3600, 0, 'tight'],
  [299, 1, 'tight'],
  [60, 1, 'tight'],
  [59, 1, 'missed'],
])('a transfer of %i seconds with a probability of %f is %s', (seconds, chance, expected) => {
  expect(lasting(seconds, chance)).toBe(expected);
});

test.each([-1, 0, 3600])('a guaranteed transfer of %i seconds stays guaranteed', (seconds) => {
  expect(lasting(seconds, 0, true)).toBe('guaranteed');
});

test.each([
  [120, 'ok'],
  [119, 'tight'],
])('without a probability, %i seconds beyond the walk are %s', (spareSeconds, expected) => {
  expect(assessTransfer({ spareSeconds, requiredSlackSeconds: 0, chance: null, isGuaranteed: false })).toBe(expected);
});
