import { createTask, parse } from 'node-cron';

/** The times of a job, in UTC, where the clocks never change. */
export interface Timetable {
  /**
   * The first time after a moment, both in milliseconds since 1970.
   * @returns null when there is none within a year, as there may be for 29 February
   */
  firstAfter(moment: number): number | null;
}

const MINUTE = 60_000;
const LOOK_AHEAD = 366 * 24 * 60;

/** @param expression cron expression of five fields */
export function cronTimes(expression: string): Timetable {
  const { minute, hour } = parse(expression);
  const [minutes, hours] = [new Set(minute), new Set(hour)];
  // Never started: node-cron knows the grammar, and time passes in `schedule.ts`.
  const task = createTask(expression, () => {}, { timezone: 'UTC' });
  void task.destroy();
  return {
    firstAfter: (moment) => {
      const first = Math.floor(moment / MINUTE) + 1;
      for (let candidate = first; candidate < first + LOOK_AHEAD; candidate++) {
        const date = new Date(candidate * MINUTE);
        // Its own test takes 10 µs; this one leaves it a few minutes a day.
        if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours())) continue;
        if (task.match(date)) return date.getTime();
      }
      return null;
    },
  };
}
