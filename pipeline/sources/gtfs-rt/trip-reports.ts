import type { CallReport, TimeReport, TripName, TripRelationship, TripReport } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { StopTimeEvent, StopTimeUpdate, TripProperties, TripUpdate } from './feed-message.ts';
import {
  addProblem,
  type FeedReading,
  isInstant,
  readDate,
  readInstant,
  readTime,
  readTimestamp,
  textOf,
  toStopName,
  toTripName,
} from './reading.ts';

/** A delay beyond two days is a mistake in a date: the latest long-distance trains in the world are a day late. */
const MAX_REPORTED_DELAY_SECONDS = 172_800;

/**
 * Converts the stop time updates of a trip to call reports, in travel order.
 * @returns without updates that name no stop (`call_without_stop`), have an unknown schedule relationship
 *   (`unknown_call_relationship`) or repeat a call (`duplicate_call`, the last is kept)
 */
function toCallReports(reading: FeedReading, updates: readonly StopTimeUpdate[], place: string): CallReport[] {
  const calls: CallReport[] = [];
  for (const [index, update] of updates.entries()) {
    const call = toCallReport(reading, update, place, index);
    if (call) calls.push(call);
  }
  return inTravelOrder(reading, calls, place);
}

function toCallReport(reading: FeedReading, update: StopTimeUpdate, place: string, index: number): CallReport | null {
  const stop = toStopName(reading, update.stopId);
  if (stop === null && update.stopSequence === undefined) {
    addProblem(reading, 'call_without_stop', `${place}, call ${index + 1}`, 'neither stop_sequence nor stop_id');
    return null;
  }
  const state = stateOf(update);
  if (state === null) {
    const detail = `schedule_relationship ${update.scheduleRelationship}`;
    addProblem(reading, 'unknown_call_relationship', `${place}, call ${index + 1}`, detail);
    return null;
  }
  // NO_DATA with times contradicts itself; the relationship is believed, not the times.
  const isKnown = state !== 'noData';
  return {
    stopSequence: update.stopSequence ?? null,
    stop,
    arrival: isKnown && update.arrival ? toTimeReport(reading, update.arrival, place, index) : null,
    departure: isKnown && update.departure ? toTimeReport(reading, update.departure, place, index) : null,
    state,
    scheduledPlatform: null,
    platform: null,
    cancelledEvent: null,
    assignedStopId: textOf(update.stopTimeProperties?.assignedStopId),
  };
}

function stateOf({ scheduleRelationship }: StopTimeUpdate): CallReport['state'] | null {
  switch (scheduleRelationship) {
    case undefined:
    case 'SCHEDULED':
    case 'UNSCHEDULED':
      return 'normal';
    case 'SKIPPED':
      return 'skipped';
    case 'NO_DATA':
      return 'noData';
    default:
      return null;
  }
}

/** The time takes precedence over the delay where both are given; null where the event holds neither. */
function toTimeReport(reading: FeedReading, event: StopTimeEvent, place: string, index: number): TimeReport | null {
  const time = readEventTime(reading, event.time, place, index);
  const scheduledTime = readEventTime(reading, event.scheduledTime, place, index);
  const delaySeconds = time === null ? readDelay(reading, event.delay, place) : null;
  if (time === null && delaySeconds === null && scheduledTime === null) return null;
  return { scheduledTime, time, delaySeconds, isMeasured: reading.hasMeasuredStopEvents || event.uncertainty === 0 };
}

/** As `readInstant`, but builds the place text only for a problem: there are a million times. */
function readEventTime(
  reading: FeedReading,
  seconds: number | undefined,
  place: string,
  index: number,
): Instant | null {
  if (seconds === undefined || isInstant(seconds)) return seconds ?? null;
  return readInstant(reading, seconds, `${place}, call ${index + 1}`);
}

/** Positive is late; null where it is absent or implausible; the latter is reported as `implausible_delay`. */
function readDelay(reading: FeedReading, seconds: number | undefined, place: string): number | null {
  if (seconds === undefined) return null;
  if (Math.abs(seconds) <= MAX_REPORTED_DELAY_SECONDS) return seconds;
  addProblem(reading, 'implausible_delay', place, `${seconds} s`);
  return null;
}

/** Sorted by stop_sequence where all calls have one; else as sent, which has to be travel order. */
function inTravelOrder(reading: FeedReading, calls: CallReport[], place: string): CallReport[] {
  let previous = -1;
  for (const { stopSequence } of calls) {
    if (stopSequence === null) return calls;
    if (stopSequence <= previous) return sortBySequence(reading, calls, place);
    previous = stopSequence;
  }
  return calls;
}

function sortBySequence(reading: FeedReading, calls: readonly CallReport[], place: string): CallReport[] {
  if (calls.some(({ stopSequence }) => stopSequence === null)) return [...calls];
  const bySequence = new Map<number | null, CallReport>();
  let previous = -1;
  let isUnordered = false;
  for (const call of calls) {
    const sequence = call.stopSequence!;
    isUnordered ||= sequence < previous;
    previous = sequence;
    if (bySequence.has(sequence)) addProblem(reading, 'duplicate_call', place, `stop_sequence ${sequence} comes twice`);
    bySequence.set(sequence, call);
  }
  if (isUnordered) addProblem(reading, 'calls_out_of_order', place, 'stop_sequence falls from one call to the next');
  return [...bySequence.values()].sort((a, b) => a.stopSequence! - b.stopSequence!);
}

export const relationships: Readonly<Record<string, TripRelationship>> = {
  SCHEDULED: 'scheduled',
  ADDED: 'added',
  NEW: 'added',
  UNSCHEDULED: 'unscheduled',
  CANCELED: 'cancelled',
  REPLACEMENT: 'replacement',
  DUPLICATED: 'duplicated',
  DELETED: 'deleted',
};

/**
 * Converts a trip update to a trip report. For a duplicated trip, `trip` names the trip that is repeated, with the
 * start date and time of the repetition. A duplicated trip without an id of its own, which the reference requires, is
 * kept, named by its start and reported as `duplicated_without_trip_id`.
 * @returns null for one that is refused: `trip_without_name`, `unknown_trip_relationship`, `modified_trip` (its calls
 *   are those of an unknown detour), `duplicated_without_start` (nor has it an id)
 */
export function toTripReport(reading: FeedReading, update: TripUpdate, place: string): TripReport | null {
  const refusal = findRefusal(update);
  if (refusal) {
    addProblem(reading, refusal.code, place, refusal.detail);
    return null;
  }
  const named = toTripName(reading, update.trip, place);
  if (named === null) {
    addProblem(reading, 'trip_without_name', place, 'neither trip_id nor route_id');
    return null;
  }
  const relationship = relationships[update.trip.scheduleRelationship ?? 'SCHEDULED']!;
  const trip = withProperties(reading, named, update.tripProperties, place);
  const newTripId = textOf(update.tripProperties?.tripId);
  if (relationship === 'duplicated' && newTripId === null) {
    const hasStart = trip.startTime !== null;
    addProblem(
      reading,
      hasStart ? 'duplicated_without_trip_id' : 'duplicated_without_start',
      place,
      `trip_properties has no trip_id: ${hasStart ? 'it is named by its start' : 'nor is there a start_time'}`,
    );
    if (!hasStart) return null;
  }
  return {
    place,
    trip,
    relationship,
    newTripId,
    recordedAt: readTimestamp(reading, update.timestamp, place),
    delaySeconds: readDelay(reading, update.delay, place),
    calls: toCallReports(reading, update.stopTimeUpdate, place),
    vehicleId: textOf(update.vehicle?.id) ?? textOf(update.vehicle?.label),
    originName: null,
    isSpecial: false,
  };
}

function findRefusal({ trip }: TripUpdate): { code: string; detail: string } | null {
  const relationship = trip.scheduleRelationship ?? 'SCHEDULED';
  if (!(relationship in relationships)) {
    return { code: 'unknown_trip_relationship', detail: `schedule_relationship ${relationship}` };
  }
  if (trip.modifiedTrip) {
    return { code: 'modified_trip', detail: `modified by ${trip.modifiedTrip.modificationsId ?? 'nothing named'}` };
  }
  return null;
}

function withProperties(
  reading: FeedReading,
  trip: TripName,
  properties: TripProperties | undefined,
  place: string,
): TripName {
  if (!properties) return trip;
  return {
    ...trip,
    startDate: readDate(reading, properties.startDate, place) ?? trip.startDate,
    startTime: readTime(reading, properties.startTime, place) ?? trip.startTime,
    headsign: textOf(properties.tripHeadsign),
  };
}
