import {
  formatTimestamp,
  type Instant,
  parseServiceDate,
  toEpochDay,
  zoneOffsetSeconds,
} from '../../model/service-time.ts';

// These take the place of hafas-client's own of the same names: zones are converted in one place of the project alone,
// and that one is many times as fast.

interface Clock {
  readonly timezone: string;
}

/** Days after the date, hours, minutes, seconds. */
const TIME = /^(\d{2})?([01]\d|2[0-3])([0-5]\d)([0-5]\d)$/;

/**
 * Reads a date `YYYYMMDD` with a time `HHMMSS` or `DDHHMMSS`.
 * @param offsetMinutes how far the clock is ahead of UTC; null: as the endpoint's clock is then, in a repeated hour the
 *   second time
 * @param isTimestamp gives milliseconds since 1970 in place of a text
 * @returns ISO 8601 in UTC
 * @throws TypeError when either is no text; RangeError when it is no date or time
 */
export function parseDateTime(
  { profile }: { readonly profile: Clock },
  date: unknown,
  time: unknown,
  offsetMinutes: number | null = null,
  isTimestamp = false,
): string | number {
  if (typeof date !== 'string' || typeof time !== 'string') throw new TypeError('date or time is no text');
  const day = parseServiceDate(date);
  const [isTime, days = '0', hours, minutes, seconds] = TIME.exec(time) ?? [];
  if (day === null || isTime === undefined) throw new RangeError(`"${date}", "${time}" is no date with a time`);
  const local =
    (toEpochDay(day) + Number(days)) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const milliseconds = (local - offsetOf(profile, local, offsetMinutes)) * 1000;
  return isTimestamp ? milliseconds : new Date(milliseconds).toISOString();
}

function offsetOf({ timezone }: Clock, local: number, offsetMinutes: number | null): number {
  if (offsetMinutes !== null) {
    if (!Number.isSafeInteger(offsetMinutes)) throw new RangeError(`"${offsetMinutes}" is no offset`);
    return offsetMinutes * 60;
  }
  // Two steps settle it: the first may take the offset of the other side of a change of clocks.
  const guess = local - zoneOffsetSeconds(timezone, local as Instant);
  return zoneOffsetSeconds(timezone, guess as Instant);
}

/** `YYYYMMDD` as the endpoint's clock shows it. */
export function formatDate({ timezone }: Clock, when: Date): string {
  return formatTimestamp(toInstant(when), timezone).slice(0, 10).replaceAll('-', '');
}

/** `HHMMSS` as the endpoint's clock shows it. */
export function formatTime({ timezone }: Clock, when: Date): string {
  return formatTimestamp(toInstant(when), timezone).slice(11, 19).replaceAll(':', '');
}

function toInstant(when: Date): Instant {
  return Math.floor(when.getTime() / 1000) as Instant;
}
