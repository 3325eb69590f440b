import { describe } from 'vitest';
import { testPlans } from '../../../support/oracles/naive-plan-cases.ts';

/** 130 m north of `a`: 100 s on foot. */
const BY_A = '48.0009 16.0';
const BY_D = '48.0009 16.3';

describe('stops and stations', () => {
  testPlans({
    'departs from every platform of a station': {
      trips: ['t1: s1 08:00, d 08:30', 't2: s2 08:10, d 08:40', 't3: s3 08:20, d 08:50'],
      query: { from: 's' },
      expected: ['08:00 t1 08:30', '08:10 t2 08:40', '08:20 t3 08:50'],
    },
    'arrives at every platform of a station': {
      trips: ['t1: a 08:00, s1 08:30', 't2: a 08:10, s3 08:40'],
      query: { to: 's' },
      expected: ['08:00 t1 08:30', '08:10 t2 08:40'],
    },
    'departs from a platform or walks to another': {
      // 72 m: 56 s; 578 m: 443 s.
      trips: ['t1: s1 08:00, d 08:30', 't2: s2 08:10, d 08:40', 't3: s3 08:20, d 08:50'],
      query: { from: 's1' },
      expected: ['08:00 t1 08:30', '08:09:04 t2 08:40', '08:12:37 t3 08:50'],
    },
    'respects the maximum walking distance': {
      trips: ['t1: s1 08:00, d 08:30', 't2: s2 08:10, d 08:40', 't3: s3 08:20, d 08:50'],
      query: { from: 's1', maxWalkMeters: 577 },
      expected: ['08:00 t1 08:30', '08:09:04 t2 08:40'],
    },
    'arrives at a stop near the requested one': {
      trips: ['t1: a 08:00, near 08:30, c 08:50'],
      query: { to: 'c' },
      expected: ['08:00 t1 08:38:18'],
    },
    'returns nothing from a stop to itself': {
      trips: ['t1: a 08:00, b 08:10, a 08:20'],
      query: { to: 'a' },
      expected: [],
    },
    'returns nothing from a station to its platform': {
      trips: ['t1: s1 08:00, s3 08:10'],
      query: { from: 's', to: 's3' },
      expected: [],
    },
    'returns nothing from a platform to its station': {
      trips: ['t1: s1 08:00, s3 08:10'],
      query: { from: 's1', to: 's' },
      expected: [],
    },
    'rides to another platform if that is faster than walking': {
      trips: ['t1: s1 08:00, s3 08:05', 't2: s1 08:10, s3 08:18'],
      query: { from: 's1', to: 's3', leave: '07:58' },
      // 443 s on foot. The first ride beats the walk, which therefore does not dominate the second.
      expected: ['08:00 t1 08:05', '08:10 t2 08:18'],
    },
    'walks from a stop without service': {
      trips: ['t1: near 08:00, d 08:30'],
      query: { from: 'c' },
      expected: ['07:51:42 t1 08:30'],
    },
    'does not walk from a stop without coordinates': {
      trips: ['t1: a 08:00, x 08:10', 't2: x 08:12, d 08:20', 't3: x 09:00, c 09:10'],
      files: {
        'stops.txt':
          'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station\na,A,48.0,16.0,,\nx,X,,,,\nc,C,48.0,16.2,,\nd,D,48.0,16.3,,\n',
      },
      expected: ['08:00 t1 > t2 08:20'],
    },
  });
});

describe('coordinates', () => {
  const trips = ['t1: a 08:00, d 08:30'];
  testPlans({
    from: { trips, query: { from: BY_A }, expected: ['07:58:20 t1 08:30'] },
    to: { trips, query: { to: BY_D }, expected: ['08:00 t1 08:31:40'] },
    both: { trips, query: { from: BY_A, to: BY_D }, expected: ['07:58:20 t1 08:31:40'] },
    slowly: { trips, query: { from: BY_A, walkSpeedKmh: 2.34 }, expected: ['07:56:40 t1 08:30'] },
    'departs with no time to spare': {
      trips,
      query: { from: BY_A, leave: '07:58', limit: 1 },
      expected: ['07:58:20 t1 08:30'],
    },
    'departs the next day if the walk is a second too long': {
      trips,
      query: { from: BY_A, leave: '07:59', limit: 1 },
      expected: ['03-19T07:58:20 t1 03-19T08:30'],
    },
    'by arrival, includes the walk': {
      trips,
      query: { to: BY_D, arrive: '08:32', limit: 1 },
      expected: ['08:00 t1 08:31:40'],
    },
    'by arrival, uses the day before if the walk takes too long': {
      trips,
      query: { to: BY_D, arrive: '08:31', limit: 1 },
      expected: ['03-17T08:00 t1 03-17T08:31:40'],
    },
    'excludes a stop beyond the walking distance': { trips, query: { from: BY_A, maxWalkMeters: 129 }, expected: [] },
    'includes a stop at exactly the walking distance': {
      trips,
      query: { from: BY_A, maxWalkMeters: 130 },
      expected: ['07:58:20 t1 08:30'],
    },
    'alights at the stop with the earliest arrival on foot': {
      trips: ['t1: a 08:00, near 08:20, c 08:25, far 08:40'],
      // 325 m between the two: 249 s to either; and 831 m to the distant one.
      query: { to: '48.00225 16.2' },
      expected: ['08:00 t1 08:24:09'],
    },
    'considers all stops in range': {
      trips: ['t1: c 08:00, d 08:30', 't2: near 08:05, d 08:32', 't3: far 08:40, d 08:50'],
      query: { from: '48.00225 16.2' },
      // 639.4 m north of it, 831 m on foot: 637 s.
      expected: ['07:55:51 t1 08:30', '08:00:51 t2 08:32', '08:29:23 t3 08:50'],
    },
  });
});

describe('direct walk', () => {
  // 650 m: 498 s.
  const query = { from: 'c', to: 'near' };
  testPlans({
    'is shown if there is no ride': { trips: ['t1: a 08:00, c 08:10'], query, expected: ['06:00 walk 06:08:18'] },
    'is not shown if it is too far': {
      trips: ['t1: a 08:00, c 08:10'],
      query: { ...query, maxWalkMeters: 649 },
      expected: [],
    },
    'is shown beside a later ride': {
      trips: ['t1: c 08:00, near 08:08'],
      query,
      expected: ['06:00 walk 06:08:18', '08:00 t1 08:08'],
    },
    'is not shown if a ride arrives as early': {
      trips: ['t1: c 06:05, near 06:08'],
      query,
      expected: ['06:05 t1 06:08'],
    },
    'is not shown if a ride has the same minutes': {
      trips: ['t1: c 06:00:00, near 06:08:18'],
      query,
      expected: ['06:00 t1 06:08:18'],
    },
    'is shown if only a ride with a transfer has the same minutes': {
      trips: ['t1: c 06:01, f 06:02', 't2 route=r2: f 06:04, near 06:06'],
      query,
      expected: ['06:00 walk 06:08:18', '06:01 t1 > t2 06:06'],
    },
    'hides rides that take as long': {
      trips: ['t1: c 08:00:00, near 08:08:18', 't2: c 09:00:00, near 09:08:17'],
      query,
      expected: ['06:00 walk 06:08:18', '09:00 t2 09:08:17'],
    },
    'arrives at the requested time': {
      trips: ['t1: c 07:00, near 07:05', 't2: c 07:50, near 07:55'],
      query: { ...query, arrive: '08:00', limit: 3 },
      expected: ['07:00 t1 07:05', '07:50 t2 07:55', '07:51:42 walk 08:00'],
    },
    'is not shown by arrival if a ride departs later': {
      trips: ['t1: c 07:00, near 07:05', 't2: c 07:52, near 07:55'],
      query: { ...query, arrive: '08:00', limit: 2 },
      expected: ['07:00 t1 07:05', '07:52 t2 07:55'],
    },
    'counts towards the limit': {
      trips: ['t1: c 07:00, near 07:05', 't2: c 07:50, near 07:55'],
      query: { ...query, leave: '06:50', limit: 2 },
      expected: ['06:50 walk 06:58:18', '07:00 t1 07:05'],
    },
    'connects two coordinates': {
      trips: ['t1: a 08:00, c 08:10'],
      query: { from: '48.0 16.21', to: '48.0045 16.21' },
      expected: ['06:00 walk 06:08:18'],
    },
  });
});

describe('via', () => {
  testPlans({
    'is passed on board where the vehicle calls': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:00, c 08:10, d 08:25'],
      query: { via: ['b'] },
      expected: ['08:00 t1 08:30'],
    },
    'is passed on board without drop-off': {
      trips: ['t1: a 08:00, b 08:10 dropOff=1 pickup=1, d 08:30'],
      query: { via: ['b'] },
      expected: ['08:00 t1 08:30'],
    },
    'is not passed after the destination': {
      trips: ['t1: a 08:00, d 08:30, b 08:40'],
      query: { via: ['b'] },
      expected: [],
    },
    'permits riding past the destination and back': {
      trips: ['t1: a 08:00, d 08:30, b 08:40', 't2: b 08:42, d 08:50'],
      query: { via: ['b'] },
      expected: ['08:00 t1 > t2 08:50'],
    },
    'is passed by a transfer of normal duration': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:11, d 08:20', 't3: b 08:12, d 08:30'],
      query: { via: ['b'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'accepts any platform of a station': {
      trips: ['t1: a 08:00, s2 08:10, d 08:30', 't2: a 08:00, b 08:10, d 08:25'],
      query: { via: ['s'] },
      expected: ['08:00 t1 08:30'],
    },
    'is passed where a walk from another stop ends': {
      trips: ['t1: a 08:00, c 08:10', 't2: near 08:21, d 08:30', 't3: c 08:15, d 08:20'],
      query: { via: ['near'] },
      // 498 s to the place, and no change time: at 08:18:18.
      expected: ['08:00 t1 > t2 08:30'],
    },
    'needs no transfer time if reached and left on foot': {
      trips: ['t1: a 08:00, c 08:10', 't2: near 08:19, d 08:30', 't3: c 08:15, d 08:20'],
      query: { via: ['near'] },
      expected: ['08:00 t1 > t2 08:30'],
    },
    'walks to a coordinate and back': {
      // 130 m: 100 s each way.
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:13, d 08:20', 't3: b 08:14, d 08:30'],
      query: { via: ['48.0009 16.1'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'does not pass a coordinate on board': {
      trips: ['t1: a 08:00, b 08:10, d 08:30'],
      query: { via: ['48.0009 16.1'], limit: 1 },
      expected: ['08:00 t1 > t1 03-19T08:30'],
    },
    'passes two vias in order': {
      trips: ['t1: a 08:00, b 08:10, c 08:20, d 08:30', 't2: a 08:00, c 08:05, b 08:10, d 08:15'],
      query: { via: ['c', 'b'] },
      expected: ['08:00 t2 08:15'],
    },
    'passes two vias on two rides': {
      trips: ['t1: a 08:00, b 08:10, e 08:15', 't2: e 08:20, c 08:30, d 08:40', 't3: e 08:18, d 08:20'],
      query: { via: ['b', 'c'] },
      expected: ['08:00 t1 > t2 08:40'],
    },
    'accepts the origin as via': {
      trips: ['t1: a 08:00, d 08:30'],
      query: { via: ['a'] },
      expected: ['08:00 t1 08:30'],
    },
    'accepts the destination as via': {
      trips: ['t1: a 08:00, d 08:30'],
      query: { via: ['d'] },
      expected: ['08:00 t1 08:30'],
    },
    'takes the transfer time between a platform and its station': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s1 08:11, d 08:20', 't3: s1 08:12, d 08:30'],
      query: { via: ['s1', 's'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'takes the transfer time between a station and its platform': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s1 08:11, d 08:20', 't3: s1 08:12, d 08:30'],
      query: { via: ['s', 's1'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'takes the transfer time from a platform to another platform at zero distance': {
      // 578 m: 443 s.
      trips: ['t1: a 08:00, s1 08:10', 't2: s3 08:12, d 08:20', 't3: s3 08:18, d 08:30'],
      query: { via: ['s1', 's'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'takes the transfer time to a platform from another platform at zero distance': {
      trips: ['t1: a 08:00, s3 08:10', 't2: s1 08:12, d 08:20', 't3: s1 08:18, d 08:30'],
      query: { via: ['s', 's1'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'passes a platform and its station by arrival': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s1 08:11, d 08:30', 't3: a 07:50, s1 08:09'],
      query: { via: ['s', 's1'], arrive: '08:40', limit: 1 },
      expected: ['07:50 t3 > t2 08:30'],
    },
    'is passed while staying on board': {
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:10, c 08:15, d 08:20'],
      query: { via: ['b', 'c'] },
      expected: ['08:00 t1 = t2 08:20'],
    },
    'still shows itineraries with fewer transfers': {
      trips: ['t1: a 08:00, b 08:10, d 09:30', 't2: b 08:12, d 08:40', 't3: a 08:00, d 08:20'],
      query: { via: ['b'] },
      expected: ['08:00 t1 > t2 08:40', '08:00 t1 09:30'],
    },
    'is passed on foot with fewer transfers, on board with more': {
      // 506 m: 388 s each way.
      trips: ['t1: a 08:00, s3 08:10', 'u1: s3 08:12, s2 08:13', 'v1: s3 08:20, d 08:30', 'v2: s3 08:30, d 08:40'],
      query: { via: ['s2'] },
      expected: ['08:00 t1 > u1 > v1 08:30', '08:00 t1 > v2 08:40'],
    },
    'is passed by arrival': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:05, d 08:25'],
      query: { via: ['b'], arrive: '09:00', limit: 1 },
      expected: ['08:00 t1 08:30'],
    },
    'is passed by a direct walk': {
      trips: ['t1: a 08:00, b 08:10'],
      query: { from: 'c', to: 'far', via: ['near'] },
      // 650 m and 506 m.
      expected: ['06:00 walk 06:14:46'],
    },
  });
});
