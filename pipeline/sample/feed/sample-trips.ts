import type { SampleService } from './calendar.ts';
import type { SampleLine, SampleLineCall, SampleLookups } from './lookups.ts';
import { slowdownAt, type TimedCall, timeCalls } from './running-times.ts';
import { buildShape, type SampleShape } from './shapes-table.ts';
import type { SampleBoardingPlace, SampleStops } from './stops-table.ts';
import { type FindWaypoints, openTrackPaths } from './track-paths.ts';
import { variationBelow } from './variation.ts';

/** Departures from a line's first stop, from `from` to before `to`, in hours of the service day. */
interface DepartureWindow {
  readonly from: number;
  readonly to: number;
  readonly headwayMinutes: number;
}

interface TimetablePattern {
  readonly days: Partial<Record<SampleService, readonly DepartureWindow[]>>;
  /**
   * Departure minutes after the start of a window, for lines with connections; null: derived from the seed. Direction
   * 0, then direction 1.
   */
  readonly phaseMinutes: readonly [number, number] | null;
  /**
   * `trips` writes every departure; the others write one trip and frequencies.txt rows, with that value of exact_times.
   */
  readonly writtenAs: 'trips' | 'headway' | 'schedule';
  /** False for a one-way line. */
  readonly hasReturn: boolean;
}

/** Creates windows from an hour followed by alternating headways and hours, e.g. `[5, 10, 9, 15, 24]`. */
function windows(first: number, ...rest: readonly number[]): DepartureWindow[] {
  const list: DepartureWindow[] = [];
  let from = first;
  for (let i = 0; i + 1 < rest.length; i += 2) {
    list.push({ from, headwayMinutes: rest[i]!, to: rest[i + 1]! });
    from = rest[i + 1]!;
  }
  return list;
}

function city(days: TimetablePattern['days']): TimetablePattern {
  return { days, phaseMinutes: null, writtenAs: 'trips', hasReturn: true };
}

function train(
  days: TimetablePattern['days'],
  phaseMinutes: TimetablePattern['phaseMinutes'] = null,
): TimetablePattern {
  return { days, phaseMinutes, writtenAs: 'trips', hasReturn: true };
}

/** The made-up timetables, by the name in `data/lookups/sample/lines.csv`. */
export const timetablePatterns: Readonly<Record<string, TimetablePattern>> = {
  metro: city({
    weekday: windows(5, 10, 6.5, 5, 9, 7.5, 15, 5, 19, 7.5, 21, 10, 24.5),
    saturday: windows(5, 10, 9, 7.5, 19, 10, 24.5),
    sunday: windows(5, 15, 8, 10, 24.5),
    weekend_night: windows(24.5, 15, 29),
  }),
  tram: city({
    weekday: windows(5, 15, 6.5, 10, 9, 12, 15, 10, 18.5, 15, 24.25),
    saturday: windows(5, 20, 8, 15, 20, 20, 24.25),
    sunday: windows(5.25, 20, 9, 15, 20, 20, 24),
  }),
  city_bus: city({
    weekday: windows(5, 15, 6.5, 8, 9, 12, 15, 10, 18.5, 15, 24),
    saturday: windows(5.5, 20, 8, 15, 19, 20, 23.5),
    sunday: windows(5.5, 20, 9, 15, 23.5),
  }),
  city_tram: city({
    weekday: windows(4.75, 15, 6.5, 10, 9, 12, 15, 10, 18.5, 15, 23.75),
    saturday: windows(5, 20, 8, 15, 20, 20, 23.75),
    sunday: windows(5.5, 20, 23.5),
  }),
  // After midnight of the service day, so that the last bus of Friday night belongs to Friday.
  night_bus: city({ daily: windows(24.5, 30, 29) }),
  s_bahn: train({
    weekday: windows(4.5, 30, 24),
    saturday: windows(5, 30, 24),
    sunday: windows(5, 30, 24),
  }),
  s_bahn_dense: train({
    weekday: windows(4.5, 10, 20, 15, 24.25),
    saturday: windows(5, 15, 24.25),
    sunday: windows(5, 15, 24.25),
  }),
  half_hourly: city({
    weekday: windows(5, 30, 22.5),
    saturday: windows(6, 30, 22.5),
    sunday: windows(7, 60, 21.5),
  }),
  hourly: train({ daily: windows(5, 60, 22) }),
  two_hourly: train({ daily: windows(5, 120, 20) }, [30, 40]),
  two_hourly_odd: train({ daily: windows(6, 120, 21) }, [30, 40]),
  // Arrives at Wien Hbf 7 min before the departure of `two_hourly_odd`, as the same train, so the counts are equal.
  airport_feeder: { ...train({ daily: windows(6, 120, 21) }, [8, 0]), hasReturn: false },
  four_hourly: train({ daily: windows(6, 240, 19) }, [26, 15]),
  night_train: train({ daily: [{ from: 21, to: 22, headwayMinutes: 60 }] }, [27, 14]),
  mountain: { ...city({ daily: windows(8, 30, 9, 15, 19) }), phaseMinutes: [0, 0], writtenAs: 'headway' },
  mountain_exact: { ...city({ daily: windows(8, 30, 9, 20, 19) }), phaseMinutes: [0, 0], writtenAs: 'schedule' },
  ship: train({ daily: windows(9, 90, 18) }, [0, 45]),
  // Two nights: its last call is after 48:00.
  danube_ship: { ...train({ first_sunday: [{ from: 20, to: 21, headwayMinutes: 60 }] }, [0, 0]), hasReturn: false },
};

/** A line in one direction with all of its trips, written to the feed and operated by the simulator. */
export interface SampleDirection {
  readonly line: SampleLine;
  readonly direction: 0 | 1;
  readonly pattern: TimetablePattern;
  /** In travel order, like `boardingPlaces`. */
  readonly calls: readonly SampleLineCall[];
  readonly boardingPlaces: readonly SampleBoardingPlace[];
  readonly shape: SampleShape;
  readonly headsign: string;
  readonly trips: readonly SampleTrip[];
}

/** A row of trips.txt; with frequencies, the template of repeated trips. */
export interface SampleTrip {
  readonly id: string;
  readonly service: SampleService;
  /** Number of the trip within its line, direction and service, from 1. */
  readonly number: number;
  /** Train number with its category; empty if none. */
  readonly shortName: string;
  /** First departure, in seconds of the service day. */
  readonly startSeconds: number;
  /** One per call, relative to `startSeconds`. */
  readonly times: readonly TimedCall[];
  /** Repetitions by frequency; null for a single trip. */
  readonly windows: readonly DepartureWindow[] | null;
}

/**
 * The timetables of all lines in both directions on all kinds of days, in the order of the lookup.
 * @throws RangeError for a line with an unknown timetable
 */
export function listSampleDirections(lookups: SampleLookups, stops: SampleStops, seed: number): SampleDirection[] {
  const findWaypoints = openTrackPaths(lookups.lines);
  return lookups.lines.flatMap((line) => {
    const pattern = timetablePatterns[line.timetable];
    if (!pattern) throw new RangeError(`line ${line.id} has an unknown timetable: ${line.timetable}`);
    const directions = pattern.hasReturn ? ([0, 1] as const) : ([0] as const);
    return directions.map((direction) => buildDirection({ line, direction, pattern, stops, findWaypoints, seed }));
  });
}

interface LineDirection {
  readonly line: SampleLine;
  readonly direction: 0 | 1;
  readonly pattern: TimetablePattern;
  readonly stops: SampleStops;
  readonly findWaypoints: FindWaypoints;
  readonly seed: number;
}

function buildDirection(lineDirection: LineDirection): SampleDirection {
  const { line, direction, pattern, stops } = lineDirection;
  const calls = direction === 0 ? line.calls : line.calls.toReversed();
  return {
    line,
    direction,
    pattern,
    calls,
    boardingPlaces: calls.map(({ place }) => stops.getBoardingPlace(line, direction, place)),
    shape: buildShape(line, direction, lineDirection),
    headsign: calls.at(-1)!.place.name,
    trips: buildTrips(lineDirection),
  };
}

function buildTrips(lineDirection: LineDirection): SampleTrip[] {
  const { line, direction, pattern } = lineDirection;
  const timesAt = callTimer(lineDirection);
  return Object.entries(pattern.days).flatMap(([service, windows]) => {
    const isTemplate = pattern.writtenAs !== 'trips';
    const starts = isTemplate
      ? [windows[0]!.from * 3600]
      : departures(lineDirection, service as SampleService, windows);
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

function departures(
  lineDirection: LineDirection,
  service: SampleService,
  windows: readonly DepartureWindow[],
): number[] {
  const { line, direction, pattern, seed } = lineDirection;
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
  // Even and odd numbers distinguish directions, as on railways.
  return `${line.label} ${100 + variationBelow(700, 0, line.id) + 2 * number + direction}`;
}

/** Hundreds of trips differ only in their start, so they share a list of times per level of traffic. */
function callTimer({ line, direction, stops, seed }: LineDirection): (startSeconds: number) => readonly TimedCall[] {
  const timesBySlowdown = new Map<number, readonly TimedCall[]>();
  return (startSeconds) => {
    const slowdown = slowdownAt(line.mode, startSeconds);
    const times = timesBySlowdown.get(slowdown) ?? timeCalls(line, direction, slowdown, stops.hubs, seed);
    timesBySlowdown.set(slowdown, times);
    return times;
  };
}
