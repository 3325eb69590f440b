import { type CallEvent, OBSERVED, type Prognosis, prognoses } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { findJoinedEnds } from '../../../pipeline/snapshots/find-continuations.ts';
import { CALL_CLOSED, callFlags, type RealtimeTables } from '../../../pipeline/snapshots/realtime-contract.ts';
import {
  createTripEvents,
  resetTripEvents,
  settleTimes,
  type TripEvents,
} from '../../../pipeline/snapshots/settle-times.ts';
import type { TimeInfo } from '../../contract/definitions.ts';
import { openPlan, openTrip, type TripView } from './dated-trip.ts';
import { presentTimestamp } from './present.ts';
import type { Published, Realtime } from './realtime.ts';

// The times of a dated trip are settled when the realtime snapshot is built. Every surface reads them here.

/** An arrival or a departure, of a vehicle or of a traveller on foot. */
export interface EventTime {
  /** As planned; 0 where an added trip has neither a plan nor a report. */
  readonly scheduled: Instant;
  /** With realtime; the planned time of a cancelled event. */
  readonly expected: Instant;
  /** Where `expected` comes from; null: from the plan. */
  readonly prognosis: Prognosis | null;
  readonly isCancelled: boolean;
}

export function asScheduled(time: Instant): EventTime {
  return { scheduled: time, expected: time, prognosis: null, isCancelled: false };
}

/** The event shifted by some seconds, which may be negative. */
export function shift({ scheduled, expected, ...rest }: EventTime, seconds: number): EventTime {
  return { scheduled: (scheduled + seconds) as Instant, expected: (expected + seconds) as Instant, ...rest };
}

/** The event, not before an instant: the vehicle is still on its previous trip. */
export function delayUntil(event: EventTime, earliest: number): EventTime {
  if (event.expected >= earliest) return event;
  return { ...event, expected: earliest as Instant, prognosis: event.isCancelled ? null : 'carried' };
}

export function presentEventTime({ scheduled, expected, prognosis }: EventTime): TimeInfo {
  if (prognosis === null) return { scheduled: presentTimestamp(scheduled), isRealtime: false };
  return {
    scheduled: presentTimestamp(scheduled),
    realtime: presentTimestamp(expected),
    isRealtime: true,
    prognosis,
  };
}

// ---- Of a dated trip ---------------------------------------------------------------------------

/** An added trip: its continuation is unknown, since no timetable contains it. */
const UNJOINED = { continues: false, isContinuation: false } as const;

type CallColumns = Pick<
  RealtimeTables['calls'],
  'arrival' | 'departure' | 'arrivalPrognosis' | 'departurePrognosis' | 'flags' | 'expiresAt'
>;

/**
 * Reads the events of a trip as known at an instant: forecasts that have expired by then do not count.
 * @returns a function of the position of a call
 */
export function openEventTimes(view: TripView, instant: Instant): (position: number, name: CallEvent) => EventTime {
  const events = readTripEvents(view, instant, createTripEvents());
  return (position, name) => {
    const event = 2 * position + (name === 'arrival' ? 0 : 1);
    const { scheduled, time, prognosis, isCancelled } = events;
    return toEventTime(scheduled[event] as Instant, time[event]!, prognosis[event]!, isCancelled[event] === 1);
  };
}

/**
 * The events of a trip at an instant, for passengers; a time of 0 means that the plan holds.
 * @param events overwritten, and returned
 */
export function readTripEvents(view: TripView, instant: Instant, events: TripEvents): TripEvents {
  const { published, trip, day, callCount, firstLive, settledUntil } = view;
  const plan = openPlan(view);
  const columns = firstLive < 0 ? null : getColumns(view);
  const isSettled = instant <= settledUntil;
  resetTripEvents(events, callCount, trip < 0 ? UNJOINED : findJoinedEnds(published.timetable.tables, trip, day));
  for (let position = 0; position < callCount; position++) {
    const { arrival, departure } = plan(position);
    events.scheduled[2 * position] = arrival;
    events.scheduled[2 * position + 1] = departure;
    if (columns) readCall(columns, firstLive + position, events, position, isSettled ? null : instant);
  }
  if (columns && !isSettled) settleTimes(events);
  if (columns) closeEvents(columns, firstLive, events);
  return events;
}

/** For passengers, an event at which they may not board or alight does not take place; the vehicle keeps its time. */
function closeEvents(columns: CallColumns, firstLive: number, { callCount, isCancelled }: TripEvents): void {
  for (let position = 0; position < callCount; position++) {
    if ((columns.flags[firstLive + position]! & CALL_CLOSED) === 0) continue;
    if (isClosed(columns, firstLive + position, 'arrival')) isCancelled[2 * position] = 1;
    if (isClosed(columns, firstLive + position, 'departure')) isCancelled[2 * position + 1] = 1;
  }
}

function isClosed({ flags }: CallColumns, row: number, name: CallEvent): boolean {
  return (flags[row]! & (name === 'arrival' ? callFlags.alightingClosed : callFlags.boardingClosed)) !== 0;
}

/** @param instant forecasts that have expired by then are left out; null where none has */
function readCall(columns: CallColumns, row: number, events: TripEvents, position: number, instant: Instant | null) {
  const [arrival, departure] = [2 * position, 2 * position + 1];
  events.isCancelled[arrival] = isCancelled(columns, row, 'arrival') ? 1 : 0;
  events.isCancelled[departure] = isCancelled(columns, row, 'departure') ? 1 : 0;
  const isFresh = instant === null || instant <= columns.expiresAt[row]!;
  if (isFresh || columns.arrivalPrognosis[row] === OBSERVED) {
    events.time[arrival] = columns.arrival[row]!;
    events.prognosis[arrival] = columns.arrivalPrognosis[row]!;
  }
  if (isFresh || columns.departurePrognosis[row] === OBSERVED) {
    events.time[departure] = columns.departure[row]!;
    events.prognosis[departure] = columns.departurePrognosis[row]!;
  }
}

function getColumns({ published, trip }: TripView): CallColumns {
  const { calls, addedCalls } = published.realtime!.tables;
  return trip < 0 ? addedCalls : calls;
}

function isCancelled({ flags }: CallColumns, row: number, name: CallEvent): boolean {
  return (flags[row]! & (name === 'arrival' ? callFlags.arrivalCancelled : callFlags.departureCancelled)) !== 0;
}

function toEventTime(scheduled: Instant, time: number, prognosis: number, isCancelled: boolean): EventTime {
  if (time === 0) return { scheduled, expected: scheduled, prognosis: null, isCancelled };
  return { scheduled, expected: time as Instant, prognosis: prognoses[prognosis]!, isCancelled };
}

/** When the times of a trip change next because a forecast expires; infinite where none does. */
export function findNextExpiry(view: TripView, instant: Instant): number {
  const { firstLive, callCount, settledUntil } = view;
  if (firstLive < 0) return Number.POSITIVE_INFINITY;
  if (instant <= settledUntil) return settledUntil;
  const { expiresAt } = getColumns(view);
  let next = Number.POSITIVE_INFINITY;
  for (let row = firstLive; row < firstLive + callCount; row++) {
    if (expiresAt[row]! >= instant) next = Math.min(next, expiresAt[row]!);
  }
  return next;
}

/**
 * One event of a trip of the timetable, without reading the trip where nothing has expired: boards read one event of
 * dozens of trips.
 * @param liveTrip row of `trips` of the realtime snapshot
 * @param call with its planned time
 */
export function readPlannedEvent(
  published: Published & { readonly realtime: Realtime },
  liveTrip: number,
  { trip, day, position, time: scheduled }: PlannedCall,
  name: CallEvent,
  instant: Instant,
): EventTime {
  const { trips, calls } = published.realtime.tables;
  if (instant > trips.settledUntil[liveTrip]!) {
    return openEventTimes(openTrip(published, { trip, addedTrip: -1, day }), instant)(position, name);
  }
  const row = trips.firstCall[liveTrip]! + position;
  const isArrival = name === 'arrival';
  const time = (isArrival ? calls.arrival : calls.departure)[row]!;
  const prognosis = (isArrival ? calls.arrivalPrognosis : calls.departurePrognosis)[row]!;
  const isOut = isCancelled(calls, row, name) || isClosed(calls, row, name);
  return toEventTime(scheduled, time, prognosis, isOut);
}

/** A call of a trip of the timetable on a service day. */
interface PlannedCall {
  readonly trip: number;
  readonly day: number;
  readonly position: number;
  readonly time: Instant;
}
