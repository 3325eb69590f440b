import { encodeFeedMessage } from '../../pipeline/formats/gtfs-rt/encode-feed-message.ts';
import type { FeedEntity, StopTimeEvent } from '../../pipeline/formats/gtfs-rt/feed-message.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';

export interface BigTrip {
  readonly tripId: string;
  readonly routeId?: string;
  /** `YYYYMMDD`. */
  readonly startDate?: string;
  readonly stopIds: readonly string[];
}

/**
 * A message of trip updates as large as one likes: each trip is under way, a different stretch of it behind it. Times
 * of both events, with uncertainty 0 where they have passed.
 */
export function makeBigTripUpdates(trips: readonly BigTrip[], now: Instant): Uint8Array {
  const entity = trips.map((trip, index) => buildEntity(trip, index, now));
  return encodeFeedMessage({ header: { gtfsRealtimeVersion: '2.0', timestamp: now }, entity });
}

function buildEntity({ stopIds, tripId, routeId, startDate }: BigTrip, index: number, now: Instant): FeedEntity {
  const begin = now - 120 * (index % Math.max(1, stopIds.length));
  const event = (time: number): StopTimeEvent => ({ time, delay: index % 300, uncertainty: time <= now ? 0 : 60 });
  const stopTimeUpdate = stopIds.map((stopId, position) => ({
    stopSequence: position + 1,
    stopId,
    arrival: event(begin + position * 120),
    departure: event(begin + position * 120 + 20),
  }));
  const trip = { tripId, ...(routeId && { routeId }), ...(startDate && { startDate }) };
  return { id: tripId, tripUpdate: { trip, timestamp: now - (index % 30), stopTimeUpdate } };
}
