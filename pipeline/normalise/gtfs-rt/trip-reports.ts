import type { TripProperties, TripUpdate } from '../../formats/gtfs-rt/feed-message.ts';
import type { TripName, TripRelationship, TripReport } from '../../model/realtime.ts';
import { readDelay, toCallReports } from './call-reports.ts';
import { readDate, readTime, toTripName } from './names.ts';
import { type FeedReading, readTimestamp, tell, textOf } from './reading.ts';

const relationships: Readonly<Record<string, TripRelationship>> = {
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
 * and time are those of the repetition.
 * @returns null for one that is refused: `trip_without_name`, `unknown_trip_relationship`, `modified_trip` (its calls
 *   are those of a detour that we do not know), `duplicated_without_trip_id`
 */
export function toTripReport(reading: FeedReading, update: TripUpdate, place: string): TripReport | null {
  const refusal = findRefusal(update);
  if (refusal) {
    tell(reading, refusal.code, place, refusal.detail);
    return null;
  }
  const trip = toTripName(reading, update.trip, place);
  if (trip === null) {
    tell(reading, 'trip_without_name', place, 'neither trip_id nor route_id');
    return null;
  }
  const relationship = relationships[update.trip.scheduleRelationship ?? 'SCHEDULED']!;
  return {
    place,
    trip: withProperties(reading, trip, update.tripProperties, place),
    relationship,
    newTripId: textOf(update.tripProperties?.tripId),
    recordedAt: readTimestamp(reading, update.timestamp, place),
    delaySeconds: readDelay(reading, update.delay, place),
    calls: toCallReports(reading, update.stopTimeUpdate, place),
    vehicleId: textOf(update.vehicle?.id) ?? textOf(update.vehicle?.label),
    originName: null,
    isSpecial: false,
  };
}

function findRefusal({ trip, tripProperties }: TripUpdate): { code: string; detail: string } | null {
  const relationship = trip.scheduleRelationship ?? 'SCHEDULED';
  if (!(relationship in relationships)) {
    return { code: 'unknown_trip_relationship', detail: `schedule_relationship ${relationship}` };
  }
  if (trip.modifiedTrip) {
    return { code: 'modified_trip', detail: `modified by ${trip.modifiedTrip.modificationsId ?? 'nothing named'}` };
  }
  if (relationship === 'DUPLICATED' && textOf(tripProperties?.tripId) === null) {
    return { code: 'duplicated_without_trip_id', detail: 'trip_properties has no trip_id' };
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
