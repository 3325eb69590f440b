import { expect } from 'vitest';
import type { Arrival, Departure, TimeInfo } from '../../../api/contract/definitions.ts';
import type { SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import {
  type BoardQueryInput,
  clockOf,
  openWorld,
  queryArrivals,
  queryDepartures,
  type World,
} from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';

/** A network with a station of two platforms, a bus, a tram, and a bus that runs past midnight, every day of a week. */
export const town = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  w,Wiesenbus,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  a,Anger,48.00,16.00,0,,
  s,Bahnhof,48.04,16.04,1,,
  s1,Bahnhof,48.04,16.04,0,s,1
  s2,Bahnhof,48.04,16.04,0,s,2
  k,Kirche,48.02,16.02,0,,
  z,Ziel,48.03,16.03,0,,
  h,Heide,48.05,16.05,0,,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r1,v,1,Anger - Ziel,3
  r2,v,2,Bahnhof - Kirche,0
  n,w,N,Nachtbus,3
  # trips.txt
  trip_id,route_id,service_id,trip_headsign
  t1,r1,daily,
  t2,r1,daily,Zum Ziel
  t3,r2,daily,
  far,r2,daily,
  night,n,daily,
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t1,a,1,08:00:00,08:00:00
  t1,s1,2,08:10:00,08:12:00
  t1,k,3,08:20:00,08:20:00
  t1,z,4,08:30:00,08:30:00
  t2,a,1,08:30:00,08:30:00
  t2,s1,2,08:40:00,08:42:00
  t2,k,3,08:50:00,08:50:00
  t2,z,4,09:00:00,09:00:00
  t3,s2,1,08:15:00,08:15:00
  t3,k,2,08:25:00,08:25:00
  far,a,1,03:00:00,03:00:00
  far,s2,2,03:20:00,03:20:00
  far,z,3,04:00:00,04:00:00
  night,a,1,23:40:00,23:40:00
  night,s1,2,23:55:00,23:55:00
  night,k,3,24:20:00,24:20:00
  night,z,4,24:40:00,24:40:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`;

/** A Tuesday in winter time, the day of the tests. */
export const DAY = '2026-03-03' as ServiceDate;

/** `08:00` of that day; `24:20` is on the next day. */
export function at(clock: string): string {
  const hour = Number(clock.slice(0, 2));
  const date = hour < 24 ? DAY : '2026-03-04';
  return `${date}T${String(hour % 24).padStart(2, '0')}${clock.slice(2).padEnd(6, ':00')}+01:00`;
}

/** A trip of the network on that day. */
export const townTrip = (tripId: string) => tripOf(tripId, { startDate: DAY });

/** `08:00+08:05 1 Ziel`: scheduled time, live time if any, line, destination; marks for other properties. */
export function describeDeparture({ departure, line, direction, cancelled }: Departure): string {
  return `${describeTime(departure)}${cancelled ? ' cancelled' : ''} ${line.label} ${direction}`;
}

function describeArrival({ arrival, line, origin, cancelled }: Arrival): string {
  return `${describeTime(arrival)}${cancelled ? ' cancelled' : ''} ${line.label} ${origin}`;
}

export function describeTime({ scheduled, realtime }: TimeInfo): string {
  return `${clockOf(scheduled!)}${realtime === undefined ? '' : `+${clockOf(realtime)}`}`;
}

// ---- Queries -----------------------------------------------------------------------------------

/** The network at a time after a response of one source that was received at another time. */
export async function reportInTown(
  trips: readonly TripReport[],
  { reportedAt, now }: { readonly reportedAt: string; readonly now: string },
  update: Partial<SourceUpdate> = {},
): Promise<World> {
  const live = await openLiveWorld(await openWorld(town));
  const { tally } = live.report('rt', at(reportedAt), { trips, ...update });
  expect(tally.unmatched).toEqual({});
  return live.at(at(now));
}

/** The rows of a departure board at a time of that day. */
export async function listDepartures(
  world: World,
  stop: string,
  now: string,
  query: BoardQueryInput = {},
): Promise<string[]> {
  const board = await queryDepartures(world, `at:${stop}`, { now: at(now), ...query });
  return board.departures.map(describeDeparture);
}

export async function listArrivals(
  world: World,
  stop: string,
  now: string,
  query: BoardQueryInput = {},
): Promise<string[]> {
  const board = await queryArrivals(world, `at:${stop}`, { now: at(now), ...query });
  return board.arrivals.map(describeArrival);
}

/** A trip that departs from one of its stops later or earlier than scheduled. */
export function leaving(tripId: string, stop: string, clock: string): TripReport {
  return reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(clock)) })] });
}
