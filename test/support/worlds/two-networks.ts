import { feedFromText } from './text-feed.ts';

/** A railway and a regional association that publish the same train, and stations with the same names 40 m apart. */
export const railFeed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  X,Bahn,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  8101,Wien Hbf,48.185,16.376
  8102,Wien Meidling,48.1743,16.3339
  8103,St. Pölten Hbf,48.2083,15.6235
  8104,Linz/Donau Hbf,48.2905,14.2915
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  R1,X,RJX,,102
  # trips.txt
  route_id,service_id,trip_id,trip_headsign,trip_short_name
  R1,S,ra1,Linz/Donau Hbf,RJX 162
  # stop_times.txt
  trip_id,arrival_time,departure_time,stop_id,stop_sequence
  ra1,12:00:00,12:00:00,8101,1
  ra1,12:05:00,12:05:00,8102,2
  ra1,12:25:00,12:25:00,8103,3
  ra1,13:00:00,13:00:00,8104,4
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  S,1,1,1,1,1,1,1,20260302,20260308
`);

export const regionFeed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  Y,Verbund,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  at:49:1349,Wien Hauptbahnhof,48.1852,16.3764,1,,
  at:49:1349:0:7,Wien Hauptbahnhof,48.1852,16.3764,0,at:49:1349,7
  at:49:869,Wien Meidling Bahnhof,48.1744,16.334,,,
  at:32:100,St. Pölten Hauptbahnhof,48.2084,15.6236,,,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  R9,Y,Fernverkehr,,2
  R8,Y,REX 51,,106
  # trips.txt
  route_id,service_id,trip_id,trip_headsign,trip_short_name,bikes_allowed
  R9,S,rb1,Linz,162,1
  R8,S,rb3,St. Pölten,20011,
  # stop_times.txt
  trip_id,arrival_time,departure_time,stop_id,stop_sequence
  rb1,12:00:00,12:00:00,at:49:1349:0:7,10
  rb1,12:05:00,12:05:00,at:49:869,20
  rb1,12:25:00,12:25:00,at:32:100,30
  rb3,12:10:00,12:10:00,at:49:1349:0:7,1
  rb3,12:15:00,12:15:00,at:49:869,2
  rb3,12:55:00,12:55:00,at:32:100,3
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  S,1,1,1,1,1,1,1,20260302,20260308
`);

/** A night train that the railway dates by its first day: 25:10 of one service date is 01:10 of the next. */
export const nightRailFeed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  X,Bahn,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  8101,Wien Hbf,48.185,16.376
  8102,Wien Meidling,48.1743,16.3339
  8103,St. Pölten Hbf,48.2083,15.6235
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  R1,X,NJ,,102
  # trips.txt
  route_id,service_id,trip_id,trip_headsign,trip_short_name
  R1,S,na1,St. Pölten Hbf,NJ 490
  # stop_times.txt
  trip_id,arrival_time,departure_time,stop_id,stop_sequence
  na1,25:10:00,25:10:00,8101,1
  na1,25:15:00,25:15:00,8102,2
  na1,25:35:00,25:35:00,8103,3
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  S,1,1,1,1,1,1,1,20260302,20260308
`);

/** The same train in the feed of an association that dates it by the day of its departure. */
export const nightRegionFeed = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  Y,Verbund,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,platform_code
  at:49:1349,Wien Hauptbahnhof,48.1852,16.3764,7
  at:49:869,Wien Meidling Bahnhof,48.1744,16.334,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  R9,Y,Fernverkehr,,2
  # trips.txt
  route_id,service_id,trip_id,trip_headsign,trip_short_name,bikes_allowed
  R9,S,nb1,St. Pölten,490,1
  # stop_times.txt
  trip_id,arrival_time,departure_time,stop_id,stop_sequence
  nb1,01:10:00,01:10:00,at:49:1349,10
  nb1,01:15:00,01:15:00,at:49:869,20
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  S,1,1,1,1,1,1,1,20260302,20260309
`);
