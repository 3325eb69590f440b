import { describe } from 'vitest';
import { testPlans } from '../../../support/oracles/naive-plan-cases.ts';

const RULES = 'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id';

describe('late and early trips', () => {
  const first = 't1: a 08:00, b 08:10';
  const direct = 't1: a 08:00, b 08:10/08:12, d 08:30';
  testPlans({
    'uses realtime times': {
      trips: [direct],
      query: { reported: { trips: { t1: { a: 60, b: 120, d: 300 } } } },
      expected: ['08:01 t1 08:35'],
    },
    'misses the next trip if the delay exceeds the transfer': {
      trips: [first, 't2: b 08:15, d 08:25', 't3: b 08:25, d 08:35'],
      query: { reported: { trips: { t1: { a: 0, b: 181 } } } },
      expected: ['08:00 t1 > t3 08:35'],
    },
    'makes the transfer with no time to spare': {
      trips: [first, 't2: b 08:15, d 08:25', 't3: b 08:25, d 08:35'],
      query: { reported: { trips: { t1: { a: 0, b: 180 } } } },
      expected: ['08:00 t1 > t2 08:25'],
    },
    'boards a late trip': {
      trips: [first, 't2: b 08:11, d 08:25', 't3: b 08:25, d 08:35'],
      query: { reported: { trips: { t2: { b: 60, d: 0 } } } },
      expected: ['08:00 t1 > t2 08:25'],
    },
    'misses an early trip': {
      trips: [first, 't2: b 08:15, d 08:25', 't3: b 08:25, d 08:35'],
      query: { reported: { trips: { t2: { b: -200, d: 0 } } } },
      expected: ['08:00 t1 > t3 08:35'],
    },
    'shows the trip that overtakes': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40'],
      query: { reported: { trips: { t1: { a: 0, d: 900 } } } },
      expected: ['08:10 t2 08:40'],
    },
    'handles overtaking before departure': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40', 't3: a 08:20, d 08:50'],
      query: { reported: { trips: { t1: { a: 900, d: 900 } } } },
      expected: ['08:10 t2 08:40', '08:15 t1 08:45', '08:20 t3 08:50'],
    },
    'handles three trips that overtake one another': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:10, b 08:20, d 08:40', 't3: a 08:20, b 08:30, d 08:50'],
      query: {
        reported: { trips: { t1: { a: 0, b: 2400, d: 0 }, t2: { a: 0, b: 0, d: 1800 }, t3: { a: -600, b: 0, d: 0 } } },
      },
      // t1 at b 8:50, and so at d 8:50; t2 at d 9:10; t3 from 8:10 on.
      expected: ['08:10 t3 08:50'],
    },
    'includes a late trip scheduled before the requested time': {
      trips: ['t1: a 08:00, d 08:30'],
      query: { leave: '08:30', limit: 1, reported: { trips: { t1: { a: 2700, d: 2700 } } } },
      expected: ['08:45 t1 09:15'],
    },
    'excludes an early trip that has departed': {
      trips: ['t1: a 08:02, d 08:30', 't2: a 08:20, d 08:50'],
      query: { leave: '08:00', limit: 1, reported: { trips: { t1: { a: -180, d: 0 } } } },
      expected: ['08:20 t2 08:50'],
    },
    'handles a delay of ten hours': {
      trips: ['t1: a 08:00, d 08:30'],
      query: { reported: { trips: { t1: { a: 36_000, d: 36_000 } } } },
      expected: ['18:00 t1 18:30'],
    },
    'handles a delay across midnight': {
      trips: ['t1: a 23:30, d 24:10', 't2: d 00:15, e 00:30', 't3: d 01:00, e 01:10'],
      query: { to: 'e', reported: { trips: { t1: { a: 0, d: 600 } } } },
      expected: ['23:30 t1 > t3 03-19T01:10'],
    },
    'by arrival, drops a trip that arrives too late': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40'],
      query: { arrive: '08:45', now: '06:00', limit: 1, reported: { trips: { t2: { a: 0, d: 600 } } } },
      expected: ['08:00 t1 08:30'],
    },
    'by arrival, includes a trip that arrives early enough': {
      trips: ['t1: a 08:00, d 08:30', 't2: a 08:10, d 08:40'],
      query: { arrive: '08:35', now: '06:00', limit: 1, reported: { trips: { t2: { a: 0, d: -300 } } } },
      expected: ['08:10 t2 08:35'],
    },
    'uses the schedule on the next day': {
      trips: ['t1: a 08:00, d 08:30'],
      query: { leave: '2026-03-19T06:00:00+01:00', now: '06:00', reported: { trips: { t1: { a: 600, d: 600 } } } },
      expected: ['03-19T08:00 t1 03-19T08:30'],
    },
  });
});

describe('partial realtime data', () => {
  const trips = ['t1: a 08:00, b 08:10/08:12, d 08:30'];
  testPlans({
    'derives the departure from the arrival delay': {
      trips,
      query: { from: 'b', reported: { trips: { t1: { b: [60, null] } } } },
      expected: ['08:13 t1 08:31'],
    },
    'does not depart before the reported arrival': {
      trips,
      query: { from: 'b', reported: { trips: { t1: { b: [300, null] } } } },
      expected: ['08:17 t1 08:35'],
    },
    'applies a departure delay': {
      trips,
      query: { from: 'b', reported: { trips: { t1: { b: [null, 120] } } } },
      expected: ['08:14 t1 08:32'],
    },
    'propagates the delay of the first call': {
      trips,
      query: { reported: { trips: { t1: { a: 900 } } } },
      expected: ['08:15 t1 08:45'],
    },
    'propagates the delay to intermediate calls': {
      trips,
      query: { to: 'b', reported: { trips: { t1: { a: 900 } } } },
      expected: ['08:15 t1 08:25'],
    },
    'handles an early arrival at the last call only': {
      trips,
      query: { reported: { trips: { t1: { b: 600, d: -600 } } } },
      expected: ['08:00 t1 08:20'],
    },
    'uses realtime at its maximum age': {
      trips,
      query: { reported: { age: 300, trips: { t1: { a: 60, b: 60, d: 60 } } } },
      expected: ['08:01 t1 08:31'],
    },
    'ignores expired realtime': {
      trips,
      query: { reported: { age: 301, trips: { t1: { a: 60, b: 60, d: 60 } } } },
      expected: ['08:00 t1 08:30'],
    },
    'keeps a cancellation after realtime expires': {
      trips,
      query: { reported: { age: 3000, trips: { t1: 'cancelled' } } },
      expected: [],
    },
  });
});

describe('cancelled trips and calls', () => {
  const direct = ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:20, b 08:30, d 08:50'];
  testPlans({
    'does not use a cancelled trip': {
      trips: direct,
      query: { reported: { trips: { t1: 'cancelled' } } },
      expected: ['08:20 t2 08:50'],
    },
    'does not use a trip reported as deleted': {
      trips: direct,
      query: { reported: { trips: { t1: 'deleted' } } },
      expected: ['08:20 t2 08:50'],
    },
    'does not use a trip whose calls are all cancelled': {
      trips: direct,
      query: { reported: { trips: { t1: { a: 'skipped', b: 'skipped', d: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'does not board at a cancelled call': {
      trips: direct,
      query: { reported: { trips: { t1: { a: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'does not alight at a cancelled call': {
      trips: direct,
      query: { reported: { trips: { t1: { d: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'passes a cancelled call on board': {
      trips: direct,
      query: { reported: { trips: { t1: { b: 'skipped' } } } },
      expected: ['08:00 t1 08:30', '08:20 t2 08:50'],
    },
    'does not alight for a transfer at a cancelled call': {
      trips: ['t1: a 08:00, b 08:10, c 08:20', 'u1: b 08:15, d 08:30', 'v1: c 08:25, d 08:50'],
      query: { reported: { trips: { t1: { b: 'skipped' } } } },
      expected: ['08:00 t1 > v1 08:50'],
    },
    'does not board after a transfer at a cancelled call': {
      trips: ['t1: a 08:00, b 08:10', 'u1: e 08:00, b 08:15, d 08:30', 'v1: b 08:25, d 08:50'],
      query: { reported: { trips: { u1: { b: 'skipped' } } } },
      expected: ['08:00 t1 > v1 08:50'],
    },
    'still uses other trips of the line': {
      trips: [...direct, 't3: a 08:25, b 08:35, d 08:55'],
      query: { reported: { trips: { t1: { a: 'skipped' }, t2: { b: 300, d: 400 } } } },
      expected: ['08:25 t3 08:55'],
    },
    'with a transfer whose both calls are cancelled': {
      trips: ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:01, c 08:10', 'u1: c 08:12, d 08:20'],
      query: { reported: { trips: { t2: 'cancelled', u1: 'cancelled' } } },
      expected: ['08:00 t1 08:30'],
    },
  });
});

describe('added trips', () => {
  const trips = ['t1: a 08:00, b 08:10, d 08:30', 'u1: b 08:22, d 08:40'];
  const extra = (calls: string[], over = {}) => ({ extras: [{ name: 'x1', calls, ...over }] });
  testPlans({
    'uses their schedule': { trips, query: { reported: extra(['a 08:05', 'd 08:20']) }, expected: ['08:05 x1 08:20'] },
    'use their realtime': {
      trips,
      query: { reported: extra(['a 08:05 +120', 'd 08:20 +180']) },
      expected: ['08:07 x1 08:23'],
    },
    'uses their schedule once realtime has expired': {
      trips,
      query: { reported: { age: 400, ...extra(['a 08:05 +120', 'd 08:20 +180']) } },
      expected: ['08:05 x1 08:20'],
    },
    'transfers from an added trip': {
      trips: ['t1: a 08:00, d 09:00', 'u1: b 08:22, d 08:40'],
      query: { reported: extra(['a 08:05', 'b 08:20']) },
      expected: ['08:00 t1 09:00', '08:05 x1 > u1 08:40'],
    },
    'does not transfer without enough time': {
      trips: ['t1: a 08:00, d 09:00', 'u1: b 08:21, d 08:40'],
      query: { limit: 1, reported: extra(['a 07:05', 'b 08:20']) },
      expected: ['08:00 t1 09:00'],
    },
    'transfers to an added trip': {
      trips: ['t1: a 08:00, b 08:10', 'v1: c 12:00, d 12:10'],
      query: { reported: extra(['b 08:12', 'd 08:20']) },
      expected: ['08:00 t1 > x1 08:20'],
    },
    'transfers between two added trips': {
      trips: ['t1: a 08:00, b 08:10', 'v1: c 12:00, d 12:10'],
      query: {
        reported: {
          extras: [
            { name: 'x1', calls: ['a 09:00', 'c 09:10'] },
            { name: 'x2', calls: ['c 09:12', 'd 09:20'] },
          ],
        },
      },
      expected: ['09:00 x1 > x2 09:20'],
    },
    'passes an unknown stop': {
      trips,
      query: { reported: extra(['a 08:05', '- 08:10', 'd 08:20']) },
      expected: ['08:05 x1 08:20'],
    },
    'never boards at the last call or alights at the first': {
      trips,
      query: { reported: extra(['d 07:40', 'b 07:45', 'a 07:50']), limit: 1 },
      expected: ['08:00 t1 08:30'],
    },
    'skips a cancelled call': {
      trips,
      query: { reported: extra(['a 08:05 skipped', 'b 08:12', 'd 08:20']), from: 'b', limit: 1 },
      expected: ['08:12 x1 08:20'],
    },
    'does not board at a cancelled call of an added trip': {
      trips,
      query: { reported: extra(['a 08:05 skipped', 'b 08:12', 'd 08:20']) },
      expected: ['08:00 t1 > x1 08:20', '08:00 t1 08:30'],
    },
    'propagates a delay': {
      trips,
      query: { reported: extra(['a 08:05 +1200', 'd 08:20']) },
      expected: ['08:00 t1 08:30', '08:25 x1 08:40'],
    },
    'excludes products that were not requested': {
      trips,
      query: { products: ['cityBus'], reported: extra(['a 08:05', 'd 08:20']) },
      expected: ['08:00 t1 08:30'],
    },
    'includes the requested product': {
      trips,
      query: { products: ['ship'], reported: extra(['a 08:05', 'd 08:20']) },
      expected: ['08:05 x1 08:20'],
    },
    'searches by arrival': {
      trips,
      query: { arrive: '08:35', now: '06:00', limit: 1, reported: extra(['a 08:05', 'd 08:32']) },
      expected: ['08:05 x1 08:32'],
    },
    'past midnight': {
      trips,
      query: { leave: '12:00', reported: extra(['a 23:50', 'd 24:20']), limit: 1 },
      expected: ['23:50 x1 03-19T00:20'],
    },
    'replaces a scheduled trip': {
      trips,
      query: { reported: extra(['a 08:05', 'b 08:12', 'd 08:45'], { replaces: 't1' }) },
      expected: ['08:05 x1 > u1 08:40', '08:05 x1 08:45'],
    },
    'does not apply the transfer rules of the replaced trip': {
      trips: ['t1 route=r1: a 08:00, b 08:10', 'u1 route=r2: b 08:15, d 08:40', 'u2 route=r2: b 08:22, d 08:50'],
      files: { 'transfers.txt': `${RULES}\nb,b,2,600,r1,r2\n` },
      query: { reported: extra(['a 08:00', 'b 08:12'], { replaces: 't1' }) },
      expected: ['08:00 x1 > u1 08:40'],
    },
  });
});

describe('staying on board', () => {
  const trips = ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:11, c 08:20, d 08:30'];
  testPlans({
    'stays on board if both trips are late': {
      trips,
      query: { reported: { trips: { t1: { a: 0, b: 600 }, t2: { b: 600, c: 600, d: 600 } } } },
      expected: ['08:00 t1 = t2 08:40'],
    },
    'stays on board if the first arrives when the second departs': {
      trips,
      query: { reported: { trips: { t1: { a: 0, b: 60 }, t2: { b: 0 } } } },
      expected: ['08:00 t1 = t2 08:30'],
    },
    'departs late after a late arrival, and makes up what is left of the layover': {
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:15, c 08:20, d 08:30'],
      query: { reported: { trips: { t1: { a: 0, b: 600 } } } },
      expected: ['08:00 t1 = t2 08:36'],
    },
    'departs as planned after an arrival within the layover': {
      trips: ['t1 block=x: a 08:00, b 08:10', 't2 block=x: b 08:15, c 08:20, d 08:30'],
      query: { reported: { trips: { t1: { a: 0, b: 240 } } } },
      expected: ['08:00 t1 = t2 08:30'],
    },
    'carries the delay up to the first report of the next trip': {
      trips,
      query: { reported: { trips: { t1: { a: 0, b: 600 }, t2: { d: 300 } } } },
      expected: ['08:00 t1 = t2 08:35'],
    },
    'carries the delay through a trip between two others': {
      trips: [...trips.slice(0, 1), 't2 block=x: b 08:11, c 08:20', 't3 block=x: c 08:24, d 08:30'],
      query: { reported: { trips: { t1: { a: 0, b: 600 } } } },
      expected: ['08:00 t1 = t2 = t3 08:37'],
    },
    'boards the next trip of a late vehicle where that begins': {
      trips,
      query: { from: 'b', leave: '08:12', limit: 1, reported: { trips: { t1: { a: 0, b: 600 } } } },
      expected: ['08:21 t2 08:40'],
    },
    'carries no delay from a trip that ends early': {
      trips,
      query: { from: 'b', limit: 1, reported: { trips: { t1: { a: 600, b: 'skipped' } } } },
      expected: ['08:11 t2 08:30'],
    },
    'does not continue as a trip that has departed': {
      trips,
      query: { reported: { trips: { t1: { a: 0, b: 61 }, t2: { b: 0 } } } },
      expected: [],
    },
    'does not continue as a cancelled trip': {
      trips,
      query: { reported: { trips: { t2: 'cancelled' } } },
      expected: [],
    },
    'does not start on a cancelled trip': { trips, query: { reported: { trips: { t1: 'cancelled' } } }, expected: [] },
    'stays on board through cancelled calls': {
      trips,
      query: { reported: { trips: { t1: { b: 'skipped' }, t2: { b: 'skipped', c: 'skipped' } } } },
      expected: ['08:00 t1 = t2 08:30'],
    },
  });
});

describe('via', () => {
  const trips = ['t1: a 08:00, b 08:10, d 08:30', 't2: a 08:20, b 08:30, c 08:40, d 08:50'];
  testPlans({
    'does not pass a via at a cancelled call': {
      trips,
      query: { via: ['b'], reported: { trips: { t1: { b: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'passes a via if another call is cancelled': {
      trips,
      query: { via: ['b'], leave: '08:05', limit: 1, reported: { trips: { t2: { c: 'skipped' } } } },
      expected: ['08:20 t2 08:50'],
    },
    'passes a via on board without drop-off if another call is cancelled': {
      trips: ['t1: a 08:00, b 08:10 pickup=1 dropOff=1, c 08:20, d 08:30'],
      query: { via: ['b'], reported: { trips: { t1: { c: 'skipped' } } } },
      expected: ['08:00 t1 08:30'],
    },
    'passes a via on an added trip': {
      trips,
      query: { via: ['c'], reported: { extras: [{ name: 'x1', calls: ['a 07:00', 'c 07:10', 'd 07:20'] }] }, limit: 1 },
      expected: ['07:00 x1 07:20'],
    },
  });
});
