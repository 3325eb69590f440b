import type { Leg } from '../../contract/definitions.ts';

export type TransferRisk = NonNullable<Leg['transferRisk']>;

/** What is known of the way from one ride to the next. How likely it is to be caught would be a further member. */
export interface TransferFacts {
  /** What is left of the time between arriving and leaving when the change has taken its own. */
  readonly slackSeconds: number;
  /** The next vehicle waits, by the publisher's word. */
  readonly isGuaranteed: boolean;
}

/** A change that has less to spare than this may well be lost. */
const TIGHT_SECONDS = 180;

export function assessTransfer({ slackSeconds, isGuaranteed }: TransferFacts): TransferRisk {
  if (isGuaranteed) return 'guaranteed';
  if (slackSeconds < 0) return 'missed';
  return slackSeconds < TIGHT_SECONDS ? 'tight' : 'ok';
}
