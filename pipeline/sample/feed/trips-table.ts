import { formatServiceTime, type ServiceTime } from '../../model/service-time.ts';
import type { SampleRow, SampleTable } from './csv.ts';
import type { SampleLookups } from './lookups.ts';
import { listSampleDirections, type SampleDirection, type SampleTrip } from './sample-trips.ts';
import { formatMeters, type SampleShape } from './shapes-table.ts';
import type { SampleStops } from './stops-table.ts';
import { variationBelow } from './variation.ts';

/** Columns of stop_times.txt, in order. */
const stopTimeColumns = [
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
const tripColumns = [
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

const frequencyColumns = ['trip_id', 'start_time', 'end_time', 'headway_secs', 'exact_times'] as const;

interface SampleTrips {
  readonly trips: SampleTable;
  readonly stopTimes: SampleTable;
  readonly frequencies: SampleTable;
  readonly shapes: readonly SampleShape[];
}

/**
 * Through coaches with a new train number: passengers of the first line's n-th trip may stay on board for the second
 * line's n-th trip of the same service.
 */
export const throughRunning = { from: 'rjx-airport', to: 'rjx-salzburg' } as const;

/** Writes the timetables of all lines in both directions on all kinds of days. */
export function buildSampleTrips(lookups: SampleLookups, stops: SampleStops, seed: number): SampleTrips {
  const tables = {
    trips: { header: tripColumns, rows: [] as SampleRow[] },
    stopTimes: { header: stopTimeColumns, rows: [] as SampleRow[] },
    frequencies: { header: frequencyColumns, rows: [] as SampleRow[] },
    shapes: [] as SampleShape[],
  };
  for (const direction of listSampleDirections(lookups, stops, seed)) {
    tables.shapes.push(direction.shape);
    const writeCalls = callWriter(direction);
    for (const trip of direction.trips) {
      tables.trips.rows.push(tripRow(direction, trip, seed));
      writeCalls(trip, tables.stopTimes.rows);
      tables.frequencies.rows.push(...frequencyRows(direction, trip));
    }
  }
  return tables;
}

function tripRow({ line, direction, headsign, shape }: SampleDirection, trip: SampleTrip, seed: number): SampleRow {
  const isTrain = line.mode === 'rail';
  const isThrough = direction === 0 && (line.id === throughRunning.from || line.id === throughRunning.to);
  const isAccessible = line.mode !== 'tram' || variationBelow(4, seed, trip.id) > 0;
  return [
    line.id,
    trip.service,
    trip.id,
    headsign,
    trip.shortName,
    direction,
    isThrough ? `through-${trip.service}-${trip.number}` : '',
    shape.id,
    isAccessible ? 1 : 2,
    isTrain || line.mode === 's_bahn' ? 1 : 0,
  ];
}

/** Prepares the data shared by all trips of a direction. */
function callWriter({ line, calls, boardingPlaces, shape }: SampleDirection) {
  const last = calls.length - 1;
  // No boarding at the last call of a train and no alighting at the first; city lines omit these fields.
  const restrictsEnds = line.mode === 'rail' || line.mode === 's_bahn';
  const fixed = calls.map((call, i) => ({
    stopId: boardingPlaces[i]!.stopId,
    pickupType: restrictsEnds && i === last ? 1 : call.isRequestStop ? 3 : '',
    dropOffType: restrictsEnds && i === 0 ? 1 : call.isRequestStop ? 3 : '',
    distance: shape.callDistances ? formatMeters(shape.callDistances[i]!) : '',
  }));
  return ({ id, startSeconds, times }: SampleTrip, rows: SampleRow[]): void => {
    fixed.forEach((call, i) => {
      const { arrivalSeconds, departureSeconds } = times[i]!;
      const arrival = formatTime(startSeconds + arrivalSeconds);
      const departure = arrivalSeconds === departureSeconds ? arrival : formatTime(startSeconds + departureSeconds);
      const { stopId, pickupType, dropOffType, distance } = call;
      rows.push([id, arrival, departure, stopId, i + 1, '', pickupType, dropOffType, distance, 1]);
    });
  };
}

function frequencyRows({ pattern }: SampleDirection, { id, windows }: SampleTrip): readonly SampleRow[] {
  return (windows ?? []).map(({ from, to, headwayMinutes }) => [
    id,
    formatTime(from * 3600),
    formatTime(to * 3600),
    headwayMinutes * 60,
    pattern.writtenAs === 'schedule' ? 1 : 0,
  ]);
}

function formatTime(seconds: number): string {
  return formatServiceTime(seconds as ServiceTime);
}
