import type { RescueOption } from '../../../contract/v2-watch.ts';
import type { tripsTexts } from '../../texts/trips.ts';

type Texts = (typeof tripsTexts)['de']['rescue'];

interface ChanceWords {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  readonly text: string;
  /** Basis of the number; null without past cases. */
  readonly basis: string | null;
}

/** As in `transferRisk`: a transfer with a lower probability is tight. */
const GOOD_PROBABILITY = 0.9;
const WARN_PROBABILITY = 0.5;

/** Describes how likely an option works; an unknown probability is stated as unknown. */
export function describeChance(
  {
    successProbability: probability,
    sampleSize,
    trip,
  }: Pick<RescueOption, 'successProbability' | 'sampleSize' | 'trip'>,
  texts: Texts,
): ChanceWords {
  if (probability === undefined) return { tone: 'none', text: texts.unknown, basis: null };
  const hasTransfer = trip.legs.some(({ transferRisk }) => transferRisk !== undefined);
  if (probability === 1 && !hasTransfer) return { tone: 'good', text: texts.certain, basis: null };
  return {
    tone: probability >= GOOD_PROBABILITY ? 'good' : probability >= WARN_PROBABILITY ? 'warn' : 'bad',
    text: texts.probability(Math.round(probability * 100)),
    basis: sampleSize > 0 ? texts.fromPast(sampleSize) : null,
  };
}
