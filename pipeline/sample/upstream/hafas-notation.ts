import {
  type Instant,
  localDate,
  parseTimestamp,
  SECONDS_PER_DAY,
  type ServiceDate,
  toEpochDay,
  zoneOffsetSeconds,
} from '../../model/service-time.ts';
import { SAMPLE_ZONE } from '../simulator/service-day.ts';
import type { SimulatedStop, SimulatedTrip } from '../simulator/simulated-state.ts';

const PER_DEGREE = 1_000_000;
// ---- Ids ---------------------------------------------------------------------------------------

/** `at:49:1349` or `at:49:1349:0:3`. */
const AUSTRIAN_ID = /^at:(\d{2}):(\d{1,5})(?::0:(\d{1,2}))?$/;

/**
 * The HAFAS number of a stop in Austria: state, number, platform, so that at:49:1349:0:3 is 490134903 and its station
 * 490134900. Other ids are used unchanged.
 */
export function toHafasNumber(stopId: string): string {
  const [, state, number, platform = '0'] = AUSTRIAN_ID.exec(stopId) ?? [];
  return state === undefined ? stopId : `${state}${number!.padStart(5, '0')}${platform.padStart(2, '0')}`;
}

/** Whether an id is one of the ids of a stop. */
export function isNamed({ stopId, stationId, diva }: SimulatedStop, id: string): boolean {
  const ids = [stopId, stationId, diva].filter((one) => one !== null);
  return ids.some((one) => one === id || toHafasNumber(one) === id);
}

/** Reference of a dated trip, in the form of the protocol's older versions; its last part is the day. */
export function toJid({ tripId, startDate }: SimulatedTrip): string {
  const [year, month, day] = startDate.split('-');
  return `1|${tripId}|0|81|${Number(day)}${month}${year}`;
}

// ---- Times -------------------------------------------------------------------------------------

/** `YYYYMMDD` in local time. */
export function formatMgateDate(instant: Instant): string {
  return localDate(instant, SAMPLE_ZONE).replaceAll('-', '');
}

/** `HHMMSS` in local time. */
export function formatMgateTime(instant: Instant): string {
  return clockText(instant + zoneOffsetSeconds(SAMPLE_ZONE, instant));
}

/**
 * `HHMMSS` at the given offset from UTC in minutes, prefixed by the number of days after a date where there are any.
 * One offset for planned and real time distinguishes the two halves of a repeated hour.
 */
export function formatCallTime(instant: Instant, offsetMinutes: number, date: ServiceDate): string {
  const local = instant + offsetMinutes * 60;
  const days = Math.floor(local / SECONDS_PER_DAY) - toEpochDay(date);
  return `${days > 0 ? String(days).padStart(2, '0') : ''}${clockText(local)}`;
}

export function offsetMinutes(instant: Instant): number {
  return zoneOffsetSeconds(SAMPLE_ZONE, instant) / 60;
}

function clockText(localSeconds: number): string {
  return new Date(localSeconds * 1000).toISOString().slice(11, 19).replaceAll(':', '');
}

/**
 * Reads the time of a request, which has no offset; in a repeated hour, the one nearer to now is used.
 * @returns null for an invalid time
 */
export function readMgateTime(date: string, time: string, now: Instant): Instant | null {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(date) ?? [];
  const [, hours, minutes, seconds] = /^(\d{2})(\d{2})(\d{2})$/.exec(time) ?? [];
  const local = parseTimestamp(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
  if (local === null) return null;
  const readings = [-SECONDS_PER_DAY, 0, SECONDS_PER_DAY].map(
    (shift) => (local - zoneOffsetSeconds(SAMPLE_ZONE, (local + shift) as Instant)) as Instant,
  );
  const shown = readings.filter((reading) => reading + zoneOffsetSeconds(SAMPLE_ZONE, reading) === local);
  const [nearest = readings[1]!] = shown.sort((one, other) => Math.abs(one - now) - Math.abs(other - now));
  return nearest;
}

// ---- Places ------------------------------------------------------------------------------------

export function toCoordinates(lat: number, lon: number): { readonly x: number; readonly y: number } {
  return { x: Math.round(lon * PER_DEGREE), y: Math.round(lat * PER_DEGREE) };
}
