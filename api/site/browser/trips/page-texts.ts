import { tripsTexts } from '../../texts/trips.ts';
import { pageLanguage } from '../page/language.ts';

const language = pageLanguage();
/** Texts of the page in its language. */
export const texts = tripsTexts[language];

/** Explains a failure to the reader. */
export function describeFailure(code: string): string {
  const known: Readonly<Record<string, string>> = texts.failed;
  return known[code] ?? texts.failed.other;
}

const dayFormat = new Intl.DateTimeFormat(language, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** @param date `YYYY-MM-DD` */
export function describeDay(date: string): string {
  return dayFormat.format(new Date(`${date}T00:00:00Z`));
}

export function describeDuration(minutes: number): string {
  return texts.trip.hoursMinutes(Math.floor(minutes / 60), minutes % 60);
}

export function describePrice({ amountCents, currency }: { readonly amountCents: number; readonly currency: string }) {
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amountCents / 100);
}
