import { evidences } from '../../../pipeline/model/observation.ts';
import { formatUtc, type Instant } from '../../../pipeline/model/service-time.ts';
import { callFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { Prediction, V1Predictions } from '../../contract/definitions.ts';
import { findDatedTrip, isTooLongAgo } from '../journeys/journeys.ts';
import { listCalls } from '../read/calls.ts';
import { openTrip, type TripView } from '../read/dated-trip.ts';
import { presentTimestamp } from '../read/present.ts';
import { findLiveTrip, type Published, type Realtime } from '../read/realtime.ts';
import type { JourneyName, References } from '../read/references.ts';
import { datedTripKey, locateVehicles } from '../vehicles/vehicles.ts';
import { getPredictedLine } from './list-predictions.ts';
import type { CurrentPrediction, LivePublished } from './predictions.ts';

/**
 * Whether a journey reference has become useless: it is invalid, its trip has left the timetable or is too old,
 * or the trip has ended. Trips that have not begun or are cancelled today do not count as ended.
 * @param published null while there is no timetable: then journeys that are not too old stay valid
 * @param name decoded from the reference; null if it is invalid
 */
export function isInvalidated(published: Published | null, name: JourneyName | null, instant: Instant): boolean {
  if (!name || isTooLongAgo(name, instant)) return true;
  if (!published) return false;
  const trip = findDatedTrip(published, name);
  return trip === null || isOver(openTrip(published, trip), instant);
}

/**
 * A trip has ended when it was observed at its last stop, or when its planned and all reported arrivals there, however
 * old, are past: clients stop asking for an invalid reference, so an early invalidation does harm.
 */
function isOver(view: TripView, instant: Instant): boolean {
  // Read as of the earliest instant: then no report has expired.
  const calls = listCalls(view, 0 as Instant);
  const last = calls.findLast(({ arrival }) => !arrival.isCancelled) ?? calls.at(-1);
  if (!last) return false;
  const { scheduled, expected, prognosis } = last.arrival;
  if (prognosis === 'observed_actual') return expected <= instant;
  const end = Math.max(scheduled, expected);
  // A source that adds a trip may omit its arrival.
  return end > 0 && end < instant;
}

/** A prediction in the format of v1. */
export function presentV1Prediction(
  published: LivePublished,
  references: References,
  { row, delaySeconds, confidence }: CurrentPrediction,
): V1Predictions['predictions'][number] {
  return {
    jid: nameJourney(published, references, row),
    line: getPredictedLine(published, row) || null,
    delayMin: toMinutes(delaySeconds),
    confidence,
    measuredAt: formatUtc(published.realtime.tables.predictions.observedAt[row]! * 1000),
  };
}

/** Presents predictions of one pair of snapshots in the format of v2. */
export function presentPredictions(
  published: LivePublished,
  references: References,
  instant: Instant,
): (prediction: CurrentPrediction) => Prediction {
  const { realtime } = published;
  const { predictions } = realtime.tables;
  const vehicles = locateVehicles(realtime, instant);
  return ({ row, position, delaySeconds, confidence }) => ({
    journeyRef: nameJourney(published, references, row),
    line: getPredictedLine(published, row),
    delayMinutes: toMinutes(delaySeconds),
    confidence,
    measuredAt: presentTimestamp(predictions.observedAt[row]! as Instant),
    source: predictions.isFromPosition[row] === 1 ? 'positions' : 'stop_events',
    evidence: evidences[predictions.evidence[row]!]!,
    sourceNames: listReportingSources(realtime, row, vehicles).map((source) => realtime.manifest.sources[source]!.id),
    sourceConflict: isDisputed(realtime, row, position),
  });
}

function nameJourney({ timetable, realtime }: LivePublished, references: References, row: number): string {
  const { trip, day } = realtime.tables.predictions;
  return references.sealJourney({ tripKey: timetable.tables.trips.key[trip[row]!]!, day: day[row]! });
}

/** With one decimal, halves away from zero; zero has no sign. */
function toMinutes(seconds: number): number {
  return (Math.sign(seconds) * Math.round(Math.abs(seconds) / 6)) / 10 + 0;
}

// ---- Sources -----------------------------------------------------------------------------------

/**
 * The source that observed it, then all others with a call or a vehicle of it: positions in the manifest, each once.
 */
function listReportingSources(realtime: Realtime, row: number, vehicles: ReadonlyMap<string, number>): number[] {
  const { predictions, calls, vehicles: seen } = realtime.tables;
  const others: number[] = [];
  const { first, count } = findLiveCalls(realtime, row);
  for (let call = first; call < first + count; call++) if (hasReport(realtime, call)) others.push(calls.source[call]!);
  const vehicle = vehicles.get(datedTripKey(predictions.trip[row]!, predictions.day[row]!));
  if (vehicle !== undefined) others.push(seen.source[vehicle]!);
  return [...new Set([predictions.source[row]!, ...others.sort((a, b) => a - b)])];
}

/** A call without any report is all zeros; 0 is also the position of the first source. */
function hasReport({ tables: { calls } }: Realtime, call: number): boolean {
  const hasTime = calls.arrivalPrognosis[call]! + calls.departurePrognosis[call]! > 0;
  return hasTime || calls.flags[call]! !== 0 || calls.platform[call]! >= 0;
}

/** Whether sources disagree on the observed call, or on the forecast one. */
function isDisputed(realtime: Realtime, row: number, position: number): boolean {
  const { predictions, calls } = realtime.tables;
  const { first, count } = findLiveCalls(realtime, row);
  if (count === 0) return false;
  return [predictions.position[row]!, position].some(
    (at) => (calls.flags[first + at]! & callFlags.sourceConflict) !== 0,
  );
}

/** Rows of `calls` of a predicted trip; empty without realtime. */
function findLiveCalls(realtime: Realtime, row: number): { readonly first: number; readonly count: number } {
  const { predictions, trips } = realtime.tables;
  const live = findLiveTrip(realtime, predictions.trip[row]!, predictions.day[row]!);
  if (live < 0) return { first: -1, count: 0 };
  // A prediction covers all calls after the observed one.
  return { first: trips.firstCall[live]!, count: predictions.position[row]! + 1 + predictions.callCount[row]! };
}
