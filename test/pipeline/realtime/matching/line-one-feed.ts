import type { TripName, TripReport } from '../../../../pipeline/model/realtime.ts';
import type { ServiceDate, ServiceTime } from '../../../../pipeline/model/service-time.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';
import { context, type MatchingWorld, type ReportedCall, tripReport } from './matching-world.ts';

/**
 * Line 1 runs between Anger and Kirche through Hauptbahnhof, which both directions leave at the same minute. The night
 * trip begins before midnight, the late one after it, both on the service day before. Line 9 goes in a loop.
 */
export const feed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehrsbetriebe,https://example.org,Europe/Vienna
  p,Postbus,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
  a,Anger,48.00,16.00,,
  b,Berg,48.00,16.01,,
  h,Hauptbahnhof,48.00,16.02,1,
  h1,Hauptbahnhof,48.00,16.02,,h
  h2,Hauptbahnhof,48.00,16.02,,h
  c,Kirche,48.00,16.03,,
  d,Dorf,48.00,16.04,,
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,1,3
  l,v,9,3
  t,v,5,0
  k,v,5,3
  o,v,7,3
  f,v,F,3
  q,p,7,3
  z,v,RJX,2
  # trips.txt
  trip_id,route_id,service_id,direction_id,trip_headsign,trip_short_name
  t1,r,daily,0,Kirche,
  t2,r,daily,1,Anger,
  night,r,daily,0,Kirche,
  late,r,daily,0,Kirche,
  weekday,r,weekdays,0,Kirche,
  weekend,r,weekends,0,Kirche,
  loop,l,daily,0,,
  tram,t,daily,0,Dorf,
  bus,k,daily,0,Dorf,
  ours,o,daily,0,Dorf,
  theirs,q,daily,0,Dorf,
  twin-1,o,daily,0,Dorf,
  twin-2,o,daily,0,Dorf,
  exact,f,daily,0,,
  headway,f,daily,0,,
  train-1,z,daily,0,Dorf,RJX 162
  train-2,z,daily,0,Dorf,RJX 164
  long,z,daily,1,Berg,NJ 9
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t1,a,1,08:00:00,08:00:00
  t1,h1,2,08:10:00,08:11:00
  t1,c,3,08:20:00,08:20:00
  t2,c,1,08:00:30,08:00:30
  t2,h2,2,08:10:00,08:11:00
  t2,a,3,08:20:00,08:20:00
  night,a,1,23:50:00,23:50:00
  night,h1,2,24:00:00,24:01:00
  night,c,3,24:10:00,24:10:00
  late,a,1,26:30:00,26:30:00
  late,h1,2,26:40:00,26:41:00
  late,c,3,26:50:00,26:50:00
  weekday,a,1,12:00:00,12:00:00
  weekday,h1,2,12:10:00,12:10:00
  weekday,c,3,12:20:00,12:20:00
  weekend,a,10,12:00:00,12:00:00
  weekend,h1,20,12:10:00,12:10:00
  weekend,c,30,12:20:00,12:20:00
  loop,a,1,10:00:00,10:00:00
  loop,b,5,10:05:00,10:05:00
  loop,c,9,10:10:00,10:10:00
  loop,a,12,10:15:00,10:15:00
  loop,b,20,10:20:00,10:20:00
  tram,a,1,14:00:00,14:00:00
  tram,d,2,14:30:00,14:30:00
  bus,a,1,14:00:00,14:00:00
  bus,d,2,14:30:00,14:30:00
  ours,a,1,15:00:00,15:00:00
  ours,d,2,15:30:00,15:30:00
  theirs,a,1,15:00:00,15:00:00
  theirs,d,2,15:30:00,15:30:00
  twin-1,a,1,16:00:00,16:00:00
  twin-1,d,2,16:30:00,16:30:00
  twin-2,a,1,16:00:00,16:00:00
  twin-2,d,2,16:30:00,16:30:00
  exact,a,1,00:00:00,00:00:00
  exact,b,2,00:05:00,00:05:00
  headway,a,1,00:00:00,00:00:00
  headway,b,2,00:05:00,00:05:00
  train-1,a,1,18:00:00,18:00:00
  train-1,d,2,18:30:00,18:30:00
  train-2,a,1,18:00:00,18:00:00
  train-2,d,2,18:30:00,18:30:00
  long,d,1,10:00:00,10:00:00
  long,a,2,34:00:00,34:30:00
  long,b,3,58:00:00,58:00:00
  # frequencies.txt
  trip_id,start_time,end_time,headway_secs,exact_times
  exact,06:00:00,07:00:00,1200,1
  headway,09:00:00,10:00:00,1200,0
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260301,20261031
  weekdays,1,1,1,1,1,0,0,20260301,20261031
  weekends,0,0,0,0,0,1,1,20260301,20261031
`);

/** The service date of most cases. */
export const MONDAY = '2026-03-02' as ServiceDate;
export const SUNDAY = '2026-03-08' as ServiceDate;

export function clock(text: string): ServiceTime {
  const [hours, minutes] = text.split(':').map(Number);
  return (hours! * 3600 + minutes! * 60) as ServiceTime;
}

export interface Case {
  readonly reason: string;
  readonly trip: Partial<TripName>;
  readonly calls?: readonly ReportedCall[];
  readonly reported?: Partial<TripReport>;
  /** Five past eight on the Monday by default. */
  readonly now?: string;
  /** As in `MatchingWorld.describe`. */
  readonly expected: string;
}

export const MONDAY_MORNING = '2026-03-02T08:05:00+01:00';

/** The result of a matcher, as text. */
export function answer(
  { matcher, describe }: MatchingWorld,
  { trip, calls, reported, now }: Omit<Case, 'reason' | 'expected'>,
) {
  return describe(matcher.matchTrip(tripReport(trip, calls, reported), context(now ?? MONDAY_MORNING)));
}
