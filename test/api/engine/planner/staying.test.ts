import { describe } from 'vitest';
import { type PlanCase, type PlanCaseQuery, testPlans } from '../../../support/oracles/naive-plan-cases.ts';

const HEADER = 'from_stop_id,to_stop_id,transfer_type,from_trip_id,to_trip_id,from_route_id,to_route_id';

/** Without staying on board, the arrival is often a day later: impractical, but valid. */
interface Staying {
  readonly trips: readonly string[];
  readonly rules?: readonly string[];
  readonly frequencies?: string;
  readonly query?: PlanCaseQuery;
  readonly expected: readonly string[];
}

function staying({ trips, rules = [], frequencies, query = {}, expected }: Staying): PlanCase {
  const files = {
    'transfers.txt': [HEADER, ...rules, ''].join('\n'),
    ...(frequencies === undefined ? {} : { 'frequencies.txt': frequencies }),
  };
  return { trips, files, query, expected };
}

describe('trips of one block', () => {
  const first = 't1 block=x: a 08:00, b 08:10';
  testPlans({
    'stays on board without counting a transfer': staying({
      trips: [first, 't2 block=x route=r2: b 08:10, d 08:20'],
      expected: ['08:00 t1 = t2 08:20'],
    }),
    'stays on board even if transfers are not allowed': staying({
      trips: [first, 't2 block=x route=r2: b 08:10, c 08:20', 't3 block=x: c 08:21, d 08:30'],
      query: { maxTransfers: 0 },
      expected: ['08:00 t1 = t2 = t3 08:30'],
    }),
    'stays on board to another platform of the station': staying({
      trips: ['t1 block=x: a 08:00, s1 08:10', 't2 block=x: s3 08:10, d 08:20'],
      expected: ['08:00 t1 = t2 08:20'],
    }),
    'does not stay on board to another stop': staying({ trips: [first, 't2 block=x: c 08:30, d 08:40'], expected: [] }),
    'does not stay on board for a trip that departs before the arrival': staying({
      trips: [first, 't2 block=x: b 08:09, d 08:20', 't3 block=x: b 08:11, d 08:30'],
      expected: ['08:00 t1 > t2 03-19T08:20'],
    }),
    'does not stay on board past a trip of the block in between': staying({
      trips: [first, 'tx block=x: e 08:10, f 08:11', 't2 block=x: b 08:11, d 08:20'],
      expected: ['08:00 t1 > t2 03-19T08:20'],
    }),
    'stays on board past a trip that does not run today': staying({
      trips: [first, 'tx block=x service=odd: e 08:10, f 08:11', 't2 block=x: b 08:11, d 08:20'],
      expected: ['08:00 t1 = t2 08:20'],
    }),
    'does not stay on board past a trip that runs tomorrow, on that day': staying({
      trips: [first, 'tx block=x service=odd: e 08:10, f 08:11', 't2 block=x: b 08:11, d 08:20'],
      query: { leave: '2026-03-19T06:00:00+01:00' },
      // A passenger who waits a day can also leave a day later and stay on board.
      expected: [],
    }),
    'does not stay on board if the next trip runs on other days': staying({
      trips: [first, 't2 block=x service=odd: b 08:11, d 08:20'],
      expected: [],
    }),
    'does not stay on board a trip of another block': staying({
      trips: [first, 't2 block=y: b 08:11, d 08:20'],
      expected: ['08:00 t1 > t2 03-19T08:20'],
    }),
    'stays on board between two transfers': staying({
      trips: ['v1: e 07:30, a 07:50', first, 't2 block=x: b 08:10, c 08:20', 'w1: c 08:22, d 08:30'],
      query: { from: 'e' },
      expected: ['07:30 v1 > t1 = t2 > w1 08:30'],
    }),
    'stays on board where boarding and alighting are not allowed': staying({
      trips: ['t1 block=x: a 08:00, b 08:10 dropOff=1', 't2 block=x: b 08:10 pickup=1, d 08:20'],
      expected: ['08:00 t1 = t2 08:20'],
    }),
    'applies only to passengers on board: others transfer': staying({
      trips: [first, 't2 block=x: b 08:10, d 08:20', 'v1: e 08:00, b 08:09'],
      query: { from: 'e' },
      expected: ['08:00 v1 > t2 03-19T08:20'],
    }),
    'does not apply to runs of a frequency': staying({
      trips: ['t1 block=x: a 00:00, b 00:10', 't2 block=x: b 08:10, d 08:20'],
      frequencies: 'trip_id,start_time,end_time,headway_secs,exact_times\nt1,08:00:00,08:01:00,600,1\n',
      expected: ['08:00 t1@08:00 > t2 03-19T08:20'],
    }),
    'stays on board past midnight within one service day': staying({
      trips: ['t1 block=x: a 23:50, b 24:10', 't2 block=x: b 24:15, d 24:30'],
      expected: ['23:50 t1 = t2 03-19T00:30'],
    }),
    'alights at an intermediate stop of the next trip': staying({
      trips: [first, 't2 block=x: b 08:10, d 08:20, c 08:30'],
      expected: ['08:00 t1 = t2 08:20'],
    }),
  });
});

describe('transfer_type 4 and 5', () => {
  const first = 't1: a 08:00, b 08:10';
  testPlans({
    '4 stays on board, wherever the next trip starts': staying({
      trips: [first, 't2: c 08:11, d 08:20'],
      rules: ['b,c,4,t1,t2,,'],
      expected: ['08:00 t1 = t2 08:20'],
    }),
    '4 needs no stops': staying({
      trips: [first, 't2: b 08:10, d 08:20'],
      rules: [',,4,t1,t2,,'],
      expected: ['08:00 t1 = t2 08:20'],
    }),
    '4 to several trips: the train is divided': staying({
      trips: [first, 't2: b 08:10, c 08:20', 't3: b 08:12, d 08:20'],
      rules: ['b,b,4,t1,t2,,', 'b,b,4,t1,t3,,'],
      query: { maxTransfers: 0 },
      expected: ['08:00 t1 = t3 08:20'],
    }),
    '4 from several trips: trains are joined': staying({
      trips: [first, 'v1: e 08:05, b 08:10', 't2: b 08:10, d 08:20'],
      rules: ['b,b,4,t1,t2,,', 'b,b,4,v1,t2,,'],
      query: { from: 'e' },
      expected: ['08:05 v1 = t2 08:20'],
    }),
    '4 into the next day, if the next trip has already started on this one': staying({
      trips: ['t1: a 23:50, b 24:10', 't2 route=r2: b 00:15, d 00:30'],
      rules: ['b,b,4,t1,t2,,'],
      expected: ['23:50 t1 = t2 03-19T00:30'],
    }),
    '4 does not apply into a day on which the next trip does not run': staying({
      trips: ['t1 service=odd: a 23:50, b 24:10', 't2 service=odd: b 00:11, d 00:30'],
      rules: ['b,b,4,t1,t2,,'],
      query: { leave: '2026-03-17T20:00:00+01:00' },
      expected: ['03-17T23:50 t1 > t2 03-19T00:30'],
    }),
    '4 does not apply if the next trip has departed': staying({
      trips: ['t1 service=odd: a 08:00, b 08:10', 't2: b 08:05, d 08:20'],
      rules: ['b,b,4,t1,t2,,'],
      query: { leave: '2026-03-17T06:00:00+01:00', limit: 1 },
      // The trip of the next day is used instead.
      expected: ['03-17T08:00 t1 = t2 08:20'],
    }),
    '5: all passengers alight, and may transfer': staying({
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:12, d 08:20'],
      rules: ['b,b,5,t1,t2,,'],
      expected: ['08:00 t1 > t2 08:20'],
    }),
    '5: passengers without time to transfer miss the next trip': staying({
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:11, d 08:20'],
      rules: ['b,b,5,t1,t2,,'],
      expected: ['08:00 t1 > t2 03-19T08:20'],
    }),
    '4 to another trip than the block': staying({
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:11, d 08:20', 't3: b 08:11, d 08:30'],
      rules: ['b,b,4,t1,t3,,'],
      expected: ['08:00 t1 = t3 08:30'],
    }),
    '4 from another trip than the block': staying({
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:11, d 08:20', 'v1: e 08:00, b 08:10'],
      rules: ['b,b,4,v1,t2,,'],
      expected: ['08:00 t1 > t2 03-19T08:20'],
    }),
    '4 ignores transfer durations': staying({
      trips: [first, 't2: b 08:10, d 08:20'],
      rules: ['b,b,4,t1,t2,,', 'b,b,3,,,,'],
      query: { minTransferSeconds: 600 },
      expected: ['08:00 t1 = t2 08:20'],
    }),
  });
});
