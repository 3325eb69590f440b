import { describe } from 'vitest';
import { testPlans } from '../../../support/naive-plan-cases.ts';

const at = (clock: string) => `2026-03-18T${clock}+01:00`;

describe('what is equal in minutes is one choice', () => {
  testPlans({
    'of which the shorter stays, though it leaves earlier': {
      trips: ['t1: a 08:00:10, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      expected: ['08:00:10 t1 08:29:10'],
    },
    'or later': {
      trips: ['t1: a 08:00:00, d 08:29:20', 't2: a 08:00:40, d 08:29:50'],
      expected: ['08:00:40 t2 08:29:50'],
    },
    'and by arrival the same one': {
      trips: ['t1: a 08:00:10, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      asked: { arrive: '09:00', limit: 1 },
      expected: ['08:00:10 t1 08:29:10'],
    },
    'of those that are as long, the later': {
      trips: ['t1: a 08:00:00, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      expected: ['08:00:40 t2 08:29:50'],
    },
    'and by arrival, too': {
      trips: ['t1: a 08:00:00, d 08:29:10', 't2: a 08:00:40, d 08:29:50'],
      asked: { arrive: '09:00', limit: 1 },
      expected: ['08:00:40 t2 08:29:50'],
    },
  });
});

describe('of what is equal in minutes, walking decides before seconds', () => {
  // From `c` to `near` it is 650 m on foot, 498 s.
  testPlans({
    'at the end': {
      trips: ['t1: a 08:00, c 08:10:00', 't2: a 08:00, near 08:18:40'],
      asked: { to: 'near' },
      expected: ['08:00 t2 08:18:40'],
    },
    'at the begin': {
      trips: ['t1: near 08:00:10, d 08:30:10', 't2: c 07:52:00, d 08:30:20'],
      asked: { from: 'c' },
      expected: ['07:52 t2 08:30:20'],
    },
    'and by arrival': {
      trips: ['t1: a 08:00, c 08:10:00', 't2: a 08:00, near 08:18:40'],
      asked: { to: 'near', arrive: '09:00' },
      expected: ['08:00 t2 08:18:40'],
    },
    'at a change, of which only one is walked': {
      trips: ['t1: a 08:00, c 08:10, f 08:12', 't2 route=r2: near 08:24, f 08:25, d 08:40'],
      expected: ['08:00 t1 > t2 08:40'],
    },
  });
});

describe('an option is folded', () => {
  const twoMore = ['t1: a 08:00, b 08:10', 't2: b 08:12, d 08:27', 't3: a 08:00, d 08:30'];
  testPlans({
    'that leaves ten minutes earlier to arrive three minutes earlier': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30'],
      expected: ['08:10 t2 08:30'],
    },
    'but not to arrive four minutes earlier': {
      trips: ['t1: a 08:00, d 08:26', 't2: a 08:10, d 08:30'],
      expected: ['08:00 t1 08:26', '08:10 t2 08:30'],
    },
    'nor if it leaves nine minutes earlier': {
      trips: ['t1: a 08:00:59, d 08:27', 't2: a 08:09:59, d 08:30'],
      expected: ['08:00:59 t1 08:27', '08:09:59 t2 08:30'],
    },
    'that needs a change to arrive three minutes earlier': { trips: twoMore, expected: ['08:00 t3 08:30'] },
    'but not where the other leaves earlier': {
      trips: ['t1: a 08:01, b 08:10', 't2: b 08:12, d 08:27', 't3: a 08:00, d 08:30'],
      expected: ['08:00 t3 08:30', '08:01 t1 > t2 08:27'],
    },
    'nor where it spares a change': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, b 08:18', 't3: b 08:20, d 08:30'],
      expected: ['08:00 t1 08:27', '08:10 t2 > t3 08:30'],
    },
    'unless all are asked for': {
      trips: twoMore,
      asked: { all: true },
      expected: ['08:00 t1 > t2 08:27', '08:00 t3 08:30'],
    },
    'by one that is shown, and by none that is folded': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30', 't3: a 08:20, d 08:33'],
      expected: ['08:00 t1 08:27', '08:20 t3 08:33'],
    },
    'by arrival, too': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30'],
      asked: { arrive: '09:00' },
      expected: ['08:10 t2 08:30'],
    },
    'by none that is too late': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30'],
      asked: { arrive: '08:29' },
      expected: ['03-17T08:10 t2 03-17T08:30', '08:00 t1 08:27'],
      later: [['08:10 t2 08:30']],
    },
    'and its place on the page is taken by another': {
      trips: ['t1: a 08:00, d 08:27', 't2: a 08:10, d 08:30', 't3: a 09:00, d 09:30', 't4: a 10:00, d 10:30'],
      asked: { limit: 2 },
      expected: ['08:10 t2 08:30', '09:00 t3 09:30'],
      later: [['10:00 t4 10:30', '03-19T08:10 t2 03-19T08:30']],
      earlier: [['03-17T09:00 t3 03-17T09:30', '03-17T10:00 t4 03-17T10:30']],
    },
  });
});

describe('seconds alone beat nothing', () => {
  testPlans({
    'to leave in a later minute, and be there in the same': {
      trips: ['t1: a 08:00:50, d 08:29:10', 't2: a 08:01:00, d 08:30:00'],
      expected: ['08:01 t2 08:30'],
    },
    'to be there in an earlier minute': {
      trips: ['t1: a 08:00:00, d 08:30:00', 't2: a 08:00:50, d 08:30:10'],
      expected: ['08:00 t1 08:30'],
    },
    'a change for less than a minute': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:12, d 08:29:10', 't3: a 08:00, d 08:29:50'],
      expected: ['08:00 t3 08:29:50'],
    },
    'a change for a minute': {
      trips: ['t1: a 08:00, b 08:10', 't2: b 08:12, d 08:29:00', 't3: a 08:00, d 08:29:50'],
      asked: { all: true },
      expected: ['08:00 t1 > t2 08:29', '08:00 t3 08:29:50'],
    },
    'both ways are shown that are better in another minute': {
      trips: ['t1: a 08:00:50, d 08:29:00', 't2: a 08:01:00, d 08:29:10'],
      expected: ['08:00:50 t1 08:29', '08:01 t2 08:29:10'],
    },
  });
});

describe('the asked time within a minute', () => {
  const trips = ['t1: a 08:00:10, d 08:20', 't2: a 08:00:40, d 08:30'];
  const back = ['t1: a 08:00, d 08:30:20', 't2: a 08:10, d 08:30:50'];
  testPlans({
    'what has left does not hide what has not': {
      trips,
      asked: { leave: at('08:00:30'), limit: 1 },
      expected: ['08:00:40 t2 08:30'],
    },
    'what has not left hides it': {
      trips,
      asked: { leave: at('08:00:10'), limit: 1 },
      expected: ['08:00:10 t1 08:20'],
    },
    'what is there too late does not hide what is in time': {
      trips: back,
      asked: { arrive: at('08:30:30'), limit: 1 },
      expected: ['08:00 t1 08:30:20'],
    },
    'what is in time hides it': {
      trips: back,
      asked: { arrive: at('08:30:50'), limit: 1 },
      expected: ['08:10 t2 08:30:50'],
    },
  });
});

describe('the direct walk', () => {
  // 650 m: 498 s, that is 06:00 to 06:08:18.
  const asked = { from: 'c', to: 'near', limit: 3 };
  testPlans({
    'gives way to a ride in the same minutes, though that is longer': {
      trips: ['t1: c 06:00:00, near 06:08:59'],
      asked,
      expected: ['06:00 t1 06:08:59'],
    },
    'or shorter': {
      trips: ['t1: c 06:00:30, near 06:08:40'],
      asked,
      expected: ['06:00:30 t1 06:08:40'],
    },
    'is beaten by one that leaves in a later minute and is there in the same': {
      trips: ['t1: c 06:01, near 06:09'],
      asked,
      expected: ['06:01 t1 06:09'],
    },
    'dominates one with a change in the same minutes': {
      trips: ['t1: c 06:00:30, f 06:02', 't2 route=r2: f 06:04, near 06:08:40'],
      asked,
      expected: ['06:00 walk 06:08:18'],
    },
    'is not beaten by one that leaves before': {
      trips: ['t1: c 06:00:00, near 06:02:00'],
      asked: { ...asked, leave: at('06:00:01') },
      expected: ['06:00:01 walk 06:08:19', '03-19T06:00 t1 03-19T06:02'],
    },
    'beaten, it holds against no ride, however long': {
      trips: ['t1: c 06:01, near 06:05', 't2: c 07:00, near 08:00'],
      asked,
      expected: ['06:01 t1 06:05', '07:00 t2 08:00'],
    },
    'unbeaten, it holds against later ones': {
      trips: ['t1: c 06:01, near 06:05', 't2: c 07:00, near 08:00'],
      asked: { ...asked, leave: '06:30' },
      expected: ['06:30 walk 06:38:18', '03-19T06:01 t1 03-19T06:05'],
    },
    'by arrival it is beaten by what leaves later': {
      trips: ['t1: c 07:50, near 07:59', 't2: c 07:00, near 07:30'],
      asked: { ...asked, arrive: '08:00', limit: 2 },
      // The walk leaves at 07:51:42.
      expected: ['07:51:42 walk 08:00'],
    },
    'and then holds against none': {
      trips: ['t1: c 07:52, near 07:59', 't2: c 07:00, near 07:30'],
      asked: { ...asked, arrive: '08:00', limit: 2 },
      expected: ['07:00 t2 07:30', '07:52 t1 07:59'],
    },
  });
});

describe('pages that end within a minute', () => {
  // The first beats the last, or the last the first, by minutes; the second is quicker with a change.
  const between = ['u1: a 08:00:30, b 08:05', 'u2: b 08:08, d 08:20'];
  const far = 't9: a 09:00, d 09:30';
  testPlans({
    'what was shown still dominates what follows': {
      trips: ['t1: a 08:00:10, d 08:28:50', ...between, 't2: a 08:00:50, d 08:29:55', far],
      asked: { limit: 1 },
      expected: ['08:00:30 u1 > u2 08:20'],
      later: [['08:00:10 t1 08:28:50'], ['09:00 t9 09:30']],
    },
    'and what comes before': {
      trips: ['t1: a 08:00:10, d 08:29:10', ...between, 't2: a 08:00:50, d 08:29:55', far],
      asked: { leave: '09:00', limit: 1 },
      expected: ['09:00 t9 09:30'],
      earlier: [['08:00:10 t1 08:29:10'], ['08:00:30 u1 > u2 08:20']],
    },
    'a page looks a day on, to the end of the minute': {
      trips: ['t1: a 08:00:10, d 08:29:10', 't2: a 08:00:50, d 08:29:20'],
      asked: { leave: '2026-03-17T08:00:30+01:00' },
      expected: ['03-17T08:00:50 t2 03-17T08:29:20', '08:00:50 t2 08:29:20'],
      later: [['03-19T08:00:50 t2 03-19T08:29:20']],
    },
    'the walk that is on the first page holds on the next': {
      trips: ['t1: c 07:00, near 07:09', 't2: c 08:00, near 08:08'],
      asked: { from: 'c', to: 'near', limit: 1 },
      expected: ['06:00 walk 06:08:18'],
      later: [['08:00 t2 08:08']],
    },
  });
});
