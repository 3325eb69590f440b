import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';

/** The dated trips of some days since 1970, both included; a table is sorted by day. */
export function cutTrips(table: DatedTripTable, from: number, to: number): DatedTripTable {
  const { serviceDay, callStart, datedTripCount } = table;
  const before = (day: number) => {
    const found = serviceDay.findIndex((one, trip) => trip < datedTripCount && one >= day);
    return found < 0 ? datedTripCount : found;
  };
  const [first, end] = [before(from), before(to + 1)];
  const [firstCall, endCall] = [callStart[first]!, callStart[end]!];
  const trips = <Column extends Int32Array | Float64Array>(column: Column) => column.slice(first, end) as Column;
  const calls = <Column extends Int32Array | Float64Array | Uint8Array>(column: Column) =>
    column.slice(firstCall, endCall) as Column;
  return {
    ...table,
    datedTripCount: end - first,
    callStart: callStart.slice(first, end + 1).map((call) => call - firstCall),
    serviceDay: trips(serviceDay),
    dayStart: trips(table.dayStart),
    train: trips(table.train),
    route: trips(table.route),
    operator: trips(table.operator),
    stop: calls(table.stop),
    sequence: calls(table.sequence),
    scheduledArrival: calls(table.scheduledArrival),
    scheduledDeparture: calls(table.scheduledDeparture),
    arrivalDelay: calls(table.arrivalDelay),
    departureDelay: calls(table.departureDelay),
    arrivalTime: calls(table.arrivalTime),
    departureTime: calls(table.departureTime),
    arrivalOffset: calls(table.arrivalOffset),
    departureOffset: calls(table.departureOffset),
    isDepartureReported: calls(table.isDepartureReported),
    isInstant: calls(table.isInstant),
  };
}
