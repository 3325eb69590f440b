import { callFlags, type RealtimeTables, tripFlags } from '../snapshots/realtime-contract.ts';
import { groupByStop } from './group-by-stop.ts';
import type { TripMemory } from './memory.ts';
import { type MergedCall, mergeCall, type Witness } from './merge-calls.ts';
import type { PlannedCalls } from './planned-calls.ts';
import type { Texts } from './texts.ts';

/** A source at the moment of a build. */
export interface BuildSource {
  /** Position in the snapshot. */
  readonly index: number;
  readonly maxAgeSeconds: number;
}

/** All sources' words on one dated trip. */
export interface TripWitnesses {
  readonly trip: number;
  readonly day: number;
  readonly words: readonly { readonly source: BuildSource; readonly memory: TripMemory }[];
}

interface LateCalls {
  readonly stop: number[];
  readonly trip: number[];
  readonly position: number[];
  readonly scheduledDeparture: number[];
}

/** Row of `addedTrips` of the snapshot by the trip's name; -1 where it is not there. */
export type FindAdded = (name: string) => number;

/** The tables of dated trips of the timetable: merged over sources, sorted, with those who are late by stop. */
export function buildTripTables(
  dated: readonly TripWitnesses[],
  planned: PlannedCalls,
  texts: Texts,
  findAdded: FindAdded,
  now: number,
): Pick<RealtimeTables, 'trips' | 'calls' | 'lateStops' | 'lateCalls'> {
  const sorted = [...dated].sort((a, b) => a.trip - b.trip || a.day - b.day);
  const trips = allocateTrips(sorted.length);
  const calls = allocateCalls(sorted.reduce((sum, { trip }) => sum + planned.callCount(trip), 0));
  const late: LateCalls = { stop: [], trip: [], position: [], scheduledDeparture: [] };
  let firstCall = 0;
  sorted.forEach((one, row) => {
    const count = planned.callCount(one.trip);
    let flags = one.words.reduce((bits, { memory }) => bits | memory.flags, 0);
    let cancelled = 0;
    for (let position = 0; position < count; position++) {
      const call = mergeAt(one, position, now);
      if (!call) {
        calls.platform[firstCall + position] = -1;
        continue;
      }
      writeCall(calls, firstCall + position, call, texts);
      if ((call.flags & callFlags.cancelled) !== 0) cancelled += 1;
      else if (isLate(one, position, call, planned)) {
        late.stop.push(planned.stop(one.trip, position));
        late.trip.push(row);
        late.position.push(position);
        late.scheduledDeparture.push(planned.departure(one.trip, one.day, position));
      }
    }
    flags = settleCancellation(flags, cancelled, count);
    writeTrip(trips, row, one, { firstCall, flags, findAdded });
    firstCall += count;
  });
  const groups = groupByStop(late.stop, planned.tables.stops.name.length);
  return {
    trips,
    calls,
    lateStops: { stop: groups.stop, firstLate: groups.first, lateCount: groups.count },
    lateCalls: {
      trip: groups.order.map((thing) => late.trip[thing]!),
      position: Uint16Array.from(groups.order, (thing) => late.position[thing]!),
      scheduledDeparture: Uint32Array.from(groups.order, (thing) => late.scheduledDeparture[thing]!),
    },
  };
}

function mergeAt({ words }: TripWitnesses, position: number, now: number): MergedCall | null {
  const witnesses: Witness[] = [];
  for (const { source, memory } of words) {
    const call = memory.calls[position];
    if (call) witnesses.push({ source: source.index, maxAgeSeconds: source.maxAgeSeconds, call });
  }
  return witnesses.length === 0 ? null : mergeCall(witnesses, now);
}

function isLate({ trip, day }: TripWitnesses, position: number, call: MergedCall, planned: PlannedCalls): boolean {
  return call.departure > planned.departure(trip, day, position) || call.arrival > planned.arrival(trip, day, position);
}

/** A trip of which every call is cancelled is cancelled, whoever said it; one of which a call took place is not. */
function settleCancellation(flags: number, cancelled: number, count: number): number {
  const rest = flags & ~(tripFlags.cancelled | tripFlags.partlyCancelled);
  if (cancelled === 0) return rest;
  return rest | (cancelled === count ? tripFlags.cancelled : tripFlags.partlyCancelled);
}

function allocateTrips(count: number) {
  return {
    trip: new Int32Array(count),
    day: new Int32Array(count),
    firstCall: new Int32Array(count),
    flags: new Uint8Array(count),
    replacedBy: new Int32Array(count),
    recordedAt: new Uint32Array(count),
  };
}

function writeTrip(
  trips: ReturnType<typeof allocateTrips>,
  row: number,
  one: TripWitnesses,
  { firstCall, flags, findAdded }: { firstCall: number; flags: number; findAdded: FindAdded },
): void {
  const replaced = one.words.find(({ memory }) => memory.replacedBy !== null);
  trips.trip[row] = one.trip;
  trips.day[row] = one.day;
  trips.firstCall[row] = firstCall;
  trips.flags[row] = flags;
  trips.replacedBy[row] = replaced ? findAdded(replaced.memory.replacedBy!) : -1;
  trips.recordedAt[row] = Math.max(...one.words.map(({ memory }) => memory.recordedAt));
}

function allocateCalls(count: number) {
  return {
    arrival: new Uint32Array(count),
    departure: new Uint32Array(count),
    arrivalEvidence: new Uint8Array(count),
    departureEvidence: new Uint8Array(count),
    source: new Uint8Array(count),
    flags: new Uint8Array(count),
    platform: new Int32Array(count),
    expiresAt: new Uint32Array(count),
  };
}

function writeCall(calls: ReturnType<typeof allocateCalls>, row: number, call: MergedCall, texts: Texts): void {
  calls.arrival[row] = call.arrival;
  calls.departure[row] = call.departure;
  calls.arrivalEvidence[row] = call.arrivalEvidence;
  calls.departureEvidence[row] = call.departureEvidence;
  calls.source[row] = call.source;
  calls.flags[row] = call.flags;
  calls.platform[row] = texts.row(call.platform);
  calls.expiresAt[row] = call.expiresAt;
}
