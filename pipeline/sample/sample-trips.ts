import type { SampleService } from './calendar.ts';
import type { SampleLine, SampleLineCall, SampleLookups } from './lookups.ts';
import { slowdownAt, type TimedCall, timeCalls } from './running-times.ts';
import { buildShape, type SampleShape } from './shapes-table.ts';
import type { SampleBoardingPlace, SampleStops } from './stops-table.ts';
import { type DepartureWindow, type TimetablePattern, timetablePatterns } from './timetable-patterns.ts';
import { variationBelow } from './variation.ts';

/** A line in one direction with all of its trips: what the feed writes down, and what the simulator runs. */
export interface SampleDirection {
  readonly line: SampleLine;
  readonly direction: 0 | 1;
  readonly pattern: TimetablePattern;
  /** In travel order, as the boarding places beside them. */
  readonly calls: readonly SampleLineCall[];
  readonly boardingPlaces: readonly SampleBoardingPlace[];
  readonly shape: SampleShape;
  readonly headsign: string;
  readonly trips: readonly SampleTrip[];
}

/** A row of trips.txt; of a line that is written with frequencies, the template of its runs. */
export interface SampleTrip {
  readonly id: string;
  readonly service: SampleService;
  /** Counts the trips of its line, direction and service, from 1. */
  readonly number: number;
  /** Train number with the name of its kind; empty where riders know none. */
  readonly shortName: string;
  /** Departure from the first call, in seconds of the service day. */
  readonly startSeconds: number;
  /** One per call, counted from `startSeconds`. */
  readonly times: readonly TimedCall[];
  /** When its runs leave; null for a trip that is written as it is. */
  readonly windows: readonly DepartureWindow[] | null;
}

/**
 * Every line's timetable, both directions, all kinds of day, in the order of the lookup.
 * @throws RangeError for a line whose timetable does not exist
 */
export function listSampleDirections(lookups: SampleLookups, stops: SampleStops, seed: number): SampleDirection[] {
  return lookups.lines.flatMap((line) => {
    const pattern = timetablePatterns[line.timetable];
    if (!pattern) throw new RangeError(`line ${line.id} has an unknown timetable: ${line.timetable}`);
    const directions = pattern.hasReturn ? ([0, 1] as const) : ([0] as const);
    return directions.map((direction) => buildDirection({ line, direction, pattern, stops, seed }));
  });
}

interface LineDirection {
  readonly line: SampleLine;
  readonly direction: 0 | 1;
  readonly pattern: TimetablePattern;
  readonly stops: SampleStops;
  readonly seed: number;
}

function buildDirection(run: LineDirection): SampleDirection {
  const { line, direction, pattern, stops, seed } = run;
  const calls = direction === 0 ? line.calls : line.calls.toReversed();
  return {
    line,
    direction,
    pattern,
    calls,
    boardingPlaces: calls.map(({ place }) => stops.getBoardingPlace(line, direction, place)),
    shape: buildShape(line, direction, stops, seed),
    headsign: calls.at(-1)!.place.name,
    trips: buildTrips(run),
  };
}

function buildTrips(run: LineDirection): SampleTrip[] {
  const { line, direction, pattern } = run;
  const timesAt = callTimer(run);
  return Object.entries(pattern.days).flatMap(([service, windows]) => {
    const isTemplate = pattern.writtenAs !== 'trips';
    const starts = isTemplate ? [windows[0]!.from * 3600] : departures(run, service as SampleService, windows);
    return starts.map((startSeconds, i) => ({
      id: `${line.id}-${direction}-${service}-${i + 1}`,
      service: service as SampleService,
      number: i + 1,
      shortName: shortName(line, direction, i + 1),
      startSeconds,
      times: timesAt(startSeconds),
      windows: isTemplate ? windows : null,
    }));
  });
}

function departures(run: LineDirection, service: SampleService, windows: readonly DepartureWindow[]): number[] {
  const { line, direction, pattern, seed } = run;
  const halfMinutes = windows[0]!.headwayMinutes * 2;
  const phaseMinutes =
    pattern.phaseMinutes?.[direction] ?? variationBelow(halfMinutes, seed, `${line.id} ${direction} ${service}`) / 2;
  const starts: number[] = [];
  let start = windows[0]!.from * 3600 + phaseMinutes * 60;
  for (const window of windows) {
    for (; start < window.to * 3600; start += window.headwayMinutes * 60) starts.push(start);
  }
  return starts;
}

function shortName(line: SampleLine, direction: 0 | 1, number: number): string {
  if (line.mode !== 'rail') return '';
  // Even and odd numbers tell the directions apart, as railways do.
  return `${line.label} ${100 + variationBelow(700, 0, line.id) + 2 * number + direction}`;
}

/** Hundreds of trips differ in their start alone, so they share one list of times per state of the streets. */
function callTimer({ line, direction, stops, seed }: LineDirection): (startSeconds: number) => readonly TimedCall[] {
  const timesBySlowdown = new Map<number, readonly TimedCall[]>();
  return (startSeconds) => {
    const slowdown = slowdownAt(line.mode, startSeconds);
    const times = timesBySlowdown.get(slowdown) ?? timeCalls(line, direction, slowdown, stops.hubs, seed);
    timesBySlowdown.set(slowdown, times);
    return times;
  };
}
