import { chartTexts } from '../../texts/charts.ts';
import { pageLanguage } from '../page/language.ts';

const language = pageLanguage();
const { noData } = chartTexts[language];

const locale = language === 'de' ? 'de-AT' : 'en-GB';
const counts = new Intl.NumberFormat(locale);
const shares = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
const wholeShares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDays = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
const instants = new Intl.DateTimeFormat(locale, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'Europe/Vienna',
});
const clocks = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'Europe/Vienna' });

const orNoData = <Value>(value: Value | null, format: (value: Value) => string) =>
  value === null ? noData : format(value);

export const formatCount = (count: number) => counts.format(count);
/** @param share 0 to 1; null: the total is 0 */
export const formatShare = (share: number | null) => orNoData(share, (value) => shares.format(value));
export const formatWholeShare = (share: number) => wholeShares.format(share);
export const formatInterval = (low: number | null, high: number | null) =>
  low === null || high === null ? noData : `${shares.format(low)} – ${shares.format(high)}`;
export const formatMinutes = (seconds: number | null) =>
  orNoData(seconds, (value) => `${decimals.format(value / 60)} min`);
export const formatSeconds = (seconds: number | null) => orNoData(seconds, (value) => `${decimals.format(value)} s`);

/** @param day `YYYY-MM-DD` */
export const toDate = (day: string) => new Date(`${day}T00:00:00Z`);
export const formatDay = (day: string) => days.format(toDate(day));
export const formatShortDay = (date: Date) => shortDays.format(date);
/** @param dow 1 is Monday; the first Monday of 2024 is the first of January */
export const formatWeekday = (dow: number) => weekdays.format(new Date(Date.UTC(2024, 0, dow)));
/** @param instant RFC 3339; shown in Austrian local time */
export const formatInstant = (instant: string) => instants.format(new Date(instant));
export const formatClock = (instant: string) => clocks.format(new Date(instant));
