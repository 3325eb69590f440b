import { boardTexts } from '../texts/boards.ts';
import type { Language } from '../texts/languages.ts';
import { mapPageTexts } from '../texts/map.ts';

/** How the map colours a vehicle, in the order of its legend. */
export const delayClasses = ['onTime', 'late', 'veryLate', 'early', 'unknown'] as const;

export type DelayClass = (typeof delayClasses)[number];

/** From so many minutes a vehicle is early or late. */
const OFF_MINUTES = 2;
const VERY_LATE_MINUTES = 5;

/** @param delaySeconds null: unknown */
export function classifyDelay(delaySeconds: number | null): DelayClass {
  if (delaySeconds === null) return 'unknown';
  const minutes = toMinutes(delaySeconds);
  if (minutes >= VERY_LATE_MINUTES) return 'veryLate';
  if (minutes >= OFF_MINUTES) return 'late';
  return minutes <= -OFF_MINUTES ? 'early' : 'onTime';
}

/** The delay in words. */
export function describeDelay(delaySeconds: number | null, language: Language): string {
  if (delaySeconds === null) return mapPageTexts[language].delays.unknown;
  const { onTime, late, early } = boardTexts[language];
  const minutes = toMinutes(delaySeconds);
  if (minutes === 0) return onTime;
  return minutes > 0 ? late(minutes) : early(-minutes);
}

/** The delay beside the label of a line, such as `+3`; empty if it is on time or unknown. */
export function shortDelay(delaySeconds: number | null): string {
  const kind = classifyDelay(delaySeconds);
  if (delaySeconds === null || kind === 'onTime') return '';
  const minutes = toMinutes(delaySeconds);
  return minutes > 0 ? `+${minutes}` : `−${-minutes}`;
}

/** Whole minutes, as a vehicle that is 59 s late counts as on time. */
function toMinutes(delaySeconds: number): number {
  // No negative zero.
  return Math.trunc(delaySeconds / 60) + 0;
}
