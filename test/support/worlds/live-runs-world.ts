import type { ObservedTrip } from '../../../pipeline/model/prediction.ts';
import type { EpochDay } from '../../../pipeline/model/service-time.ts';
import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import type { RecordedTrips } from '../../../pipeline/predictions/learning/recorded-trips.ts';

/** The first trips of a table, as they would be in the lake. */
export function recordOf(table: DatedTripTable, datedTripCount: number): RecordedTrips {
  const calls = table.callStart[datedTripCount]!;
  const cut = <Column extends Int32Array | Float64Array | Uint8Array>(column: Column, end: number) =>
    column.slice(0, end) as Column;
  const names = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`);
  return {
    table: {
      ...table,
      datedTripCount,
      callStart: cut(table.callStart, datedTripCount + 1),
      serviceDay: cut(table.serviceDay, datedTripCount),
      dayStart: cut(table.dayStart, datedTripCount),
      train: cut(table.train, datedTripCount),
      route: cut(table.route, datedTripCount),
      operator: cut(table.operator, datedTripCount),
      stop: cut(table.stop, calls),
      sequence: cut(table.sequence, calls),
      scheduledArrival: cut(table.scheduledArrival, calls),
      scheduledDeparture: cut(table.scheduledDeparture, calls),
      arrivalDelay: cut(table.arrivalDelay, calls),
      departureDelay: cut(table.departureDelay, calls),
      arrivalTime: cut(table.arrivalTime, calls),
      departureTime: cut(table.departureTime, calls),
      arrivalOffset: cut(table.arrivalOffset, calls),
      departureOffset: cut(table.departureOffset, calls),
      isDepartureReported: cut(table.isDepartureReported, calls),
      isInstant: cut(table.isInstant, calls),
    },
    trips: Array.from(table.train.subarray(0, datedTripCount), (train) => `t${train}`),
    departureOfDay: cut(departuresOf(table), datedTripCount),
    implausible: { early_departure: 0, before_previous_event: 0 },
    routes: names('r', table.routeCount),
    products: Array.from({ length: table.routeCount }, () => 'regionalTrain'),
    stops: names('s', table.stopCount),
    stations: Int32Array.from({ length: table.stopCount }, (_, stop) => stop),
  };
}

/** Scheduled departures: seconds after midnight of the service date by the clock, by trip. */
export function departuresOf({ datedTripCount, callStart, dayStart, scheduledDeparture }: DatedTripTable): Int32Array {
  return Int32Array.from(
    { length: datedTripCount },
    (_, datedTrip) => scheduledDeparture[callStart[datedTrip]!]! - dayStart[datedTrip]!,
  );
}

/** Prefixes of ids in a simulated record, see `recordOf`. */
const madeUp = { routes: 'r', stops: 's' } as const;

/**
 * Observations of a trip of a table up to an instant; delays must be exact, not rounded to a grid.
 * @param names of the table as it was read; by default those of `recordOf`
 */
export function observedBy(
  table: DatedTripTable,
  datedTrip: number,
  at: number,
  names: RecordedTrips | null = null,
): ObservedTrip {
  const nameOf = (kind: keyof typeof madeUp, number: number) => names?.[kind][number] ?? `${madeUp[kind]}${number}`;
  const [start, end] = [table.callStart[datedTrip]!, table.callStart[datedTrip + 1]!];
  const seen = (times: Float64Array) => times.slice(start, end).map((time) => (time <= at ? time : Number.NaN));
  return {
    tripKey: BigInt(datedTrip),
    day: table.serviceDay[datedTrip]! as EpochDay,
    tripId: names?.trips[datedTrip] ?? `t${table.train[datedTrip]}`,
    departureOfDay: (names?.departureOfDay ?? departuresOf(table))[datedTrip]!,
    product: names?.products[table.route[datedTrip]!] ?? 'regionalTrain',
    routeId: nameOf('routes', table.route[datedTrip]!),
    stopIds: Array.from(table.stop.subarray(start, end), (stop) => nameOf('stops', stop)),
    scheduledArrival: table.scheduledArrival.slice(start, end),
    scheduledDeparture: table.scheduledDeparture.slice(start, end),
    arrival: seen(table.arrivalTime),
    departure: seen(table.departureTime),
    isFromPosition: new Uint8Array(end - start),
  };
}
