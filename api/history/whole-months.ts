import { addDays, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { DatePeriod } from './question.ts';

/** The part of a period that consists of whole months; null if it has none. */
export function findWholeMonths({ from, to }: DatePeriod): DatePeriod | null {
  const first = startOfMonth(from) === from ? from : startOfMonth(addDays(startOfMonth(from), 31));
  const end = startOfMonth(addDays(to, 1));
  return first < end ? { from: first, to: addDays(end, -1) } : null;
}

function startOfMonth(date: ServiceDate): ServiceDate {
  return `${date.slice(0, 7)}-01` as ServiceDate;
}
