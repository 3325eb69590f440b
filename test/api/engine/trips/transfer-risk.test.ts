import { expect, test } from 'vitest';
import { assessTransfer } from '../../../../api/engine/trips/present-walk.ts';

test.each([
  [-3600, false, 'missed'],
  [-1, false, 'missed'],
  [0, false, 'tight'],
  [179, false, 'tight'],
  [180, false, 'ok'],
  [3600, false, 'ok'],
  [-1, true, 'guaranteed'],
  [0, true, 'guaranteed'],
  [3600, true, 'guaranteed'],
])('%i seconds to spare, guaranteed: %s', (slackSeconds, isGuaranteed, expected) => {
  expect(assessTransfer({ slackSeconds, isGuaranteed, chance: null })).toBe(expected);
});

test.each([
  [0, false, 0.9, 'ok'],
  [0, false, 1, 'ok'],
  [3600, false, 0.899, 'tight'],
  [3600, false, 0, 'tight'],
  [-1, false, 1, 'missed'],
  [-1, true, 0, 'guaranteed'],
])(
  '%i seconds to spare, guaranteed: %s, caught with a chance of %f',
  (slackSeconds, isGuaranteed, chance, expected) => {
    expect(assessTransfer({ slackSeconds, isGuaranteed, chance })).toBe(expected);
  },
);
