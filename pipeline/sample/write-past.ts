import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { writeFileAtomically } from '../effects/files.ts';
import { serveThread } from '../effects/threads.ts';
import {
  formatServiceTime,
  type Instant,
  type ServiceDate,
  type ServiceTime,
  serviceDayStart,
} from '../model/service-time.ts';
import { formatCsv, type SampleRow, type SampleTable } from './feed/csv.ts';
import { isMeasured, type SamplePublisher, samplePublishers } from './feed/publishers.ts';
import { readSampleLookups } from './feed/read-sample-lookups.ts';
import { createSimulator, type Simulator } from './simulator/create-simulator.ts';
import type { PastDay, PastTrip } from './simulator/past-day.ts';
import { SAMPLE_ZONE } from './simulator/service-day.ts';
import type { SimulatedCall } from './simulator/simulated-state.ts';

const header = [
  'service_date',
  'trip_id',
  'route_id',
  'line',
  'product',
  'operator',
  'headsign',
  'trip_number',
  'stop_sequence',
  'stop_id',
  'stop_name',
  'station_id',
  'stop_lat',
  'stop_lon',
  'platform',
  'scheduled_arrival',
  'arrival',
  'scheduled_departure',
  'departure',
  'is_cancelled',
  'is_added',
] as const;

/**
 * The archive of a past day as a publisher would release it: a row per call, in timetable order. Times are relative to
 * the start of the service day, as in GTFS; times never reported are empty.
 */
export function buildPastArchive({ date, trips }: PastDay): SampleTable {
  const dayStart = serviceDayStart(date, SAMPLE_ZONE);
  return { header, rows: trips.flatMap((trip) => trip.calls.map((call, i) => buildRow(trip, call, i, dayStart))) };
}

/** Writes the archive of a day as gzipped CSV; equal days give equal bytes. @returns number of rows */
async function writePastArchive(day: PastDay, file: string): Promise<number> {
  const table = buildPastArchive(day);
  const text = formatCsv(table, { hasByteOrderMark: false, lineEnd: '\n' });
  await writeFileAtomically(file, await promisify(gzip)(text, { level: 1 }));
  return table.rows.length;
}

function buildRow(trip: PastTrip, call: SimulatedCall, position: number, dayStart: Instant): SampleRow {
  const { stop } = call;
  const isCancelled = trip.state === 'cancelled' || (call.isSkipped && trip.isCallReported[position]!);
  const hasArrival = position > 0;
  const hasDeparture = position < trip.calls.length - 1;
  const hasHappened = trip.isCallReported[position]! && !isCancelled;
  const time = (instant: Instant, isWanted: boolean) =>
    isWanted ? formatServiceTime((instant - dayStart) as ServiceTime) : '';
  return [
    trip.startDate,
    nameTrip(trip),
    trip.routeId,
    trip.lineLabel,
    trip.product,
    trip.operatorName,
    trip.headsign,
    trip.shortName ?? '',
    call.stopSequence,
    stop.stopId,
    stop.name,
    stop.stationId ?? stop.stopId,
    stop.lat,
    stop.lon,
    (hasHappened ? call.platform : call.scheduledPlatform) ?? '',
    time(call.scheduledArrival, hasArrival),
    time(call.arrival, hasArrival && hasHappened),
    time(call.scheduledDeparture, hasDeparture),
    time(call.departure, hasDeparture && hasHappened),
    isCancelled ? 'true' : 'false',
    trip.state === 'added' ? 'true' : 'false',
  ];
}

/** The start time distinguishes trips of a frequency; stop events use the same ids. */
function nameTrip({ tripId, startTime, isFrequencyTrip }: PastTrip): string {
  return isFrequencyTrip ? `${tripId} ${formatServiceTime(startTime)}` : tripId;
}

export interface PastRequest {
  /** Target folder, with a folder per publisher and a file per day. */
  readonly folder: string;
  readonly dates: readonly ServiceDate[];
  readonly now: Instant;
}

/** The archive of one publisher of one day. */
export interface WrittenDay {
  readonly date: ServiceDate;
  readonly publisher: SamplePublisher;
  readonly file: string;
  /** Calls in it. */
  readonly rows: number;
}

/**
 * Writes the archives of past days, one per publisher, in the order of the dates; existing files are rewritten with
 * equal bytes. Days with vehicles still in operation are left out.
 * @param signal stops it after the current day
 */
export async function writePast(
  simulator: Simulator,
  { folder, dates, now }: PastRequest,
  signal: AbortSignal,
): Promise<readonly WrittenDay[]> {
  const written: WrittenDay[] = [];
  for (const date of dates) {
    if (signal.aborted) break;
    const day = simulator.pastDay(date, isMeasured);
    if (day.endsAt > now) continue;
    for (const publisher of samplePublishers) {
      const file = path.join(folder, publisher, `${date}.csv.gz`);
      const trips = day.trips.filter((trip) => trip.publisher === publisher);
      written.push({ date, publisher, file, rows: await writePastArchive({ ...day, trips }, file) });
    }
  }
  return written;
}

/** A thread, because computing a past day takes most of a second and must not delay requests. */
serveThread(import.meta.url, async (request: PastRequest, { signal }) =>
  writePast(createSimulator(await readSampleLookups()), request, signal),
);
