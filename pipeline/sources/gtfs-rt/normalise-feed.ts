import {
  type AlertReport,
  emptyUpdate,
  type ModificationReport,
  type ShapeReport,
  type SourceUpdate,
  type StopReport,
  type TripReport,
  type VehicleReport,
} from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { toAlertReport } from './alert-reports.ts';
import type { DecodedFeedMessage, FeedEntity, FeedHeader, Position, VehiclePosition } from './feed-message.ts';
import { toModificationReport, toShapeReport, toStopReport } from './modification-reports.ts';
import { readOccupancy } from './read-occupancy.ts';
import {
  addProblem,
  type FeedReading,
  readInstant,
  readTimestamp,
  startReading,
  textOf,
  toStopName,
  toTripName,
} from './reading.ts';
import { relationships, toTripReport } from './trip-reports.ts';

/**
 * Keeps one record per key, at the position of the first: the most recently recorded, of equally old ones the last.
 * Records without a key are all kept.
 * @param onDropped called for each record that is dropped
 */
function keepNewest<Item extends { readonly recordedAt: Instant | null }>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null,
  onDropped: (item: Item) => void,
): Item[] {
  const kept: Item[] = [];
  const placeOfKey = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    const known = key === null ? undefined : placeOfKey.get(key);
    if (known === undefined) {
      if (key !== null) placeOfKey.set(key, kept.length);
      kept.push(item);
      continue;
    }
    const isNewer = (item.recordedAt ?? 0) >= (kept[known]!.recordedAt ?? 0);
    onDropped(isNewer ? kept[known]! : item);
    if (isNewer) kept[known] = item;
  }
  return kept;
}

const stopStatuses: Readonly<Record<string, VehicleReport['stopStatus']>> = {
  INCOMING_AT: 'incomingAt',
  STOPPED_AT: 'stoppedAt',
  IN_TRANSIT_TO: 'inTransitTo',
};

/**
 * Converts a vehicle position to a vehicle report. A vehicle without an id takes its label as id, else its entity's id.
 * @returns null without a usable position: `vehicle_without_position`, `bad_coordinates`
 */
function toVehicleReport(
  reading: FeedReading,
  vehicle: VehiclePosition,
  entityId: string,
  place: string,
): VehicleReport | null {
  const { position } = vehicle;
  if (!position) {
    addProblem(reading, 'vehicle_without_position', place, 'no position');
    return null;
  }
  if (!isOnEarth(position)) {
    addProblem(reading, 'bad_coordinates', place, `${position.latitude}, ${position.longitude}`);
    return null;
  }
  const label = textOf(vehicle.vehicle?.label);
  const occupancy = readOccupancy(reading, vehicle.occupancyStatus, vehicle.occupancyPercentage, () => place);
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
    ...(occupancy && { occupancy }),
  };
}

type StopOfVehicle = Pick<VehicleReport, 'stop' | 'stopSequence' | 'stopStatus'>;

/** The current or next stop; on a detour (`modified_trip`) stop sequences are not those of the timetable. */
function readStop(reading: FeedReading, vehicle: VehiclePosition): StopOfVehicle {
  const stop = toStopName(reading, vehicle.stopId);
  const stopSequence = vehicle.trip?.modifiedTrip ? null : (vehicle.currentStopSequence ?? null);
  const hasStop = stop !== null || stopSequence !== null;
  const stopStatus = stopStatuses[vehicle.currentStatus ?? 'IN_TRANSIT_TO'] ?? null;
  return { stop, stopSequence, stopStatus: hasStop ? stopStatus : null };
}

/** Receivers without a fix send 0, 0, which is in the sea off Ghana. */
function isOnEarth({ latitude, longitude }: Position): boolean {
  const isValid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isValid && !(latitude === 0 && longitude === 0);
}

function readHeading(reading: FeedReading, bearing: number | undefined, place: string): number | null {
  if (bearing === undefined) return null;
  if (bearing >= 0 && bearing <= 360) return Math.round(bearing) % 360;
  addProblem(reading, 'bad_bearing', place, `${bearing} degrees`);
  return null;
}

export interface FeedRules {
  /** For problems. */
  readonly source: string;
  readonly fetchedAt: Instant;
  /** Header age beyond which an answer is frozen and not shown as live. */
  readonly maxAgeSeconds: number;
  /** The publisher documents that all of its past stop events are measured. */
  readonly measuredStopEvents: boolean;
}

/**
 * Normalises a feed message. `place` of each report is `entity <id>`, the id that `deletedIds` of a later differential
 * message uses. Of two reports of one trip or vehicle the newer is kept and the other reported as `duplicate_trip` or
 * `duplicate_vehicle`; of alerts of one id the last is kept.
 * @see decisions, section 5
 */
export function normaliseFeed(message: DecodedFeedMessage, rules: FeedRules): SourceUpdate {
  const { source, fetchedAt, measuredStopEvents: hasMeasuredStopEvents } = rules;
  const reading = startReading({ source, fetchedAt, hasMeasuredStopEvents });
  const publishedAt = readPublishedAt(reading, message.header);
  const reports = readEntities(reading, message.entity);
  const reportTrip = (trip: TripReport) => addProblem(reading, 'duplicate_trip', trip.place, tripKey(trip)!);
  const reportVehicle = ({ place, id }: VehicleReport) => addProblem(reading, 'duplicate_vehicle', place, id);
  const trips = keepNewest(reports.trips, tripKey, reportTrip);
  const vehicles = keepNewest(reports.vehicles, ({ id }) => id, reportVehicle);
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen: publishedAt !== null && fetchedAt - publishedAt > rules.maxAgeSeconds,
    scope: message.header.incrementality === 'DIFFERENTIAL' ? 'mentioned' : 'all',
    isPropagating: true,
    trips,
    vehicles,
    alerts: [...new Map(reports.alerts.map((alert) => [alert.id, alert])).values()],
    stops: reports.stops,
    shapes: reports.shapes,
    modifications: reports.modifications,
    deletedIds: reports.deletedIds,
    recordCount: message.entity.length + message.problems.length,
    problems: [...message.problems, ...reading.problems],
  };
}

/** Header timestamp; null where it is absent. The caller judges timestamps in the future. */
function readPublishedAt(reading: FeedReading, { timestamp }: FeedHeader): Instant | null {
  if (!timestamp) addProblem(reading, 'no_header_timestamp', 'header', 'its age is unknown');
  return readInstant(reading, timestamp, 'header');
}

interface Reports {
  readonly trips: TripReport[];
  readonly vehicles: VehicleReport[];
  readonly alerts: AlertReport[];
  readonly stops: StopReport[];
  readonly shapes: ShapeReport[];
  readonly modifications: ModificationReport[];
  readonly deletedIds: string[];
}

function readEntities(reading: FeedReading, entities: readonly FeedEntity[]): Reports {
  const reports: Reports = {
    trips: [],
    vehicles: [],
    alerts: [],
    stops: [],
    shapes: [],
    modifications: [],
    deletedIds: [],
  };
  const ids = new Set<string>();
  for (const entity of entities) {
    // Entity ids of a full dataset carry no meaning, so both entities are kept unless they report the same trip or
    // vehicle.
    if (ids.has(entity.id)) addProblem(reading, 'duplicate_entity_id', `entity ${entity.id}`, 'another has this id');
    ids.add(entity.id);
    if (entity.isDeleted) reports.deletedIds.push(entity.id);
    else readEntity(reading, entity, reports);
  }
  return reports;
}

/** Reads all members of an entity; the reference allows one, but some publishers send a trip with its vehicle. */
function readEntity(reading: FeedReading, entity: FeedEntity, reports: Reports): void {
  const { id, tripUpdate, vehicle, alert, stop, shape, tripModifications } = entity;
  const place = `entity ${id}`;
  const take = <Report>(into: Report[], report: Report | null) => {
    if (report) into.push(report);
  };
  if (tripUpdate) take(reports.trips, toTripReport(reading, tripUpdate, place));
  if (vehicle) take(reports.vehicles, toVehicleReport(reading, vehicle, id, place));
  if (alert) take(reports.alerts, toAlertReport(reading, alert, id, place));
  if (stop) take(reports.stops, toStopReport(reading, stop, place));
  if (shape) take(reports.shapes, toShapeReport(reading, shape, place));
  if (tripModifications) take(reports.modifications, toModificationReport(reading, tripModifications, place));
  const isEmpty = !(tripUpdate || vehicle || alert || stop || shape || tripModifications);
  if (isEmpty) addProblem(reading, 'empty_entity', place, 'it contains nothing known');
}

/** Key of the reported dated trip; null unless the report identifies exactly one. */
function tripKey({ trip, newTripId, properties }: TripReport): string | null {
  if (trip.tripId === null && trip.startTime === null) return null;
  const route = trip.tripId === null ? [trip.routeId, trip.directionId] : [];
  // Publishers report a modified trip a second time for readers that do not support modifications.
  const modified = properties?.isModified ? ['modified'] : [];
  return [trip.tripId, newTripId, trip.startDate, trip.startTime, ...route, ...modified].join('|');
}
