import { describeFailure as describeIn } from '../../texts/failures.ts';
import { tripsTexts } from '../../texts/trips.ts';
import { formatDay, formatPrice } from '../../view-model/formats.ts';
import { describeDuration as describeDurationIn } from '../../view-model/trip-words.ts';
import { pageLanguage } from '../page/language.ts';

const language = pageLanguage();
/** Texts of the page in its language. */
export const texts = tripsTexts[language];

/** Explains a failure to the reader. */
export function describeFailure(code: string): string {
  return describeIn(code, language);
}

/** @param date `YYYY-MM-DD` */
export function describeDay(date: string): string {
  return formatDay(date, language);
}

export function describeDuration(minutes: number): string {
  return describeDurationIn(minutes, language);
}

export function describePrice(price: Parameters<typeof formatPrice>[0]): string {
  return formatPrice(price, language);
}
