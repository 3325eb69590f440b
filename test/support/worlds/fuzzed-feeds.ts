import { soundFeed } from './ingest.ts';
import { feedFromText } from './text-feed.ts';

/** Frequencies of both kinds, both generations of fares, pathways, transfers and exceptions of the calendar. */
const city = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  w,Werkbahn,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code,wheelchair_boarding,zone_id
  S,Stadtplatz,48.0,16.0,1,,,1,
  s1,Stadtplatz,48.0001,16.0,0,S,1,1,z1
  s2,Stadtplatz,47.9999,16.0,0,S,2,2,z1
  e,Eingang,48.0002,16.0001,2,S,,1,
  m,Mühle,48.01,16.02,0,,,0,z1
  u,Übersbach,48.05,16.1,0,,,0,z2
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type,route_color,network_id
  r1,v,1,Stadtplatz - Übersbach,0,ff0000,city
  r2,w,X,,3,,land
  # trips.txt
  trip_id,route_id,service_id,trip_headsign,direction_id,block_id,shape_id
  t1,r1,week,Übersbach,0,b1,sh
  t2,r1,week,Stadtplatz,1,b1,
  f1,r2,week,Mühle,0,,
  f2,r2,extra,Mühle,0,,
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type,shape_dist_traveled
  t1,s1,1,08:00:00,08:00:00,0,1,0
  t1,m,2,,,0,0,1
  t1,u,3,08:20:00,08:20:00,1,0,2
  t2,u,1,24:10:00,24:10:00,0,0,
  t2,s2,2,25:00:00,25:00:00,0,0,
  f1,s2,1,10:00:00,10:00:00,0,0,
  f1,m,2,10:05:00,10:05:00,0,0,
  f2,s2,1,10:00:00,10:00:00,0,0,
  f2,m,2,10:05:00,10:05:00,0,0,
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  week,1,1,1,1,1,0,0,20260302,20260329
  # calendar_dates.txt
  service_id,date,exception_type
  week,20260306,2
  extra,20260307,1
  extra,20260329,1
  # frequencies.txt
  trip_id,start_time,end_time,headway_secs,exact_times
  f1,10:00:00,12:00:00,600,0
  f2,10:00:00,11:00:00,900,1
  # shapes.txt
  shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled
  sh,48.0,16.0,1,0
  sh,48.01,16.02,2,1
  sh,48.05,16.1,3,2
  # transfers.txt
  from_stop_id,to_stop_id,transfer_type,min_transfer_time
  s1,s2,2,120
  S,m,3,
  # pathways.txt
  pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional
  p1,e,s1,1,1
  # levels.txt
  level_id,level_index,level_name
  l0,0,Straße
  # fare_attributes.txt
  fare_id,price,currency_type,payment_method,transfers
  short,2.40,EUR,0,0
  # fare_rules.txt
  fare_id,route_id,origin_id,destination_id
  short,r1,z1,z1
  # fare_products.txt
  fare_product_id,fare_product_name,amount,currency
  day,Tageskarte,8.00,EUR
  # fare_leg_rules.txt
  leg_group_id,network_id,fare_product_id
  g,city,day
  # feed_info.txt
  feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version
  Verkehr,https://example.org,de,20260302,20260329,v1
`);

/** Quoted names in two scripts, no calendar, a loop, trips past midnight, two places with stops of the same name. */
const country = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  n,"Nord ""AG""",https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  1,"Bahnhof",47.0,15.0
  2,Hauptplatz,47.01,15.01
  3,Hauptplatz,47.5,15.5
  4,Київ,47.6,15.6
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  n1,n,N1,3
  # trips.txt
  trip_id,route_id,service_id
  a,n1,d
  b,n1,d
  c,n1,d
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  a,1,1,23:30:00,23:30:00
  a,2,2,23:50:00,23:55:00
  a,3,3,24:40:00,24:40:00
  b,1,5,06:00:00,06:00:00
  b,2,10,06:10:00,06:10:00
  b,1,15,06:20:00,06:20:00
  c,4,1,07:00:00,07:00:00
  c,3,2,07:10:00,07:10:00
  # calendar_dates.txt
  service_id,date,exception_type
  d,20260303,1
  d,20260328,1
  d,20260329,1
  # translations.txt
  table_name,field_name,language,translation,record_id
  stops,stop_name,en,Main Square,2
`);

/** Small feeds that together have nearly every file and every case that the ingest reads. */
export const fuzzedFeeds: Readonly<Record<string, ReadonlyMap<string, string>>> = { sound: soundFeed, city, country };
