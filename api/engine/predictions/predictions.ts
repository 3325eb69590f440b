import type { DelayQuantiles } from '../../../pipeline/model/delay-distribution.ts';
import { OBSERVED } from '../../../pipeline/model/observation.ts';
import { type Confidence, findConfidence, isFreshPrediction } from '../../../pipeline/model/prediction.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { callFlags, tripFlags } from '../../../pipeline/snapshots/realtime-contract.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { findLiveTrip, findPrediction, type Published, type Realtime } from '../read/realtime.ts';
import { getZone, type Timetable } from '../read/timetable.ts';

/** A timetable with current realtime. */
export interface LivePublished extends Published {
  readonly realtime: Realtime;
}

/** The current prediction of a dated trip: its delay at its next call. */
export interface CurrentPrediction {
  /** Row of `predictions`. */
  readonly row: number;
  /** Of the next call along the trip. */
  readonly position: number;
  readonly delaySeconds: number;
  readonly confidence: Confidence;
}

export function hasRealtime(published: Published): published is LivePublished {
  return published.realtime !== null;
}

/**
 * A prediction is current for eight minutes from its observation on, while the trip runs and has a next call: the first
 * whose predicted arrival is not past, that is not cancelled and not observed yet. A prediction of low confidence is
 * not published.
 * @param row of `predictions`
 */
export function findCurrentPrediction(
  { timetable, realtime }: LivePublished,
  row: number,
  instant: Instant,
): CurrentPrediction | null {
  const { predictions, predictedCalls } = realtime.tables;
  const firstLive = findFirstLiveCall(realtime, row, instant);
  if (firstLive === null) return null;
  const arrivals = readPlannedArrivals(timetable, predictions.trip[row]!, predictions.day[row]!);
  for (let i = 0; i < predictions.callCount[row]!; i++) {
    const position = predictions.position[row]! + 1 + i;
    const call = predictions.firstCall[row]! + i;
    const delaySeconds = predictedCalls.median[call]!;
    if (arrivals(position) + delaySeconds < instant || !isToCome(realtime, firstLive, position)) continue;
    const confidence = findConfidence(predictedCalls.high[call]! - predictedCalls.low[call]!);
    return confidence && { row, position, delaySeconds, confidence };
  }
  return null;
}

/** Forecast of the arrival at one call of a dated trip, of any confidence; null without a current one. */
export function findDelayForecast(
  { realtime }: Published,
  { trip, day, position }: { readonly trip: number; readonly day: number; readonly position: number },
  instant: Instant,
): DelayQuantiles | null {
  const row = realtime && trip >= 0 ? findPrediction(realtime, trip, day) : -1;
  if (!realtime || row < 0) return null;
  const { predictions, predictedCalls } = realtime.tables;
  const ahead = position - predictions.position[row]! - 1;
  if (ahead < 0 || ahead >= predictions.callCount[row]!) return null;
  const firstLive = findFirstLiveCall(realtime, row, instant);
  if (firstLive === null || !isToCome(realtime, firstLive, position)) return null;
  const call = predictions.firstCall[row]! + ahead;
  return { low: predictedCalls.low[call]!, median: predictedCalls.median[call]!, high: predictedCalls.high[call]! };
}

/** Whether there is a current prediction at an instant. */
export function hasCurrentPrediction(published: Published, instant: Instant): boolean {
  if (!hasRealtime(published)) return false;
  const { trip } = published.realtime.tables.predictions;
  return trip.some((_trip, row) => findCurrentPrediction(published, row, instant) !== null);
}

// ---- The trip in operation ---------------------------------------------------------------------

const AWAY = tripFlags.cancelled | tripFlags.deleted | tripFlags.replaced;

/**
 * First realtime call of a predicted trip.
 * @returns row of `calls`; -1 without realtime for its calls; null where the prediction is too old, or the trip does
 * not run
 */
function findFirstLiveCall(realtime: Realtime, row: number, instant: Instant): number | null {
  const { predictions, trips } = realtime.tables;
  if (!isFreshPrediction({ observedAt: predictions.observedAt[row]! as Instant }, instant)) return null;
  const live = findLiveTrip(realtime, predictions.trip[row]!, predictions.day[row]!);
  if (live < 0) return -1;
  return (trips.flags[live]! & AWAY) === 0 ? trips.firstCall[live]! : null;
}

/** Whether the vehicle may still arrive at a call: the arrival is neither cancelled nor observed. */
function isToCome({ tables: { calls } }: Realtime, firstLive: number, position: number): boolean {
  if (firstLive < 0) return true;
  const call = firstLive + position;
  const isSeen = calls.arrivalPrognosis[call] === OBSERVED || calls.departurePrognosis[call] === OBSERVED;
  return !isSeen && (calls.flags[call]! & callFlags.arrivalCancelled) === 0;
}

function readPlannedArrivals(timetable: Timetable, trip: number, day: number): (position: number) => number {
  const { trips, times } = timetable.tables;
  const pattern = trips.pattern[trip]!;
  const start = getZone(timetable, pattern).startOf(day);
  const row = getTimeRow(timetable.tables, pattern, trip);
  return (position) => start + times.arrival[row + position]!;
}
