import { expect, test } from 'vitest';
import type { AdvisedTraveller } from './advise-travellers.ts';
import type { JudgedTransfer } from './judge-transfers.ts';
import { scoreAdvice } from './score-advice.ts';
import { scoreTransfers } from './score-transfers.ts';

const transfer = (probability: number | null, isMade: boolean, over: Partial<JudgedTransfer> = {}): JudgedTransfer => ({
  risk: (probability ?? 0) >= 0.9 ? 'ok' : 'tight',
  probability,
  probabilityFrom: probability === null ? null : 'history',
  independentProbability: null,
  isMade,
  ...over,
});

test('counts transfers by risk and source, and compares Brier scores', () => {
  const transfers = [
    transfer(1, true),
    transfer(0.95, true, { probabilityFrom: 'live', independentProbability: 0.5 }),
    transfer(0.5, false),
    transfer(null, true),
  ];
  const score = scoreTransfers({ transfers, cancelled: 2 });
  expect(score).toMatchObject({ judged: 4, cancelled: 2, knownShare: 0.75 });
  expect(score.byRisk).toMatchObject({
    ok: { count: 2, share: 0.5, made: 1 },
    tight: { count: 2, share: 0.5, made: 0.5 },
    missed: { count: 0, share: 0 },
  });
  expect(score.bySource.live.bins[9]).toEqual({ from: 0.9, count: 1, predicted: 0.95, made: 1 });
  expect(score.bySource.history.bins.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
  expect(score.all.ours).toBeCloseTo((0.05 ** 2 + 0.5 ** 2) / 3);
  expect(score.all.share).toBeCloseTo((2 * (1 / 3) ** 2 + (2 / 3) ** 2) / 3);
  expect(score.all.independent).toBeNaN();
  expect(score.predicted).toMatchObject({ count: 1, independent: 0.25 });
});

const traveller = (over: Partial<AdvisedTraveller>): AdvisedTraveller => ({
  situation: 'beforeStart',
  planAt: 0,
  planProbability: 1,
  isPlaceJustified: true,
  predictedCostMinutes: 0,
  costMinutes: 0,
  hasPlanFailed: false,
  hasFirstFailed: false,
  ...over,
});

test('scores what following the first option costs', () => {
  const advised = [
    traveller({}),
    traveller({ planAt: 1, predictedCostMinutes: -8, costMinutes: -10 }),
    traveller({ planProbability: 0.9, costMinutes: null, hasPlanFailed: true, hasFirstFailed: true }),
    traveller({ planAt: -1, isPlaceJustified: false, predictedCostMinutes: null, costMinutes: null }),
    traveller({ situation: 'atStop', costMinutes: 7 }),
  ];
  expect(scoreAdvice(advised, 'beforeStart')).toEqual({
    situation: 'beforeStart',
    count: 4,
    planShown: 0.75,
    planFirst: 0.5,
    planCertain: 0.75,
    planInPlace: 0.75,
    worstPredictedMinutes: 0,
    meanMinutes: -5,
    worstMinutes: 0,
    planFailed: 0.25,
    firstFailed: 0.25,
  });
  expect(scoreAdvice(advised, 'atStop')).toMatchObject({ count: 1, meanMinutes: 7, worstMinutes: 7 });
});
