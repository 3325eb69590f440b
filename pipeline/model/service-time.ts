import type { Brand } from './ids.ts';

/** Whole seconds since 1970-01-01T00:00:00Z. */
export type Instant = Brand<number, 'Instant'>;
/** Whole seconds since noon minus 12 h of a service date, local to the agency; may pass 86 400. */
export type ServiceTime = Brand<number, 'ServiceTime'>;
/** `YYYY-MM-DD`: the day a trip belongs to, not the calendar day of a call. */
export type ServiceDate = Brand<string, 'ServiceDate'>;
/** Whole days since 1970-01-01, a `ServiceDate` as a number. */
export type EpochDay = Brand<number, 'EpochDay'>;

export const SECONDS_PER_DAY = 86_400;
const HALF_DAY = 43_200;

/** Time zone of Taktgeber's own days and of all v2 times, wherever the vehicle runs. */
export const AUSTRIA = 'Europe/Vienna';

// ---- Dates -------------------------------------------------------------------------------------

/** Reads `YYYY-MM-DD` or GTFS's `YYYYMMDD`; null for anything but a calendar date. */
export function parseServiceDate(text: string): ServiceDate | null {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text);
  if (!match || (text.length !== 8 && text.length !== 10)) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return null;
  return `${match[1]}-${match[2]}-${match[3]}` as ServiceDate;
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

export function toEpochDay(date: ServiceDate): EpochDay {
  return (Date.parse(`${date}T00:00:00Z`) / (SECONDS_PER_DAY * 1000)) as EpochDay;
}

export function fromEpochDay(day: number): ServiceDate {
  return new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10) as ServiceDate;
}

export function addDays(date: ServiceDate, days: number): ServiceDate {
  return fromEpochDay(toEpochDay(date) + days);
}

/** ISO weekday of a date: 1 = Monday … 7 = Sunday. */
export function isoWeekday(date: ServiceDate): number {
  // 1970-01-01 was a Thursday.
  return ((((toEpochDay(date) + 3) % 7) + 7) % 7) + 1;
}

// ---- Service time ------------------------------------------------------------------------------

/**
 * Reads a GTFS time, `H:MM:SS` to `HHH:MM:SS`.
 * @returns seconds from noon minus 12 h, or null when it is not a time
 * @see GTFS Schedule reference, field type "Time"
 */
export function parseServiceTime(text: string): ServiceTime | null {
  const match = /^(\d{1,3}):([0-5]\d):([0-5]\d)$/.exec(text);
  if (!match) return null;
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])) as ServiceTime;
}

export function formatServiceTime(time: ServiceTime): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(time / 3600))}:${two(Math.floor(time / 60) % 60)}:${two(time % 60)}`;
}

/**
 * Start of a service date: local noon minus 12 h.
 * @param zone IANA name; from agency_timezone
 * @returns UTC seconds; differs from local midnight on clock-change days
 * @throws RangeError for an unknown zone
 * @see GTFS Schedule reference, field type "Time"
 */
export function serviceDayStart(date: ServiceDate, zone: string): Instant {
  const noonAsIfUtc = toEpochDay(date) * SECONDS_PER_DAY + HALF_DAY;
  // Two steps are enough: no zone changes its clocks twice around noon.
  const guess = noonAsIfUtc - zoneOffsetSeconds(zone, noonAsIfUtc as Instant);
  const noon = noonAsIfUtc - zoneOffsetSeconds(zone, guess as Instant);
  return (noon - HALF_DAY) as Instant;
}

/** The instant of a service time on a service date in a zone. */
export function toInstant(date: ServiceDate, time: ServiceTime, zone: string): Instant {
  return (serviceDayStart(date, zone) + time) as Instant;
}

/**
 * The instant at which a clock in the zone shows a time of day. A time that the clock change skips is counted from
 * before the change; of a time that occurs twice, the second is returned.
 * @param seconds since midnight by the clock; may pass 86,400
 */
export function atLocalTime(date: ServiceDate, seconds: number, zone: string): Instant {
  const asIfUtc = toEpochDay(date) * SECONDS_PER_DAY + seconds;
  const guess = asIfUtc - zoneOffsetSeconds(zone, asIfUtc as Instant);
  return (asIfUtc - zoneOffsetSeconds(zone, guess as Instant)) as Instant;
}

/** The calendar date that a clock in the zone shows at an instant. */
export function localDate(instant: Instant, zone: string): ServiceDate {
  return fromEpochDay(Math.floor((instant + zoneOffsetSeconds(zone, instant)) / SECONDS_PER_DAY));
}

/** Seconds since midnight that a clock in the zone shows at an instant. */
export function localSecondOfDay(instant: Instant, zone: string): number {
  return secondOfDay(instant + zoneOffsetSeconds(zone, instant));
}

/** Seconds since the last midnight, of seconds since any midnight; also of negative ones. */
export function secondOfDay(seconds: number): number {
  return ((seconds % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY;
}

// ---- Zones -------------------------------------------------------------------------------------

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    // Intl reports an unknown zone only by a RangeError.
    return false;
  }
}

/** Offsets of one zone in one UTC year: `offsets[i]` holds from `starts[i]` on. */
interface ZoneYear {
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

// A cache of facts, not state: offsets of past and present years do not change while the process runs.
const zoneYears = new Map<string, Map<number, ZoneYear>>();

/**
 * Offset of a zone from UTC at an instant.
 * @returns seconds, east positive
 * @throws RangeError for an unknown zone
 */
export function zoneOffsetSeconds(zone: string, instant: Instant): number {
  if (zone !== lastSpan.zone || instant < lastSpan.from || instant >= lastSpan.to) lastSpan = findSpan(zone, instant);
  return lastSpan.offset;
}

/** A period in which a zone's offset does not change. */
interface ZoneSpan {
  readonly zone: string;
  readonly from: number;
  /** The first instant after it. */
  readonly to: number;
  readonly offset: number;
}

/**
 * The offsets of a zone between two instants, one item for each period without a change.
 * @returns in order of time; the first begins at `from`, the last ends at `to`; offsets in seconds, east positive
 */
export function listZoneOffsets(
  zone: string,
  from: Instant,
  to: Instant,
): { readonly from: Instant; readonly to: Instant; readonly offsetSeconds: number }[] {
  const spans = [];
  for (let begin = from; begin < to; ) {
    const span = findSpan(zone, begin);
    const end = Math.min(span.to, to) as Instant;
    spans.push({ from: begin, to: end, offsetSeconds: span.offset });
    begin = end;
  }
  return spans;
}

// Consecutive calls mostly need near instants: the last period serves them without a calendar lookup.
let lastSpan: ZoneSpan = { zone: '', from: 0, to: 0, offset: 0 };

function findSpan(zone: string, instant: Instant): ZoneSpan {
  const year = new Date(instant * 1000).getUTCFullYear();
  const { starts, offsets } = getZoneYear(zone, year);
  let i = starts.length - 1;
  while (i > 0 && starts[i]! > instant) i--;
  return { zone, from: starts[i]!, to: starts[i + 1] ?? Date.UTC(year + 1, 0, 1) / 1000, offset: offsets[i]! };
}

function getZoneYear(zone: string, year: number): ZoneYear {
  const years = zoneYears.get(zone) ?? new Map<number, ZoneYear>();
  const known = years.get(year) ?? readZoneYear(zone, year);
  years.set(year, known);
  zoneYears.set(zone, years);
  return known;
}

function readZoneYear(zone: string, year: number): ZoneYear {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsetAt = (seconds: number) => parseLongOffset(format.format(seconds * 1000));
  const end = Date.UTC(year + 1, 0, 1) / 1000;
  let from = Date.UTC(year, 0, 1) / 1000;
  let offset = offsetAt(from);
  const starts = [from];
  const offsets = [offset];
  // Ten days: shorter than any summer time a zone has had (Morocco's pause at Ramadan is a month).
  for (let to = from; to < end; from = to) {
    to = Math.min(from + 10 * SECONDS_PER_DAY, end);
    if (offsetAt(to - 1) === offset) continue;
    let low = from;
    let high = to - 1;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    offset = offsetAt(high);
    starts.push(high);
    offsets.push(offset);
  }
  return { starts, offsets };
}

function parseLongOffset(text: string): number {
  const match = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text);
  if (!match) throw new RangeError(`no offset in "${text}"`);
  if (!match[1]) return 0;
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4] ?? 0);
  return match[1] === '-' ? -seconds : seconds;
}

// ---- RFC 3339 ----------------------------------------------------------------------------------

const two = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

/** `YYYY-MM-DDThh:mm:ss±hh:mm` in the zone's local time; on a repeated hour the offset distinguishes the two. */
export function formatTimestamp(instant: Instant, zone: string): string {
  const offset = zoneOffsetSeconds(zone, instant);
  const local = instant + offset;
  const seconds = secondOfDay(local);
  const minutes = Math.abs(offset) / 60;
  const clock = `${two[Math.floor(seconds / 3600)]}:${two[Math.floor(seconds / 60) % 60]}:${two[seconds % 60]}`;
  const sign = offset < 0 ? '-' : '+';
  return `${isoDay(Math.floor(local / SECONDS_PER_DAY))}T${clock}${sign}${two[Math.floor(minutes / 60)]}:${two[minutes % 60]}`;
}

let lastDay = Number.NaN;
let lastIsoDay = '';

// Boards format dozens of times of one day in a row, and toISOString is the expensive part.
function isoDay(day: number): string {
  if (day !== lastDay) {
    lastIsoDay = fromEpochDay(day);
    lastDay = day;
  }
  return lastIsoDay;
}

/** `YYYY-MM-DDThh:mm:ss.sssZ`, the form of the /v1 routes. */
export function formatUtc(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * Reads an RFC 3339 date-time with any offset, `Z` included; a fraction of a second is cut off.
 * @returns null if malformed or not in the calendar (30 February, 24:00, offset +25:00)
 */
export function parseTimestamp(text: string): Instant | null {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|([+-])(\d{2}):(\d{2}))$/.exec(text);
  if (!match) return null;
  const date = parseServiceDate(match[1]!);
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const [offsetHours, offsetMinutes] = [Number(match[6] ?? 0), Number(match[7] ?? 0)];
  if (!date || hours > 23 || minutes > 59 || seconds > 59 || offsetHours > 23 || offsetMinutes > 59) return null;
  const offset = (match[5] === '-' ? -1 : 1) * (offsetHours * 3600 + offsetMinutes * 60);
  return (toEpochDay(date) * SECONDS_PER_DAY + hours * 3600 + minutes * 60 + seconds - offset) as Instant;
}
