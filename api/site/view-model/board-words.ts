import type { Platform } from '../../contract/v2-basics.ts';
import type { Journey } from '../../contract/v2-board.ts';
import { boardTexts } from '../texts/boards.ts';
import type { Language } from '../texts/languages.ts';
import { type BoardState, isFiltered } from './board-state.ts';
import { countDown } from './shown-time.ts';

/** Minutes until a departure in words; empty if the clock time is more useful. Both in milliseconds. */
export function describeCountdown(at: number, now: number, language: Language): string {
  const texts = boardTexts[language];
  const minutes = countDown(at, now);
  if (minutes === null) return '';
  return minutes === 0 ? texts.due : texts.inMinutes(minutes);
}

/** A delay as a number with sign, and as a sentence for screen readers. */
interface DelayWords {
  /** null: on time, or nothing was reported. */
  readonly sign: string | null;
  readonly sentence: string;
}

export function describeDelay(minutes: number | null, language: Language): DelayWords {
  const texts = boardTexts[language];
  if (minutes === null) return { sign: null, sentence: texts.plannedOnly };
  if (minutes === 0) return { sign: null, sentence: texts.onTime };
  return minutes > 0
    ? { sign: `+${minutes}`, sentence: texts.late(minutes) }
    : { sign: `−${-minutes}`, sentence: texts.early(-minutes) };
}

/** Says that a journey is cancelled, in full or in part; empty if it is not. */
export function describeCancellation({ cancellation }: Pick<Journey, 'cancellation'>, language: Language): string {
  const texts = boardTexts[language].journey;
  if (cancellation.fullyCancelled) return [texts.cancelled, cancellation.note].join(' ').trim();
  return cancellation.partiallyCancelled ? texts.partly : '';
}

/** The platform of a call, and the scheduled one if it changed; null if unknown. */
export function findShownPlatform({ text, scheduledText, changed }: Platform) {
  const name = text ?? scheduledText;
  return name === undefined ? null : { name, insteadOf: changed ? (scheduledText ?? null) : null };
}

/** Explains a board without rows. */
export function describeEmptyBoard({ filter, isArrivals }: BoardState, language: Language): string {
  const texts = boardTexts[language];
  if (isFiltered(filter)) return texts.emptyFilter;
  return isArrivals ? texts.emptyArrivals : texts.empty;
}
