import type { AdvisedTraveller } from './advise-travellers.ts';

/** How good the first option of a rescue is while the plan works out. Shares are NaN without travellers. */
export interface AdviceScore {
  readonly situation: AdvisedTraveller['situation'];
  readonly count: number;
  /** Shares of travellers whose plan is among the options, is the first one, and is certain. */
  readonly planShown: number;
  readonly planFirst: number;
  readonly planCertain: number;
  /** Share whose plan is first, or behind options that arrive clearly earlier and are at least as probable. */
  readonly planInPlace: number;
  /** Of the first option against the plan, as predicted; negative where it arrives earlier. */
  readonly worstPredictedMinutes: number;
  /** The same as it came, of those who arrived either way. */
  readonly meanMinutes: number;
  readonly worstMinutes: number;
  /** Shares of travellers for whom the plan or the first option failed. */
  readonly planFailed: number;
  readonly firstFailed: number;
}

export function scoreAdvice(
  advised: readonly AdvisedTraveller[],
  situation: AdvisedTraveller['situation'],
): AdviceScore {
  const those = advised.filter((one) => one.situation === situation);
  const shareOf = (isMeant: (one: AdvisedTraveller) => boolean) => those.filter(isMeant).length / those.length;
  const costs = those.flatMap(({ costMinutes }) => costMinutes ?? []);
  return {
    situation,
    count: those.length,
    planShown: shareOf(({ planAt }) => planAt >= 0),
    planFirst: shareOf(({ planAt }) => planAt === 0),
    planCertain: shareOf(({ planProbability }) => planProbability === 1),
    planInPlace: shareOf(({ isPlaceJustified }) => isPlaceJustified),
    worstPredictedMinutes: Math.max(...those.flatMap(({ predictedCostMinutes }) => predictedCostMinutes ?? [])),
    meanMinutes: costs.reduce((sum, minutes) => sum + minutes, 0) / costs.length,
    worstMinutes: Math.max(...costs),
    planFailed: shareOf(({ hasPlanFailed }) => hasPlanFailed),
    firstFailed: shareOf(({ hasFirstFailed }) => hasFirstFailed),
  };
}
