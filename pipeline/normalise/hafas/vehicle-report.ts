import type { HafasMovement } from '../../formats/hafas/hafas-records.ts';
import type { TripReport, VehicleReport } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { toInstant } from './call-report.ts';

const DEGREES_PER_STEP = 360 / 32;

/**
 * A vehicle of the live map. HAFAS reckons its position from the times of the trip, so it never counts as seen at a
 * stop, and its id is that of the trip.
 * @param trip the same trip as a report, which names the vehicle back
 */
export function toVehicleReport(movement: HafasMovement, trip: TripReport, publishedAt: Instant | null): VehicleReport {
  return {
    place: movement.run.place,
    id: vehicleIdOf(movement),
    label: trip.trip.lineLabel,
    trip: trip.trip,
    lat: movement.lat,
    lon: movement.lon,
    headingDeg: movement.direction === null ? null : toHeading(movement.direction),
    recordedAt: toInstant(movement.at) ?? publishedAt,
    stop: null,
    stopSequence: null,
    stopStatus: null,
    relationship: 'scheduled',
  };
}

export function vehicleIdOf({ run }: HafasMovement): string {
  return run.jid ?? run.place;
}

/** From steps counter-clockwise from east to degrees clockwise from north. */
function toHeading(direction: number): number {
  return Math.round(90 - direction * DEGREES_PER_STEP + 360) % 360;
}
