import { CARRIED } from '../../model/observation.ts';
import type { RealtimeTables } from '../../snapshots/realtime-contract.ts';
import { planOfAdded } from './added-calls.ts';
import { type BuildSource, groupByStop, settleFlags, type TripBuildContext } from './build-trips.ts';
import type { AddedCall, AddedTrip } from './memory.ts';
import { type MergedCall, type MergedCallEvent, mergeCall, NEVER_EXPIRES } from './merge-calls.ts';
import { buildOccupancies, findVehicleOccupancy, listOccupancies, type OccupiedCall } from './settle-occupancy.ts';
import { allocateCalls, countCancelled, settleTrip, writeSettled } from './settle-trip.ts';

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

type AddedContext = Pick<TripBuildContext, 'planned' | 'texts' | 'now' | 'settling' | 'vehicleOccupancies'>;

/** @param sorted see `sortAdded` */
export function buildAddedTables(
  sorted: readonly SourceAddedTrip[],
  context: AddedContext,
): Pick<RealtimeTables, 'addedTrips' | 'addedCalls' | 'addedOccupancies' | 'addedStations' | 'addedStationCalls'> {
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
  const settled = settleAdded(sorted, firsts, next, context);
  return {
    addedTrips: buildTrips(sorted, firsts, settled, context),
    addedCalls: buildCalls(calls, settled, context),
    addedOccupancies: buildOccupancies(settled.occupied, (row) => firsts[row]!, next),
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
  settled: SettledTrips,
  { planned, texts }: AddedContext,
): RealtimeTables['addedTrips'] {
  const trips = sorted.map(({ trip }) => trip);
  const textRows = (read: (trip: AddedTrip) => string | null) =>
    Int32Array.from(trips, (trip) => texts.row(read(trip)));
  return {
    key: BigUint64Array.from(trips, ({ key }) => key),
    day: Int32Array.from(trips, ({ day }) => day),
    source: Uint8Array.from(sorted, ({ source }) => source.index),
    flags: settled.flags,
    route: Int32Array.from(trips, ({ route }) => route),
    label: textRows(({ label }) => label),
    product: Uint8Array.from(trips, ({ product }) => product),
    operatorName: textRows(({ name }) => name.operatorName),
    headsign: textRows(({ name }) => name.headsign),
    originName: textRows(({ originName }) => originName),
    polyline: textRows(({ polyline }) => polyline),
    basedOn: Int32Array.from(
      trips,
      ({ basedOn, day }) => (basedOn === null ? null : planned.findTrip(basedOn, day)) ?? -1,
    ),
    firstCall: Int32Array.from(firsts),
    callCount: Uint16Array.from(trips, ({ calls }) => calls.length),
    recordedAt: Uint32Array.from(trips, ({ recordedAt }) => recordedAt),
    settledUntil: settled.settledUntil,
  };
}

/** What is settled of the added trips: by trip, and by call. */
interface SettledTrips {
  readonly flags: Uint8Array;
  readonly settledUntil: Uint32Array;
  readonly calls: ReturnType<typeof allocateCalls>;
  /** By row of the trip. */
  readonly occupied: readonly OccupiedCall<number>[];
}

/** @param firsts row of the first call of each trip */
function settleAdded(
  sorted: readonly SourceAddedTrip[],
  firsts: readonly number[],
  callCount: number,
  { texts, now, settling, vehicleOccupancies }: AddedContext,
): SettledTrips {
  const occupied: OccupiedCall<number>[] = [];
  const settled = {
    occupied,
    flags: new Uint8Array(sorted.length),
    settledUntil: new Uint32Array(sorted.length),
    calls: allocateCalls(callCount),
  };
  sorted.forEach(({ source, trip }, row) => {
    const { calls, flags } = trip;
    const plan = planOfAdded(calls);
    const readCall = (position: number) => mergeAdded(calls[position]!, source, now);
    settleTrip(settling, { plan, readCall, predicted: null, inherited: null }, now);
    settled.settledUntil[row] = writeSettled(settling, settled.calls, firsts[row]!, texts.row);
    settled.flags[row] = settleFlags(flags, { ...countCancelled(settling), isReplaced: false });
    const vehicle = findVehicleOccupancy(vehicleOccupancies, trip);
    occupied.push(...listOccupancies(settling, row, plan, vehicle, now));
  });
  return settled;
}

/** Where no dwell time is planned, the one reported event counts for both. */
function mergeAdded(call: AddedCall, { index: source, maxAgeSeconds }: BuildSource, now: number): MergedCall {
  const merged = shiftPlanned(call, mergeCall([{ source, maxAgeSeconds, call }], now), now);
  const { arrival, departure } = merged;
  const isUnknown = (scheduled: number, { time, isCancelled }: typeof arrival) =>
    scheduled === 0 && time === 0 && !isCancelled;
  if (isUnknown(call.scheduledDeparture, departure)) return { ...merged, departure: arrival };
  return isUnknown(call.scheduledArrival, arrival) ? { ...merged, arrival: departure } : merged;
}

/** Without a fresh report, the calls after a modification are late by its delay, for as long as it is published. */
function shiftPlanned(call: AddedCall, merged: MergedCall, now: number): MergedCall {
  const { shiftSeconds, scheduledArrival, scheduledDeparture } = call;
  if (shiftSeconds === 0) return merged;
  const shift = (event: MergedCallEvent, scheduled: number): MergedCallEvent =>
    event.isCancelled || scheduled === 0 || (event.time > 0 && event.expiresAt >= now)
      ? event
      : { ...event, time: scheduled + shiftSeconds, prognosis: CARRIED, expiresAt: NEVER_EXPIRES };
  return {
    ...merged,
    arrival: shift(merged.arrival, scheduledArrival),
    departure: shift(merged.departure, scheduledDeparture),
  };
}

/** The settled values are written as for any call, beside the scheduled times, which are in no timetable. */
function buildCalls(
  calls: readonly { readonly call: AddedCall }[],
  settled: SettledTrips,
  { texts }: AddedContext,
): RealtimeTables['addedCalls'] {
  const numbers = (read: (call: AddedCall) => number) => Int32Array.from(calls, ({ call }) => read(call));
  const { source: _source, ...live } = settled.calls;
  return {
    ...live,
    stop: numbers(({ stop }) => stop),
    stopName: numbers(({ stopName }) => texts.row(stopName)),
    lat: Float64Array.from(calls, ({ call }) => call.place?.lat ?? Number.NaN),
    lon: Float64Array.from(calls, ({ call }) => call.place?.lon ?? Number.NaN),
    scheduledArrival: Uint32Array.from(calls, ({ call }) => call.scheduledArrival),
    scheduledDeparture: Uint32Array.from(calls, ({ call }) => call.scheduledDeparture),
    scheduledPlatform: numbers(({ scheduledPlatform }) => texts.row(scheduledPlatform)),
  };
}
