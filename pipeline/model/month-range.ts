import type { ServiceDate } from './service-time.ts';

/** Days from the first to the last, both included; null: no bound. */
interface DayRange {
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
}

/** Whether a range has a day of a month. @param month `YYYY-MM` */
export function touchesMonth({ from, to }: DayRange, month: string): boolean {
  return month >= (from ?? month).slice(0, 7) && month <= (to ?? month).slice(0, 7);
}
