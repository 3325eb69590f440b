import { formatServiceTime, type ServiceTime } from '../model/service-time.ts';
import type { SampleService } from './calendar.ts';
import type { SampleRow, SampleTable } from './csv.ts';
import type { SampleLine, SampleLookups } from './lookups.ts';
import { slowdownAt, type TimedCall, timeCalls } from './running-times.ts';
import { buildShape, formatMeters, type SampleShape } from './shapes-table.ts';
import type { SampleStops } from './stops-table.ts';
import { type DepartureWindow, type TimetablePattern, timetablePatterns } from './timetable-patterns.ts';
import { variationBelow } from './variation.ts';

/** Columns of stop_times.txt, in order. */
export const stopTimeColumns = [
  'trip_id',
  'arrival_time',
  'departure_time',
  'stop_id',
  'stop_sequence',
  'stop_headsign',
  'pickup_type',
  'drop_off_type',
  'shape_dist_traveled',
  'timepoint',
] as const;

/** Columns of trips.txt, in order. */
export const tripColumns = [
  'route_id',
  'service_id',
  'trip_id',
  'trip_headsign',
  'trip_short_name',
  'direction_id',
  'block_id',
  'shape_id',
  'wheelchair_accessible',
  'bikes_allowed',
] as const;

export const frequencyColumns = ['trip_id', 'start_time', 'end_time', 'headway_secs', 'exact_times'] as const;

export interface SampleTrips {
  readonly trips: SampleTable;
  readonly stopTimes: SampleTable;
  readonly frequencies: SampleTable;
  readonly shapes: readonly SampleShape[];
}

/**
 * Coaches that go on under another number: whoever sits in the first line's n-th trip may stay seated in the second
 * line's n-th trip of the same service.
 */
export const throughRunning = { from: 'rjx-airport', to: 'rjx-salzburg' } as const;

/** Writes every line's timetable, both directions, all kinds of day. */
export function buildSampleTrips(lookups: SampleLookups, stops: SampleStops, seed: number): SampleTrips {
  const tables = {
    trips: { header: tripColumns, rows: [] as SampleRow[] },
    stopTimes: { header: stopTimeColumns, rows: [] as SampleRow[] },
    frequencies: { header: frequencyColumns, rows: [] as SampleRow[] },
    shapes: [] as SampleShape[],
  };
  for (const line of lookups.lines) {
    const pattern = timetablePatterns[line.timetable];
    if (!pattern) throw new RangeError(`line ${line.id} has an unknown timetable: ${line.timetable}`);
    for (const direction of pattern.hasReturn ? ([0, 1] as const) : ([0] as const)) {
      const shape = buildShape(line, direction, stops, seed);
      tables.shapes.push(shape);
      addDirection({ line, direction, pattern, shape, stops, seed }, tables);
    }
  }
  return tables;
}

interface LineDirection {
  readonly line: SampleLine;
  readonly direction: 0 | 1;
  readonly pattern: TimetablePattern;
  readonly shape: SampleShape;
  readonly stops: SampleStops;
  readonly seed: number;
}

function addDirection(run: LineDirection, tables: SampleTrips): void {
  const writeCalls = callWriter(run);
  for (const [service, windows] of Object.entries(run.pattern.days)) {
    const isTemplate = run.pattern.writtenAs !== 'trips';
    const starts = isTemplate ? [windows[0]!.from * 3600] : departures(run, service as SampleService, windows);
    starts.forEach((start, i) => {
      const tripId = `${run.line.id}-${run.direction}-${service}-${i + 1}`;
      tables.trips.rows.push(tripRow(run, service, tripId, i + 1));
      writeCalls(tripId, start, tables.stopTimes.rows);
      if (isTemplate) tables.frequencies.rows.push(...frequencyRows(run.pattern, tripId, windows));
    });
  }
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

function tripRow(run: LineDirection, service: string, tripId: string, number: number): SampleRow {
  const { line, direction, shape, seed } = run;
  const isTrain = line.mode === 'rail';
  const terminus = direction === 0 ? line.calls.at(-1)! : line.calls[0]!;
  const isThrough = direction === 0 && (line.id === throughRunning.from || line.id === throughRunning.to);
  // Even and odd numbers tell the directions apart, as railways do.
  const trainNumber = 100 + variationBelow(700, 0, line.id) + 2 * number + direction;
  const isAccessible = line.mode !== 'tram' || variationBelow(4, seed, tripId) > 0;
  return [
    line.id,
    service,
    tripId,
    terminus.place.name,
    isTrain ? `${line.label} ${trainNumber}` : '',
    direction,
    isThrough ? `through-${service}-${number}` : '',
    shape.id,
    isAccessible ? 1 : 2,
    isTrain || line.mode === 's_bahn' ? 1 : 0,
  ];
}

/** Prepares what all trips of a direction share; hundreds of trips differ in their start alone. */
function callWriter({ line, direction, shape, stops, seed }: LineDirection) {
  const calls = direction === 0 ? line.calls : line.calls.toReversed();
  const last = calls.length - 1;
  // Nobody boards a train at its last call or leaves it at its first; city lines do not bother to say so.
  const saysEnds = line.mode === 'rail' || line.mode === 's_bahn';
  const fixed = calls.map((call, i) => ({
    stopId: stops.getBoardingPlace(line, direction, call.place).stopId,
    pickupType: saysEnds && i === last ? 1 : call.isRequestStop ? 3 : '',
    dropOffType: saysEnds && i === 0 ? 1 : call.isRequestStop ? 3 : '',
    distance: shape.callDistances ? formatMeters(shape.callDistances[i]!) : '',
  }));
  const timesBySlowdown = new Map<number, TimedCall[]>();
  return (tripId: string, start: number, rows: SampleRow[]): void => {
    const slowdown = slowdownAt(line.mode, start);
    const times = timesBySlowdown.get(slowdown) ?? timeCalls(line, direction, slowdown, stops.hubs, seed);
    timesBySlowdown.set(slowdown, times);
    fixed.forEach((call, i) => {
      const { arrivalSeconds, departureSeconds } = times[i]!;
      const arrival = formatTime(start + arrivalSeconds);
      const departure = arrivalSeconds === departureSeconds ? arrival : formatTime(start + departureSeconds);
      const { stopId, pickupType, dropOffType, distance } = call;
      rows.push([tripId, arrival, departure, stopId, i + 1, '', pickupType, dropOffType, distance, 1]);
    });
  };
}

function frequencyRows(
  pattern: TimetablePattern,
  tripId: string,
  windows: readonly DepartureWindow[],
): readonly SampleRow[] {
  return windows.map(({ from, to, headwayMinutes }) => [
    tripId,
    formatTime(from * 3600),
    formatTime(to * 3600),
    headwayMinutes * 60,
    pattern.writtenAs === 'schedule' ? 1 : 0,
  ]);
}

function formatTime(seconds: number): string {
  return formatServiceTime(seconds as ServiceTime);
}
