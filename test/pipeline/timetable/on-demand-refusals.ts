import type { RefusalCase } from './refusals.ts';

const box = [
  [16, 48],
  [16.1, 48],
  [16.1, 48.1],
  [16, 48],
];
const zone = { id: 'zone', geometry: { type: 'Polygon', coordinates: [box] } };
const zones = JSON.stringify({ type: 'FeatureCollection', features: [zone] });

const stops = `
  stop_id,stop_name,stop_lat,stop_lon,location_type
  a,Anger,48.0,16.0,0
  b,Berg,48.0,16.1,0
  c,Kirche,48.0,16.2,0
  entrance,Entrance,48.0,16.3,2
  `;

/** Zones, groups of stops, and calls with windows. */
export const onDemandRefusalCases: readonly RefusalCase[] = [
  {
    sql: 'booking_rules',
    files: {
      'booking_rules.txt': `
        booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_duration_max,prior_notice_start_day,prior_notice_start_time
        most,1,60,soon,,
        day,1,60,,early,08:00:00
        time,1,60,,14,noon
        good,1,60,1440,,
        `,
    },
    refused: [],
    repaired: ['booking_rules: 3 bad_notice_start'],
  },
  {
    sql: 'location_groups',
    files: {
      'stops.txt': stops,
      'location_groups.txt': `
        location_group_id,location_group_name
        group,Dorf
        group,Stadt
        ,Namenlos
        other,Dorf,what
        `,
      'location_group_stops.txt': `
        location_group_id,stop_id,note
        group,a,
        group,a,again
        other,a,
        group,gone,
        group,entrance,
        group,b,,what
        `,
    },
    refused: [
      'location_groups 2 duplicate_id',
      'location_groups 3 missing_id',
      'location_groups 4 too_many_values',
      'location_group_stops 2 duplicate_id',
      'location_group_stops 3 unknown_location_group',
      'location_group_stops 4 unknown_stop',
      'location_group_stops 5 not_a_boarding_place',
      'location_group_stops 6 too_many_values',
    ],
    repaired: [],
  },
  {
    sql: 'on_demand',
    files: {
      'stops.txt': stops,
      'locations.geojson': zones,
      'location_groups.txt': 'location_group_id\nempty',
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,location_id,location_group_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type
        t1,,1,zone,,08:00:00,09:00:00,
        t1,,2,zone,,08:00:00,09:00:00,
        t1,,2,zone,,08:00:00,10:00:00,
        t1,,x,zone,,08:00:00,09:00:00,
        t1,,4,gone,,08:00:00,09:00:00,
        t1,,5,,gone,08:00:00,09:00:00,
        t1,,6,,empty,08:00:00,09:00:00,
        t1,,7,zone,empty,08:00:00,09:00:00,
        t1,,8,zone,,09:00:00,08:00:00,
        t1,,9,zone,,08:00:00,09:00:00,7
        t1,gone,10,,,08:00:00,09:00:00,
        t1,entrance,11,,,08:00:00,09:00:00,
        nobody,,1,zone,,08:00:00,09:00:00,
        t2,a,1,,,08:00:00,08:00:00,
        t2,b,2,,,09:00:00,09:00:00,
        `,
    },
    refused: [
      'stop_times 3 duplicate_sequence',
      'stop_times 4 bad_sequence',
      'stop_times 5 unknown_location',
      'stop_times 6 unknown_location_group',
      'stop_times 7 empty_location_group',
      'stop_times 8 several_places',
      'stop_times 9 bad_window',
      'stop_times 10 bad_boarding_type',
      'stop_times 11 unknown_stop',
      'stop_times 12 not_a_boarding_place',
      'stop_times 13 unknown_trip',
    ],
    repaired: ['stop_times: 2 window_without_duration'],
  },
  {
    sql: 'on_demand_calls',
    files: {
      'locations.geojson': zones,
      'booking_rules.txt': 'booking_rule_id,booking_type\nknown,0',
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,location_id,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_booking_rule_id,drop_off_booking_rule_id
        t1,,1,zone,08:00:00,09:00:00,known,
        t1,,2,zone,08:00:00,09:00:00,,lost
        t2,a,1,,08:00:00,08:00:00,,
        t2,b,2,,09:00:00,09:00:00,,
        `,
    },
    refused: [],
    repaired: ['stop_times: 1 unknown_booking_rule', 'stop_times: 2 window_without_duration'],
  },
];
