import type { Position, VehiclePosition } from '../../formats/gtfs-rt/feed-message.ts';
import type { VehicleReport } from '../../model/realtime.ts';
import { toStopName, toTripName } from './names.ts';
import { type FeedReading, readTimestamp, tell, textOf } from './reading.ts';
import { relationships } from './trip-reports.ts';

const stopStatuses: Readonly<Record<string, VehicleReport['stopStatus']>> = {
  INCOMING_AT: 'incomingAt',
  STOPPED_AT: 'stoppedAt',
  IN_TRANSIT_TO: 'inTransitTo',
};

/**
 * Says of a vehicle what its position says. One without an id is named by its label, else by its entity.
 * @returns null for one that is nowhere: `vehicle_without_position`, `bad_coordinates`
 */
export function toVehicleReport(
  reading: FeedReading,
  vehicle: VehiclePosition,
  entityId: string,
  place: string,
): VehicleReport | null {
  const { position } = vehicle;
  if (!position) {
    tell(reading, 'vehicle_without_position', place, 'no position');
    return null;
  }
  if (!isOnEarth(position)) {
    tell(reading, 'bad_coordinates', place, `${position.latitude}, ${position.longitude}`);
    return null;
  }
  const label = textOf(vehicle.vehicle?.label);
  return {
    place,
    id: textOf(vehicle.vehicle?.id) ?? label ?? entityId,
    label,
    trip: vehicle.trip ? toTripName(reading, vehicle.trip, place) : null,
    relationship: relationships[vehicle.trip?.scheduleRelationship ?? 'SCHEDULED'] ?? 'scheduled',
    lat: position.latitude,
    lon: position.longitude,
    headingDeg: readHeading(reading, position.bearing, place),
    recordedAt: readTimestamp(reading, vehicle.timestamp, place),
    ...readStop(reading, vehicle),
  };
}

type StopOfVehicle = Pick<VehicleReport, 'stop' | 'stopSequence' | 'stopStatus'>;

/** Which stop it is at or heads to; on a detour (`modified_trip`) sequences count other stops than the timetable's. */
function readStop(reading: FeedReading, vehicle: VehiclePosition): StopOfVehicle {
  const stop = toStopName(reading, vehicle.stopId);
  const stopSequence = vehicle.trip?.modifiedTrip ? null : (vehicle.currentStopSequence ?? null);
  const hasStop = stop !== null || stopSequence !== null;
  const stopStatus = stopStatuses[vehicle.currentStatus ?? 'IN_TRANSIT_TO'] ?? null;
  return { stop, stopSequence, stopStatus: hasStop ? stopStatus : null };
}

/** Zero and zero is what receivers send that have not found their place yet; it lies in the sea off Ghana. */
function isOnEarth({ latitude, longitude }: Position): boolean {
  const isValid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isValid && !(latitude === 0 && longitude === 0);
}

function readHeading(reading: FeedReading, bearing: number | undefined, place: string): number | null {
  if (bearing === undefined) return null;
  if (bearing >= 0 && bearing <= 360) return Math.round(bearing) % 360;
  tell(reading, 'bad_bearing', place, `${bearing} degrees`);
  return null;
}
