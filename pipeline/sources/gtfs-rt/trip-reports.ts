import { isSpecialService } from '../../model/notice-words.ts';
import type {
  CallProperties,
  CallReport,
  ReportedTime,
  TripName,
  TripRelationship,
  TripReport,
} from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type {
  StopTimeEvent,
  StopTimeProperties,
  StopTimeUpdate,
  TripDescriptor,
  TripProperties,
  TripUpdate,
} from './feed-message.ts';
import { readOccupancy } from './read-occupancy.ts';
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

/** A delay beyond two days is an error in a date: the latest long-distance trains in the world are a day late. */
const MAX_REPORTED_DELAY_SECONDS = 172_800;

/**
 * Converts the stop time updates of a trip to call reports, in travel order.
 * @returns without updates that name no stop (`call_without_stop`) or repeat a call (`duplicate_call`, the last is
 *   kept); an unknown schedule relationship counts as NO_DATA (`unknown_call_relationship`), so that it confirms
 *   nothing
 */
function toCallReports(reading: FeedReading, { trip, stopTimeUpdate }: TripUpdate, place: string): CallReport[] {
  const calls: CallReport[] = [];
  for (const [index, update] of stopTimeUpdate.entries()) {
    const call = toCallReport(reading, update, trip, { entity: place, index });
    if (call) calls.push(call);
  }
  return inTravelOrder(reading, calls, place);
}

/** Formatted only for problems: there are a million calls. */
interface CallPlace {
  readonly entity: string;
  readonly index: number;
}

const nameCall = ({ entity, index }: CallPlace) => `${entity}, call ${index + 1}`;

function toCallReport(
  reading: FeedReading,
  update: StopTimeUpdate,
  trip: TripDescriptor,
  place: CallPlace,
): CallReport | null {
  const stop = toStopName(reading, update.stopId);
  if (stop === null && update.stopSequence === undefined) {
    addProblem(reading, 'call_without_stop', nameCall(place), 'neither stop_sequence nor stop_id');
    return null;
  }
  const state = stateOf(reading, update, place);
  const properties = update.stopTimeProperties && toCallProperties(reading, update.stopTimeProperties, place);
  const { departureOccupancyStatus } = update;
  const departureOccupancy =
    departureOccupancyStatus === undefined
      ? null
      : readOccupancy(reading, departureOccupancyStatus, undefined, () => nameCall(place));
  const readTimes = (event: StopTimeEvent | undefined) =>
    event ? dropForecast(toReportedTime(reading, event, place), state, trip) : null;
  return {
    stopSequence: update.stopSequence ?? null,
    stop,
    arrival: readTimes(update.arrival),
    departure: readTimes(update.departure),
    state,
    scheduledPlatform: null,
    platform: null,
    cancelledEvent: null,
    assignedStopId: textOf(update.stopTimeProperties?.assignedStopId),
    ...(properties && { properties }),
    ...(departureOccupancy && { departureOccupancy }),
  };
}

/** An unknown relationship counts as NO_DATA (`unknown_call_relationship`): it confirms neither plan nor delay. */
function stateOf(
  reading: FeedReading,
  { scheduleRelationship }: StopTimeUpdate,
  place: CallPlace,
): CallReport['state'] {
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
      addProblem(
        reading,
        'unknown_call_relationship',
        nameCall(place),
        `schedule_relationship ${scheduleRelationship}`,
      );
      return 'noData';
  }
}

/**
 * NO_DATA with times contradicts itself; the relationship counts, not the times. Only a trip with its own schedule has
 * scheduled times there.
 */
function dropForecast(
  report: ReportedTime | null,
  state: CallReport['state'],
  { scheduleRelationship }: TripDescriptor,
): ReportedTime | null {
  if (state !== 'noData' || report === null) return report;
  const hasSchedule = scheduleRelationship === 'NEW' || scheduleRelationship === 'REPLACEMENT';
  const scheduledTime = hasSchedule ? (report.scheduledTime ?? report.time) : null;
  return scheduledTime === null ? null : { scheduledTime, time: null, delaySeconds: null, isMeasured: false };
}

/** @returns undefined if no part of it is usable */
function toCallProperties(
  reading: FeedReading,
  { stopHeadsign, pickupType, dropOffType }: StopTimeProperties,
  place: CallPlace,
): CallProperties | undefined {
  const headsign = textOf(stopHeadsign);
  const pickup = readAccess(reading, 'pickup_type', pickupType, place);
  const dropOff = readAccess(reading, 'drop_off_type', dropOffType, place);
  return headsign === null && pickup === null && dropOff === null ? undefined : { headsign, pickup, dropOff };
}

/**
 * Whether passengers may board or alight. On-request stops are not distinguished and counted as `unsupported_<field>`.
 */
function readAccess(
  reading: FeedReading,
  field: 'pickup_type' | 'drop_off_type',
  type: StopTimeProperties['pickupType'],
  place: CallPlace,
): boolean | null {
  if (type === undefined) return null;
  if (type === 'REGULAR' || type === 'NONE') return type === 'REGULAR';
  addProblem(reading, `unsupported_${field}`, nameCall(place), String(type));
  return null;
}

/** The time takes precedence over the delay; null if the event has neither. */
function toReportedTime(reading: FeedReading, event: StopTimeEvent, place: CallPlace): ReportedTime | null {
  const time = readEventTime(reading, event.time, place);
  const scheduledTime = readEventTime(reading, event.scheduledTime, place);
  const delaySeconds = time === null ? readDelay(reading, event.delay, place.entity) : null;
  if (time === null && delaySeconds === null && scheduledTime === null) return null;
  return { scheduledTime, time, delaySeconds, isMeasured: reading.hasMeasuredStopEvents || event.uncertainty === 0 };
}

function readEventTime(reading: FeedReading, seconds: number | undefined, place: CallPlace): Instant | null {
  if (seconds === undefined || isInstant(seconds)) return seconds ?? null;
  return readInstant(reading, seconds, nameCall(place));
}

/** Positive is late; null if absent or implausible (`implausible_delay`). */
function readDelay(reading: FeedReading, seconds: number | undefined, place: string): number | null {
  if (seconds === undefined) return null;
  if (Math.abs(seconds) <= MAX_REPORTED_DELAY_SECONDS) return seconds;
  addProblem(reading, 'implausible_delay', place, `${seconds} s`);
  return null;
}

/** Sorted by stop_sequence if all calls have one; else as sent, which must be travel order. */
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
 * start date and time of the repetition. A duplicated trip without its own id, which the reference requires, is kept,
 * identified by its start, and reported as `duplicated_without_trip_id`.
 * @returns null for a refused one: `trip_without_name`, `unknown_trip_relationship`, `duplicated_without_start` (and
 *   without an id)
 */
export function toTripReport(reading: FeedReading, update: TripUpdate, place: string): TripReport | null {
  const relationship = relationships[update.trip.scheduleRelationship ?? 'SCHEDULED'];
  if (!relationship) {
    const detail = `schedule_relationship ${update.trip.scheduleRelationship}`;
    addProblem(reading, 'unknown_trip_relationship', place, detail);
    return null;
  }
  const named = toTripName(reading, update.trip, place);
  if (named === null) {
    addProblem(reading, 'trip_without_name', place, 'neither trip_id nor route_id');
    return null;
  }
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
    calls: toCallReports(reading, update, place),
    vehicleId: textOf(update.vehicle?.id) ?? textOf(update.vehicle?.label),
    originName: null,
    isSpecial: isSpecial(update),
    ...describeProperties(reading, update, place),
  };
}

/** GTFS-Realtime has no value for it; the text on the vehicle or the train number says so. */
function isSpecial({ tripProperties }: TripUpdate): boolean {
  return [tripProperties?.tripHeadsign, tripProperties?.tripShortName].some((text) => isSpecialService(textOf(text)));
}

function describeProperties(
  reading: FeedReading,
  { trip, tripProperties }: TripUpdate,
  place: string,
): Pick<TripReport, 'properties'> {
  const shortName = textOf(tripProperties?.tripShortName);
  if (shortName !== null) addProblem(reading, 'unsupported_trip_short_name', place, shortName);
  const properties = {
    headsign: textOf(tripProperties?.tripHeadsign),
    shapeId: textOf(tripProperties?.shapeId),
    isModified: trip.modifiedTrip !== undefined,
  };
  const isAny = properties.headsign !== null || properties.shapeId !== null || properties.isModified;
  return isAny ? { properties } : {};
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
