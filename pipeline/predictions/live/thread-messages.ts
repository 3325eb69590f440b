import type { SourceId } from '../../model/ids.ts';
import type { ObservedTrip, TripPrediction } from '../../model/prediction.ts';
import type { Product } from '../../model/product.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';

/**
 * Trips and predictions as they go to the thread and back: a few long columns, because a message is copied object by
 * object, and thousands of trips are tens of thousands of strings and arrays. A text that occurs more than once is sent
 * once.
 */
export interface PackedTrips {
  readonly texts: readonly string[];
  /** By trip. */
  readonly tripKey: BigUint64Array;
  readonly day: Int32Array;
  readonly departureOfDay: Int32Array;
  /** By trip: its id, its route and its product, as places in `texts`. */
  readonly names: Int32Array;
  /** The first call of each trip, and the number of all calls. */
  readonly callStart: Int32Array;
  /** By call. */
  readonly stop: Int32Array;
  readonly scheduledArrival: Float64Array;
  readonly scheduledDeparture: Float64Array;
  readonly arrival: Float64Array;
  readonly departure: Float64Array;
  readonly isFromPosition: Uint8Array;
}

const NAMES = 3;

export function packTrips(trips: readonly ObservedTrip[]): PackedTrips {
  const texts = new Map<string, number>();
  const placeOf = (text: string) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    texts.set(text, texts.size);
    return texts.size - 1;
  };
  const callStart = startOf(trips.map(({ stopIds }) => stopIds.length));
  const calls = callStart[trips.length]!;
  const names = new Int32Array(NAMES * trips.length);
  const stop = new Int32Array(calls);
  const float = () => new Float64Array(calls);
  const times = { scheduledArrival: float(), scheduledDeparture: float(), arrival: float(), departure: float() };
  const isFromPosition = new Uint8Array(calls);
  trips.forEach((trip, one) => {
    const start = callStart[one]!;
    names.set([trip.tripId, trip.routeId, trip.product].map(placeOf), NAMES * one);
    for (let at = 0; at < trip.stopIds.length; at++) stop[start + at] = placeOf(trip.stopIds[at]!);
    for (const column of timeColumns) times[column].set(trip[column], start);
    isFromPosition.set(trip.isFromPosition, start);
  });
  return {
    texts: [...texts.keys()],
    tripKey: BigUint64Array.from(trips, ({ tripKey }) => tripKey),
    day: Int32Array.from(trips, ({ day }) => day),
    departureOfDay: Int32Array.from(trips, ({ departureOfDay }) => departureOfDay),
    names,
    callStart,
    stop,
    ...times,
    isFromPosition,
  };
}

const timeColumns = ['scheduledArrival', 'scheduledDeparture', 'arrival', 'departure'] as const;

/** The trips of a message; their columns share its memory. */
export function unpackTrips(packed: PackedTrips): ObservedTrip[] {
  const { texts, names, callStart } = packed;
  return Array.from(packed.day, (day, one): ObservedTrip => {
    const [start, end] = [callStart[one]!, callStart[one + 1]!];
    const stopIds = new Array<string>(end - start);
    for (let at = 0; at < stopIds.length; at++) stopIds[at] = texts[packed.stop[start + at]!]!;
    return {
      tripKey: packed.tripKey[one]!,
      day: day as EpochDay,
      departureOfDay: packed.departureOfDay[one]!,
      tripId: texts[names[NAMES * one]!]!,
      routeId: texts[names[NAMES * one + 1]!]!,
      product: texts[names[NAMES * one + 2]!] as Product,
      stopIds,
      scheduledArrival: packed.scheduledArrival.subarray(start, end),
      scheduledDeparture: packed.scheduledDeparture.subarray(start, end),
      arrival: packed.arrival.subarray(start, end),
      departure: packed.departure.subarray(start, end),
      isFromPosition: packed.isFromPosition.subarray(start, end),
    };
  });
}

/** Predictions of one source. */
export interface PackedPredictions {
  readonly sourceId: SourceId;
  readonly tripKey: BigUint64Array;
  readonly day: Int32Array;
  readonly position: Int32Array;
  readonly observedAt: Float64Array;
  readonly delaySeconds: Float64Array;
  /** 1 where the vehicle was seen at the stop. */
  readonly isFromPosition: Uint8Array;
  /** The first later call of each trip, and the number of all. */
  readonly targetStart: Int32Array;
  /** By later call. */
  readonly low: Int16Array;
  readonly median: Int16Array;
  readonly high: Int16Array;
}

export function packPredictions(sourceId: SourceId, predictions: readonly TripPrediction[]): PackedPredictions {
  const targetStart = startOf(predictions.map(({ median }) => median.length));
  const quantile = () => new Int16Array(targetStart[predictions.length]!);
  const quantiles = { low: quantile(), median: quantile(), high: quantile() };
  predictions.forEach(({ low, median, high }, one) => {
    quantiles.low.set(low, targetStart[one]!);
    quantiles.median.set(median, targetStart[one]!);
    quantiles.high.set(high, targetStart[one]!);
  });
  return {
    sourceId,
    tripKey: BigUint64Array.from(predictions, ({ tripKey }) => tripKey),
    day: Int32Array.from(predictions, ({ day }) => day),
    position: Int32Array.from(predictions, ({ position }) => position),
    observedAt: Float64Array.from(predictions, ({ observedAt }) => observedAt),
    delaySeconds: Float64Array.from(predictions, ({ delaySeconds }) => delaySeconds),
    isFromPosition: Uint8Array.from(predictions, ({ channel }) => (channel === 'positions' ? 1 : 0)),
    targetStart,
    ...quantiles,
  };
}

/** The predictions of a message. Their delays are copies: one that is kept does not keep the whole message. */
export function unpackPredictions(packed: PackedPredictions): TripPrediction[] {
  return Array.from(packed.day, (day, one): TripPrediction => {
    const [start, end] = [packed.targetStart[one]!, packed.targetStart[one + 1]!];
    return {
      tripKey: packed.tripKey[one]!,
      day: day as EpochDay,
      sourceId: packed.sourceId,
      position: packed.position[one]!,
      observedAt: packed.observedAt[one]! as Instant,
      delaySeconds: packed.delaySeconds[one]!,
      channel: packed.isFromPosition[one] === 1 ? 'positions' : 'stop_events',
      low: packed.low.slice(start, end),
      median: packed.median.slice(start, end),
      high: packed.high.slice(start, end),
    };
  });
}

/** Where each of some lists starts in one after another, and their length together. */
function startOf(lengths: readonly number[]): Int32Array {
  const start = new Int32Array(lengths.length + 1);
  lengths.forEach((length, one) => {
    start[one + 1] = start[one]! + length;
  });
  return start;
}
