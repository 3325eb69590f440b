import type { TransferOutlook } from '../../contract/trip-outlook.ts';
import { isNoStep, type Timeline } from './timeline.ts';

/** The outlook of each transfer, in travel order: one for each leg that has a `transferRisk`. */
export function listOutlooks({ parts }: Timeline): TransferOutlook[] {
  return parts.flatMap((part) => {
    if (part.kind === 'ride' || part.transfer === null || isNoStep(part.walk)) return [];
    const { spareSeconds, estimate } = part.transfer;
    if (estimate === null) return { spareSeconds, sampleSize: 0 };
    // Whole percent, as the probability of a rescue option.
    const probability = Math.round(estimate.probability * 100) / 100;
    return { spareSeconds, probability, sampleSize: estimate.sampleSize };
  });
}
