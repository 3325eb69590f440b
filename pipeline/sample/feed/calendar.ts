import { addDays, fromEpochDay, isoWeekday, type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import type { SampleTable } from './csv.ts';

export interface Validity {
  readonly start: ServiceDate;
  readonly end: ServiceDate;
}

/** From a month before today to a year after. */
export function sampleValidity(today: ServiceDate): Validity {
  return { start: addDays(today, -31), end: addDays(today, 365) };
}

/** Days of the week on which the calendar runs a service, Monday first, before holidays are considered. */
const weeklyServices = {
  weekday: '1111100',
  saturday: '0000010',
  sunday: '0000001',
  daily: '1111111',
  // Nights before Saturdays, Sundays and holidays; a night belongs to the day on which it begins.
  weekend_night: '0000110',
} as const satisfies Record<string, string>;

/** Listed by date, in calendar_dates.txt only. */
const datedServices = ['clock_change_night', 'first_sunday'] as const;

export type SampleService = keyof typeof weeklyServices | (typeof datedServices)[number];

export function buildCalendar({ start, end }: Validity): SampleTable {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const rows = Object.entries(weeklyServices).map(([service, week]) => [
    service,
    ...week,
    gtfsDate(start),
    gtfsDate(end),
  ]);
  return { header: ['service_id', ...days, 'start_date', 'end_date'], rows };
}

/** Holidays run as Sundays, the nights before them as weekend nights. */
export function buildCalendarDates(validity: Validity): SampleTable {
  const rows: string[][] = [];
  const add = (service: SampleService, date: ServiceDate) => rows.push([service, gtfsDate(date), '1']);
  const remove = (service: SampleService, date: ServiceDate) => rows.push([service, gtfsDate(date), '2']);
  const dates = listDates(validity);
  for (const date of dates) {
    const isHoliday = isAustrianHoliday(date);
    const weekday = isoWeekday(date);
    if (isHoliday && weekday !== 7) {
      remove(weekday === 6 ? 'saturday' : 'weekday', date);
      add('sunday', date);
    }
    if (isAustrianHoliday(addDays(date, 1)) && weekday !== 5 && weekday !== 6) add('weekend_night', date);
    if (weekday === 7 && Number(date.slice(8)) <= 7) add('first_sunday', date);
  }
  for (const date of clockChangeNights(validity)) add('clock_change_night', date);
  return { header: ['service_id', 'date', 'exception_type'], rows };
}

/** The services that run on a date according to these rows, as any reader of the feed evaluates them. */
export function listServicesOn(date: ServiceDate): ReadonlySet<SampleService> {
  const day: Validity = { start: date, end: date };
  const weekly = buildCalendar(day).rows.filter((row) => row[isoWeekday(date)] === '1');
  const services = new Set(weekly.map(([service]) => service as SampleService));
  for (const [service, , type] of buildCalendarDates(day).rows) {
    if (type === '1') services.add(service as SampleService);
    else services.delete(service as SampleService);
  }
  return services;
}

/** Service dates whose night has a clock change: the Saturdays before the last Sunday of March and October. */
export function clockChangeNights(validity: Validity): ServiceDate[] {
  return listDates(validity).filter((date) => {
    const isLastSaturdayNight = isoWeekday(date) === 6 && addDays(date, 8).slice(5, 7) !== addDays(date, 1).slice(5, 7);
    return isLastSaturdayNight && ['03', '10'].includes(addDays(date, 1).slice(5, 7));
  });
}

const FIXED_HOLIDAYS = ['01-01', '01-06', '05-01', '08-15', '10-26', '11-01', '12-08', '12-25', '12-26'];
// Easter Monday, Ascension Day, Whit Monday, Corpus Christi.
const DAYS_AFTER_EASTER = [1, 39, 50, 60];

/**
 * Whether a date is a public holiday in all of Austria.
 * @see Arbeitsruhegesetz section 7
 */
export function isAustrianHoliday(date: ServiceDate): boolean {
  if (FIXED_HOLIDAYS.includes(date.slice(5))) return true;
  return DAYS_AFTER_EASTER.includes(toEpochDay(date) - toEpochDay(easterSunday(Number(date.slice(0, 4)))));
}

/** Easter Sunday of the Gregorian calendar, after the algorithm of Meeus, Jones and Butcher. */
export function easterSunday(year: number): ServiceDate {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  const month = String(Math.floor(f / 31)).padStart(2, '0');
  return `${year}-${month}-${String((f % 31) + 1).padStart(2, '0')}` as ServiceDate;
}

/** GTFS's `YYYYMMDD`. */
export function gtfsDate(date: ServiceDate): string {
  return date.replaceAll('-', '');
}

function listDates({ start, end }: Validity): ServiceDate[] {
  const first = toEpochDay(start);
  return Array.from({ length: toEpochDay(end) - first + 1 }, (_, i) => fromEpochDay(first + i));
}
