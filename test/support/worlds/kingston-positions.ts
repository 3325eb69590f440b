import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { VehicleReport } from '../../../pipeline/model/realtime.ts';
import { type Instant, parseServiceDate } from '../../../pipeline/model/service-time.ts';
import type { FeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { tripOf, vehicleOf } from './live-reports.ts';

/** One answer with vehicle positions. */
export interface KingstonAnswer {
  readonly fetchedAt: Instant;
  readonly vehicles: VehicleReport[];
}

const statuses = ['incomingAt', 'stoppedAt', 'inTransitTo'] as const;

/** The recorded vehicle positions of Kingston, by answer. @param file gzipped CSV */
export async function readKingstonPositions(file: string): Promise<KingstonAnswer[]> {
  const [head, ...rows] = gunzipSync(await readFile(file))
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','));
  const answers = new Map<number, VehicleReport[]>();
  for (const row of rows) {
    const read = (name: string) => row[head!.indexOf(name)]!;
    if (!read('trip_id') || !read('lat')) continue;
    const vehicle = vehicleOf(read('vehicle_id'), {
      trip: tripOf(read('trip_id'), { startDate: parseServiceDate(read('trip_start_date')) }),
      lat: Number(read('lat')),
      lon: Number(read('lon')),
      recordedAt: Number(read('vehicle_timestamp')) as Instant,
      stopSequence: read('current_stop_sequence') ? Number(read('current_stop_sequence')) : null,
      stopStatus: statuses[Number(read('current_status'))] ?? null,
    });
    const instant = Number(read('feed_timestamp'));
    answers.set(instant, [...(answers.get(instant) ?? []), vehicle]);
  }
  return [...answers].map(([at, vehicles]) => ({ fetchedAt: at as Instant, vehicles }));
}

/** The answer as a GTFS-RT message, as the publisher sent it. */
export function encodeKingstonAnswer({ fetchedAt, vehicles }: KingstonAnswer): Uint8Array {
  const header = { gtfsRealtimeVersion: '2.0', incrementality: 'FULL_DATASET', timestamp: fetchedAt };
  const entity = vehicles.map(({ id, trip, lat, lon, recordedAt, stopSequence, stopStatus }) => ({
    id,
    vehicle: {
      trip: { tripId: trip!.tripId, startDate: trip!.startDate!.replaceAll('-', '') },
      vehicle: { id },
      position: { latitude: lat, longitude: lon },
      timestamp: recordedAt,
      ...(stopSequence === null ? {} : { currentStopSequence: stopSequence }),
      currentStatus: stopStatus === null ? 2 : statuses.indexOf(stopStatus),
    },
  }));
  return encodeFeedMessage({ header, entity } as unknown as FeedMessage);
}
