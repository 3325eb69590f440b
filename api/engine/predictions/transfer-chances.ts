import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { TransferEstimate } from '../../../pipeline/snapshots/transfer-model/transfer-model.ts';
import type { Published } from '../read/realtime.ts';
import { openRecentShares, type ReportedEvent } from './recent-delays.ts';
import { type ExpectedCallEvent, startTransferEstimates } from './transfer-estimates.ts';

/** How likely a transfer is made. */
export interface TransferChance {
  /** By which transfers are judged and options are ranked. */
  readonly probability: number;
  /** The estimate that is shown; null where one vehicle was not predicted, and where only recent delays are known. */
  readonly estimate: TransferEstimate | null;
}

/**
 * The chance to catch one vehicle from another, or on foot; null where nothing is known of either.
 * @param neededSeconds of the walk between the two
 */
export type FindTransferChance = (
  arrival: ReportedEvent,
  departure: ReportedEvent,
  neededSeconds: number,
) => TransferChance | null;

/**
 * By the learnt model, else by the predictions, else by the recent delays of the lines. The state of a trip, the risk
 * of its transfers and the options of a rescue all read the chance here.
 * @param instant decides what is known
 */
export function openTransferChances(published: Published, instant: Instant): FindTransferChance {
  const estimate = startTransferEstimates(published, instant);
  const shareOf = openRecentShares(published, instant);
  return (arrival, departure, neededSeconds) => {
    const estimated = estimate(arrival, departure, neededSeconds);
    if (estimated) {
      return {
        probability: estimated.probability,
        estimate: isGuessed(estimated, arrival, departure) ? null : estimated,
      };
    }
    const share = shareOf(arrival, departure, neededSeconds);
    return share === null ? null : { probability: share, estimate: null };
  };
}

/** A vehicle without a forecast may leave at any time: without past cases, the probability is not shown. */
function isGuessed(
  { sampleSize }: TransferEstimate,
  arrival: ExpectedCallEvent,
  departure: ExpectedCallEvent,
): boolean {
  return sampleSize === 0 && (arrival.delay === null || departure.delay === null);
}
