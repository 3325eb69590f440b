import type { Language } from '../texts/languages.ts';

/** Names a day: `Samstag, 28. November`. @param date `YYYY-MM-DD` */
export function formatDay(date: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return format.format(new Date(`${date}T00:00:00Z`));
}

/** Names a date: `28. November`. @param date `YYYY-MM-DD` */
export function formatDate(date: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  return format.format(new Date(`${date}T00:00:00Z`));
}

export function formatPrice(
  { amountCents, currency }: { readonly amountCents: number; readonly currency: string },
  language: Language,
): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amountCents / 100);
}
