import { lowerBound } from '../../model/binary-search.ts';
import {
  buildFeatures,
  expectDeparture,
  type FeatureTable,
  horizonSeconds,
  type Pairs,
} from '../features/build-features.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { findDatedTrips } from '../features/sweep.ts';
import { type QuantileColumns, type Shift, settlePrediction } from '../model/calibrate.ts';
import { type DelayModel, kindOfPair, predictDelays } from '../model/delay-model.ts';
import type { FindSidePrediction } from './case-facts.ts';
import { type KnownSide, type TransferCases, transferOf } from './transfer-cases.ts';

/** Calls of a trip are numbered within this many. */
const MAX_CALLS = 512;

/** Features of the predictions that the cases need, each once. */
interface SideFeatures {
  /** Sorted: see `keyOf`. */
  readonly keys: Float64Array;
  readonly pairs: Pairs;
  readonly features: FeatureTable;
}

/** Orders predictions by the call of the last event, its kind and the predicted call. */
function keyOf(from: number, isDeparture: number, to: number): number {
  return (2 * from + isDeparture) * MAX_CALLS + (to - from);
}

/** Key of the prediction of one side in a case; -1 if no event is known, or the event at the transfer stop itself is. */
function findKey(side: KnownSide, target: number, place: number): number {
  const from = side.call[place]!;
  return from < 0 || from >= target ? -1 : keyOf(from, side.isDeparture[place]!, target);
}

/** Builds the features as of the last known event, as a service does: it predicts a trip when an event arrives. */
export function buildSideFeatures(table: DatedTripTable, cases: TransferCases): SideFeatures {
  const keys = listKeys(cases);
  const datedTrip = findDatedTrips(table);
  const from = Int32Array.from(keys, (key) => Math.floor(key / MAX_CALLS / 2));
  const pairs: Pairs = {
    count: keys.length,
    from,
    datedTrip: from.map((call) => datedTrip[call]!),
    to: Int32Array.from(keys, (key, i) => from[i]! + (key % MAX_CALLS)),
    isStanding: Uint8Array.from(keys, (key) => 1 - (Math.floor(key / MAX_CALLS) % 2)),
  };
  return { keys, pairs, features: buildFeatures(table, pairs) };
}

function listKeys({ count, transfers, arrival, departure }: TransferCases): Float64Array {
  const keys = new Float64Array(2 * count);
  let used = 0;
  for (let place = 0; place < count; place++) {
    const transfer = transferOf(place);
    for (const key of [
      findKey(arrival, transfers.arrival[transfer]!, place),
      findKey(departure, transfers.departure[transfer]!, place),
    ]) {
      if (key >= 0) keys[used++] = key;
    }
  }
  const sorted = keys.subarray(0, used).sort();
  return sorted.filter((key, i) => i === 0 || key !== sorted[i - 1]);
}

/** A delay model with the shifts of its intervals, as it is published. */
export interface CalibratedModel {
  readonly model: DelayModel;
  /** By kind, see `kindOfPair`. */
  readonly shifts: readonly Shift[];
}

/** The model that predicts the trips from a service day on, until that of the next entry. */
export interface DatedModel {
  /** Days since 1970. */
  readonly from: number;
  readonly delays: CalibratedModel;
}

/** One model for all days. */
export function onAllDays(delays: CalibratedModel): readonly DatedModel[] {
  return [{ from: Number.NEGATIVE_INFINITY, delays }];
}

const BATCH_ROWS = 50_000;

/**
 * Predicts the delays at the stops of the transfers, as a service publishes them: calibrated, on the grid.
 * @param models in the order of their days; the first one also predicts earlier trips
 */
export function predictSides(
  table: DatedTripTable,
  sides: SideFeatures,
  models: readonly DatedModel[],
): QuantileColumns {
  const { count, datedTrip } = sides.pairs;
  const empty = () => new Float32Array(count);
  const result = { low: empty(), median: empty(), high: empty() };
  let start = 0;
  models.forEach(({ delays }, i) => {
    // Pairs are in the order of their trips, and so of their days.
    const until = models[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    let end = start;
    while (end < count && table.serviceDay[datedTrip[end]!]! < until) end++;
    predictRange(table, sides, delays, { start, end }, result);
    start = end;
  });
  return result;
}

function predictRange(
  table: DatedTripTable,
  { pairs, features }: SideFeatures,
  { model, shifts }: CalibratedModel,
  range: { readonly start: number; readonly end: number },
  result: QuantileColumns,
): void {
  const width = features.columns.length;
  for (let { start } = range; start < range.end; start += BATCH_ROWS) {
    const end = Math.min(range.end, start + BATCH_ROWS);
    const current = Float32Array.from({ length: end - start }, (_, row) => findCurrent(table, pairs, start + row));
    const values = features.values.subarray(start * width, end * width);
    const forecasts = predictDelays(model, { values, current });
    const settled = { low: forecasts.low.slice(), median: forecasts.median.slice(), high: forecasts.high.slice() };
    for (let row = 0; row < end - start; row++) {
      const pair = start + row;
      const horizon = horizonSeconds(table, pairs.from[pair]!, pairs.to[pair]!);
      const kind = kindOfPair(horizon, current[row]!, pairs.isStanding[pair] === 1);
      settlePrediction(forecasts, row, shifts[kind]!, model.gridSeconds, settled);
      for (const quantile of ['low', 'median', 'high'] as const) {
        result[quantile][pair] = Math.round(settled[quantile][row]! + features.offsets[pair]!);
      }
    }
  }
}

/** Starting value of the model. */
function findCurrent(table: DatedTripTable, { from, isStanding }: Pairs, pair: number): number {
  const call = from[pair]!;
  return isStanding[pair] === 1 ? expectDeparture(table, call).delay : table.departureDelay[call]!;
}

/** Finds the predictions of `predictSides`. */
export function openSidePredictions(
  { keys }: SideFeatures,
  { low, median, high }: QuantileColumns,
): FindSidePrediction {
  return (side, target, place) => {
    const key = findKey(side, target, place);
    if (key < 0) return null;
    const row = lowerBound(keys, key, 0, keys.length - 1);
    return { low: low[row]!, median: median[row]!, high: high[row]! };
  };
}
