import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  fromEpochDay,
  type ServiceDate,
  type ServiceTime,
  toInstant,
} from '../../../../pipeline/model/service-time.ts';
import {
  buildCalendar,
  buildCalendarDates,
  clockChangeNights,
  easterSunday,
  isAustrianHoliday,
  listServicesOn,
  sampleValidity,
} from '../../../../pipeline/sample/feed/calendar.ts';

const date = (text: string) => text as ServiceDate;

describe('Austrian holidays', () => {
  it.each([
    [2000, '2000-04-23'],
    [2024, '2024-03-31'],
    [2025, '2025-04-20'],
    [2026, '2026-04-05'],
    [2027, '2027-03-28'],
    [2038, '2038-04-25'],
  ])('Easter of %i is on %s', (year, easter) => expect(easterSunday(year)).toBe(easter));

  it('are thirteen per year', () => {
    const days = Array.from({ length: 365 }, (_, i) => addDays(date('2026-01-01'), i)).filter(isAustrianHoliday);
    expect(days).toEqual([
      '2026-01-01',
      '2026-01-06',
      '2026-04-06',
      '2026-05-01',
      '2026-05-14',
      '2026-05-25',
      '2026-06-04',
      '2026-08-15',
      '2026-10-26',
      '2026-11-01',
      '2026-12-08',
      '2026-12-25',
      '2026-12-26',
    ]);
  });
});

describe('service calendar', () => {
  /** The services that run on a date, by the two tables alone. */
  function runningOn(today: ServiceDate, day: ServiceDate): string[] {
    const week = new Date(`${day}T12:00:00Z`).getUTCDay();
    const regular = buildCalendar(sampleValidity(today))
      .rows.filter((row) => row[((week + 6) % 7) + 1] === '1')
      .map(([service]) => String(service));
    const exceptions = buildCalendarDates(sampleValidity(today)).rows.filter(
      (row) => row[1] === day.replaceAll('-', ''),
    );
    const removed = exceptions.filter((row) => row[2] === '2').map(([service]) => service);
    const added = exceptions.filter((row) => row[2] === '1').map(([service]) => String(service));
    return [...regular.filter((service) => !removed.includes(service)), ...added].sort();
  }

  it.each([
    ['2026-11-20', 'Friday', ['daily', 'weekday', 'weekend_night']],
    ['2026-11-21', 'Saturday', ['daily', 'saturday', 'weekend_night']],
    ['2026-11-22', 'Sunday', ['daily', 'sunday']],
    ['2026-12-06', 'first Sunday', ['daily', 'first_sunday', 'sunday']],
    ['2026-12-07', 'eve of a holiday', ['daily', 'weekday', 'weekend_night']],
    ['2026-12-08', 'holiday on a Tuesday', ['daily', 'sunday']],
    ['2026-12-26', 'holiday on a Saturday', ['daily', 'sunday', 'weekend_night']],
    ['2026-10-31', 'Saturday before a holiday on Sunday', ['daily', 'saturday', 'weekend_night']],
    ['2027-03-27', 'night of the change to summer time', ['clock_change_night', 'daily', 'saturday', 'weekend_night']],
  ])('%s (%s)', (day, _what, services) => expect(runningOn(date('2026-11-20'), date(day))).toEqual(services));

  it('runs exactly one kind of day on every date, without duplicate exceptions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 18_000, max: 30_000 }),
        fc.integer({ min: -31, max: 365 }),
        (todayNumber, offset) => {
          const today = fromEpochDay(todayNumber);
          const kinds = runningOn(today, addDays(today, offset)).filter((s) =>
            ['weekday', 'saturday', 'sunday'].includes(s),
          );
          expect(kinds).toHaveLength(1);
          const pairs = buildCalendarDates(sampleValidity(today)).rows.map((row) => `${row[0]} ${row[1]}`);
          expect(new Set(pairs).size).toBe(pairs.length);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('finds both clock changes for any date', () => {
    fc.assert(
      fc.property(fc.integer({ min: 18_000, max: 30_000 }), (todayNumber) => {
        const nights = clockChangeNights(sampleValidity(fromEpochDay(todayNumber)));
        expect(new Set(nights.map((night) => addDays(night, 1).slice(5, 7)))).toEqual(new Set(['03', '10']));
        for (const night of nights) {
          // 24 hours after the start of the service day the clocks have moved, or will within the night.
          const start = (day: ServiceDate) => toInstant(day, 0 as ServiceTime, 'Europe/Vienna');
          expect((start(addDays(night, 2)) - start(night)) / 3600).not.toBe(48);
        }
      }),
      { numRuns: 30 },
    );
  });
});

it.each([
  ['2026-11-18', 'a Wednesday', ['daily', 'weekday']],
  ['2026-11-20', 'a Friday', ['daily', 'weekday', 'weekend_night']],
  ['2026-12-06', 'the first Sunday of a month', ['daily', 'first_sunday', 'sunday']],
  ['2026-12-07', 'a Monday before a holiday', ['daily', 'weekday', 'weekend_night']],
  ['2026-12-08', 'a holiday on a Tuesday', ['daily', 'sunday']],
  ['2026-12-26', 'a holiday on a Saturday', ['daily', 'sunday', 'weekend_night']],
  ['2027-03-27', 'a Saturday before a change of clocks', ['clock_change_night', 'daily', 'saturday', 'weekend_night']],
])('runs on %s, %s: %j', (text, _, services) => {
  expect([...listServicesOn(date(text))].sort()).toEqual(services);
});
