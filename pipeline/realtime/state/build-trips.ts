import { TextColumn } from '../../model/column.ts';
import { CALL_CANCELLED, type RealtimeTables, tripFlags } from '../../snapshots/realtime-contract.ts';
import { type DatedTripRef, datedTripKey, isObserved, type TripMemory } from './memory.ts';
import { type MergedCall, mergeCall, type SourceCall } from './merge-calls.ts';
import type { PlannedCalls } from './planned-calls.ts';
import {
  buildOccupancies,
  findVehicleOccupancy,
  listOccupancies,
  type OccupiedCall,
  type VehicleOccupancy,
} from './settle-occupancy.ts';
import {
  allocateCalls,
  type CarriedDelay,
  countCancelled,
  joinRanges,
  type PredictedDelays,
  readEnd,
  readSettledTime,
  type Settling,
  settleTrip,
  withRoom,
  writeSettled,
} from './settle-trip.ts';
import { openVehicleOrder } from './vehicle-order.ts';

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
  /** None if only the previous trip of its vehicle is reported. */
  readonly reports: readonly { readonly source: BuildSource; readonly memory: TripMemory }[];
}

/** Inputs that the tables of trips share. */
export interface TripBuildContext {
  readonly planned: PlannedCalls;
  readonly texts: Texts;
  readonly now: number;
  readonly settling: Settling;
  findPredicted(trip: number, day: number): PredictedDelays | null;
  /** How full the vehicle of a dated trip is, by `datedTripKey`. */
  readonly vehicleOccupancies: ReadonlyMap<string, VehicleOccupancy>;
  /** Row of `addedTrips` by its name, or -1. */
  findAdded(name: string): number;
}

/**
 * Builds the tables of the timetable's dated trips: merged over sources, sorted, with late and moved calls by stop. A
 * trip without a report is among them if its vehicle comes late from its previous trip.
 */
export function buildTripTables(
  dated: readonly ReportedTrip[],
  context: TripBuildContext,
): Pick<RealtimeTables, 'trips' | 'calls' | 'occupancies' | 'lateStops' | 'lateCalls' | 'movedStops' | 'movedCalls'> {
  const { planned, settling, now } = context;
  const order = openVehicleOrder(dated, planned);
  const settled: SettledTrip[] = [];
  const late: LateCall[] = [];
  const moved: MovedCall[] = [];
  const occupied: OccupiedCall<ReportedTrip>[] = [];
  let firstCall = 0;
  let calls = allocateCalls(dated.reduce((sum, { trip }) => sum + planned.callCount(trip), 0));
  for (let next = order.next(); next; next = order.next()) {
    const { inherited } = next;
    const one = next.reported ?? toUnreported(planned, next);
    const callCount = planned.callCount(one.trip);
    calls = withRoom(calls, firstCall + callCount);
    const settledUntil = writeCalls(calls, firstCall, { ...one, inherited }, context, {
      addLate: (position, scheduledDeparture) => late.push({ of: one, position, scheduledDeparture }),
      addMoved: (position, stop) => moved.push({ of: one, position, stop }),
    });
    const vehicle = findVehicleOccupancy(context.vehicleOccupancies, one);
    occupied.push(...listOccupancies(settling, one, planned.plan(one.trip, one.day), vehicle, now));
    const recordedAt = Math.max(inherited?.recordedAt ?? 0, ...one.reports.map(({ memory }) => memory.recordedAt));
    settled.push({ of: one, firstCall, callCount, settledUntil, recordedAt, ...readFlags(one, context) });
    firstCall += callCount;
    const end = isReplacedOrDeleted(one) ? null : readEnd(settling, now);
    if (end) order.passOn(one, end, recordedAt);
  }
  settled.sort((a, b) => a.of.trip - b.of.trip || a.of.day - b.of.day);
  const rows = new Map(settled.map(({ of }, row) => [of, row]));
  const trips = buildTrips(settled);
  return {
    trips,
    calls: joinRanges(calls, settled),
    occupancies: buildOccupancies(occupied, (of) => trips.firstCall[rows.get(of)!]!, firstCall),
    ...groupLate(late, rows, planned),
    ...groupMoved(moved, rows, planned.tables.stops.name.length),
  };
}

interface LateCall {
  readonly of: ReportedTrip;
  readonly position: number;
  readonly scheduledDeparture: number;
}

function groupLate(
  calls: readonly LateCall[],
  rows: ReadonlyMap<ReportedTrip, number>,
  planned: PlannedCalls,
): Pick<RealtimeTables, 'lateStops' | 'lateCalls'> {
  const late = inOrder(calls, rows);
  const stops = late.map(({ of, position }) => planned.stop(of.trip, position));
  const { stop, first, count, order } = groupByStop(stops, planned.tables.stops.name.length);
  return {
    lateStops: { stop, firstLate: first, lateCount: count },
    lateCalls: {
      trip: order.map((call) => rows.get(late[call]!.of)!),
      position: Uint16Array.from(order, (call) => late[call]!.position),
      scheduledDeparture: Uint32Array.from(order, (call) => late[call]!.scheduledDeparture),
    },
  };
}

interface MovedCall {
  readonly of: ReportedTrip;
  readonly position: number;
  /** Row of the stop of the announced platform. */
  readonly stop: number;
}

function groupMoved(
  calls: readonly MovedCall[],
  rows: ReadonlyMap<ReportedTrip, number>,
  stopCount: number,
): Pick<RealtimeTables, 'movedStops' | 'movedCalls'> {
  const moved = inOrder(calls, rows);
  const { stop, first, count, order } = groupByStop(
    moved.map((call) => call.stop),
    stopCount,
  );
  return {
    movedStops: { stop, firstMoved: first, movedCount: count },
    movedCalls: {
      trip: order.map((call) => rows.get(moved[call]!.of)!),
      position: Uint16Array.from(order, (call) => moved[call]!.position),
    },
  };
}

/** Sorts calls by row of their trip, then position. */
function inOrder<Call extends { readonly of: ReportedTrip; readonly position: number }>(
  calls: readonly Call[],
  rows: ReadonlyMap<ReportedTrip, number>,
): Call[] {
  return [...calls].sort((a, b) => rows.get(a.of)! - rows.get(b.of)! || a.position - b.position);
}

// ---- Trips -------------------------------------------------------------------------------------

/** A row of `trips`. */
interface SettledTrip {
  readonly of: ReportedTrip;
  /** Its range of the calls in the order in which they were settled. */
  readonly firstCall: number;
  readonly callCount: number;
  readonly flags: number;
  readonly replacedBy: number;
  readonly recordedAt: number;
  readonly settledUntil: number;
}

function buildTrips(settled: readonly SettledTrip[]): RealtimeTables['trips'] {
  let callCount = 0;
  const firstCalls = settled.map((trip) => {
    callCount += trip.callCount;
    return callCount - trip.callCount;
  });
  return {
    trip: Int32Array.from(settled, ({ of }) => of.trip),
    day: Int32Array.from(settled, ({ of }) => of.day),
    firstCall: Int32Array.from(firstCalls),
    flags: Uint8Array.from(settled, ({ flags }) => flags),
    replacedBy: Int32Array.from(settled, ({ replacedBy }) => replacedBy),
    substitute: new Int32Array(settled.length).fill(-1),
    recordedAt: Uint32Array.from(settled, ({ recordedAt }) => recordedAt),
    settledUntil: Uint32Array.from(settled, ({ settledUntil }) => settledUntil),
  };
}

/** A trip that no source reports. */
function toUnreported({ tables }: PlannedCalls, { trip, day }: Pick<ReportedTrip, 'trip' | 'day'>): ReportedTrip {
  return { key: tables.trips.key[trip]!, trip, day, reports: [] };
}

/** @returns flags of the trip that was settled last, and row of `addedTrips` of its replacement, or -1 */
function readFlags(
  one: ReportedTrip,
  { findAdded, settling }: TripBuildContext,
): Pick<SettledTrip, 'flags' | 'replacedBy'> {
  const reportedFlags = joinFlags(one);
  const replacedBy = (reportedFlags & tripFlags.replaced) === 0 ? -1 : findAdded(datedTripKey(one));
  return {
    flags: settleFlags(reportedFlags, { ...countCancelled(settling), isReplaced: replacedBy >= 0 }),
    replacedBy,
  };
}

function joinFlags({ reports }: ReportedTrip): number {
  return reports.reduce((bits, { memory }) => bits | memory.flags, 0);
}

function isReplacedOrDeleted(one: ReportedTrip): boolean {
  return (joinFlags(one) & (tripFlags.replaced | tripFlags.deleted)) !== 0;
}

/**
 * A trip is cancelled when every event is cancelled, by whichever source, but not when one of them took place. It is
 * replaced only while its replacement exists.
 */
export function settleFlags(
  reportedFlags: number,
  { cancelled, eventCount, isReplaced }: { cancelled: number; eventCount: number; isReplaced: boolean },
): number {
  const rest = reportedFlags & (tripFlags.deleted | tripFlags.special | tripFlags.additional);
  const replaced = isReplaced ? tripFlags.replaced : 0;
  if (cancelled === 0) return rest | replaced;
  return rest | replaced | (cancelled === eventCount ? tripFlags.cancelled : tripFlags.partlyCancelled);
}

// ---- Calls -------------------------------------------------------------------------------------

/** Settles the calls of a trip and writes them. @returns instant until which they hold */
function writeCalls(
  calls: ReturnType<typeof allocateCalls>,
  firstCall: number,
  one: ReportedTrip & { readonly inherited: CarriedDelay | null },
  { planned, texts, now, settling, findPredicted }: TripBuildContext,
  { addLate, addMoved }: BoardEntries,
): number {
  const plan = planned.plan(one.trip, one.day);
  const readCall = (position: number) => mergeAt(one, position, now);
  const predicted = findPredicted(one.trip, one.day);
  settleTrip(settling, { plan, readCall, predicted, inherited: one.inherited }, now);
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
