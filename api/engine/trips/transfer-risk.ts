import type { Leg } from '../../contract/definitions.ts';

export type TransferRisk = NonNullable<Leg['transferRisk']>;

/** What is known of the way from one ride to the next. */
export interface TransferFacts {
  /** What is left of the time between arriving and leaving when the change has taken its own. */
  readonly slackSeconds: number;
  /** The next vehicle waits, by the publisher's word. */
  readonly isGuaranteed: boolean;
  /** How likely the next ride is caught, 0 to 1; null where nothing is forecast of either. */
  readonly chance: number | null;
}

/** A change that has less to spare than this may well be lost, as far as nobody forecasts anything. */
const TIGHT_SECONDS = 180;
/** A change that is lost once in ten times is tight. */
const LEAST_CHANCE = 0.9;

export function assessTransfer({ slackSeconds, isGuaranteed, chance }: TransferFacts): TransferRisk {
  if (isGuaranteed) return 'guaranteed';
  if (slackSeconds < 0) return 'missed';
  const isSafe = chance === null ? slackSeconds >= TIGHT_SECONDS : chance >= LEAST_CHANCE;
  return isSafe ? 'ok' : 'tight';
}
