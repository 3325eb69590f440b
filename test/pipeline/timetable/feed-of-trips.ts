import { soundFeed } from '../../support/worlds/ingest.ts';
import { readTripLine, withFiles } from '../../support/worlds/text-feed.ts';

/** The valid feed with other trips, one per line; the number after the time of a call is its distance. */
export function feedOfTrips(trips: readonly string[], changes: Record<string, string> = {}) {
  const times: string[] = [];
  const ids: string[] = [];
  for (const { id, calls } of trips.map(readTripLine)) {
    ids.push(id);
    for (const [i, { stop, arrival, departure, attributes }] of calls.entries()) {
      times.push([id, stop, i + 1, arrival, departure, attributes[0] ?? ''].join());
    }
  }
  return withFiles(soundFeed, {
    'stops.txt': `
      stop_id,stop_name,stop_lat,stop_lon
      a,Anger,48.0,16.0
      b,Berg,48.0,16.1
      c,Kirche,48.0,16.2
      d,Dorf,48.0,16.4
      x,Nirgendwo,,
      `,
    'trips.txt': `trip_id,route_id,service_id\n${ids.map((id) => `${id},r,daily\n`).join('')}`,
    'stop_times.txt': `trip_id,stop_id,stop_sequence,arrival_time,departure_time,shape_dist_traveled\n${times.join('\n')}\n`,
    ...changes,
  });
}
