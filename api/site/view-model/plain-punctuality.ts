import type { PunctualityData, PunctualityDay, PunctualityHour } from '../../contract/site-charts.ts';
import type { Language } from '../texts/languages.ts';
import { plainPunctualityTexts } from '../texts/plain-punctuality.ts';

/** With fewer calls, chance outweighs any difference. */
export const MIN_OBSERVED = 30;
/** Shares of punctual calls from which a day counts as good, and as fair. */
const [GOOD, FAIR] = [0.9, 0.75];

export function rateShare(share: number): 'good' | 'warn' | 'bad' {
  return share >= GOOD ? 'good' : share >= FAIR ? 'warn' : 'bad';
}

/** One bar of a drawing by day. */
export interface DayBar {
  /** 0 to 1; `null`: not known. */
  readonly height: number | null;
  readonly kind: 'good' | 'warn' | 'bad' | 'unknown';
}

/** Bars of the shares of punctual calls. */
export function listShareBars(days: readonly PunctualityDay[]): readonly DayBar[] {
  return days.map(({ on_time_share: share }) => ({
    height: share,
    kind: share === null ? 'unknown' : rateShare(share),
  }));
}

/** Describes in sentences how many calls were cancelled, how punctual the others were, and the worst hour. */
export function describePunctuality({ totals, days, hours }: PunctualityData, language: Language): readonly string[] {
  const texts = plainPunctualityTexts[language];
  if (totals === null || totals.expected === 0) return [texts.nothing];
  const came = texts.came(totals.cancelled, totals.expected);
  if (totals.observed === 0) return [came, texts.unobserved];
  if (totals.observed < MIN_OBSERVED) return [came, texts.few(totals.observed)];
  const known = days.filter(({ observed }) => observed >= MIN_OBSERVED);
  const worst = findWorstHour(hours, totals.mean_delay_seconds!);
  return [
    came,
    texts.onTime(Math.round(totals.on_time_share! * 100), Math.round(totals.mean_delay_seconds! / 6) / 10),
    ...(known.length < 2 ? [] : [texts.goodDays(countGood(known), known.length)]),
    ...(worst === null ? [] : [texts.worst(worst.dow, worst.hour, Math.round(worst.mean_delay_seconds / 60))]),
    texts.coverage(Math.round(totals.coverage! * 100)),
  ];
}

function countGood(days: readonly PunctualityDay[]): number {
  return days.filter(({ on_time_share: share }) => share! >= GOOD).length;
}

/**
 * The hour with the largest mean delay; null if every hour is below a minute, rounded, or no hour with enough calls is
 * worse than the average.
 */
function findWorstHour(hours: readonly PunctualityHour[], meanDelaySeconds: number): PunctualityHour | null {
  const known = hours.filter(
    ({ observed, mean_delay_seconds: delay }) =>
      observed >= MIN_OBSERVED && Math.round(delay / 60) >= 1 && delay > meanDelaySeconds,
  );
  if (known.length === 0) return null;
  return known.reduce((worst, one) => (one.mean_delay_seconds > worst.mean_delay_seconds ? one : worst));
}
