import type { RealtimeTables } from '../snapshot/realtime-contract.ts';
import {
  allocateCalls,
  type BuildSource,
  groupByStop,
  settleFlags,
  type TripContext,
  writeCall,
} from './build-trips.ts';
import type { AddedCall, AddedTrip } from './memory.ts';
import { isCancelled } from './memory.ts';
import { mergeCall } from './merge-calls.ts';

/** An added trip with the source that reports it. */
interface SourceAddedTrip {
  readonly source: BuildSource;
  readonly trip: AddedTrip;
}

/**
 * Sorts added trips in snapshot order. Of two sources' reports of the same trip, the fresher counts.
 * @returns unique by key and day, rising
 */
export function sortAdded(added: readonly SourceAddedTrip[]): SourceAddedTrip[] {
  const sorted = [...added].sort(
    (a, b) => compareBig(a.trip.key, b.trip.key) || a.trip.day - b.trip.day || b.trip.seenAt - a.trip.seenAt,
  );
  return sorted.filter(({ trip }, i) => {
    const before = sorted[i - 1]?.trip;
    return before?.key !== trip.key || before.day !== trip.day;
  });
}

function compareBig(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type AddedContext = Pick<TripContext, 'planned' | 'texts' | 'now'>;

/** @param sorted see `sortAdded` */
export function buildAddedTables(
  sorted: readonly SourceAddedTrip[],
  context: AddedContext,
): Pick<RealtimeTables, 'addedTrips' | 'addedCalls' | 'addedStations' | 'addedStationCalls'> {
  const calls = sorted.flatMap(({ source, trip }, row) =>
    trip.calls.map((call, position) => ({ call, position, row, source })),
  );
  const { station } = context.planned.tables.stops;
  const stations = calls.map(({ call: { stop } }) => (stop < 0 ? -1 : station[stop]!));
  const groups = groupByStop(stations, station.length);
  const firsts: number[] = [];
  let next = 0;
  for (const { trip } of sorted) {
    firsts.push(next);
    next += trip.calls.length;
  }
  return {
    addedTrips: buildTrips(sorted, firsts, context),
    addedCalls: buildCalls(calls, context),
    addedStations: { station: groups.stop, firstCall: groups.first, callCount: groups.count },
    addedStationCalls: {
      addedTrip: groups.order.map((thing) => calls[thing]!.row),
      position: Uint16Array.from(groups.order, (thing) => calls[thing]!.position),
    },
  };
}

function buildTrips(
  sorted: readonly SourceAddedTrip[],
  firsts: readonly number[],
  { planned, texts }: AddedContext,
): RealtimeTables['addedTrips'] {
  const trips = sorted.map(({ trip }) => trip);
  const textRows = (read: (trip: AddedTrip) => string | null) =>
    Int32Array.from(trips, (trip) => texts.row(read(trip)));
  return {
    key: BigUint64Array.from(trips, ({ key }) => key),
    day: Int32Array.from(trips, ({ day }) => day),
    source: Uint8Array.from(sorted, ({ source }) => source.index),
    flags: Uint8Array.from(trips, flagsOf),
    route: Int32Array.from(trips, ({ route }) => route),
    label: textRows(({ label }) => label),
    product: Uint8Array.from(trips, ({ product }) => product),
    operatorName: textRows(({ name }) => name.operatorName),
    headsign: textRows(({ name }) => name.headsign),
    originName: textRows(({ originName }) => originName),
    basedOn: Int32Array.from(
      trips,
      ({ basedOn, day }) => (basedOn === null ? null : planned.findTrip(basedOn, day)) ?? -1,
    ),
    firstCall: Int32Array.from(firsts),
    callCount: Uint16Array.from(trips, ({ calls }) => calls.length),
    recordedAt: Uint32Array.from(trips, ({ recordedAt }) => recordedAt),
  };
}

function flagsOf({ flags, calls }: AddedTrip): number {
  const cancelled = calls.filter(isCancelled).length;
  return settleFlags(flags, { cancelled, callCount: calls.length, isReplaced: false });
}

/** Reported values are written as for any call, beside the scheduled times, which no timetable holds. */
function buildCalls(
  calls: readonly { readonly call: AddedCall; readonly source: BuildSource }[],
  { texts, now }: AddedContext,
): RealtimeTables['addedCalls'] {
  const numbers = (read: (call: AddedCall) => number) => Int32Array.from(calls, ({ call }) => read(call));
  const written = allocateCalls(calls.length);
  calls.forEach(({ call, source: { index: source, maxAgeSeconds } }, row) => {
    writeCall(written, row, mergeCall([{ source, maxAgeSeconds, call }], now), texts);
  });
  const { source: _source, ...live } = written;
  return {
    ...live,
    stop: numbers(({ stop }) => stop),
    stopName: numbers(({ stopName }) => texts.row(stopName)),
    scheduledArrival: Uint32Array.from(calls, ({ call }) => call.scheduledArrival),
    scheduledDeparture: Uint32Array.from(calls, ({ call }) => call.scheduledDeparture),
    scheduledPlatform: numbers(({ scheduledPlatform }) => texts.row(scheduledPlatform)),
  };
}
