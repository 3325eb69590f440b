import { describe } from 'vitest';
import { testPlans } from '../../../support/oracles/naive-plan-cases.ts';

const at = (clock: string) => `2026-03-18T${clock}+01:00`;

describe('itineraries equal in minutes are one choice', () => {
  testPlans({
    'shows the shorter one, even if it departs earlier': {
      trips: ['t1: a 08:00:10, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      expected: ['08:00:10 t1 08:29:10'],
    },
    'shows the shorter one, even if it departs later': {
      trips: ['t1: a 08:00:00, d 08:29:20', 't2: a 08:00:40, d 08:29:50'],
      expected: ['08:00:40 t2 08:29:50'],
    },
    'shows the same one by arrival': {
      trips: ['t1: a 08:00:10, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      query: { arrive: '09:00', limit: 1 },
      expected: ['08:00:10 t1 08:29:10'],
    },
    'shows the later of two with the same duration': {
      trips: ['t1: a 08:00:00, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      expected: ['08:00:40 t2 08:29:50'],
    },
    'shows the later one by arrival too': {
      trips: ['t1: a 08:00:00, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      query: { arrive: '09:00', limit: 1 },
      expected: ['08:00:40 t2 08:29:50'],
    },
  });
});

describe('less walking comes before fewer seconds', () => {
  // From `c` to `near` it is 650 m on foot, 498 s.
  testPlans({
    'compares the walk at the end': {
      trips: ['t1: a 08:00, c 08:10:00', 't2: a 08:00, near 08:18:40'],
      query: { to: 'near' },
      expected: ['08:00 t2 08:18:40'],
    },
    'compares the walk at the start': {
      trips: ['t1: near 08:00:10, d 08:30:10', 't2: c 07:52:00, d 08:30:20'],
      query: { from: 'c' },
      expected: ['07:52 t2 08:30:20'],
    },
    'compares walks by arrival': {
      trips: ['t1: a 08:00, c 08:10:00', 't2: a 08:00, near 08:18:40'],
      query: { to: 'near', arrive: '09:00' },
      expected: ['08:00 t2 08:18:40'],
    },
    'compares the walk of a transfer': {
      trips: ['t1: a 08:00, c 08:10, f 08:12', 't2 route=r2: near 08:24, f 08:25, d 08:40'],
      expected: ['08:00 t1 > t2 08:40'],
    },
  });
});

describe('folding', () => {
  const twoMore = ['t1: a 08:00, b 08:10', 't2: b 08:12, d 08:27', 't3: a 08:00, d 08:30'];
  testPlans({
    'hides an option that departs ten minutes earlier to arrive three minutes earlier': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30'],
      expected: ['08:10 t2 08:30'],
    },
    'keeps an option that arrives four minutes earlier': {
      trips: ['t1: a 08:00, d 08:26', 't2: a 08:10, d 08:30'],
      expected: ['08:00 t1 08:26', '08:10 t2 08:30'],
    },
    'keeps an option that departs nine minutes earlier': {
      trips: ['t1: a 08:00:59, d 08:27', 't2: a 08:09:59, d 08:30'],
      expected: ['08:00:59 t1 08:27', '08:09:59 t2 08:30'],
    },
    'hides an option with one more transfer that arrives three minutes earlier': {
      trips: twoMore,
      expected: ['08:00 t3 08:30'],
    },
    'keeps it if the other departs earlier': {
      trips: ['t1: a 08:01, b 08:10', 't2: b 08:12, d 08:27', 't3: a 08:00, d 08:30'],
      expected: ['08:00 t3 08:30', '08:01 t1 > t2 08:27'],
    },
    'keeps an option with fewer transfers': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, b 08:18', 't3: b 08:20, d 08:30'],
      expected: ['08:00 t1 08:27', '08:10 t2 > t3 08:30'],
    },
    'shows folded options if all are requested': {
      trips: twoMore,
      query: { all: true },
      expected: ['08:00 t1 > t2 08:27', '08:00 t3 08:30'],
    },
    'is caused only by options that are shown': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30', 't3: a 08:20, d 08:33'],
      expected: ['08:00 t1 08:27', '08:20 t3 08:33'],
    },
    'hides options by arrival too': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30'],
      query: { arrive: '09:00' },
      expected: ['08:10 t2 08:30'],
    },
    'is never caused by an option that is too late': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30'],
      query: { arrive: '08:29' },
      expected: ['03-17T08:10 t2 03-17T08:30', '08:00 t1 08:27'],
      later: [['08:10 t2 08:30']],
    },
    'fills the page with another option': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30', 't3: a 09:00, d 09:30', 't4: a 10:00, d 10:30'],
      query: { limit: 2 },
      expected: ['08:10 t2 08:30', '09:00 t3 09:30'],
      later: [['10:00 t4 10:30', '03-19T08:10 t2 03-19T08:30']],
      earlier: [['03-17T09:00 t3 03-17T09:30', '03-17T10:00 t4 03-17T10:30']],
    },
  });
});

describe('seconds alone decide nothing', () => {
  testPlans({
    'a later departure minute dominates at the same arrival minute': {
      trips: ['t1: a 08:00:50, d 08:29:10', 't2: a 08:01:00, d 08:30:00'],
      expected: ['08:01 t2 08:30'],
    },
    'an earlier arrival minute dominates': {
      trips: ['t1: a 08:00:00, d 08:30:00', 't2: a 08:00:50, d 08:30:10'],
      expected: ['08:00 t1 08:30'],
    },
    'a transfer that saves less than a minute is dominated': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:12, d 08:29:10', 't3: a 08:00, d 08:29:50'],
      expected: ['08:00 t3 08:29:50'],
    },
    'a transfer that saves a minute is not dominated': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:12, d 08:29:00', 't3: a 08:00, d 08:29:50'],
      query: { all: true },
      expected: ['08:00 t1 > t2 08:29', '08:00 t3 08:29:50'],
    },
    'shows both itineraries if each is better in one minute': {
      trips: ['t1: a 08:00:50, d 08:29:00', 't2: a 08:01:00, d 08:29:10'],
      expected: ['08:00:50 t1 08:29', '08:01 t2 08:29:10'],
    },
  });
});

describe('requested time within a minute', () => {
  const trips = ['t1: a 08:00:10, d 08:20', 't2: a 08:00:40, d 08:30'];
  const back = ['t1: a 08:00, d 08:30:20', 't2: a 08:10, d 08:30:50'];
  testPlans({
    'a departed trip does not hide a later one': {
      trips,
      query: { leave: at('08:00:30'), limit: 1 },
      expected: ['08:00:40 t2 08:30'],
    },
    'a later trip hides a departed one': {
      trips,
      query: { leave: at('08:00:10'), limit: 1 },
      expected: ['08:00:10 t1 08:20'],
    },
    'a trip that arrives too late does not hide one in time': {
      trips: back,
      query: { arrive: at('08:30:30'), limit: 1 },
      expected: ['08:00 t1 08:30:20'],
    },
    'a trip in time hides one that arrives too late': {
      trips: back,
      query: { arrive: at('08:30:50'), limit: 1 },
      expected: ['08:10 t2 08:30:50'],
    },
  });
});

describe('the direct walk', () => {
  // 650 m: 498 s, that is 06:00 to 06:08:18.
  const query = { from: 'c', to: 'near', limit: 3 };
  testPlans({
    'is replaced by a ride in the same minutes that takes longer': {
      trips: ['t1: c 06:00:00, near 06:08:59'],
      query,
      expected: ['06:00 t1 06:08:59'],
    },
    'is replaced by a ride in the same minutes that is shorter': {
      trips: ['t1: c 06:00:30, near 06:08:40'],
      query,
      expected: ['06:00:30 t1 06:08:40'],
    },
    'is dominated by a ride that departs in a later minute and arrives in the same one': {
      trips: ['t1: c 06:01, near 06:09'],
      query,
      expected: ['06:01 t1 06:09'],
    },
    'dominates a ride with a transfer in the same minutes': {
      trips: ['t1: c 06:00:30, f 06:02', 't2 route=r2: f 06:04, near 06:08:40'],
      query,
      expected: ['06:00 walk 06:08:18'],
    },
    'is not dominated by a ride that departs earlier': {
      trips: ['t1: c 06:00:00, near 06:02:00'],
      query: { ...query, leave: at('06:00:01') },
      expected: ['06:00:01 walk 06:08:19', '03-19T06:00 t1 03-19T06:02'],
    },
    'hides no ride once it is dominated': {
      trips: ['t1: c 06:01, near 06:05', 't2: c 07:00, near 08:00'],
      query,
      expected: ['06:01 t1 06:05', '07:00 t2 08:00'],
    },
    'hides later rides while it is undominated': {
      trips: ['t1: c 06:01, near 06:05', 't2: c 07:00, near 08:00'],
      query: { ...query, leave: '06:30' },
      expected: ['06:30 walk 06:38:18', '03-19T06:01 t1 03-19T06:05'],
    },
    'is dominated by arrival by a ride that departs later': {
      trips: ['t1: c 07:50, near 07:59', 't2: c 07:00, near 07:30'],
      query: { ...query, arrive: '08:00', limit: 2 },
      // The walk starts at 07:51:42.
      expected: ['07:51:42 walk 08:00'],
    },
    'hides no ride by arrival once it is dominated': {
      trips: ['t1: c 07:52, near 07:59', 't2: c 07:00, near 07:30'],
      query: { ...query, arrive: '08:00', limit: 2 },
      expected: ['07:00 t2 07:30', '07:52 t1 07:59'],
    },
  });
});

describe('page boundaries within a minute', () => {
  // The first dominates the last, or vice versa, by minutes; the second is faster with a transfer.
  const between = ['u1: a 08:00:30, b 08:05', 'u2: b 08:08, d 08:20'];
  const far = 't9: a 09:00, d 09:30';
  testPlans({
    'an itinerary of the previous page still dominates later ones': {
      trips: ['t1: a 08:00:10, d 08:28:50', ...between, 't2: a 08:00:50, d 08:29:55', far],
      query: { limit: 1 },
      expected: ['08:00:30 u1 > u2 08:20'],
      later: [['08:00:10 t1 08:28:50'], ['09:00 t9 09:30']],
    },
    'an itinerary of the previous page still dominates earlier ones': {
      trips: ['t1: a 08:00:10, d 08:29:10', ...between, 't2: a 08:00:50, d 08:29:55', far],
      query: { leave: '09:00', limit: 1 },
      expected: ['09:00 t9 09:30'],
      earlier: [['08:00:10 t1 08:29:10'], ['08:00:30 u1 > u2 08:20']],
    },
    'a page covers a day up to the end of the minute': {
      trips: ['t1: a 08:00:10, d 08:29:10', 't2: a 08:00:50, d 08:29:20'],
      query: { leave: '2026-03-17T08:00:30+01:00' },
      expected: ['03-17T08:00:50 t2 03-17T08:29:20', '08:00:50 t2 08:29:20'],
      later: [['03-19T08:00:50 t2 03-19T08:29:20']],
    },
    'the walk of the first page still hides rides on the next': {
      trips: ['t1: c 07:00, near 07:09', 't2: c 08:00, near 08:08'],
      query: { from: 'c', to: 'near', limit: 1 },
      expected: ['06:00 walk 06:08:18'],
      later: [['08:00 t2 08:08']],
    },
  });
});
