import type { VehicleReport } from '../../../pipeline/model/realtime.ts';
import { feedFromText } from './text-feed.ts';

/**
 * A timetable of the trips that vehicles report, on the day of the recording in King County, since the recorded
 * timetable is five years older: each trip calls at a depot, then at the position of its vehicle.
 */
export function feedOfVehicles(vehicles: readonly VehicleReport[]) {
  const byTrip = new Map(vehicles.map((vehicle) => [vehicle.trip!.tripId!, vehicle]));
  const unique = (ids: readonly (string | null | undefined)[]) => [...new Set(ids)];
  const lines = [...byTrip].map(([id, { trip, stop, stopSequence }]) => ({
    id,
    trip: trip!,
    stop: stop!,
    stopSequence,
  }));
  return feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    k,King County,https://example.org,America/Los_Angeles
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    depot,Depot,47.6,-122.3
    ${unique(lines.map(({ stop }) => stop.id))
      .map((id) => `${id},Stop ${id},47.6,-122.3`)
      .join('\n')}
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    ${unique(lines.map(({ trip }) => trip.routeId))
      .map((id) => `${id},k,${id},3`)
      .join('\n')}
    # trips.txt
    trip_id,route_id,service_id
    ${lines.map(({ id, trip }) => `${id},${trip.routeId},day`).join('\n')}
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    ${lines.map(({ id, stop, stopSequence }) => `${id},depot,0,08:00:00,08:00:00\n${id},${stop.id},${stopSequence},09:00:00,09:00:00`).join('\n')}
    # calendar_dates.txt
    service_id,date,exception_type
    day,20210902,1
  `);
}
