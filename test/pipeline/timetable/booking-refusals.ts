import type { RefusalCase } from './refusals.ts';

/** Booking rules, and calls that are written as windows. */
export const bookingRefusalCases: readonly RefusalCase[] = [
  {
    sql: 'calls',
    files: {
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,arrival_time,departure_time,start_pickup_drop_off_window,end_pickup_drop_off_window
        t1,a,1,,,8:00:00,08:00:00
        t1,b,2,,,08:10:00,08:10:00
        t1,c,3,08:20:00,08:20:00,,
        t2,a,1,09:00:00,09:00:00,,
        t2,b,2,,,09:10:00,09:20:00
        t2,c,3,09:30:00,09:30:00,,
        `,
    },
    refused: [],
    repaired: ['stop_times: 2 window_without_duration'],
  },
  {
    sql: 'booking_rules',
    files: {
      'booking_rules.txt': `
        booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_last_day,prior_notice_last_time,prior_notice_service_id,booking_url
        hour,1,60,,,,https://example.org/book
        hour,1,30,,,,
        ,0,,,,,
        type,5,,,,,
        minutes,1,soon,,,,
        negative,1,-5,,,,
        day,2,,yesterday,12:00:00,,
        time,2,,1,noon,,
        surplus,0,,,,,,what
        guessed,,15,,,,
        phone,1,,,,,
        noTime,2,,1,,daily,
        other,2,,1,12:00:00,never,
        script,0,,,,,javascript:alert(1)
        `,
    },
    refused: [
      'booking_rules 2 duplicate_id',
      'booking_rules 3 missing_id',
      'booking_rules 4 bad_booking_type',
      'booking_rules 5 bad_notice_duration',
      'booking_rules 6 bad_notice_duration',
      'booking_rules 7 bad_notice_day',
      'booking_rules 8 bad_time',
      'booking_rules 9 too_many_values',
    ],
    repaired: [
      'booking_rules: 1 bad_web_address',
      'booking_rules: 1 missing_booking_type',
      'booking_rules: 1 unknown_service',
      'booking_rules: 2 missing_notice',
    ],
  },
  {
    sql: 'call_bookings',
    files: {
      'stop_times.txt': `
        trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_booking_rule_id,drop_off_booking_rule_id
        t1,a,1,08:00:00,08:00:00,known,
        t1,b,2,08:10:00,08:10:00,gone,known
        t1,c,3,08:20:00,08:20:00,,lost
        t2,a,1,09:00:00,09:00:00,,
        t2,b,2,09:20:00,09:20:00,,
        `,
      'booking_rules.txt': 'booking_rule_id,booking_type\nknown,0',
    },
    refused: [],
    repaired: ['stop_times: 2 unknown_booking_rule'],
  },
  {
    sql: 'pathways',
    files: {
      'pathways.txt': `
        pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional
        lift,a,b,5,1
        lift,b,c,5,1
        ,a,b,1,1
        nowhere,a,gone,1,1
        mode,a,b,9,1
        stairs,a,b,2,0
        direction,a,b,1,both
        surplus,a,b,1,1,what
        `,
    },
    refused: [
      'pathways 2 duplicate_id',
      'pathways 3 missing_id',
      'pathways 4 unknown_stop',
      'pathways 5 bad_pathway_mode',
      'pathways 7 bad_direction',
      'pathways 8 too_many_values',
    ],
    repaired: [],
  },
];
