import { addDays, isoWeekday, type ServiceDate } from '../../model/service-time.ts';

const SATURDAY = 6;

/**
 * First day of a European timetable year: the day after the second Saturday of December of the year before.
 * @param year e.g. 2027, which begins on 2026-12-13
 */
export function timetableYearStart(year: number): ServiceDate {
  const firstOfDecember = `${year - 1}-12-01` as ServiceDate;
  const daysToSaturday = (SATURDAY - isoWeekday(firstOfDecember) + 7) % 7;
  return addDays(firstOfDecember, daysToSaturday + 8);
}

/**
 * Timetable years to fetch, of those that a publisher has active versions of: the newest and, until that begins, the one
 * before, which is still in force.
 * @returns in rising order; empty without any year
 */
export function chooseTimetableYears(active: readonly number[], today: ServiceDate): number[] {
  const years = [...new Set(active)].sort((a, b) => a - b);
  const newest = years.at(-1);
  if (newest === undefined) return [];
  return years.slice(today < timetableYearStart(newest) ? -2 : -1);
}
