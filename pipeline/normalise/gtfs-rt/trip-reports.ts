import type { TripProperties, TripUpdate } from '../../formats/gtfs-rt/feed-message.ts';
import type { TripName, TripRelationship, TripReport } from '../../model/realtime.ts';
import { readDelay, toCallReports } from './call-reports.ts';
import { readDate, readTime, toTripName } from './names.ts';
import { type FeedReading, readTimestamp, tell, textOf } from './reading.ts';

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
 * Says of a trip what its update says. Of a duplicated one, `trip` names the trip that is repeated, and its start date
 * and time are those of the repetition. One that gives the repetition no id, although the reference wants one, is kept
 * and named by its start, and told as `duplicated_without_trip_id`.
 * @returns null for one that is refused: `trip_without_name`, `unknown_trip_relationship`, `modified_trip` (its calls
 *   are those of a detour that we do not know), `duplicated_without_start` (nor has it an id)
 */
export function toTripReport(reading: FeedReading, update: TripUpdate, place: string): TripReport | null {
  const refusal = findRefusal(update);
  if (refusal) {
    tell(reading, refusal.code, place, refusal.detail);
    return null;
  }
  const named = toTripName(reading, update.trip, place);
  if (named === null) {
    tell(reading, 'trip_without_name', place, 'neither trip_id nor route_id');
    return null;
  }
  const relationship = relationships[update.trip.scheduleRelationship ?? 'SCHEDULED']!;
  const trip = withProperties(reading, named, update.tripProperties, place);
  const newTripId = textOf(update.tripProperties?.tripId);
  if (relationship === 'duplicated' && newTripId === null) {
    const hasStart = trip.startTime !== null;
    tell(
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
