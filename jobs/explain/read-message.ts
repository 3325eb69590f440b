import { isSystemError, WorldError } from '../../pipeline/effects/world-error.ts';
import type { RawAnswer } from '../../pipeline/lake/raw-answer-index.ts';
import { readRawAnswer } from '../../pipeline/lake/raw-answers.ts';
import type { CallReport, TripReport, VehicleReport } from '../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { UnreadableAnswer } from '../../pipeline/model/unreadable-answer.ts';
import type { PolledSource } from '../../pipeline/polling/open-sources.ts';
import type { Row } from './find-trip-rows.ts';

/** A raw answer, and what it says of a trip. */
export interface ExplainedAnswer {
  /** Path below the lake. */
  readonly file: string;
  readonly facts: RawAnswer | null;
  /** What of it concerns the trip, as the source's own reader tells it. */
  readonly trips: readonly TripReport[];
  readonly vehicles: readonly VehicleReport[];
  /** Why there is nothing to show; null where there is. */
  readonly trouble: string | null;
}

/**
 * Reads an answer once more, with the source's own reader.
 * @param polled null for a source that is not configured any more
 * @param observations rows that this answer brought
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
    if (!polled || !request) return { ...found, facts, trouble: `nothing reads ${facts.part} of this source any more` };
    // What a reader takes from the address, e.g. the stations, is that of then.
    const update = await polled.source.parse(bytes, { ...request, url: facts.url }, fetchedAt);
    const trips = update.trips.filter((report) => isAbout(report, observations));
    const vehicles = update.vehicles.filter(({ trip }) => trip !== null && isNamed(trip.tripId, observations));
    const isFound = trips.length + vehicles.length > 0;
    const trouble = isFound ? null : `no report in it names the trip; it holds ${update.recordCount} records`;
    return { ...found, facts, trips, vehicles, trouble };
  } catch (error) {
    if (error instanceof WorldError || error instanceof UnreadableAnswer) return { ...found, trouble: error.message };
    if (isSystemError(error, 'Z_DATA_ERROR')) return { ...found, trouble: 'its bytes are damaged' };
    throw error;
  }
}

/** By the trip's id; where the source has ids of its own, by the planned moment of a call of its line. */
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
