import type { DecodedFeedMessage, FeedEntity, FeedHeader } from '../../formats/gtfs-rt/feed-message.ts';
import type { AlertReport, SourceUpdate, TripReport, VehicleReport } from '../../model/realtime.ts';
import { emptyUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { toAlertReport } from './alert-reports.ts';
import { keepNewest } from './keep-newest.ts';
import { type FeedReading, readInstant, startReading, tell } from './reading.ts';
import { toTripReport } from './trip-reports.ts';
import { toVehicleReport } from './vehicle-reports.ts';

export interface FeedRules {
  /** For problems. */
  readonly source: string;
  readonly fetchedAt: Instant;
  /** Age of the header beyond which an answer is frozen: nothing in it is shown as live. */
  readonly maxAgeSeconds: number;
  /** All stop events of the publisher are measured, by its documentation, once they lie in the past. */
  readonly measuredStopEvents: boolean;
}

/**
 * Says in words of the model what a feed message says. `place` of each report is `entity <id>`, with the id as
 * `deletedIds` of a later differential message names it. Two reports on one trip, or of one vehicle, are told as
 * `duplicate_trip` and `duplicate_vehicle`, and the newer stays; of alerts of one id the last.
 * @see decisions, section 5
 */
export function normaliseFeed(message: DecodedFeedMessage, rules: FeedRules): SourceUpdate {
  const { source, fetchedAt, measuredStopEvents: hasMeasuredStopEvents } = rules;
  const reading = startReading({ source, fetchedAt, hasMeasuredStopEvents });
  const publishedAt = readPublishedAt(reading, message.header);
  const reports = readEntities(reading, message.entity);
  const tellTrip = (trip: TripReport) => tell(reading, 'duplicate_trip', trip.place, tripKey(trip)!);
  const tellVehicle = ({ place, id }: VehicleReport) => tell(reading, 'duplicate_vehicle', place, id);
  const trips = keepNewest(reports.trips, tripKey, tellTrip);
  const vehicles = keepNewest(reports.vehicles, ({ id }) => id, tellVehicle);
  return {
    ...emptyUpdate,
    publishedAt,
    isFrozen: publishedAt !== null && fetchedAt - publishedAt > rules.maxAgeSeconds,
    scope: message.header.incrementality === 'DIFFERENTIAL' ? 'mentioned' : 'all',
    isPropagating: true,
    trips,
    vehicles,
    alerts: [...new Map(reports.alerts.map((alert) => [alert.id, alert])).values()],
    deletedIds: reports.deletedIds,
    recordCount: message.entity.length + message.problems.length,
    problems: [...message.problems, ...reading.problems],
  };
}

/** When the publisher wrote the message; null where it did not say. Whoever asked judges one that is still to come. */
function readPublishedAt(reading: FeedReading, { timestamp }: FeedHeader): Instant | null {
  if (!timestamp) tell(reading, 'no_header_timestamp', 'header', 'its age is unknown');
  return readInstant(reading, timestamp, 'header');
}

interface Reports {
  readonly trips: TripReport[];
  readonly vehicles: VehicleReport[];
  readonly alerts: AlertReport[];
  readonly deletedIds: string[];
}

function readEntities(reading: FeedReading, entities: readonly FeedEntity[]): Reports {
  const reports: Reports = { trips: [], vehicles: [], alerts: [], deletedIds: [] };
  const ids = new Set<string>();
  for (const entity of entities) {
    // In a full message ids mean nothing, so what both say is kept as far as it does not concern the same thing.
    if (ids.has(entity.id)) tell(reading, 'duplicate_entity_id', `entity ${entity.id}`, 'another has this id');
    ids.add(entity.id);
    if (entity.isDeleted) reports.deletedIds.push(entity.id);
    else readEntity(reading, entity, reports);
  }
  return reports;
}

/** One entity may hold several kinds; the reference wants one, and some publishers send a trip with its vehicle. */
function readEntity(reading: FeedReading, entity: FeedEntity, { trips, vehicles, alerts }: Reports): void {
  const { id, tripUpdate, vehicle, alert } = entity;
  const place = `entity ${id}`;
  const trip = tripUpdate && toTripReport(reading, tripUpdate, place);
  if (trip) trips.push(trip);
  const position = vehicle && toVehicleReport(reading, vehicle, id, place);
  if (position) vehicles.push(position);
  const news = alert && toAlertReport(reading, alert, id, place);
  if (news) alerts.push(news);
  if (tripUpdate || vehicle || alert) return;
  const isKnown = entity.shape || entity.stop || entity.tripModifications;
  if (isKnown) tell(reading, 'unsupported_entity', place, 'shapes, stops and modifications of trips are not read');
  else tell(reading, 'empty_entity', place, 'it holds nothing that we know');
}

/** Which run a report is of; null where it does not say exactly. */
function tripKey({ trip, newTripId }: TripReport): string | null {
  if (trip.tripId === null && trip.startTime === null) return null;
  const route = trip.tripId === null ? [trip.routeId, trip.directionId] : [];
  return [trip.tripId, newTripId, trip.startDate, trip.startTime, ...route].join('|');
}
