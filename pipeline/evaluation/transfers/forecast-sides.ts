import {
  buildFeatures,
  expectDeparture,
  type FeatureTable,
  type Pairs,
} from '../../predictions/features/build-features.ts';
import type { DatedTripTable } from '../../predictions/features/dated-trip-table.ts';
import { findDatedTrips } from '../../predictions/features/sweep.ts';
import type { QuantileForecasts } from '../../predictions/model/calibrate.ts';
import { type DelayModel, forecastDelays } from '../../predictions/model/delay-model.ts';
import { type KnownSide, type TransferCases, transferOf } from './transfer-cases.ts';

/** Calls of a trip are numbered within this many. */
const MAX_CALLS = 512;

/** Features of the forecasts of a delay model that the cases need, each once. */
export interface SideFeatures {
  /** Sorted: see `keyOf`. */
  readonly keys: Float64Array;
  readonly pairs: Pairs;
  readonly features: FeatureTable;
}

/** Orders forecasts by the call of the last event, its kind and the call that is forecast. */
function keyOf(from: number, isDeparture: number, to: number): number {
  return (2 * from + isDeparture) * MAX_CALLS + (to - from);
}

/** The forecast of a side at a case; -1 where no event is known, or that at the stop of the change is. */
function findKey(side: KnownSide, target: number, place: number): number {
  const from = side.call[place]!;
  return from < 0 || from >= target ? -1 : keyOf(from, side.isDeparture[place]!, target);
}

/** Builds the features as of the last known event, as a service does: it forecasts a trip when an event arrives. */
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

/**
 * Forecasts the arrivals, each with the model of its service day.
 * @param modelOf by service day
 */
export function forecastPairs(
  table: DatedTripTable,
  { pairs, features }: SideFeatures,
  modelOf: (day: number) => DelayModel,
): QuantileForecasts {
  const empty = () => new Float32Array(pairs.count);
  const result = { low: empty(), median: empty(), high: empty() };
  const places = new Map<DelayModel, number[]>();
  for (let pair = 0; pair < pairs.count; pair++) {
    const model = modelOf(table.serviceDay[pairs.datedTrip[pair]!]!);
    const known = places.get(model);
    if (known) known.push(pair);
    else places.set(model, [pair]);
  }
  const width = features.columns.length;
  for (const [model, rows] of places) {
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      const batch = rows.slice(start, start + BATCH_ROWS);
      const values = new Float32Array(batch.length * width);
      batch.forEach((pair, row) => {
        values.set(features.values.subarray(pair * width, (pair + 1) * width), row * width);
      });
      const current = Float32Array.from(batch, (pair) => startOf(table, pairs, pair));
      const { low, median, high } = forecastDelays(model, { values, current });
      batch.forEach((pair, row) => {
        const beyond = features.offsets[pair]!;
        result.low[pair] = low[row]! + beyond;
        result.median[pair] = median[row]! + beyond;
        result.high[pair] = high[row]! + beyond;
      });
    }
  }
  return result;
}

const BATCH_ROWS = 50_000;

function startOf(table: DatedTripTable, { from, isStanding }: Pairs, pair: number): number {
  const call = from[pair]!;
  return isStanding[pair] === 1 ? expectDeparture(table, call).delay : table.departureDelay[call]!;
}

/** Row of the forecast of a side at a case, in `forecastPairs`; -1 without one. */
export function findForecastRow({ keys }: SideFeatures, side: KnownSide, target: number, place: number): number {
  const key = findKey(side, target, place);
  if (key < 0) return -1;
  let low = 0;
  let high = keys.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
