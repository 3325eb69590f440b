import { distanceMeters } from '../../../pipeline/model/geo.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { findTripByKey, getShownTrip } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { compareText } from '../boards/board-order.ts';
import { findPrediction, type Published } from '../read/realtime.ts';
import type { JourneyName, References } from '../read/references.ts';
import { datedTripKey, locateVehicles } from '../vehicles/vehicles.ts';
import { type CurrentPrediction, findCurrentPrediction, hasRealtime, type LivePublished } from './predictions.ts';

/** Filters; a prediction must pass all that are given. */
export interface PredictionQuery {
  /** A line label. */
  readonly line?: string;
  readonly near?: { readonly lat: number; readonly lon: number; readonly radiusMeters: number };
  /** References that match no trip of the timetable match no prediction. */
  readonly journeyRefs?: readonly string[];
  /** Omitted: all. */
  readonly limit?: number;
}

interface PredictionContext {
  readonly published: Published;
  readonly references: References;
  readonly instant: Instant;
}

/** With whole metres from the requested place; 0 without one. */
type Found = CurrentPrediction & { readonly meters: number; readonly line: string };

/**
 * The current predictions at an instant, the nearest first where a place is requested, then by line, then in timetable
 * order of trips, then by service day. The place of a trip is its vehicle's position of the last eight minutes, else
 * its next stop.
 */
export function listPredictions(context: PredictionContext, query: PredictionQuery): CurrentPrediction[] {
  const { published, instant } = context;
  if (!hasRealtime(published)) return [];
  const measure = query.near ? measureFrom(published, instant, query.near) : () => 0;
  const found: Found[] = [];
  for (const row of listRows(context, published, query.journeyRefs)) {
    const line = getPredictedLine(published, row);
    if (query.line !== undefined && query.line !== line) continue;
    const prediction = findCurrentPrediction(published, row, instant);
    const meters = prediction && measure(prediction);
    if (prediction && meters !== null) found.push({ ...prediction, meters, line });
  }
  return found
    .sort((a, b) => a.meters - b.meters || compareText(a.line, b.line) || a.row - b.row)
    .slice(0, query.limit ?? found.length);
}

/** Label of the line of a prediction; empty without one. */
export function getPredictedLine({ timetable, realtime }: LivePublished, row: number): string {
  const { trips, patterns } = timetable.tables;
  const trip = realtime.tables.predictions.trip[row]!;
  return timetable.lines.get(patterns.route[trips.pattern[trip]!]!).label;
}

/** The predictions of some journeys, each once; all of them without a list. */
function listRows(
  { references }: PredictionContext,
  published: LivePublished,
  refs: readonly string[] | undefined,
): Iterable<number> {
  if (!refs) return published.realtime.tables.predictions.trip.keys();
  const rows = refs.map((ref) => findPredictionOf(published, references.openJourney(ref)));
  return new Set(rows.filter((row) => row >= 0));
}

/** @returns row of `predictions` of a journey, or -1 */
export function findPredictionOf({ timetable, realtime }: LivePublished, name: JourneyName | null): number {
  const trip = name && findTripByKey(timetable.tables, name.tripKey, name.day);
  if (name === null || trip === null) return -1;
  const shown = getShownTrip(timetable.tables, trip, name.day);
  return findPrediction(realtime, shown.trip, shown.day);
}

// ---- Places ------------------------------------------------------------------------------------

/** @returns whole metres from a place; null beyond the radius, and where the place of the trip is unknown */
function measureFrom(
  published: LivePublished,
  instant: Instant,
  { lat, lon, radiusMeters }: NonNullable<PredictionQuery['near']>,
): (prediction: CurrentPrediction) => number | null {
  const vehicles = locateVehicles(published.realtime, instant);
  const { predictions, vehicles: seen } = published.realtime.tables;
  const { stops } = published.timetable.tables;
  return ({ row, position }) => {
    const vehicle = vehicles.get(datedTripKey(predictions.trip[row]!, predictions.day[row]!));
    const stop = getStop(published, predictions.trip[row]!, position);
    const [atLat, atLon] =
      vehicle === undefined ? [stops.lat[stop]!, stops.lon[stop]!] : [seen.lat[vehicle]!, seen.lon[vehicle]!];
    const meters = distanceMeters(lat, lon, atLat, atLon);
    return meters <= radiusMeters ? Math.round(meters) : null;
  };
}

function getStop({ timetable }: LivePublished, trip: number, position: number): number {
  const { trips, patterns, patternCalls } = timetable.tables;
  return patternCalls.stop[patterns.firstCall[trips.pattern[trip]!]! + position]!;
}
