import {
  AUSTRIA,
  addDays,
  atLocalTime,
  type Instant,
  isoWeekday,
  localDate,
  type ServiceDate,
} from '../../../pipeline/model/service-time.ts';
import { collectCalls, listBoardCalls } from '../../engine/boards/calls-at-stop.ts';
import { findStop } from '../../engine/read/stop-ids.ts';
import type { Timetable } from '../../engine/read/timetable.ts';
import type { DatedRide } from '../../engine/trips/run.ts';
import type { LineSpec, WatchRepeat } from '../watch.ts';

/** The window of a repeated watch on one date. */
export interface Occurrence {
  readonly date: ServiceDate;
  /** Departures in `[begin, end)` are watched. */
  readonly begin: Instant;
  readonly end: Instant;
  readonly judgedFrom: Instant;
  readonly judgedUntil: Instant;
}

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const SECONDS_PER_MINUTE = 60;
const MINUTES_PER_DAY = 1440;
/** A window is judged from this long before its begin. */
const BEFORE_SECONDS = 3600;
/** Departures are no longer judged this long after the window. */
const AFTER_SECONDS = 2 * 3600;

/** @returns minutes from `from` to `to`; past midnight if `to` is before `from` */
export function measureWindow({ from, to }: Pick<WatchRepeat, 'from' | 'to'>): number {
  return (toMinutes(to) - toMinutes(from) + MINUTES_PER_DAY) % MINUTES_PER_DAY;
}

/** @param clock `HH:MM` */
function toMinutes(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number);
  return hours! * 60 + minutes!;
}

/** The occurrence that is judged at an instant, else the next one. Windows are too short to overlap. */
export function findOccurrence(repeat: WatchRepeat, instant: Instant): Occurrence {
  const today = localDate(instant, AUSTRIA);
  // The occurrence of yesterday may still be judged.
  for (let ahead = -1; ; ahead++) {
    const date = addDays(today, ahead);
    if (!repeat.weekdays.includes(weekdays[isoWeekday(date) - 1]!)) continue;
    const occurrence = openOccurrence(repeat, date);
    if (instant < occurrence.judgedUntil) return occurrence;
  }
}

function openOccurrence(repeat: WatchRepeat, date: ServiceDate): Occurrence {
  const isOverMidnight = toMinutes(repeat.to) < toMinutes(repeat.from);
  const begin = atLocalTime(date, toMinutes(repeat.from) * SECONDS_PER_MINUTE, AUSTRIA);
  const lastDate = isOverMidnight ? addDays(date, 1) : date;
  // `to` includes the whole minute.
  const end = atLocalTime(lastDate, (toMinutes(repeat.to) + 1) * SECONDS_PER_MINUTE, AUSTRIA);
  return {
    date,
    begin,
    end,
    judgedFrom: (begin - BEFORE_SECONDS) as Instant,
    judgedUntil: (end + AFTER_SECONDS) as Instant,
  };
}

/** A departure of an occurrence, identified by values that outlive the timetable. */
export interface WatchedDeparture {
  readonly name: string;
  readonly tripKey: bigint;
  /** From the stop to the end of the trip. */
  readonly ride: DatedRide;
}

/** Maximum number of departures watched in one window. */
const MAX_DEPARTURES = 100;

/** The scheduled departures of the lines at the stops, in order of time; only the first of each trip. */
export function listWatchedDepartures(
  timetable: Timetable,
  { lines, stopIds }: Pick<LineSpec, 'lines' | 'stopIds'>,
  { begin, end }: Pick<Occurrence, 'begin' | 'end'>,
): readonly WatchedDeparture[] {
  const { patterns, trips } = timetable.tables;
  const filter = { lines: new Set(lines.map(({ label }) => label)), products: null, otherStop: null };
  const calls = stopIds.flatMap((stopId) => {
    const stop = findStop(timetable, stopId);
    return stop === null
      ? []
      : collectCalls(timetable, listBoardCalls(timetable, stop, 'departures', filter), begin, end);
  });
  calls.sort((a, b) => a.time - b.time || a.trip - b.trip || a.position - b.position);
  const departures = new Map<string, WatchedDeparture>();
  for (const { pattern, position, trip, day } of calls) {
    const tripKey = trips.key[trip]!;
    const name = `${tripKey} ${day}`;
    if (departures.has(name) || !isOfLines(timetable, lines, patterns.route[pattern]!)) continue;
    const alightPosition = patterns.callCount[pattern]! - 1;
    departures.set(name, {
      name,
      tripKey,
      ride: { trip, addedTrip: -1, day, boardPosition: position, alightPosition },
    });
  }
  return [...departures.values()].slice(0, MAX_DEPARTURES);
}

function isOfLines(timetable: Timetable, lines: LineSpec['lines'], route: number): boolean {
  const { label, operatorName } = timetable.lines.get(route);
  return lines.some(
    (line) =>
      line.label === label &&
      (line.operatorName === undefined || line.operatorName.toLowerCase() === operatorName?.toLowerCase()),
  );
}
