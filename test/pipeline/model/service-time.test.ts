import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  formatServiceTime,
  formatTimestamp,
  formatUtc,
  fromEpochDay,
  type Instant,
  isoWeekday,
  isTimeZone,
  localDate,
  localSecondOfDay,
  parseServiceDate,
  parseServiceTime,
  parseTimestamp,
  type ServiceDate,
  type ServiceTime,
  serviceDayStart,
  toEpochDay,
  toInstant,
  zoneOffsetSeconds,
} from '../../../pipeline/model/service-time.ts';

const VIENNA = 'Europe/Vienna';
const at = (text: string) => (Date.parse(text) / 1000) as Instant;

describe('a service time is converted to an instant', () => {
  it.each([
    ['2025-03-29', '26:30:00', '2025-03-30T01:30:00Z', VIENNA],
    ['2025-03-30', '00:00:00', '2025-03-29T22:00:00Z', VIENNA],
    ['2025-10-25', '26:30:00', '2025-10-26T00:30:00Z', VIENNA],
    ['2025-10-25', '27:30:00', '2025-10-26T01:30:00Z', VIENNA],
    ['2025-10-26', '00:00:00', '2025-10-25T23:00:00Z', VIENNA],
    ['2025-07-01', '12:00:00', '2025-07-01T10:00:00Z', VIENNA],
    ['2025-07-01', '86:52:00', '2025-07-04T12:52:00Z', VIENNA],
    ['2025-11-02', '00:00:00', '2025-11-02T05:00:00Z', 'America/New_York'],
    ['2025-01-01', '12:00:00', '2025-01-01T06:15:00Z', 'Asia/Kathmandu'],
  ])('%s %s in its zone is %s', (date, time, instant, zone) => {
    expect(toInstant(date as ServiceDate, parseServiceTime(time)!, zone)).toBe(at(instant));
  });
});

describe('a timestamp has the offset in force', () => {
  it.each([
    ['2025-10-26T00:30:00Z', '2025-10-26T02:30:00+02:00'],
    ['2025-10-26T01:30:00Z', '2025-10-26T02:30:00+01:00'],
    ['2025-03-30T00:59:59Z', '2025-03-30T01:59:59+01:00'],
    ['2025-03-30T01:00:00Z', '2025-03-30T03:00:00+02:00'],
    ['2024-12-31T23:00:00Z', '2025-01-01T00:00:00+01:00'],
  ])('%s is formatted as %s', (instant, shown) => {
    expect(formatTimestamp(at(instant), VIENNA)).toBe(shown);
    expect(parseTimestamp(shown)).toBe(at(instant));
  });

  it('shows negative and half-hour offsets', () => {
    expect(formatTimestamp(at('2025-01-01T00:00:00Z'), 'America/St_Johns')).toBe('2024-12-31T20:30:00-03:30');
  });

  it('round-trips any instant', () => {
    const instants = fc.integer({ min: 0, max: 4_000_000_000 });
    const zones = fc.constantFrom(VIENNA, 'America/Toronto', 'Asia/Kolkata', 'UTC');
    fc.assert(
      fc.property(instants, zones, (instant, zone) => {
        expect(parseTimestamp(formatTimestamp(instant as Instant, zone))).toBe(instant);
      }),
    );
  });

  it('agrees with Intl on every offset', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (instant) => {
        const shown = new Intl.DateTimeFormat('sv-SE', {
          timeZone: VIENNA,
          dateStyle: 'short',
          timeStyle: 'medium',
        }).format(instant * 1000);
        expect(
          formatTimestamp(instant as Instant, VIENNA)
            .slice(0, 19)
            .replace('T', ' '),
        ).toBe(shown);
      }),
    );
  });
});

describe('rejects an invalid time', () => {
  it.each([
    '2025-02-30T00:00:00Z',
    '2025-01-01T24:00:00Z',
    '2025-01-01T00:00:00',
    '2025-01-01 00:00:00Z',
    '2025-01-01T00:00Z',
    '2025-01-01T00:00:00+25:00',
    '1e9',
    '',
  ])('timestamp %j', (text) => expect(parseTimestamp(text)).toBeNull());

  it.each(['20250230', '2025-13-01', '2025-1-1', '2025-0101', '', '00000000'])('date %j', (text) =>
    expect(parseServiceDate(text)).toBeNull(),
  );

  it.each(['8:5:00', '08:60:00', '08:00', '-1:00:00', '1000:00:00', ''])('service time %j', (text) =>
    expect(parseServiceTime(text)).toBeNull(),
  );

  it('zone', () => {
    expect(isTimeZone('Europe/Vienna')).toBe(true);
    expect(isTimeZone('Europe/Entenhausen')).toBe(false);
    expect(() => zoneOffsetSeconds('Europe/Entenhausen', 0 as Instant)).toThrow(RangeError);
  });
});

describe('dates', () => {
  it('are parsed in both formats', () => {
    expect(parseServiceDate('20240229')).toBe('2024-02-29');
    expect(parseServiceDate('2024-02-29')).toBe('2024-02-29');
  });

  it('convert to epoch days and back', () => {
    expect(fromEpochDay(toEpochDay('2026-11-20' as ServiceDate))).toBe('2026-11-20');
    expect(addDays('2024-02-28' as ServiceDate, 2)).toBe('2024-03-01');
    expect(isoWeekday('2026-11-20' as ServiceDate)).toBe(5);
    expect(isoWeekday('1969-12-29' as ServiceDate)).toBe(1);
  });

  it('are those of local clocks', () => {
    expect(localDate(at('2025-10-25T21:59:59Z'), VIENNA)).toBe('2025-10-25');
    expect(localDate(at('2025-10-25T22:00:00Z'), VIENNA)).toBe('2025-10-26');
  });

  it.each([
    ['2025-10-25T06:00:00Z', 8 * 3600],
    ['2025-10-27T07:00:00Z', 8 * 3600],
    ['2025-10-25T21:59:59Z', 86_399],
    ['2025-10-25T22:00:00Z', 0],
    ['1969-12-31T22:30:00Z', 84_600],
  ])('reads the time of day from local clocks: %s', (instant, seconds) => {
    expect(localSecondOfDay(at(instant), VIENNA)).toBe(seconds);
  });
});

it('starts a service day at local midnight, except on days with a clock change', () => {
  const hours = (date: string) => (serviceDayStart(date as ServiceDate, VIENNA) - at(`${date}T00:00:00Z`)) / 3600;
  expect(hours('2025-03-29')).toBe(-1);
  expect(hours('2025-03-30')).toBe(-2);
  expect(hours('2025-07-01')).toBe(-2);
  expect(hours('2025-10-26')).toBe(-1);
});

it('formats service times as in GTFS', () => {
  expect(formatServiceTime((86 * 3600 + 52 * 60) as ServiceTime)).toBe('86:52:00');
  expect(formatServiceTime(5 as ServiceTime)).toBe('00:00:05');
});

it('formats /v1 times in UTC with milliseconds', () => {
  expect(formatUtc(0)).toBe('1970-01-01T00:00:00.000Z');
});
