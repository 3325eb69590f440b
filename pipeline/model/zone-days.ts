import { fromEpochDay, serviceDayStart } from './service-time.ts';

/** Starts of service days in one zone. */
export interface ZoneDays {
  readonly name: string;
  /** Seconds since 1970 UTC of noon minus 12 h of a day; any day. */
  startOf(day: number): number;
}

/** Caches starts: each takes several calendar computations, and the same few days are needed repeatedly. */
export function rememberDays(name: string): ZoneDays {
  const starts = new Map<number, number>();
  return {
    name,
    startOf(day) {
      const known = starts.get(day);
      if (known !== undefined) return known;
      const start = serviceDayStart(fromEpochDay(day), name);
      starts.set(day, start);
      return start;
    },
  };
}
