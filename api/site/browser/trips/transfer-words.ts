import type { tripsTexts } from '../../texts/trips.ts';
import type { TransferView } from './trip-view.ts';

type Texts = (typeof tripsTexts)['de']['change'];

/** What is said of a change. */
export interface TransferWords {
  readonly tone: 'good' | 'warn' | 'bad';
  /** Whether it works out, in plain words. */
  readonly verdict: string;
  /** The probability as a sentence; null where no number is known. */
  readonly number: string | null;
  /** Where the number comes from; null without one. */
  readonly basis: string | null;
}

const tones = { ok: 'good', guaranteed: 'good', tight: 'warn', missed: 'bad' } as const;

/** A change in words. A number is said only where it is known, and not of what is certain. */
export function describeTransfer({ risk, outlook }: TransferView, texts: Texts): TransferWords {
  const { spareSeconds, probability, sampleSize } = outlook;
  const isOpen = risk === 'ok' || risk === 'tight';
  const isNumbered = isOpen && probability !== undefined;
  return {
    tone: tones[risk],
    verdict: texts.verdict[risk](countWhole(spareSeconds)),
    number: isNumbered ? texts.probability(Math.round(probability * 100)) : null,
    basis: isNumbered ? (sampleSize > 0 ? texts.fromPast(sampleSize) : texts.fromForecasts) : null,
  };
}

/** Whole minutes to spare, or by which it is too late: neither is made better than it is. */
function countWhole(seconds: number): number {
  return seconds >= 0 ? Math.floor(seconds / 60) : Math.ceil(-seconds / 60);
}
