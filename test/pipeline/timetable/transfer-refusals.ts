import type { RefusalCase } from './refusals.ts';

/** A row per reason for which a transfer is rejected. */
export const transferRefusalCase: RefusalCase = {
  sql: 'transfers',
  files: {
    'transfers.txt': `
        from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id,from_trip_id,to_trip_id
        a,b,2,120,,,,
        ,,4,,,,t1,t2
        a,b,6,,,,,
        a,b,soon,,,,,
        a,no-stop,,,,,,
        no-stop,b,,,,,,
        a,b,,,no-route,,,
        a,b,,,,no-route,,
        a,b,,,,,no-trip,
        a,b,,,,,,no-trip
        a,,,,,,,
        a,b,5,,,,t1,
        a,b,2,-1,,,,
        a,b,2,soon,,,,
        a,b,,,,,,,what
        `,
  },
  refused: [
    'transfers 3 bad_transfer_type',
    'transfers 4 bad_transfer_type',
    'transfers 5 unknown_stop',
    'transfers 6 unknown_stop',
    'transfers 7 unknown_route',
    'transfers 8 unknown_route',
    'transfers 9 unknown_trip',
    'transfers 10 unknown_trip',
    'transfers 11 missing_stop',
    'transfers 12 missing_trip',
    'transfers 13 bad_transfer_time',
    'transfers 14 bad_transfer_time',
    'transfers 15 too_many_values',
  ],
  repaired: [],
};
