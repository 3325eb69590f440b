import type { ServiceDate } from '../pipeline/model/service-time.ts';
import type { JobOptions } from './job.ts';

/**
 * Whether somebody who ran a job meant a day.
 * @param latest the last day that is meant where nobody names one; null: whichever there is
 */
export function isAskedDay(
  serviceDate: ServiceDate,
  { date, from, to }: Pick<JobOptions, 'date' | 'from' | 'to'>,
  latest: ServiceDate | null = null,
): boolean {
  if (date) return serviceDate === date;
  return serviceDate >= (from ?? serviceDate) && serviceDate <= (to ?? latest ?? serviceDate);
}
