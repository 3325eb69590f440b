import { describe } from 'vitest';
import { testPlans } from '../../../support/naive-plan-cases.ts';

const RULES = 'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id';

describe('trips that run late, or early', () => {
  const first = 't1: a 08:00, b 08:10';
  const direct = 't1: a 08:00, b 08:10/08:12, d 08:30';
  testPlans({
    'as they run': {
      trips: [direct],
      asked: { told: { trips: { t1: { a: 60, b: 120, d: 300 } } } },
      expected: ['08:01 t1 08:35'],
    },
    'the next one is not caught': {
      trips: [first, 't2: b 08:15, d 08:25', 't3: b 08:25, d 08:35'],
      asked: { told: { trips: { t1: { a: 0, b: 181 } } } },
      expected: ['08:00 t1 > t3 08:35'],
    },
    'the next one is just caught': {
      trips: [first, 't2: b 08:15, d 08:25', 't3: b 08:25, d 08:35'],
      asked: { told: { trips: { t1: { a: 0, b: 180 } } } },
      expected: ['08:00 t1 > t2 08:25'],
    },
    'the next one is late, and caught': {
      trips: [first, 't2: b 08:11, d 08:25', 't3: b 08:25, d 08:35'],
      asked: { told: { trips: { t2: { b: 60, d: 0 } } } },
      expected: ['08:00 t1 > t2 08:25'],
    },
    'the next one is early, and gone': {
      trips: [first, 't2: b 08:15, d 08:25', 't3: b 08:25, d 08:35'],
      asked: { told: { trips: { t2: { b: -200, d: 0 } } } },
      expected: ['08:00 t1 > t3 08:35'],
    },
    'overtaken by one that is planned later': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40'],
      asked: { told: { trips: { t1: { a: 0, d: 900 } } } },
      expected: ['08:10 t2 08:40'],
    },
    'overtaken before it leaves': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40', 't3: a 08:20, d 08:50'],
      asked: { told: { trips: { t1: { a: 900, d: 900 } } } },
      expected: ['08:10 t2 08:40', '08:15 t1 08:45', '08:20 t3 08:50'],
    },
    'three that are in each other’s way': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:10, b 08:20, d 08:40', 't3: a 08:20, b 08:30, d 08:50'],
      asked: {
        told: { trips: { t1: { a: 0, b: 2400, d: 0 }, t2: { a: 0, b: 0, d: 1800 }, t3: { a: -600, b: 0, d: 0 } } },
      },
      // t1 at b 8:50, and so at d 8:50; t2 at d 9:10; t3 from 8:10 on.
      expected: ['08:10 t3 08:50'],
    },
    'due before one asks, and still to come': {
      trips: ['t1: a 08:00, d 08:30'],
      asked: { leave: '08:30', limit: 1, told: { trips: { t1: { a: 2700, d: 2700 } } } },
      expected: ['08:45 t1 09:15'],
    },
    'due after one asks, and gone': {
      trips: ['t1: a 08:02, d 08:30', 't2: a 08:20, d 08:50'],
      asked: { leave: '08:00', limit: 1, told: { trips: { t1: { a: -180, d: 0 } } } },
      expected: ['08:20 t2 08:50'],
    },
    'ten hours late': {
      trips: ['t1: a 08:00, d 08:30'],
      asked: { told: { trips: { t1: { a: 36_000, d: 36_000 } } } },
      expected: ['18:00 t1 18:30'],
    },
    'over midnight': {
      trips: ['t1: a 23:30, d 24:10', 't2: d 00:15, e 00:30', 't3: d 01:00, e 01:10'],
      asked: { to: 'e', told: { trips: { t1: { a: 0, d: 600 } } } },
      expected: ['23:30 t1 > t3 03-19T01:10'],
    },
    'by arrival: no longer in time': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40'],
      asked: { arrive: '08:45', now: '06:00', limit: 1, told: { trips: { t2: { a: 0, d: 600 } } } },
      expected: ['08:00 t1 08:30'],
    },
    'by arrival: earlier than planned, and in time': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40'],
      asked: { arrive: '08:35', now: '06:00', limit: 1, told: { trips: { t2: { a: 0, d: -300 } } } },
      expected: ['08:10 t2 08:35'],
    },
    'the next day as planned': {
      trips: ['t1: a 08:00, d 08:30'],
      asked: { leave: '2026-03-19T06:00:00+01:00', now: '06:00', told: { trips: { t1: { a: 600, d: 600 } } } },
      expected: ['03-19T08:00 t1 03-19T08:30'],
    },
  });
});

describe('what is told of a part', () => {
  const trips = ['t1: a 08:00, b 08:10/08:12, d 08:30'];
  testPlans({
    'of an arrival: the departure is as late': {
      trips,
      asked: { from: 'b', told: { trips: { t1: { b: [60, null] } } } },
      expected: ['08:13 t1 08:31'],
    },
    'of an arrival: nobody leaves before': {
      trips,
      asked: { from: 'b', told: { trips: { t1: { b: [300, null] } } } },
      expected: ['08:17 t1 08:35'],
    },
    'of a departure': {
      trips,
      asked: { from: 'b', told: { trips: { t1: { b: [null, 120] } } } },
      expected: ['08:14 t1 08:32'],
    },
    'of the first call: carried on': {
      trips,
      asked: { told: { trips: { t1: { a: 900 } } } },
      expected: ['08:15 t1 08:45'],
    },
    'of the first call: carried on, on the way': {
      trips,
      asked: { to: 'b', told: { trips: { t1: { a: 900 } } } },
      expected: ['08:15 t1 08:25'],
    },
    'of one that is early at the end alone': {
      trips,
      asked: { told: { trips: { t1: { b: 600, d: -600 } } } },
      expected: ['08:00 t1 08:20'],
    },
    'as old as it may be': {
      trips,
      asked: { told: { age: 300, trips: { t1: { a: 60, b: 60, d: 60 } } } },
      expected: ['08:01 t1 08:31'],
    },
    'too old to be shown': {
      trips,
      asked: { told: { age: 301, trips: { t1: { a: 60, b: 60, d: 60 } } } },
      expected: ['08:00 t1 08:30'],
    },
    'that nothing runs is never too old': {
      trips,
      asked: { told: { age: 3000, trips: { t1: 'cancelled' } } },
      expected: [],
    },
  });
});

describe('trips and calls that are cancelled', () => {
  const direct = ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:20, b 08:30, d 08:50'];
  testPlans({
    'a trip': { trips: direct, asked: { told: { trips: { t1: 'cancelled' } } }, expected: ['08:20 t2 08:50'] },
    'a trip that is not spoken of': {
      trips: direct,
      asked: { told: { trips: { t1: 'deleted' } } },
      expected: ['08:20 t2 08:50'],
    },
    'all calls': {
      trips: direct,
      asked: { told: { trips: { t1: { a: 'skipped', b: 'skipped', d: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'where one boards': {
      trips: direct,
      asked: { told: { trips: { t1: { a: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'where one alights': {
      trips: direct,
      asked: { told: { trips: { t1: { d: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'on the way': {
      trips: direct,
      asked: { told: { trips: { t1: { b: 'skipped' } } } },
      expected: ['08:00 t1 08:30', '08:20 t2 08:50'],
    },
    'where one changes': {
      trips: ['t1: a 08:00, b 08:10, c 08:20', 'u1: b 08:15, d 08:30', 'v1: c 08:25, d 08:50'],
      asked: { told: { trips: { t1: { b: 'skipped' } } } },
      expected: ['08:00 t1 > v1 08:50'],
    },
    'where one changes to': {
      trips: ['t1: a 08:00, b 08:10', 'u1: e 08:00, b 08:15, d 08:30', 'v1: b 08:25, d 08:50'],
      asked: { told: { trips: { u1: { b: 'skipped' } } } },
      expected: ['08:00 t1 > v1 08:50'],
    },
    'the others of the line run on': {
      trips: [...direct, 't3: a 08:25, b 08:35, d 08:55'],
      asked: { told: { trips: { t1: { a: 'skipped' }, t2: { b: 300, d: 400 } } } },
      expected: ['08:25 t3 08:55'],
    },
    'with a change on the way that is cancelled both ends': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:01, c 08:10', 'u1: c 08:12, d 08:20'],
      asked: { told: { trips: { t2: 'cancelled', u1: 'cancelled' } } },
      expected: ['08:00 t1 08:30'],
    },
  });
});

describe('trips that the timetable does not hold', () => {
  const trips = ['t1: a 08:00, b 08:10, d 08:30', 'u1: b 08:22, d 08:40'];
  const extra = (calls: string[], over = {}) => ({ extras: [{ name: 'x1', calls, ...over }] });
  testPlans({
    'as planned': { trips, asked: { told: extra(['a 08:05', 'd 08:20']) }, expected: ['08:05 x1 08:20'] },
    'as they run': { trips, asked: { told: extra(['a 08:05 +120', 'd 08:20 +180']) }, expected: ['08:07 x1 08:23'] },
    'as planned, when what is told is old': {
      trips,
      asked: { told: { age: 400, ...extra(['a 08:05 +120', 'd 08:20 +180']) } },
      expected: ['08:05 x1 08:20'],
    },
    'and a change after': {
      trips: ['t1: a 08:00, d 09:00', 'u1: b 08:22, d 08:40'],
      asked: { told: extra(['a 08:05', 'b 08:20']) },
      expected: ['08:00 t1 09:00', '08:05 x1 > u1 08:40'],
    },
    'with no time for a change': {
      trips: ['t1: a 08:00, d 09:00', 'u1: b 08:21, d 08:40'],
      asked: { limit: 1, told: extra(['a 07:05', 'b 08:20']) },
      expected: ['08:00 t1 09:00'],
    },
    'and a change before': {
      trips: ['t1: a 08:00, b 08:10', 'v1: c 12:00, d 12:10'],
      asked: { told: extra(['b 08:12', 'd 08:20']) },
      expected: ['08:00 t1 > x1 08:20'],
    },
    'from one to another': {
      trips: ['t1: a 08:00, b 08:10', 'v1: c 12:00, d 12:10'],
      asked: {
        told: {
          extras: [
            { name: 'x1', calls: ['a 09:00', 'c 09:10'] },
            { name: 'x2', calls: ['c 09:12', 'd 09:20'] },
          ],
        },
      },
      expected: ['09:00 x1 > x2 09:20'],
    },
    'past a stop that nobody knows': {
      trips,
      asked: { told: extra(['a 08:05', '- 08:10', 'd 08:20']) },
      expected: ['08:05 x1 08:20'],
    },
    'nobody boards at the last call, nor alights at the first': {
      trips,
      asked: { told: extra(['d 07:40', 'b 07:45', 'a 07:50']), limit: 1 },
      expected: ['08:00 t1 08:30'],
    },
    'a call that is cancelled': {
      trips,
      asked: { told: extra(['a 08:05 skipped', 'b 08:12', 'd 08:20']), from: 'b', limit: 1 },
      expected: ['08:12 x1 08:20'],
    },
    'where the call is cancelled nobody boards': {
      trips,
      asked: { told: extra(['a 08:05 skipped', 'b 08:12', 'd 08:20']) },
      expected: ['08:00 t1 > x1 08:20', '08:00 t1 08:30'],
    },
    'a delay is carried on': {
      trips,
      asked: { told: extra(['a 08:05 +1200', 'd 08:20']) },
      expected: ['08:00 t1 08:30', '08:25 x1 08:40'],
    },
    'of another product than asked for': {
      trips,
      asked: { products: ['cityBus'], told: extra(['a 08:05', 'd 08:20']) },
      expected: ['08:00 t1 08:30'],
    },
    'of the product that is asked for': {
      trips,
      asked: { products: ['ship'], told: extra(['a 08:05', 'd 08:20']) },
      expected: ['08:05 x1 08:20'],
    },
    'by arrival': {
      trips,
      asked: { arrive: '08:35', now: '06:00', limit: 1, told: extra(['a 08:05', 'd 08:32']) },
      expected: ['08:05 x1 08:32'],
    },
    'over midnight': {
      trips,
      asked: { leave: '12:00', told: extra(['a 23:50', 'd 24:20']), limit: 1 },
      expected: ['23:50 x1 03-19T00:20'],
    },
    'in the place of one that is planned': {
      trips,
      asked: { told: extra(['a 08:05', 'b 08:12', 'd 08:45'], { replaces: 't1' }) },
      expected: ['08:05 x1 > u1 08:40', '08:05 x1 08:45'],
    },
    'in the place of one, though not by the rules of its line': {
      trips: ['t1 route=r1: a 08:00, b 08:10', 'u1 route=r2: b 08:15, d 08:40', 'u2 route=r2: b 08:22, d 08:50'],
      files: { 'transfers.txt': `${RULES}\nb,b,2,600,r1,r2\n` },
      asked: { told: extra(['a 08:00', 'b 08:12'], { replaces: 't1' }) },
      expected: ['08:00 x1 > u1 08:40'],
    },
  });
});

describe('staying seated', () => {
  const trips = ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:11, c 08:20, d 08:30'];
  testPlans({
    'when both are late': {
      trips,
      asked: { told: { trips: { t1: { a: 0, b: 600 }, t2: { b: 600, c: 600, d: 600 } } } },
      expected: ['08:00 t1 = t2 08:40'],
    },
    'when the first is on its way as long as the second waits': {
      trips,
      asked: { told: { trips: { t1: { a: 0, b: 60 } } } },
      expected: ['08:00 t1 = t2 08:30'],
    },
    'not when the second has left': {
      trips,
      asked: { told: { trips: { t1: { a: 0, b: 61 } } } },
      expected: [],
    },
    'not when the second is cancelled': {
      trips,
      asked: { told: { trips: { t2: 'cancelled' } } },
      expected: [],
    },
    'not when the first is cancelled': { trips, asked: { told: { trips: { t1: 'cancelled' } } }, expected: [] },
    'through calls that are cancelled': {
      trips,
      asked: { told: { trips: { t1: { b: 'skipped' }, t2: { b: 'skipped', c: 'skipped' } } } },
      expected: ['08:00 t1 = t2 08:30'],
    },
  });
});

describe('via', () => {
  const trips = ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:20, b 08:30, c 08:40, d 08:50'];
  testPlans({
    'not where the call is cancelled': {
      trips,
      asked: { via: ['b'], told: { trips: { t1: { b: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'where another call is cancelled': {
      trips,
      asked: { via: ['b'], leave: '08:05', limit: 1, told: { trips: { t2: { c: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'on board where nobody may alight, and another call is cancelled': {
      trips: ['t1: a 08:00, b 08:10 pickup=1 dropOff=1, c 08:20, d 08:30'],
      asked: { via: ['b'], told: { trips: { t1: { c: 'skipped' } } } },
      expected: ['08:00 t1 08:30'],
    },
    'by one that the timetable does not hold': {
      trips,
      asked: { via: ['c'], told: { extras: [{ name: 'x1', calls: ['a 07:00', 'c 07:10', 'd 07:20'] }] }, limit: 1 },
      expected: ['07:00 x1 07:20'],
    },
  });
});
