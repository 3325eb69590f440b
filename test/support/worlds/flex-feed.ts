import { feedFromText } from './text-feed.ts';

/** A feed of one zone with a booking rule and no stops, as one published by an association. */
export const zoneOnlyFeed: ReadonlyMap<string, string> = new Map([
  ...feedFromText(`
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    X,Xbus,https://example.org,Europe/Vienna
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    S,1,1,1,1,1,1,1,20260101,20291231
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    R,X,Ruf 1,715
    # trips.txt
    route_id,service_id,trip_id
    R,S,T
    # stop_times.txt
    trip_id,stop_sequence,location_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type,drop_off_type,pickup_booking_rule_id,drop_off_booking_rule_id
    T,1,zone,06:00:00,22:00:00,2,1,B,
    T,2,zone,06:00:00,22:00:00,1,2,,B
    # booking_rules.txt
    booking_rule_id,booking_type,prior_notice_duration_min,phone_number,info_url
    B,1,60,+43 000 000,https://example.org
  `),
  ['locations.geojson', writeZones({ zone: [[16.2, 48.2, 16.3, 48.3]] })],
]);

/** A GeoJSON file of zones by id, each a list of rectangles: west, south, east, north. */
function writeZones(zones: Readonly<Record<string, readonly (readonly number[])[]>>): string {
  const features = Object.entries(zones).map(([id, boxes]) => ({
    type: 'Feature',
    id,
    properties: { stop_name: id.toUpperCase() },
    geometry: { type: 'MultiPolygon', coordinates: boxes.map((box) => [toRing(box)]) },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

function toRing([west, south, east, north]: readonly number[]) {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

/**
 * A railway from Anger via Berg to Kirche, and on-demand service around it: `west` at night, past midnight; `east` and
 * `inner`, which overlap, by two operators; a group of meeting points; fixed departures from Anger into the zone `east`;
 * and a bus at fixed times with a booking rule.
 */
export const flexFeed: ReadonlyMap<string, string> = new Map([
  ...feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    w,Westruf,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    a,Anger,48.0,16.0
    b,Berg,48.0,16.1
    c,Kirche,48.0,16.2
    m,Sammelpunkt Mühle,48.05,16.02
    n,Sammelpunkt Nord,48.05,16.06
    # routes.txt
    route_id,agency_id,route_short_name,route_long_name,route_type
    r,v,S1,Anger - Kirche,2
    ast,v,AST 9,Rufbus,715
    night,w,Nachtruf,Rufbus,715
    east,v,Ruf Ost,Rufbus,715
    inner,w,Ruf Mitte,Rufbus,715
    group,v,Ruf Dorf,Rufbus,715
    door,v,Ruf Tür,Rufbus,715
    # trips.txt
    trip_id,route_id,service_id,safe_duration_factor,safe_duration_offset
    r1,r,daily,,
    r2,r,daily,,
    r3,r,daily,,
    ast,ast,daily,,
    night,night,daily,1.5,300
    east,east,daily,,
    inner,inner,daily,2,
    group,group,daily,,
    door,door,daily,,
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time,location_id,location_group_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type,drop_off_type,pickup_booking_rule_id,drop_off_booking_rule_id
    r1,a,1,08:00:00,08:00:00,,,,,,,,
    r1,b,2,08:10:00,08:10:00,,,,,,,,
    r1,c,3,08:20:00,08:20:00,,,,,,,,
    r2,a,1,12:00:00,12:00:00,,,,,,,,
    r2,b,2,12:10:00,12:10:00,,,,,,,,
    r2,c,3,12:20:00,12:20:00,,,,,,,,
    r3,a,1,23:30:00,23:30:00,,,,,,,,
    r3,b,2,23:40:00,23:40:00,,,,,,,,
    r3,c,3,23:50:00,23:50:00,,,,,,,,
    ast,a,1,09:00:00,09:00:00,,,,,2,1,hour,
    ast,c,2,09:30:00,09:30:00,,,,,1,0,,
    night,,1,,,west,,20:00:00,26:00:00,2,1,phone,
    night,,2,,,west,,20:00:00,26:00:00,1,2,,phone
    east,,1,,,east,,07:00:00,19:00:00,2,1,hour,
    east,,2,,,east,,07:00:00,19:00:00,1,2,,hour
    inner,,1,,,inner,,10:00:00,16:00:00,2,1,before,
    inner,,2,,,inner,,10:00:00,16:00:00,1,2,,before
    group,,1,,,,group,06:00:00,09:00:00,2,1,hour,
    group,,2,,,,group,06:00:00,09:00:00,1,2,,hour
    door,a,1,14:00:00,14:00:00,,,,,2,1,hour,
    door,,2,,,east,,14:00:00,14:00:00,1,2,,hour
    # location_groups.txt
    location_group_id,location_group_name
    group,Dörfer
    # location_group_stops.txt
    location_group_id,stop_id
    group,m
    group,n
    group,b
    # booking_rules.txt
    booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_last_day,prior_notice_last_time,prior_notice_start_day,prior_notice_start_time,phone_number
    hour,1,60,,,14,08:00:00,+43 1 234
    before,2,,1,16:00:00,,,+43 2 345
    phone,0,,,,,,+43 9
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260302,20260315
  `),
  [
    'locations.geojson',
    writeZones({
      west: [[15.9, 47.95, 16.05, 48.1]],
      // Two polygons.
      east: [
        [16.08, 47.95, 16.15, 48.1],
        [16.15, 47.95, 16.3, 48.1],
      ],
      inner: [[16.12, 47.98, 16.25, 48.08]],
    }),
  ],
]);
