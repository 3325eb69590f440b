import { evidences } from '../model/evidence.ts';
import { isFreshPrediction, type TripPrediction } from '../model/prediction.ts';
import type { Instant } from '../model/service-time.ts';
import type { RealtimeTables } from '../snapshots/realtime-contract.ts';
import type { PlannedCalls } from './planned-calls.ts';

/** Rows that a prediction leads to. */
interface PlacedPrediction {
  readonly trip: number;
  readonly source: number;
  readonly prediction: TripPrediction;
}

/**
 * The predictions that may still be told: made from an observation that is fresh enough, of trips that the timetable
 * holds as they were forecast. Of several for one dated trip the newest observation counts.
 * @param sources ids in the order of the snapshot
 */
export function buildPredictionTables(
  predictions: Iterable<TripPrediction>,
  sources: readonly string[],
  planned: PlannedCalls,
  now: Instant,
): Pick<RealtimeTables, 'predictions' | 'predictedCalls'> {
  const rows = chooseNewest(placeAll(predictions, sources, planned, now));
  const column = (read: (row: PlacedPrediction) => number) => rows.map(read);
  const callCounts = column(({ prediction }) => prediction.median.length);
  let callCount = 0;
  const firstCalls = callCounts.map((count) => {
    callCount += count;
    return callCount - count;
  });
  return {
    predictions: {
      trip: Int32Array.from(column(({ trip }) => trip)),
      day: Int32Array.from(column(({ prediction }) => prediction.day)),
      position: Uint16Array.from(column(({ prediction }) => prediction.position)),
      observedAt: Uint32Array.from(column(({ prediction }) => prediction.observedAt)),
      delaySeconds: Int32Array.from(column(({ prediction }) => prediction.delaySeconds)),
      source: Uint8Array.from(column(({ source }) => source)),
      evidence: new Uint8Array(rows.length).fill(evidences.indexOf('observed_actual')),
      isFromPosition: Uint8Array.from(column(({ prediction }) => (prediction.channel === 'positions' ? 1 : 0))),
      firstCall: Int32Array.from(firstCalls),
      callCount: Uint16Array.from(callCounts),
    },
    predictedCalls: {
      low: joinCalls(rows, callCount, ({ low }) => low),
      median: joinCalls(rows, callCount, ({ median }) => median),
      high: joinCalls(rows, callCount, ({ high }) => high),
    },
  };
}

function placeAll(
  predictions: Iterable<TripPrediction>,
  sources: readonly string[],
  planned: PlannedCalls,
  now: Instant,
): PlacedPrediction[] {
  const placed: PlacedPrediction[] = [];
  for (const prediction of predictions) {
    if (prediction.median.length === 0 || !isFreshPrediction(prediction, now)) continue;
    const source = sources.indexOf(prediction.sourceId);
    const trip = planned.findTrip(prediction.tripKey, prediction.day);
    if (source < 0 || trip === null) continue;
    // Another timetable may hold the trip with other calls: then nobody knows which call is meant.
    if (planned.callCount(trip) !== prediction.position + 1 + prediction.median.length) continue;
    placed.push({ trip, source, prediction });
  }
  return placed;
}

/** Sorted by trip, then day, one each. */
function chooseNewest(placed: PlacedPrediction[]): PlacedPrediction[] {
  placed.sort(
    (a, b) =>
      a.trip - b.trip ||
      a.prediction.day - b.prediction.day ||
      b.prediction.observedAt - a.prediction.observedAt ||
      a.source - b.source,
  );
  return placed.filter(({ trip, prediction }, i) => {
    const before = placed[i - 1];
    return before?.trip !== trip || before.prediction.day !== prediction.day;
  });
}

function joinCalls(
  rows: readonly PlacedPrediction[],
  callCount: number,
  read: (prediction: TripPrediction) => Int16Array,
): Int16Array {
  const joined = new Int16Array(callCount);
  let at = 0;
  for (const { prediction } of rows) {
    joined.set(read(prediction), at);
    at += prediction.median.length;
  }
  return joined;
}
