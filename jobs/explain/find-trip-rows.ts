import { DuckDBTimestampTZValue, DuckDBTimestampValue } from '@duckdb/node-api';
import { type Duckdb, type SqlRow, sqlPath } from '../../pipeline/effects/duckdb.ts';
import { ExternalError, isSystemError } from '../../pipeline/effects/external-error.ts';
import { listNames } from '../../pipeline/effects/files.ts';
import { readRows } from '../../pipeline/history/stop-events/measure-rows.ts';
import { findStopEventManifest, stopEventFile } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { selectObservations, signedTripKey } from '../../pipeline/lake/observations/former-schema.ts';
import { listObservationFiles } from '../../pipeline/lake/observations/partition-files.ts';
import { predictionPartition, versionPartition } from '../../pipeline/lake/paths.ts';
import type { StoredRawAnswer } from '../../pipeline/lake/raw-answer-index.ts';
import { readRawAnswer } from '../../pipeline/lake/raw-answers.ts';
import type { FeedVersion, SourceId } from '../../pipeline/model/ids.ts';
import { UnreadableAnswer } from '../../pipeline/model/problem.ts';
import type { CallReport, TripReport, VehicleReport } from '../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { PolledSource } from '../../pipeline/realtime/polling/open-sources.ts';

/** A dated trip: the key of its reference, or its id in the timetable or of a source. */
export type RequestedTrip = { readonly key: bigint } | { readonly tripId: string };

export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Stop events of a trip, by position; empty where the day is not finalised. */
export async function findStopEventRows(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  date: ServiceDate,
  trip: RequestedTrip,
): Promise<Row[]> {
  if (!(await findStopEventManifest(dataDir, source, date))) return [];
  const from = `(${readRows(stopEventFile(dataDir, source, date))})`;
  return findRows(db, from, trip, 'trip_id, trip_key, position');
}

/** Observations of a trip, ordered by call and time of report. */
export async function findObservationRows(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  date: ServiceDate,
  trip: RequestedTrip,
): Promise<Row[]> {
  const files = await listObservationFiles(dataDir, source, date);
  if (files.length === 0) return [];
  const from = `(${selectObservations(files)})`;
  return findRows(db, from, trip, 'trip_id, trip_key, position, event, channel, first_seen_at, last_seen_at');
}

/** Predictions of a trip by its id, in the order in which they were made. */
export async function findPredictionRows(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  date: ServiceDate,
  tripId: string,
): Promise<Row[]> {
  const partition = predictionPartition(dataDir, source, date);
  const files = (await listNames(partition)).filter((name) => name.endsWith('.parquet')).sort();
  if (files.length === 0) return [];
  const list = `[${files.map((name) => sqlPath(`${partition}/${name}`)).join(', ')}]`;
  const from = `read_parquet(${list}, union_by_name = true, hive_partitioning = false)`;
  return findRows(db, from, { tripId }, 'made_at, from_position, position');
}

/** Calls of a trip as published, in their order. */
export async function findPublishedCalls(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  version: FeedVersion,
  tripId: string,
): Promise<Row[]> {
  const file = sqlPath(`${versionPartition(dataDir, 'gtfs', 'stop_times', source, version)}/part-0.parquet`);
  const rows = await db.query(
    `select * from read_parquet(${file}, hive_partitioning = false)
     where trip_id = $tripId order by try_cast(stop_sequence as bigint)`,
    { tripId },
  );
  return rows.map(toPlainRow);
}

async function findRows(db: Duckdb, from: string, trip: RequestedTrip, order: string): Promise<Row[]> {
  const [condition, values] =
    'key' in trip
      ? ([`${signedTripKey} = $key::bigint`, { key: String(BigInt.asIntN(64, trip.key)) }] as const)
      : (['trip_id = $tripId', { tripId: trip.tripId }] as const);
  const rows = await db.query(`select * from ${from} where ${condition} order by ${order}`, { ...values });
  return rows.map(toPlainRow);
}

/** Times as the engine prints them, in UTC; integers beyond 2^53 as texts. */
function toPlainRow(row: SqlRow): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
        return [name, value];
      }
      if (value instanceof DuckDBTimestampTZValue) return [name, String(new DuckDBTimestampValue(value.micros))];
      const isSafe = typeof value === 'bigint' && Number.isSafeInteger(Number(value));
      return [name, isSafe ? Number(value) : String(value)];
    }),
  );
}

/** A raw answer and its reports on a trip. */
export interface ExplainedAnswer {
  /** Path below the lake. */
  readonly file: string;
  readonly facts: StoredRawAnswer | null;
  /** Its reports on the trip, as the source's parser returns them. */
  readonly trips: readonly TripReport[];
  readonly vehicles: readonly VehicleReport[];
  /** Why there are no reports; null where there are. */
  readonly trouble: string | null;
}

/**
 * Parses a stored answer again with the parser of its source.
 * @param polled null for a source that is not configured any more
 * @param observations rows that this answer produced
 */
export async function readMessage(
  dataDir: string,
  rawId: string,
  polled: PolledSource | null,
  observations: readonly Row[],
): Promise<ExplainedAnswer> {
  const found: ExplainedAnswer = { file: `raw/${rawId}`, facts: null, trips: [], vehicles: [], trouble: null };
  try {
    const { bytes, facts } = await readRawAnswer(dataDir, rawId);
    const fetchedAt = parseTimestamp(facts.fetchedAt) as Instant;
    const request = polled?.source.listRequests(fetchedAt).find(({ part }) => part === facts.part);
    if (!polled || !request) return { ...found, facts, trouble: `${facts.part} of this source is no longer parsed` };
    // The parser takes parameters from the URL, e.g. the stations: use the recorded URL.
    const update = await polled.source.parse(bytes, { ...request, url: facts.url }, fetchedAt);
    const trips = update.trips.filter((report) => isAbout(report, observations));
    const vehicles = update.vehicles.filter(({ trip }) => trip !== null && isNamed(trip.tripId, observations));
    const isFound = trips.length + vehicles.length > 0;
    const trouble = isFound ? null : `no report in it is about the trip; it contains ${update.recordCount} records`;
    return { ...found, facts, trips, vehicles, trouble };
  } catch (error) {
    if (error instanceof ExternalError || error instanceof UnreadableAnswer)
      return { ...found, trouble: error.message };
    if (isSystemError(error, 'Z_DATA_ERROR')) return { ...found, trouble: 'the stored bytes are damaged' };
    throw error;
  }
}

/** By trip id; if the source uses its own ids, by the scheduled time of a call of its route. */
function isAbout({ trip, newTripId, calls }: TripReport, observations: readonly Row[]): boolean {
  if (isNamed(trip.tripId, observations) || isNamed(newTripId, observations)) return true;
  return observations.some(
    (row) =>
      row.scheduled_time !== null &&
      (trip.lineLabel === null || trip.lineLabel === row.line_label) &&
      calls.some((call) => isPlannedAt(call, row)),
  );
}

function isNamed(tripId: string | null, observations: readonly Row[]): boolean {
  return tripId !== null && observations.some((row) => row.trip_id === tripId);
}

function isPlannedAt(call: CallReport, { event, scheduled_time }: Row): boolean {
  const planned = (event === 'arrival' ? call.arrival : call.departure)?.scheduledTime ?? null;
  return planned !== null && planned * 1000 === Date.parse(`${String(scheduled_time).replace(' ', 'T')}Z`);
}
