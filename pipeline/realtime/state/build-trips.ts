import { TextColumn } from '../../model/column.ts';
import { CALL_CANCELLED, type RealtimeTables, tripFlags } from '../../snapshots/realtime-contract.ts';
import { type DatedTripRef, datedTripKey, isObserved, type TripMemory } from './memory.ts';
import { type MergedCall, mergeCall, type SourceCall } from './merge-calls.ts';
import type { PlannedCalls } from './planned-calls.ts';
import {
  allocateCalls,
  countCancelled,
  type PredictedDelays,
  readSettledTime,
  type Settling,
  settleTrip,
  writeSettled,
} from './settle-trip.ts';

/** Items grouped by stop. */
interface StopGroups {
  /** Stops that have any, rising. */
  readonly stop: Int32Array;
  /** Start of each stop's range in `order`, and its length. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** Indices of the items. */
  readonly order: Int32Array;
}

/** @param stops row of the stop of each item, below `stopCount`; a negative one is left out */
export function groupByStop(stops: readonly number[], stopCount: number): StopGroups {
  const counts = new Int32Array(stopCount + 1);
  for (const stop of stops) if (stop >= 0) counts[stop + 1]!++;
  let used = 0;
  for (let stop = 0; stop < stopCount; stop++) {
    if (counts[stop + 1]! > 0) used += 1;
    counts[stop + 1]! += counts[stop]!;
  }
  const order = new Int32Array(counts[stopCount]!);
  const next = counts.slice();
  stops.forEach((stop, thing) => {
    if (stop >= 0) order[next[stop]!++] = thing;
  });
  const groups = { stop: new Int32Array(used), first: new Int32Array(used), count: new Int32Array(used), order };
  let row = 0;
  for (let stop = 0; stop < stopCount; stop++) {
    const count = counts[stop + 1]! - counts[stop]!;
    if (count === 0) continue;
    groups.stop[row] = stop;
    groups.first[row] = counts[stop]!;
    groups.count[row] = count;
    row += 1;
  }
  return groups;
}

/** The texts of a snapshot, each once. */
export interface Texts {
  /** Row of a text; -1 for none. */
  row(text: string | null): number;
  column(): TextColumn;
}

export function collectTexts(): Texts {
  const rows = new Map<string, number>();
  return {
    row(text) {
      if (text === null) return -1;
      const known = rows.get(text);
      if (known !== undefined) return known;
      rows.set(text, rows.size);
      return rows.size - 1;
    },
    column: () => TextColumn.from([...rows.keys()]),
  };
}

/** A source at the time of a build. */
export interface BuildSource {
  /** Position in the snapshot. */
  readonly index: number;
  readonly maxAgeSeconds: number;
}

/** One dated trip as all sources report it. */
export interface ReportedTrip extends DatedTripRef {
  /** Row of the timetable's trips. */
  readonly trip: number;
  readonly reports: readonly { readonly source: BuildSource; readonly memory: TripMemory }[];
}

/** Inputs that the tables of trips share. */
export interface TripBuildContext {
  readonly planned: PlannedCalls;
  readonly texts: Texts;
  readonly now: number;
  readonly settling: Settling;
  findPredicted(trip: number, day: number): PredictedDelays | null;
  /** Row of `addedTrips` by its name, or -1. */
  findAdded(name: string): number;
}

/** Builds the tables of the timetable's dated trips: merged over sources, sorted, with late and moved calls by stop. */
export function buildTripTables(
  dated: readonly ReportedTrip[],
  context: TripBuildContext,
): Pick<RealtimeTables, 'trips' | 'calls' | 'lateStops' | 'lateCalls' | 'movedStops' | 'movedCalls'> {
  const { planned } = context;
  const sorted = [...dated].sort((a, b) => a.trip - b.trip || a.day - b.day);
  const trips = allocateTrips(sorted.length);
  const calls = allocateCalls(sorted.reduce((sum, { trip }) => sum + planned.callCount(trip), 0));
  const late: LateCalls = { stop: [], trip: [], position: [], scheduledDeparture: [] };
  const moved: MovedCalls = { stop: [], trip: [], position: [] };
  let firstCall = 0;
  sorted.forEach((one, row) => {
    const settledUntil = writeCalls(calls, firstCall, one, context, {
      addLate(position, scheduledDeparture) {
        late.stop.push(planned.stop(one.trip, position));
        late.trip.push(row);
        late.position.push(position);
        late.scheduledDeparture.push(scheduledDeparture);
      },
      addMoved(position, stop) {
        moved.stop.push(stop);
        moved.trip.push(row);
        moved.position.push(position);
      },
    });
    writeTrip(trips, row, one, { firstCall, settledUntil }, context);
    firstCall += planned.callCount(one.trip);
  });
  const stopCount = planned.tables.stops.name.length;
  return { trips, calls, ...groupLate(late, stopCount), ...groupMoved(moved, stopCount) };
}

interface LateCalls {
  readonly stop: number[];
  readonly trip: number[];
  readonly position: number[];
  readonly scheduledDeparture: number[];
}

function groupLate(late: LateCalls, stopCount: number): Pick<RealtimeTables, 'lateStops' | 'lateCalls'> {
  const { stop, first, count, order } = groupByStop(late.stop, stopCount);
  return {
    lateStops: { stop, firstLate: first, lateCount: count },
    lateCalls: {
      trip: order.map((thing) => late.trip[thing]!),
      position: Uint16Array.from(order, (thing) => late.position[thing]!),
      scheduledDeparture: Uint32Array.from(order, (thing) => late.scheduledDeparture[thing]!),
    },
  };
}

interface MovedCalls {
  /** Of the announced platform. */
  readonly stop: number[];
  readonly trip: number[];
  readonly position: number[];
}

function groupMoved(moved: MovedCalls, stopCount: number): Pick<RealtimeTables, 'movedStops' | 'movedCalls'> {
  const { stop, first, count, order } = groupByStop(moved.stop, stopCount);
  return {
    movedStops: { stop, firstMoved: first, movedCount: count },
    movedCalls: {
      trip: order.map((thing) => moved.trip[thing]!),
      position: Uint16Array.from(order, (thing) => moved.position[thing]!),
    },
  };
}

// ---- Trips -------------------------------------------------------------------------------------

function allocateTrips(count: number) {
  return {
    trip: new Int32Array(count),
    day: new Int32Array(count),
    firstCall: new Int32Array(count),
    flags: new Uint8Array(count),
    replacedBy: new Int32Array(count),
    substitute: new Int32Array(count).fill(-1),
    recordedAt: new Uint32Array(count),
    settledUntil: new Uint32Array(count),
  };
}

function writeTrip(
  trips: ReturnType<typeof allocateTrips>,
  row: number,
  one: ReportedTrip,
  { firstCall, settledUntil }: { readonly firstCall: number; readonly settledUntil: number },
  { findAdded, settling }: TripBuildContext,
): void {
  const said = one.reports.reduce((bits, { memory }) => bits | memory.flags, 0);
  const replacedBy = (said & tripFlags.replaced) === 0 ? -1 : findAdded(datedTripKey(one));
  trips.trip[row] = one.trip;
  trips.day[row] = one.day;
  trips.firstCall[row] = firstCall;
  trips.flags[row] = settleFlags(said, { ...countCancelled(settling), isReplaced: replacedBy >= 0 });
  trips.replacedBy[row] = replacedBy;
  trips.settledUntil[row] = settledUntil;
  trips.recordedAt[row] = Math.max(...one.reports.map(({ memory }) => memory.recordedAt));
}

/**
 * A trip is cancelled when every event is cancelled, by whichever source, but not when one of them took place. It is
 * replaced only while its replacement exists.
 */
export function settleFlags(
  said: number,
  { cancelled, eventCount, isReplaced }: { cancelled: number; eventCount: number; isReplaced: boolean },
): number {
  const rest = said & (tripFlags.deleted | tripFlags.special | tripFlags.additional);
  const replaced = isReplaced ? tripFlags.replaced : 0;
  if (cancelled === 0) return rest | replaced;
  return rest | replaced | (cancelled === eventCount ? tripFlags.cancelled : tripFlags.partlyCancelled);
}

// ---- Calls -------------------------------------------------------------------------------------

/** Settles the calls of a trip and writes them. @returns instant until which they hold */
function writeCalls(
  calls: ReturnType<typeof allocateCalls>,
  firstCall: number,
  one: ReportedTrip,
  { planned, texts, now, settling, findPredicted }: TripBuildContext,
  { addLate, addMoved }: BoardEntries,
): number {
  const plan = planned.plan(one.trip, one.day);
  const readCall = (position: number) => mergeAt(one, position, now);
  settleTrip(settling, { plan, readCall, predicted: findPredicted(one.trip, one.day) }, now);
  const settledUntil = writeSettled(settling, calls, firstCall, texts.row);
  for (let position = 0; position < plan.callCount; position++) {
    const moved = findMoved(planned, planned.stop(one.trip, position), settling.calls[position]?.platform ?? null);
    if (moved >= 0) addMoved(position, moved);
    const scheduledDeparture = plan.at(position, 'departure');
    const isLate =
      readSettledTime(settling, position, 'departure') > scheduledDeparture ||
      readSettledTime(settling, position, 'arrival') > plan.at(position, 'arrival');
    if (isLate) addLate(position, scheduledDeparture);
  }
  return settledUntil;
}

/** Calls that boards do not find by the plan. */
interface BoardEntries {
  addLate(position: number, scheduledDeparture: number): void;
  /** @param stop row of the stop of the announced platform */
  addMoved(position: number, stop: number): void;
}

/** @returns the stop of an announced platform that differs from the plan; -1 when it does not differ or is not known */
function findMoved(planned: PlannedCalls, stop: number, platform: string | null): number {
  if (platform === null || platform === planned.tables.stops.platformCode.get(stop)) return -1;
  return planned.findPlatform(stop, platform);
}

function mergeAt({ reports }: ReportedTrip, position: number, now: number): MergedCall | null {
  const sourceCalls: SourceCall[] = [];
  for (const { source, memory } of reports) {
    const known = memory.calls[position];
    // A deleted trip serves no rider; its journey shows the calls as cancelled.
    const isCancelledOrDeleted = (memory.flags & tripFlags.deleted) !== 0 && known && !isObserved(known);
    const call = isCancelledOrDeleted ? { ...known, flags: known.flags | CALL_CANCELLED } : known;
    if (call) sourceCalls.push({ source: source.index, maxAgeSeconds: source.maxAgeSeconds, call });
  }
  return sourceCalls.length === 0 ? null : mergeCall(sourceCalls, now);
}
