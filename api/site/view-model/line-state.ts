import { parseServiceDate } from '../../../pipeline/model/service-time.ts';
import { toDataPath } from './data-path.ts';

/** First hour of each part of a service date; the last part is after midnight. */
export const dayParts: readonly number[] = [0, 4, 8, 12, 16, 20, 24];
/** Service dates end before this hour. */
export const LAST_HOUR = 36;
const WHOLE_DAY = 'day';

/** The part of the service date that contains an hour. */
export function partOf(hour: number): number {
  return dayParts.findLast((first) => first <= hour) ?? 0;
}

export function endOfPart(first: number): number {
  return dayParts.find((hour) => hour > first) ?? LAST_HOUR;
}

/** Value of `hours` in the address for the hours of a response. */
export function hoursValue(fromHour: number, untilHour: number): string {
  return untilHour - fromHour === LAST_HOUR ? WHOLE_DAY : String(fromHour);
}

/**
 * Path of the data of a line.
 * @param query of the page: `date`, and `hours` (the first one, or `day`); invalid ones count as absent
 */
export function lineDataPath(id: string, query: URLSearchParams): string {
  const [date, hours] = [parseServiceDate(query.get('date') ?? ''), query.get('hours') ?? ''];
  const parameters = new URLSearchParams({ id });
  if (date) parameters.set('date', date);
  if (hours === WHOLE_DAY) parameters.set('fromHour', '0');
  else if (/^\d{1,2}$/.test(hours) && Number(hours) < LAST_HOUR) parameters.set('fromHour', String(Number(hours)));
  if (hours === WHOLE_DAY) parameters.set('untilHour', String(LAST_HOUR));
  return toDataPath('/site/data/line', parameters);
}

/** Maximum length of a name to search for. */
const MAX_NAME_CHARACTERS = 100;

/** Path of the search for lines and trains; `null` without a text. */
export function lineListPath(query: URLSearchParams): string | null {
  const text = query.get('query')?.trim().slice(0, MAX_NAME_CHARACTERS);
  return text ? toDataPath('/site/data/lines', new URLSearchParams({ query: text })) : null;
}

/** Path of the lines of each product, which the page lists until a name is searched. */
export const lineOverviewPath = '/site/data/lines/overview';

/** Address of the timetable of a line. */
export function lineAddress(id: string): string {
  return `/lines/${encodeURIComponent(id)}`;
}
