import { describe } from 'vitest';
import { testPlans } from '../../../support/naive-plan-cases.ts';

/** 130 m north of `a`: 100 s on foot. */
const BY_A = '48.0009 16.0';
const BY_D = '48.0009 16.3';

describe('stops and stations', () => {
  testPlans({
    'from every platform of a station': {
      trips: ['t1: s1 08:00, d 08:30', 't2: s2 08:10, d 08:40', 't3: s3 08:20, d 08:50'],
      asked: { from: 's' },
      expected: ['08:00 t1 08:30', '08:10 t2 08:40', '08:20 t3 08:50'],
    },
    'to every platform of a station': {
      trips: ['t1: a 08:00, s1 08:30', 't2: a 08:10, s3 08:40'],
      asked: { to: 's' },
      expected: ['08:00 t1 08:30', '08:10 t2 08:40'],
    },
    'from a platform, and on foot to others': {
      // 72 m: 56 s; 578 m: 443 s.
      trips: ['t1: s1 08:00, d 08:30', 't2: s2 08:10, d 08:40', 't3: s3 08:20, d 08:50'],
      asked: { from: 's1' },
      expected: ['08:00 t1 08:30', '08:09:04 t2 08:40', '08:12:37 t3 08:50'],
    },
    'no further than one walks': {
      trips: ['t1: s1 08:00, d 08:30', 't2: s2 08:10, d 08:40', 't3: s3 08:20, d 08:50'],
      asked: { from: 's1', maxWalkMeters: 577 },
      expected: ['08:00 t1 08:30', '08:09:04 t2 08:40'],
    },
    'to a stop near the one that is asked for': {
      trips: ['t1: a 08:00, near 08:30, c 08:50'],
      asked: { to: 'c' },
      expected: ['08:00 t1 08:38:18'],
    },
    'from a place to itself': { trips: ['t1: a 08:00, b 08:10, a 08:20'], asked: { to: 'a' }, expected: [] },
    'from a station to its platform': {
      trips: ['t1: s1 08:00, s3 08:10'],
      asked: { from: 's', to: 's3' },
      expected: [],
    },
    'from a platform to its station': {
      trips: ['t1: s1 08:00, s3 08:10'],
      asked: { from: 's1', to: 's' },
      expected: [],
    },
    'to another platform, when that is quicker than walking': {
      trips: ['t1: s1 08:00, s3 08:05', 't2: s1 08:10, s3 08:18'],
      asked: { from: 's1', to: 's3', leave: '07:58' },
      // 443 s on foot, but the first ride beats the walk: so it does not hold against the second.
      expected: ['08:00 t1 08:05', '08:10 t2 08:18'],
    },
    'a stop that nobody serves is a place to walk from': {
      trips: ['t1: near 08:00, d 08:30'],
      asked: { from: 'c' },
      expected: ['07:51:42 t1 08:30'],
    },
    'a stop without coordinates has no surroundings': {
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
    from: { trips, asked: { from: BY_A }, expected: ['07:58:20 t1 08:30'] },
    to: { trips, asked: { to: BY_D }, expected: ['08:00 t1 08:31:40'] },
    both: { trips, asked: { from: BY_A, to: BY_D }, expected: ['07:58:20 t1 08:31:40'] },
    slowly: { trips, asked: { from: BY_A, walkSpeedKmh: 2.34 }, expected: ['07:56:40 t1 08:30'] },
    'just in time': { trips, asked: { from: BY_A, leave: '07:58', limit: 1 }, expected: ['07:58:20 t1 08:30'] },
    'just too late: the next day': {
      trips,
      asked: { from: BY_A, leave: '07:59', limit: 1 },
      expected: ['03-19T07:58:20 t1 03-19T08:30'],
    },
    'in time': { trips, asked: { to: BY_D, arrive: '08:32', limit: 1 }, expected: ['08:00 t1 08:31:40'] },
    'a minute late: the day before': {
      trips,
      asked: { to: BY_D, arrive: '08:31', limit: 1 },
      expected: ['03-17T08:00 t1 03-17T08:31:40'],
    },
    'too far': { trips, asked: { from: BY_A, maxWalkMeters: 129 }, expected: [] },
    'as far as one walks': { trips, asked: { from: BY_A, maxWalkMeters: 130 }, expected: ['07:58:20 t1 08:30'] },
    'to the stop from which one is there first': {
      trips: ['t1: a 08:00, near 08:20, c 08:25, far 08:40'],
      // 325 m between the two: 249 s to either; and 831 m to the far one.
      asked: { to: '48.00225 16.2' },
      expected: ['08:00 t1 08:24:09'],
    },
    'all that leaves around': {
      trips: ['t1: c 08:00, d 08:30', 't2: near 08:05, d 08:32', 't3: far 08:40, d 08:50'],
      asked: { from: '48.00225 16.2' },
      // 639.4 m north of it, 831 m on foot: 637 s.
      expected: ['07:55:51 t1 08:30', '08:00:51 t2 08:32', '08:29:23 t3 08:50'],
    },
  });
});

describe('on foot all the way', () => {
  // 650 m: 498 s.
  const asked = { from: 'c', to: 'near' };
  testPlans({
    'when nobody rides': { trips: ['t1: a 08:00, c 08:10'], asked, expected: ['06:00 walk 06:08:18'] },
    'not when it is too far': {
      trips: ['t1: a 08:00, c 08:10'],
      asked: { ...asked, maxWalkMeters: 649 },
      expected: [],
    },
    'beside a ride later on': {
      trips: ['t1: c 08:00, near 08:08'],
      asked,
      expected: ['06:00 walk 06:08:18', '08:00 t1 08:08'],
    },
    'not when a ride is there as early': { trips: ['t1: c 06:05, near 06:08'], asked, expected: ['06:05 t1 06:08'] },
    'not when a ride is there in the same minutes': {
      trips: ['t1: c 06:00:00, near 06:08:18'],
      asked,
      expected: ['06:00 t1 06:08:18'],
    },
    'though a ride with a change is': {
      trips: ['t1: c 06:01, f 06:02', 't2 route=r2: f 06:04, near 06:06'],
      asked,
      expected: ['06:00 walk 06:08:18', '06:01 t1 > t2 06:06'],
    },
    'a ride that is as long as the walk is none': {
      trips: ['t1: c 08:00:00, near 08:08:18', 't2: c 09:00:00, near 09:08:17'],
      asked,
      expected: ['06:00 walk 06:08:18', '09:00 t2 09:08:17'],
    },
    'to be there in time': {
      trips: ['t1: c 07:00, near 07:05', 't2: c 07:50, near 07:55'],
      asked: { ...asked, arrive: '08:00', limit: 3 },
      expected: ['07:00 t1 07:05', '07:50 t2 07:55', '07:51:42 walk 08:00'],
    },
    'not when one may ride later': {
      trips: ['t1: c 07:00, near 07:05', 't2: c 07:52, near 07:55'],
      asked: { ...asked, arrive: '08:00', limit: 2 },
      expected: ['07:00 t1 07:05', '07:52 t2 07:55'],
    },
    'it is one of those that are asked for': {
      trips: ['t1: c 07:00, near 07:05', 't2: c 07:50, near 07:55'],
      asked: { ...asked, leave: '06:50', limit: 2 },
      expected: ['06:50 walk 06:58:18', '07:00 t1 07:05'],
    },
    'between coordinates': {
      trips: ['t1: a 08:00, c 08:10'],
      asked: { from: '48.0 16.21', to: '48.0045 16.21' },
      expected: ['06:00 walk 06:08:18'],
    },
  });
});

describe('via', () => {
  testPlans({
    'on board, where the vehicle calls': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:00, c 08:10, d 08:25'],
      asked: { via: ['b'] },
      expected: ['08:00 t1 08:30'],
    },
    'on board, though nobody alights there': {
      trips: ['t1: a 08:00, b 08:10 dropOff=1 pickup=1, d 08:30'],
      asked: { via: ['b'] },
      expected: ['08:00 t1 08:30'],
    },
    'not after all': { trips: ['t1: a 08:00, d 08:30, b 08:40'], asked: { via: ['b'] }, expected: [] },
    'to ride on is needed': {
      trips: ['t1: a 08:00, d 08:30, b 08:40', 't2: b 08:42, d 08:50'],
      asked: { via: ['b'] },
      expected: ['08:00 t1 > t2 08:50'],
    },
    'by a change that takes its time': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:11, d 08:20', 't3: b 08:12, d 08:30'],
      asked: { via: ['b'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'any platform of a station': {
      trips: ['t1: a 08:00, s2 08:10, d 08:30', 't2: a 08:00, b 08:10, d 08:25'],
      asked: { via: ['s'] },
      expected: ['08:00 t1 08:30'],
    },
    'where one boards, on foot from another stop': {
      trips: ['t1: a 08:00, c 08:10', 't2: near 08:21, d 08:30', 't3: c 08:15, d 08:20'],
      asked: { via: ['near'] },
      // 498 s to the place, and no change time: at 08:18:18.
      expected: ['08:00 t1 > t2 08:30'],
    },
    'on foot to it and on: no change, and no time for one': {
      trips: ['t1: a 08:00, c 08:10', 't2: near 08:19, d 08:30', 't3: c 08:15, d 08:20'],
      asked: { via: ['near'] },
      expected: ['08:00 t1 > t2 08:30'],
    },
    'a coordinate: there and back': {
      // 130 m: 100 s each way.
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:13, d 08:20', 't3: b 08:14, d 08:30'],
      asked: { via: ['48.0009 16.1'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'a coordinate is not passed on board': {
      trips: ['t1: a 08:00, b 08:10, d 08:30'],
      asked: { via: ['48.0009 16.1'], limit: 1 },
      expected: ['08:00 t1 > t1 03-19T08:30'],
    },
    'two, in their order': {
      trips: ['t1: a 08:00, b 08:10, c 08:20, d 08:30', 't2: a 08:00, c 08:05, b 08:10, d 08:15'],
      asked: { via: ['c', 'b'] },
      expected: ['08:00 t2 08:15'],
    },
    'two, on two rides': {
      trips: ['t1: a 08:00, b 08:10, e 08:15', 't2: e 08:20, c 08:30, d 08:40', 't3: e 08:18, d 08:20'],
      asked: { via: ['b', 'c'] },
      expected: ['08:00 t1 > t2 08:40'],
    },
    'where it begins': { trips: ['t1: a 08:00, d 08:30'], asked: { via: ['a'] }, expected: ['08:00 t1 08:30'] },
    'where it ends': { trips: ['t1: a 08:00, d 08:30'], asked: { via: ['d'] }, expected: ['08:00 t1 08:30'] },
    'a platform and the station around it: a change takes its time': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s1 08:11, d 08:20', 't3: s1 08:12, d 08:30'],
      asked: { via: ['s1', 's'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'a station and its platform: a change takes its time': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s1 08:11, d 08:20', 't3: s1 08:12, d 08:30'],
      asked: { via: ['s', 's1'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'a platform, its station, and no distance to another of its platforms': {
      // 578 m: 443 s.
      trips: ['t1: a 08:00, s1 08:10', 't2: s3 08:12, d 08:20', 't3: s3 08:18, d 08:30'],
      asked: { via: ['s1', 's'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'a station, its platform, and no distance to that from another of its platforms': {
      trips: ['t1: a 08:00, s3 08:10', 't2: s1 08:12, d 08:20', 't3: s1 08:18, d 08:30'],
      asked: { via: ['s', 's1'] },
      expected: ['08:00 t1 > t3 08:30'],
    },
    'a platform and the station around it, by arrival': {
      trips: ['t1: a 08:00, s1 08:10', 't2: s1 08:11, d 08:30', 't3: a 07:50, s1 08:09'],
      asked: { via: ['s', 's1'], arrive: '08:40', limit: 1 },
      expected: ['07:50 t3 > t2 08:30'],
    },
    'while staying seated': {
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:10, c 08:15, d 08:20'],
      asked: { via: ['b', 'c'] },
      expected: ['08:00 t1 = t2 08:20'],
    },
    'fewer changes are still worth it': {
      trips: ['t1: a 08:00, b 08:10, d 09:30', 't2: b 08:12, d 08:40', 't3: a 08:00, d 08:20'],
      asked: { via: ['b'] },
      expected: ['08:00 t1 > t2 08:40', '08:00 t1 09:30'],
    },
    'on foot with fewer changes, on board with more': {
      // 506 m: 388 s each way.
      trips: ['t1: a 08:00, s3 08:10', 'u1: s3 08:12, s2 08:13', 'v1: s3 08:20, d 08:30', 'v2: s3 08:30, d 08:40'],
      asked: { via: ['s2'] },
      expected: ['08:00 t1 > u1 > v1 08:30', '08:00 t1 > v2 08:40'],
    },
    'by arrival': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:05, d 08:25'],
      asked: { via: ['b'], arrive: '09:00', limit: 1 },
      expected: ['08:00 t1 08:30'],
    },
    'on foot all the way through': {
      trips: ['t1: a 08:00, b 08:10'],
      asked: { from: 'c', to: 'far', via: ['near'] },
      // 650 m and 506 m.
      expected: ['06:00 walk 06:14:46'],
    },
  });
});
