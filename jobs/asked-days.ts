import { UsageError } from '../pipeline/config/usage-error.ts';
import type { SourceId } from '../pipeline/model/ids.ts';
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

/**
 * The sources that somebody who ran a job meant: all where nobody names one.
 * @param known those of which there is something
 * @throws UsageError for one that is not among them
 */
export function chooseSources(
  { sourceIds }: Pick<JobOptions, 'sourceIds'>,
  known: Iterable<SourceId>,
): readonly SourceId[] {
  const all = [...new Set(known)];
  const stray = sourceIds?.find((id) => !all.includes(id));
  if (stray === undefined) return sourceIds ?? all;
  const there = all.length > 0 ? `there are ${all.join(', ')}` : 'there is none yet';
  throw new UsageError(`nothing is recorded of a source "${stray}"; ${there}`);
}
