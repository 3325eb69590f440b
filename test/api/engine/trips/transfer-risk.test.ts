import { expect, test } from 'vitest';
import { assessTransfer } from '../../../../api/engine/trips/transfer-risk.ts';

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
  expect(assessTransfer({ slackSeconds, isGuaranteed })).toBe(expected);
});
