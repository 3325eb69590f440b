import { UsageError } from '../../pipeline/effects/usage-error.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { addDays, type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import type { BackfillUnit, JobOptions } from '../job/job.ts';

/** A hundred years. */
const MAX_DAYS = 36_525;

/** One unit per day from `--from` to `--to`, oldest first. @throws UsageError without a range, and for one too long */
export function divideIntoDays(options: JobOptions): BackfillUnit[] {
  return listDays(options).map((day) => ({ name: day, options: { from: day, to: day } }));
}

/** One unit per source and day, by day. @throws UsageError as `divideIntoDays` */
export function divideIntoSourceDays(options: JobOptions, sources: readonly SourceId[]): BackfillUnit[] {
  return listDays(options).flatMap((day) => sources.map((source) => toSourceDay(source, day)));
}

export function toSourceDay(source: SourceId, day: ServiceDate): BackfillUnit {
  return { name: `${source} ${day}`, options: { sourceIds: [source], from: day, to: day, date: null } };
}

/** Whether a run names its days; one without does what is due. */
export function hasRange({ from, to }: JobOptions): boolean {
  return from !== null && to !== null;
}

/** One unit per month; the first and the last may be parts of months. @throws UsageError as `divideIntoDays` */
export function divideIntoMonths(options: JobOptions): BackfillUnit[] {
  const months = new Map<string, { from: ServiceDate; to: ServiceDate }>();
  for (const day of listDays(options)) {
    const month = day.slice(0, 7);
    months.set(month, { from: months.get(month)?.from ?? day, to: day });
  }
  return [...months].map(([name, range]) => ({ name, options: range }));
}

/** One unit per week from Monday on; the first and the last may be parts. @throws UsageError as `divideIntoDays` */
export function divideIntoWeeks(options: JobOptions): BackfillUnit[] {
  const weeks = new Map<number, { from: ServiceDate; to: ServiceDate }>();
  for (const day of listDays(options)) {
    // The first day of 1970 was a Thursday.
    const week = Math.floor((toEpochDay(day) + 3) / 7);
    weeks.set(week, { from: weeks.get(week)?.from ?? day, to: day });
  }
  return [...weeks.values()].map((range) => ({ name: range.from, options: range }));
}

function listDays({ from, to }: JobOptions): ServiceDate[] {
  if (from === null || to === null)
    throw new UsageError('--concurrency, --distribute and --resume need --from and --to');
  const count = toEpochDay(to) - toEpochDay(from) + 1;
  if (count > MAX_DAYS) throw new UsageError(`${count} days exceed the maximum of ${MAX_DAYS}`);
  return Array.from({ length: Math.max(0, count) }, (_, i) => addDays(from, i));
}
