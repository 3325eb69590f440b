import { CARRIED, type CallEvent, callEvents, OBSERVED, PREDICTED, UNKNOWN } from '../../model/observation.ts';
import { callFlags, type RealtimeTables } from '../../snapshots/realtime-contract.ts';
import { createTripEvents, resetTripEvents, settleTimes, type TripEvents } from '../../snapshots/settle-times.ts';
import { type MergedCall, type MergedCallEvent, NEVER_EXPIRES } from './merge-calls.ts';
import type { TripPlan } from './planned-calls.ts';

// A dated trip from the merged reports of its calls to the columns of the snapshot.

/** The delay of a vehicle at the last reported call is propagated for this long after the call. */
const CARRIED_SECONDS = 30 * 60;

/** Our predictions for a dated trip. */
export interface PredictedDelays {
  /** Of the call with the first prediction. */
  readonly position: number;
  /** Median delay of the arrivals from there on; seconds. */
  readonly medianSeconds: Int16Array;
  readonly expiresAt: number;
}

/** A trip to be settled, and where the result is written. */
interface SettledTrip {
  readonly plan: TripPlan;
  /** @returns null for a call that no source reports */
  readCall(position: number): MergedCall | null;
  readonly predicted: PredictedDelays | null;
  /** The delay with which its vehicle arrives from the previous trip. */
  readonly inherited: CarriedDelay | null;
}

/** Room to settle one trip after another, and what was refused meanwhile. */
export interface Settling {
  readonly events: TripEvents;
  readonly calls: (MergedCall | null)[];
  /** By event: instant after which its time is too old, 0 where it is planned; and position of its source. */
  expiresAt: Float64Array;
  source: Uint8Array;
  /** Reports refused because times would fall along a trip, by position of their source. */
  readonly refused: Map<number, number>;
}

export function openSettling(): Settling {
  return {
    events: createTripEvents(),
    calls: [],
    expiresAt: new Float64Array(0),
    source: new Uint8Array(0),
    refused: new Map(),
  };
}

/** Reads, carries and settles the times of a trip; `writeSettled` writes the result. */
export function settleTrip(settling: Settling, trip: SettledTrip, now: number): void {
  const { events, refused } = settling;
  readEvents(settling, trip, now);
  settleTimes(events, () => carryDelays(settling, trip, now));
  for (let event = 0; event < 2 * events.callCount; event++) {
    if (events.isRefused[event] !== 1) continue;
    const source = settling.source[event]!;
    refused.set(source, (refused.get(source) ?? 0) + 1);
  }
}

/** Forecasts that have expired are read only where nothing better is known of the trip. */
function readEvents(settling: Settling, { plan, readCall }: SettledTrip, now: number): void {
  const { events, calls } = settling;
  const count = 2 * plan.callCount;
  resetTripEvents(events, plan.callCount, plan);
  if (settling.expiresAt.length < count) {
    settling.expiresAt = new Float64Array(2 * count);
    settling.source = new Uint8Array(2 * count);
  }
  settling.expiresAt.fill(0, 0, count);
  settling.source.fill(0, 0, count);
  for (let position = 0; position < plan.callCount; position++) {
    calls[position] = readCall(position);
    callEvents.forEach((name, i) => {
      events.scheduled[2 * position + i] = plan.at(position, name);
    });
  }
  const isFresh = ({ time, expiresAt }: MergedCallEvent) => time > 0 && expiresAt >= now;
  const known = calls
    .slice(0, plan.callCount)
    .some((call) => call && (isFresh(call.arrival) || isFresh(call.departure)));
  for (let position = 0; position < plan.callCount; position++) {
    const call = calls[position];
    if (!call) continue;
    callEvents.forEach((name, i) => {
      readEvent(settling, 2 * position + i, call[name], !known || isFresh(call[name]));
    });
  }
}

function readEvent(
  { events, expiresAt, source }: Settling,
  event: number,
  merged: MergedCallEvent,
  hasTime: boolean,
): void {
  events.isCancelled[event] = merged.isCancelled ? 1 : 0;
  source[event] = merged.source;
  if (!hasTime || merged.time === 0) return;
  events.time[event] = merged.time;
  events.prognosis[event] = merged.prognosis;
  expiresAt[event] = merged.expiresAt;
}

// ---- Carried delays ----------------------------------------------------------------------------

/** The delay of the last event that a source has reported. */
export interface CarriedDelay {
  readonly seconds: number;
  readonly expiresAt: number;
  readonly source: number;
  /** Its source reports calls one by one; otherwise the delays that follow from it are known already. */
  readonly isCarried: boolean;
}

/**
 * Carries the delay at each call that was reported by itself to the later ones, up to the next report; our predictions
 * replace it where there are some. Nothing is carried backwards, beyond a call without data, or when it is too old. Up to
 * its first report, a trip has the delay of its vehicle's previous trip.
 */
function carryDelays(settling: Settling, { plan, predicted, inherited }: SettledTrip, now: number): void {
  const { events, calls } = settling;
  let carried = inherited;
  for (let position = 0; position < plan.callCount; position++) {
    const call = calls[position];
    if (call && (call.flags & callFlags.noData) !== 0) carried = null;
    for (const [i, name] of callEvents.entries()) {
      const event = 2 * position + i;
      if (events.isCancelled[event] === 1) continue;
      const delaySeconds = events.time[event]! - events.scheduled[event]!;
      if (events.time[event]! > 0) carried = call ? toCarried(call[name], delaySeconds, now) : null;
      else if (carried && events.scheduled[event]! > 0 && (carried.isCarried || events.isRefused[event] === 2)) {
        carryTo(settling, event, carried, predicted);
      }
    }
  }
}

/** @returns null for a report that is too old */
function toCarried(reported: MergedCallEvent, seconds: number, now: number): CarriedDelay | null {
  const { time, seenAt, source, isCarried } = reported;
  const isPast = reported.expiresAt === NEVER_EXPIRES;
  const expiresAt = isPast ? Math.max(time, seenAt) + CARRIED_SECONDS : reported.expiresAt;
  return expiresAt < now ? null : { seconds, expiresAt, source, isCarried };
}

function carryTo(settling: Settling, event: number, carried: CarriedDelay, predicted: PredictedDelays | null): void {
  const { events, expiresAt, source } = settling;
  const prediction = predicted?.medianSeconds[(event >> 1) - predicted.position];
  events.time[event] = events.scheduled[event]! + (prediction ?? carried.seconds);
  events.prognosis[event] = prediction === undefined ? CARRIED : PREDICTED;
  expiresAt[event] = prediction === undefined ? carried.expiresAt : predicted!.expiresAt;
  source[event] = carried.source;
}

/** The settled arrival at the last call, from which a delay is carried to the next trip of the vehicle. */
export interface SettledEnd {
  readonly arrival: number;
  readonly expiresAt: number;
  readonly source: number;
}

/** @returns null where the plan holds, where the trip ends early, and where its delay is too old */
export function readEnd(settling: Settling, now: number): SettledEnd | null {
  const { events, source } = settling;
  const last = 2 * events.callCount - 2;
  const arrival = events.time[last]!;
  if (arrival === 0 || events.isCancelled[last] === 1) return null;
  const expiresAt = Math.min(expiryOf(settling, last, findExpiry(settling)), arrival + CARRIED_SECONDS);
  return expiresAt < now ? null : { arrival, expiresAt, source: source[last]! };
}

// ---- Columns -----------------------------------------------------------------------------------

type CallColumns = Pick<
  RealtimeTables['calls'],
  | 'arrival'
  | 'departure'
  | 'arrivalPrognosis'
  | 'departurePrognosis'
  | 'source'
  | 'flags'
  | 'platform'
  | 'headsign'
  | 'expiresAt'
>;

export function allocateCalls(count: number) {
  return {
    arrival: new Uint32Array(count),
    departure: new Uint32Array(count),
    arrivalPrognosis: new Uint8Array(count),
    departurePrognosis: new Uint8Array(count),
    source: new Uint8Array(count),
    flags: new Uint8Array(count),
    platform: new Int32Array(count).fill(-1),
    headsign: new Int32Array(count).fill(-1),
    expiresAt: new Uint32Array(count),
  } satisfies CallColumns;
}

/** Makes room for more calls, where they do not fit. */
export function withRoom(calls: CallsUnderway, count: number): CallsUnderway {
  if (count <= calls.flags.length) return calls;
  const larger = allocateCalls(2 * count);
  for (const name of columnNames(calls)) larger[name].set(calls[name]);
  return larger;
}

/** Ranges of calls, one after another. */
export function joinRanges(calls: CallsUnderway, ranges: readonly CallRange[]): CallsUnderway {
  const joined = allocateCalls(ranges.reduce((sum, { callCount }) => sum + callCount, 0));
  for (const name of columnNames(calls)) {
    const [from, to] = [calls[name], joined[name]];
    let row = 0;
    for (const { firstCall, callCount } of ranges) {
      for (let call = firstCall; call < firstCall + callCount; call++) to[row++] = from[call]!;
    }
  }
  return joined;
}

interface CallRange {
  readonly firstCall: number;
  readonly callCount: number;
}

type CallsUnderway = ReturnType<typeof allocateCalls>;

function columnNames(calls: CallsUnderway) {
  return Object.keys(calls) as (keyof CallsUnderway)[];
}

/**
 * Writes the settled trip.
 * @param textRow row of a text of the snapshot
 * @returns instant until which the times hold
 */
export function writeSettled(
  settling: Settling,
  columns: ReturnType<typeof allocateCalls>,
  firstCall: number,
  textRow: (text: string | null) => number,
): number {
  const { events, calls } = settling;
  const settledUntil = findExpiry(settling);
  for (let position = 0; position < events.callCount; position++) {
    const [call, row, arrival] = [calls[position], firstCall + position, 2 * position];
    columns.arrival[row] = events.time[arrival]!;
    columns.departure[row] = events.time[arrival + 1]!;
    columns.arrivalPrognosis[row] = events.prognosis[arrival]!;
    columns.departurePrognosis[row] = events.prognosis[arrival + 1]!;
    columns.source[row] = call ? call.source : settling.source[arrival]! || settling.source[arrival + 1]!;
    columns.flags[row] = (call?.flags ?? 0) | readCancelled(events, position);
    columns.platform[row] = textRow(call?.platform ?? null);
    columns.headsign[row] = textRow(call?.headsign ?? null);
    columns.expiresAt[row] = Math.min(
      expiryOf(settling, arrival, settledUntil),
      expiryOf(settling, arrival + 1, settledUntil),
    );
  }
  return settledUntil;
}

function readCancelled({ isCancelled }: TripEvents, position: number): number {
  const arrival = isCancelled[2 * position] === 1 ? callFlags.arrivalCancelled : 0;
  return arrival | (isCancelled[2 * position + 1] === 1 ? callFlags.departureCancelled : 0);
}

/** When the first forecast expires, on which the times of the trip rest. */
function findExpiry({ events, expiresAt }: Settling): number {
  let earliest = NEVER_EXPIRES;
  for (let event = 0; event < 2 * events.callCount; event++) {
    if (isForecast(events, event) && expiresAt[event]! > 0) earliest = Math.min(earliest, expiresAt[event]!);
  }
  return earliest;
}

/** A planned time that was moved holds as long as the others. */
function expiryOf({ events, expiresAt }: Settling, event: number, settledUntil: number): number {
  if (!isForecast(events, event)) return NEVER_EXPIRES;
  return expiresAt[event]! || settledUntil;
}

function isForecast({ prognosis, time }: TripEvents, event: number): boolean {
  return time[event]! > 0 && prognosis[event] !== UNKNOWN && prognosis[event] !== OBSERVED;
}

/** How many events of a trip there are, and how many of them are cancelled. */
export function countCancelled({ events }: Settling): { readonly cancelled: number; readonly eventCount: number } {
  const { callCount, isCancelled } = events;
  // Nobody arrives at the first call or leaves from the last one.
  const [first, end] = callCount === 1 ? [0, 2] : [1, 2 * callCount - 1];
  let cancelled = 0;
  for (let event = first; event < end; event++) cancelled += isCancelled[event]!;
  return { cancelled, eventCount: end - first };
}

export function readSettledTime({ events }: Settling, position: number, name: CallEvent): number {
  return events.time[2 * position + (name === 'arrival' ? 0 : 1)]!;
}
