import type { tripsTexts } from '../texts/trips.ts';
import type { TransferView } from './trip-view.ts';

type Texts = (typeof tripsTexts)['de']['change'];

/** Texts about a transfer. */
interface TransferWords {
  readonly tone: 'good' | 'warn' | 'bad';
  /** Risk of the transfer in words. */
  readonly verdict: string;
  /** The probability as a sentence; null if unknown. */
  readonly number: string | null;
  /** Basis of the probability; null if unknown. */
  readonly basis: string | null;
}

const tones = { ok: 'good', guaranteed: 'good', tight: 'warn', missed: 'bad' } as const;

/** Describes a transfer. A probability is given only if it is known and the outcome is uncertain. */
export function describeTransfer(transfer: Omit<TransferView, 'stopName'>, texts: Texts): TransferWords {
  const { risk, outlook } = transfer;
  const { spareSeconds, probability, sampleSize } = outlook;
  const isOpen = risk === 'ok' || risk === 'tight';
  const isNumbered = isOpen && probability !== undefined;
  return {
    tone: tones[risk],
    verdict: describeTime(transfer, texts) ?? texts.verdict[risk](countWhole(spareSeconds)),
    number: isNumbered ? texts.probability(Math.round(probability * 100)) : null,
    basis: isNumbered ? (sampleSize > 0 ? texts.fromPast(sampleSize) : texts.fromForecasts) : null,
  };
}

/** The time for the transfer beside the recommended one; null if it is certain, missed or unknown. */
function describeTime({ risk, transferSeconds, minTransferSeconds }: Omit<TransferView, 'stopName'>, texts: Texts) {
  if (transferSeconds === null || minTransferSeconds === null || (risk !== 'ok' && risk !== 'tight')) return null;
  return texts.time(countWhole(transferSeconds), Math.ceil(minTransferSeconds / 60));
}

/** Whole minutes to spare or missing, rounded so that the transfer does not look better than it is. */
function countWhole(seconds: number): number {
  return seconds >= 0 ? Math.floor(seconds / 60) : Math.ceil(-seconds / 60);
}
