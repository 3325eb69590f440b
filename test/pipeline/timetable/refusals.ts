import { bookingRefusalCases } from './booking-refusals.ts';
import { fareRefusalCases } from './fare-refusals.ts';
import { onDemandRefusalCases } from './on-demand-refusals.ts';
import { transferRefusalCase } from './transfer-refusals.ts';

/** A table with one bad row per reason, added to the valid feed, and the expected result of each. */
export interface RefusalCase {
  /** File under `pipeline/timetable/feed/sql/` that rejects them. */
  readonly sql: string;
  readonly files: Readonly<Record<string, string>>;
  /** Time zone of the source; absent: none. */
  readonly zone?: string;
  /** `table row code`, as `stageFeed` lists them. */
  readonly refused: readonly string[];
  /** `table: count code`. */
  readonly repaired: readonly string[];
}

export const refusalCases: readonly RefusalCase[] = [
  {
    sql: 'agencies',
    files: {
      'agency.txt': `
        agency_id,agency_name,agency_timezone
        v,Verkehr,Europe/Vienna
        v,Verkehr again,Europe/Vienna
        w,No zone,
        x,Nowhere,Europe/Atlantis
        y,Surplus,Europe/Vienna,what
        `,
    },
    refused: [
      'agency 2 duplicate_id',
      'agency 3 missing_time_zone',
      'agency 4 unknown_time_zone',
      'agency 5 too_many_values',
    ],
    repaired: [],
  },
  {
    sql: 'agencies',
    files: { 'agency.txt': 'agency_id,agency_name,agency_timezone\nv,No zone,\nx,Nowhere,Europe/Atlantis' },
    zone: 'Europe/Vienna',
    refused: [],
    repaired: ['agency: 2 assumed_time_zone'],
  },
  {
    sql: 'routes',
    files: { 'agency.txt': 'agency_id,agency_name,agency_timezone' },
    zone: 'Europe/Vienna',
    refused: [],
    repaired: ['routes: 1 assumed_time_zone', 'routes: 1 unknown_agency'],
  },
  {
    sql: 'stop_translations',
    files: {
      'translations.txt': `
        table_name,field_name,language,translation,record_id,record_sub_id,field_value
        stops,stop_name,en,Pasture,a,,
        stops,stop_name,en,Church,,,Kirche
        stops,stop_name,en,Nothing of this name,,,Nowhere
        routes,route_long_name,en,Line,no-route,,
        stops,stop_name,en,Nowhere,no-stop,,
        stops,stop_name,en,Whose?,,,
        stops,stop_name,en,,a,,
        stops,stop_name,,Pasture,a,,
        ,stop_name,en,Pasture,a,,
        stops,stop_name,en,Pasture,a,,,what
        `,
    },
    refused: [
      'translations 5 unknown_stop',
      'translations 6 missing_record',
      'translations 7 missing_translation',
      'translations 8 missing_language',
      'translations 9 missing_table_name',
      'translations 10 too_many_values',
    ],
    repaired: [],
  },
  {
    sql: 'stops',
    files: {
      'stops.txt': `
        stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
        a,Anger,48,16,,
        b,,48,16.1,0,
        c,Kirche,,,0,nowhere
        a,Anger again,48,16.3,0,
        ,No id,48,16.3,0,
        d,Bad type,48,16.3,5,
        e,Worse type,48,16.3,platform,
        f,Surplus,48,16.3,0,,what
        g,Gulf of Guinea,0,0,0,
        h,Off the earth,91,16,0,
        i,No number,here,there,0,
        loop-1,Round,48,16.4,1,loop-2
        loop-2,Round,48,16.4,1,loop-1
        own,Its own parent,48,16.5,1,own
        `,
    },
    refused: [
      'stops 4 duplicate_id',
      'stops 5 missing_id',
      'stops 6 bad_location_type',
      'stops 7 bad_location_type',
      'stops 8 too_many_values',
    ],
    repaired: [
      'stops: 1 missing_name',
      'stops: 1 unknown_parent_station',
      'stops: 2 endless_parent_station',
      'stops: 4 missing_coordinates',
    ],
  },
  {
    sql: 'routes',
    files: {
      'routes.txt': `
        route_id,agency_id,route_short_name,route_type
        r,v,1,3
        r,v,1 again,3
        ,v,No id,3
        s,v,No type,
        t,v,Bad type,bus
        u,v,Unheard of,1800
        w,v,Surplus,3,what
        x,nobody,Of nobody,3
        `,
    },
    refused: [
      'routes 2 duplicate_id',
      'routes 3 missing_id',
      'routes 4 missing_route_type',
      'routes 5 bad_route_type',
      'routes 6 bad_route_type',
      'routes 7 too_many_values',
    ],
    repaired: ['routes: 1 unknown_agency'],
  },
  {
    sql: 'services',
    files: {
      'calendar.txt': `
        service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
        daily,1,1,1,1,1,1,1,20260302,20260308
        daily,1,1,1,1,1,1,1,20260302,20260309
        ,1,1,1,1,1,1,1,20260302,20260308
        no-date,1,1,1,1,1,1,1,,20260308
        no-day,1,1,1,1,1,1,1,20260230,20260308
        iso-date,1,1,1,1,1,1,1,2026-03-02,2026-03-08
        backwards,1,1,1,1,1,1,1,20260308,20260302
        for-ever,1,1,1,1,1,1,1,20260302,21991231
        before-time,1,1,1,1,1,1,1,19691231,20260302
        bad-day,1,1,1,1,1,2,1,20260302,20260308
        no-weekday,1,1,1,1,1,1,,20260302,20260308
        surplus,1,1,1,1,1,1,1,20260302,20260308,what
        after-time,1,1,1,1,1,1,1,20260302,22000101
        `,
      'calendar_dates.txt': `
        service_id,date,exception_type
        daily,20260302,2
        daily,20260302,1
        ,20260302,1
        daily,20260231,1
        daily,19691231,1
        daily,20260303,
        daily,20260304,3
        daily,20260305,1,what
        daily,99991231,1
        `,
    },
    refused: [
      'calendar 2 duplicate_id',
      'calendar 3 missing_id',
      'calendar 4 bad_date',
      'calendar 5 bad_date',
      'calendar 6 bad_date',
      'calendar 7 ends_before_it_starts',
      'calendar 8 period_too_long',
      'calendar 9 bad_date',
      'calendar 10 bad_weekday',
      'calendar 11 bad_weekday',
      'calendar 12 too_many_values',
      'calendar 13 bad_date',
      'calendar_dates 2 duplicate_row',
      'calendar_dates 3 missing_id',
      'calendar_dates 4 bad_date',
      'calendar_dates 5 bad_date',
      'calendar_dates 6 bad_exception_type',
      'calendar_dates 7 bad_exception_type',
      'calendar_dates 8 too_many_values',
      'calendar_dates 9 bad_date',
    ],
    repaired: [],
  },
  {
    sql: 'shapes',
    files: {
      'shapes.txt': `
        shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
        good,48,16,1
        good,48,16.1,2
        ,48,16,1
        good,48,16,-3
        good,48,16,last
        good,91,16,4
        good,,16,5
        good,nan,16,6
        good,48,16.2,2
        good,48,16.2,7,,what
        alone,48,16,1
        `,
    },
    refused: [
      'shapes 3 missing_id',
      'shapes 4 bad_sequence',
      'shapes 5 bad_sequence',
      'shapes 6 bad_coordinates',
      'shapes 7 bad_coordinates',
      'shapes 8 bad_coordinates',
      'shapes 9 duplicate_sequence',
      // More values than one beyond the header: not a row, reported by its line.
      'shapes 10 too_few_points',
      'shapes 11 unreadable_too_many_columns',
    ],
    repaired: [],
  },
  {
    sql: 'shapes',
    files: {
      'shapes.txt': `
        shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
        good,48,16,1
        good,48,16.1,2
        good,48,16.2,3,what
        `,
    },
    refused: ['shapes 3 too_many_values'],
    repaired: [],
  },
  {
    sql: 'trips',
    files: {
      'trips.txt': `
        trip_id,route_id,service_id,shape_id
        t1,r,daily,
        t2,r,daily,no-shape
        t1,r,daily,other
        ,r,daily,
        t3,no-route,daily,
        t4,r,never,
        t5,,,
        t6,r,daily,,what
        `,
    },
    refused: [
      'trips 3 duplicate_id',
      'trips 4 missing_id',
      'trips 5 unknown_route',
      'trips 6 unknown_service',
      'trips 7 unknown_route',
      'trips 8 too_many_values',
    ],
    repaired: ['trips: 1 unknown_shape'],
  },
  {
    sql: 'calls',
    files: {
      'stops.txt': `
        stop_id,stop_name,stop_lat,stop_lon,location_type
        a,Anger,48.0,16.0,0
        b,Berg,48.0,16.1,0
        c,Kirche,48.0,16.2,0
        station,Station,48.0,16.3,1
        entrance,Entrance,48.0,16.3,2
        node,Node,48.0,16.3,3
        area,Boarding area,48.0,16.3,4
        `,
      'trips.txt': `
        trip_id,route_id,service_id
        t1,r,daily
        t2,r,daily
        t3,r,daily
        t4,r,daily
        `,
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type,location_id
        t1,a,1,08:00:00,08:00:00,,,
        t1,b,2,08:10:00,08:10:00,3,2,
        t1,b,2,08:11:00,08:11:00,,,
        t1,c,3,08:05:00,08:05:00,,,
        t1,c,4,08:30:00,08:29:00,,,
        t1,c,5,8:3x:00,08:31:00,,,
        t1,c,6,08:32,08:32,,,
        t1,c,7,08:33:60,08:33:60,,,
        t1,c,-1,08:34:00,08:34:00,,,
        t1,c,,08:34:00,08:34:00,,,
        t1,c,8,08:35:00,08:35:00,4,,
        t1,c,9,08:36:00,08:36:00,,often,
        t1,entrance,10,08:37:00,08:37:00,,,
        t1,node,11,08:38:00,08:38:00,,,
        t1,station,12,08:39:00,08:39:00,,,
        t1,area,13,08:40:00,08:40:00,,,
        t1,no-stop,14,08:41:00,08:41:00,,,
        t1,,15,08:42:00,08:42:00,,,
        t1,,16,08:43:00,08:43:00,,,zone
        no-trip,a,1,08:00:00,08:00:00,,,
        ,a,1,08:00:00,08:00:00,,,
        t1,c,17,,,,,
        t2,a,1,,,,,
        t2,b,2,09:00:00,09:00:00,,,
        t2,c,3,,,,,
        t2,a,4,09:10:00,,,,
        t3,a,1,10:00:00,10:00:00,,,
        t4,a,1,10:00:00,10:00:00,,,
        t4,b,2,10:10:00,10:10:00,,,,what
        `,
    },
    refused: [
      'stop_times 3 duplicate_sequence',
      'stop_times 4 time_runs_backwards',
      'stop_times 5 departs_before_it_arrives',
      'stop_times 6 bad_time',
      'stop_times 7 bad_time',
      'stop_times 8 bad_time',
      'stop_times 9 bad_sequence',
      'stop_times 10 bad_sequence',
      'stop_times 11 bad_boarding_type',
      'stop_times 12 bad_boarding_type',
      'stop_times 13 not_a_boarding_place',
      'stop_times 14 not_a_boarding_place',
      'stop_times 17 unknown_stop',
      'stop_times 18 unknown_stop',
      'stop_times 19 unknown_location',
      'stop_times 20 unknown_trip',
      'stop_times 21 unknown_trip',
      'stop_times 22 no_time_to_start_from',
      'stop_times 23 no_time_to_start_from',
      'stop_times 27 trip_refused',
      'stop_times 28 trip_refused',
      'stop_times 29 too_many_values',
      'trips 3 unusable_call_count',
      'trips 4 unusable_call_count',
    ],
    repaired: ['stop_times: 1 interpolated_time'],
  },
  {
    sql: 'frequencies',
    files: {
      'frequencies.txt': `
        trip_id,start_time,end_time,headway_secs,exact_times
        t1,06:00:00,07:00:00,600,
        t1,06:00:00,08:00:00,600,
        t1,6:00:00,09:00:00,600,
        no-trip,06:00:00,07:00:00,600,
        t1,,09:00:00,600,
        t1,08:00:00,9,600,
        t1,09:00:00,09:00:00,600,
        t1,10:00:00,11:00:00,0,
        t1,11:00:00,12:00:00,often,
        t1,12:00:00,13:00:00,600,2
        t1,13:00:00,14:00:00,600,1,what
        t1,14:00:00,18:00:00,1,
        `,
    },
    refused: [
      'frequencies 2 duplicate_row',
      'frequencies 3 duplicate_row',
      'frequencies 4 unknown_trip',
      'frequencies 5 bad_time',
      'frequencies 6 bad_time',
      'frequencies 7 ends_before_it_starts',
      'frequencies 8 bad_headway',
      'frequencies 9 bad_headway',
      'frequencies 10 bad_exact_times',
      'frequencies 11 too_many_values',
      'frequencies 12 too_many_runs',
    ],
    repaired: [],
  },
  transferRefusalCase,
  {
    sql: 'feed_info',
    files: {
      'feed_info.txt': `
        feed_publisher_name,feed_version
        Surplus,1,what
        Verlag,2
        Verlag,3
        `,
    },
    refused: ['feed_info 1 too_many_values', 'feed_info 3 duplicate_row'],
    repaired: [],
  },
  ...bookingRefusalCases,
  ...onDemandRefusalCases,
  ...fareRefusalCases,
];
