import { describe } from 'vitest';
import { type PlanCase, type PlanCaseQuery, testPlans } from '../../../support/oracles/naive-plan-cases.ts';

const HEADER =
  'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id,from_trip_id,to_trip_id';

/**
 * Trips that depart from `from` at each of these minutes past 8:10 and arrive at `d` ten minutes later: `u0`, `u1` and
 * so on.
 */
const MINUTES = [0, 1, 2, 3, 5, 10, 11, 17, 20];
const clock = (minutes: number) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;

interface Change {
  readonly rules?: readonly string[];
  readonly at?: string;
  readonly from?: string;
  readonly query?: PlanCaseQuery;
  /** Departure of the trip that is reached, in minutes past 8:10; null: none. */
  readonly caught: number | null;
}

/** One trip that arrives at 8:10, and several departures: the first one reached shows how long the transfer takes. */
function changing({ rules = [], at = 'b', from = at, query = {}, caught }: Change): PlanCase {
  const onward = MINUTES.map(
    (minute) => `u${minute} route=r2: ${from} ${clock(490 + minute)}, d ${clock(500 + minute)}`,
  );
  return {
    trips: [`t1 route=r1: a 8:00, ${at} 8:10`, ...onward],
    files: { 'transfers.txt': [HEADER, ...rules, ''].join('\n') },
    query,
    expected: caught === null ? [] : [`08:00 t1 > u${caught} 08:${20 + caught}`],
  };
}

const ONE_NAME = `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding
a,Anger,48.0,16.0,,,
d,Dorf,48.0,16.3,,,
x,Kirche,48.0,16.2,,,
y,Kirche,48.0005,16.2,,,
z,Kirche,48.0045,16.2,,,
`;

describe('transfers without a rule', () => {
  testPlans({
    'two minutes at one stop': changing({ caught: 2 }),
    'three minutes between two nearby platforms of a station': changing({ at: 's1', from: 's2', caught: 3 }),
    // 578 m: 443 s and two minutes.
    'the walk and two minutes between distant platforms': changing({ at: 's1', from: 's3', caught: 10 }),
    'a slow walk takes longer': changing({ at: 's1', from: 's3', query: { walkSpeedKmh: 2 }, caught: 20 }),
    'the maximum walking distance does not apply within a station': changing({
      at: 's1',
      from: 's3',
      query: { maxWalkMeters: 0 },
      caught: 10,
    }),
    // 650 m: 498 s and two minutes.
    'the walk and two minutes to a nearby stop': changing({ at: 'c', from: 'near', caught: 11 }),
    'not beyond the maximum walking distance': changing({
      at: 'c',
      from: 'near',
      query: { maxWalkMeters: 649 },
      caught: null,
    }),
    'at exactly the maximum walking distance': changing({
      at: 'c',
      from: 'near',
      query: { maxWalkMeters: 650 },
      caught: 11,
    }),
    'not beyond a kilometre': changing({ at: 'c', from: 'far', caught: null }),
    // 72 m; the walk and two minutes would be 176 s.
    'three minutes between stops of the same name without a common station': {
      ...changing({ at: 'x', from: 'y', caught: 3 }),
      files: { 'stops.txt': ONE_NAME },
    },
    // 650 m: 498 s and two minutes.
    'the walk and two minutes between distant stops of the same name': {
      ...changing({ at: 'x', from: 'z', caught: 11 }),
      files: { 'stops.txt': ONE_NAME },
    },
  });
});

describe('transfer_type', () => {
  testPlans({
    '0, recommended: as without a rule': changing({ rules: ['b,b,0,,,,,'], caught: 2 }),
    '0 with a time applies the time': changing({ rules: ['b,b,0,300,,,,'], caught: 5 }),
    'none is 0': changing({ rules: ['b,b,,300,,,,'], caught: 5 }),
    '1, timed: the departure waits': changing({ rules: ['b,b,1,,,,,'], caught: 0 }),
    '1 ignores its time': changing({ rules: ['b,b,1,300,,,,'], caught: 0 }),
    '2 with a time': changing({ rules: ['b,b,2,300,,,,'], caught: 5 }),
    '2 with less time than without a rule': changing({ rules: ['b,b,2,60,,,,'], caught: 1 }),
    '2 with zero time': changing({ rules: ['b,b,2,0,,,,'], caught: 0 }),
    '2 without a time: as without a rule': changing({ rules: ['b,b,2,,,,,'], caught: 2 }),
    '3: no transfer': changing({ rules: ['b,b,3,,,,,'], caught: null }),
    '4 and 5 are not transfers': changing({ rules: ['b,b,5,,,,t1,u2', 'b,b,5,,,,t1,u3'], caught: 2 }),
    'applies in one direction only': changing({ rules: ['near,c,3,,,,,'], at: 'c', from: 'near', caught: 11 }),
    // 1156 m: 886 s and two minutes.
    '0 between stops that are far apart': changing({ rules: ['c,far,0,,,,,'], at: 'c', from: 'far', caught: 17 }),
    '2 between stops that are far apart': changing({ rules: ['c,far,2,120,,,,'], at: 'c', from: 'far', caught: 2 }),
    '2 between stops with nothing in common': changing({ rules: ['b,e,2,180,,,,'], at: 'b', from: 'e', caught: 3 }),
    'a published time ignores the maximum walking distance': changing({
      rules: ['c,near,2,120,,,,'],
      at: 'c',
      from: 'near',
      query: { maxWalkMeters: 0 },
      caught: 2,
    }),
  });
});

describe('the most specific rule applies', () => {
  testPlans({
    'one route before no route': changing({ rules: ['b,b,2,60,,,,', 'b,b,2,300,r1,,,'], caught: 5 }),
    'the other route before no route': changing({ rules: ['b,b,2,60,,,,', 'b,b,2,300,,r2,,'], caught: 5 }),
    'both routes before one': changing({
      rules: ['b,b,2,300,r1,,,', 'b,b,2,300,,r2,,', 'b,b,2,600,r1,r2,,'],
      caught: 10,
    }),
    'one trip before both routes': changing({ rules: ['b,b,2,60,r1,r2,,', 'b,b,2,600,,,t1,'], caught: 10 }),
    'the other trip before both routes': changing({
      rules: ['b,b,2,60,r1,r2,,', 'b,b,3,,,,,u1', 'b,b,3,,,,,u2'],
      caught: 3,
    }),
    'one trip and one route before one trip': changing({ rules: ['b,b,2,60,,,t1,', 'b,b,2,600,,r2,t1,'], caught: 10 }),
    'the other way round': changing({ rules: ['b,b,2,60,,,t1,', 'b,b,3,,r1,,,u1', 'b,b,3,,r1,,,u2'], caught: 3 }),
    'both trips before one and a route': changing({ rules: ['b,b,2,600,,r2,t1,', 'b,b,2,60,,,t1,u1'], caught: 1 }),
    'both trips; other trips use the general rule': changing({ rules: ['b,b,3,,,,t1,u2'], caught: 3 }),
    'ignores rules of other routes': changing({ rules: ['b,b,3,,r2,r1,,', 'b,b,3,,r3,,,'], caught: 2 }),
    'ignores rules of other trips': changing({ rules: ['b,b,3,,,,u1,', 'b,b,3,,,,,t1'], caught: 2 }),
    'ignores rules of other stops': changing({ rules: ['c,c,3,,,,,', 'b,c,3,,,,,'], caught: 2 }),
    'ignores rules with unknown ids': changing({ rules: ['b,b,3,,r9,,,', 'b,b,3,,,,t9,', 'x,b,3,,,,,'], caught: 2 }),
  });
});

describe('stations', () => {
  const apart = { at: 's1', from: 's2' };
  testPlans({
    'a rule of the station applies between its platforms': changing({ ...apart, rules: ['s,s,2,300,,,,'], caught: 5 }),
    'and at one platform': changing({ at: 's1', rules: ['s,s,2,300,,,,'], caught: 5 }),
    'from a platform to the station': changing({ ...apart, rules: ['s1,s,2,300,,,,'], caught: 5 }),
    'not from another platform': changing({ ...apart, rules: ['s2,s,2,300,,,,'], caught: 3 }),
    'platforms before their station': changing({ ...apart, rules: ['s,s,2,300,,,,', 's1,s2,2,60,,,,'], caught: 1 }),
    'one platform before no platform': changing({ ...apart, rules: ['s,s,2,300,,,,', 's,s2,2,60,,,,'], caught: 1 }),
    'both before one': changing({ ...apart, rules: ['s,s2,2,60,,,,', 's1,s2,2,300,,,,'], caught: 5 }),
    'with one of each, the first by its stops': changing({
      ...apart,
      rules: ['s1,s,2,60,,,,', 's,s2,2,300,,,,'],
      caught: 5,
    }),
    'among equals, the lower type': changing({ ...apart, rules: ['s1,s2,3,,,,,', 's1,s2,2,300,,,,'], caught: 5 }),
    'among equals, the shorter time': changing({ ...apart, rules: ['s1,s2,2,600,,,,', 's1,s2,2,300,,,,'], caught: 5 }),
    'among equals, a rule with a time before one without': changing({
      ...apart,
      rules: ['s1,s2,2,,,,,', 's1,s2,2,300,,,,'],
      caught: 5,
    }),
    'routes before platforms': changing({ ...apart, rules: ['s1,s2,2,60,,,,', 's,s,2,600,r1,r2,,'], caught: 10 }),
    'with one trip each, the arriving one': changing({
      at: 's1',
      rules: ['s1,s1,2,60,,,,u1', 's1,s1,2,600,,,t1,'],
      caught: 10,
    }),
    'a rule between stations': changing({ at: 'c', from: 's3', rules: ['c,s,2,180,,,,'], caught: 3 }),
  });
});

describe('parameters of the query', () => {
  const minTransferSeconds = 600;
  testPlans({
    'more time at a stop': changing({ query: { minTransferSeconds }, caught: 10 }),
    'more time than published': changing({ query: { minTransferSeconds }, rules: ['b,b,2,60,,,,'], caught: 10 }),
    'less time than published': changing({ query: { minTransferSeconds: 60 }, rules: ['b,b,2,300,,,,'], caught: 5 }),
    'a timed transfer ignores the minimum transfer time': changing({
      query: { minTransferSeconds },
      rules: ['b,b,1,,,,,'],
      caught: 0,
    }),
    'one transfer': changing({ query: { maxTransfers: 1 }, caught: 2 }),
    'no transfer': changing({ query: { maxTransfers: 0 }, caught: null }),
  });
});

describe('number of transfers is a criterion', () => {
  const trips = [
    't1 route=r1: a 8:00, b 8:10',
    't2 route=r2: b 8:15, c 8:25',
    't3 route=r3: c 8:30, d 8:40',
    'v1 route=r3: b 8:20, d 8:50',
    'w1 route=r4: a 7:30, d 9:30',
  ];
  const [none, two, one] = ['07:30 w1 09:30', '08:00 t1 > t2 > t3 08:40', '08:00 t1 > v1 08:50'] as const;
  testPlans({
    'shows all undominated itineraries': { trips, expected: [none, two, one] },
    'limits itineraries to one transfer': { trips, query: { maxTransfers: 1 }, expected: [none, one] },
    'limits itineraries to no transfer': { trips, query: { maxTransfers: 0 }, expected: [none] },
    'applies the limit to departures after the requested time': {
      trips,
      query: { leave: '08:00', limit: 2 },
      expected: [two, one],
    },
    'compares by arrival too': { trips, query: { arrive: '10:00', limit: 3 }, expected: [two, one, none] },
    'applies the limit to arrivals before the requested time': {
      trips,
      query: { arrive: '08:50', limit: 2 },
      expected: [two, one],
    },
  });
});
