import type { ObservedRun } from '../../pipeline/model/prediction.ts';
import type { EpochDay } from '../../pipeline/model/service-time.ts';
import type { RunTable } from '../../pipeline/predictions/features/run-table.ts';
import type { RecordedRuns } from '../../pipeline/predictions/learning/recorded-runs.ts';

/** The first runs of a table, as the lake would have them. */
export function recordOf(table: RunTable, runCount: number): RecordedRuns {
  const calls = table.callStart[runCount]!;
  const cut = <Column extends Int32Array | Float64Array | Uint8Array>(column: Column, end: number) =>
    column.slice(0, end) as Column;
  const names = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`);
  return {
    table: {
      ...table,
      runCount,
      callStart: cut(table.callStart, runCount + 1),
      serviceDay: cut(table.serviceDay, runCount),
      train: cut(table.train, runCount),
      route: cut(table.route, runCount),
      operator: cut(table.operator, runCount),
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
      isInstant: cut(table.isInstant, calls),
    },
    trips: Array.from(table.train.subarray(0, runCount), (train) => `t${train}`),
    departureOfDay: cut(departuresOf(table), runCount),
    implausible: { early_departure: 0, before_previous_event: 0 },
    routes: names('r', table.routeCount),
    stops: names('s', table.stopCount),
  };
}

/** When runs are to leave, where clocks show UTC: seconds from the midnight of the service day, by run. */
export function departuresOf({ runCount, callStart, serviceDay, scheduledDeparture }: RunTable): Int32Array {
  return Int32Array.from(
    { length: runCount },
    (_, run) => scheduledDeparture[callStart[run]!]! - serviceDay[run]! * 86_400,
  );
}

/** Names of a made-up record, see `recordOf`. */
const madeUp = { routes: 'r', stops: 's' } as const;

/**
 * What was observed of a run of a table by a moment; the delays must be known as they were told, off any grid.
 * @param names of the table as it was read; those of `recordOf` where they are left out
 */
export function observedBy(table: RunTable, run: number, at: number, names: RecordedRuns | null = null): ObservedRun {
  const nameOf = (kind: keyof typeof madeUp, number: number) => names?.[kind][number] ?? `${madeUp[kind]}${number}`;
  const [start, end] = [table.callStart[run]!, table.callStart[run + 1]!];
  const seen = (times: Float64Array) => times.slice(start, end).map((time) => (time <= at ? time : Number.NaN));
  return {
    tripKey: BigInt(run),
    day: table.serviceDay[run]! as EpochDay,
    tripId: names?.trips[run] ?? `t${table.train[run]}`,
    departureOfDay: (names?.departureOfDay ?? departuresOf(table))[run]!,
    routeId: nameOf('routes', table.route[run]!),
    stopIds: Array.from(table.stop.subarray(start, end), (stop) => nameOf('stops', stop)),
    scheduledArrival: table.scheduledArrival.slice(start, end),
    scheduledDeparture: table.scheduledDeparture.slice(start, end),
    arrival: seen(table.arrivalTime),
    departure: seen(table.departureTime),
    isFromPosition: new Uint8Array(end - start),
  };
}
