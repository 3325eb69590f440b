import { describe } from 'vitest';
import { testPlans } from '../../../support/oracles/naive-plan-cases.ts';

describe('boarding and alighting', () => {
  testPlans({
    'does not board without pickup': {
      trips: ['t1: a 08:00 pickup=1, d 08:30', 't2: a 08:10, d 08:40'],
      expected: ['08:10 t2 08:40'],
    },
    'does not alight without drop-off': {
      trips: ['t1: a 08:00, d 08:30 dropOff=1, e 08:40', 't2: a 08:10, d 08:50'],
      expected: ['08:10 t2 08:50'],
    },
    'allows pickup and drop-off on request': {
      trips: ['t1: a 08:00 pickup=2, d 08:30 dropOff=3', 't2: a 09:00 pickup=3, d 09:30 dropOff=2'],
      expected: ['08:00 t1 08:30', '09:00 t2 09:30'],
    },
    'rides through calls without pickup and drop-off': {
      trips: ['t1: a 08:00, b 08:10 pickup=1 dropOff=1, d 08:30'],
      expected: ['08:00 t1 08:30'],
    },
    'does not transfer at a call without drop-off': {
      trips: ['t1: a 08:00, b 08:10 dropOff=1, c 08:20', 't2: b 08:15, d 08:20'],
      expected: [],
    },
    'does not transfer to a call without pickup': {
      trips: ['t1: a 08:00, b 08:10', 't2: e 08:10, b 08:15 pickup=1, d 08:20'],
      expected: [],
    },
    'uses two calls at one stop, one for drop-off and one for pickup': {
      trips: ['t1: e 07:50, a 08:00 pickup=1, a 08:05 dropOff=1, d 08:30'],
      expected: ['08:05 t1 08:30'],
    },
    'skips trips without pickup on the same line': {
      trips: [
        't1: a 08:00, b 08:10, d 08:30',
        't2: a 08:05, b 08:15 pickup=1, d 08:35',
        't3: a 08:10, b 08:20, d 08:40',
      ],
      query: { from: 'b' },
      expected: ['08:10 t1 08:30', '08:20 t3 08:40'],
    },
    'boards at the later and alights at the earlier of two calls at one stop': {
      trips: ['t1: a 08:00, b 08:10, a 08:20, d 08:30, b 08:40, d 08:50'],
      expected: ['08:20 t1 08:30'],
    },
    'does not transfer from a trip to itself': {
      trips: ['t1: b 08:00, a 08:10, b 08:20, d 08:30'],
      expected: ['08:10 t1 08:30'],
    },
  });
});

describe('products', () => {
  const trips = [
    't1 route=tram: a 08:00, d 08:30',
    't2 route=r1: a 08:00, d 08:40',
    't3 route=tram: a 08:10, b 08:15',
    't4 route=r2: b 08:20, d 08:25',
  ];
  testPlans({
    all: { trips, expected: ['08:10 t3 > t4 08:25'], query: { limit: 1, leave: '08:05' } },
    trams: { trips, query: { products: ['tram'] }, expected: ['08:00 t1 08:30'] },
    buses: { trips, query: { products: ['cityBus'] }, expected: ['08:00 t2 08:40'] },
    both: { trips, query: { products: ['cityBus', 'tram'] }, expected: ['08:00 t1 08:30', '08:10 t3 > t4 08:25'] },
    'returns nothing for a product that does not run': { trips, query: { products: ['ship'] }, expected: [] },
    'does not stay on board a trip of another product': {
      trips: ['t1 route=tram block=x: a 08:00, b 08:10', 't2 route=r1 block=x: b 08:10, d 08:20'],
      query: { products: ['tram'] },
      expected: [],
    },
  });
});

describe('wheelchairs', () => {
  const query = { wheelchair: true };
  const stops = (...rows: string[]) => ({
    'stops.txt': `
      stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding
      a,Anger,48.0,16.0,,,1
      b,Berg,48.0,16.1,,,
      d,Dorf,48.0,16.3,,,
${rows.map((row) => `      ${row}\n`).join('')}    `,
  });
  testPlans({
    'excludes trips that are not accessible': {
      trips: ['t1 wheelchair=2: a 08:00, d 08:30', 't2 wheelchair=1: a 08:00, d 08:40', 't3: a 08:10, d 08:50'],
      query,
      expected: ['08:00 t2 08:40', '08:10 t3 08:50'],
    },
    'excludes inaccessible trips of a line, not the others': {
      trips: ['t1: a 08:00, d 08:30', 't2 wheelchair=2: a 08:10, d 08:40', 't3: a 08:20, d 08:50'],
      query: { ...query, leave: '08:05', limit: 1 },
      expected: ['08:20 t3 08:50'],
    },
    'includes inaccessible trips without a wheelchair': {
      trips: ['t1 wheelchair=2: a 08:00, d 08:30'],
      expected: ['08:00 t1 08:30'],
    },
    'does not alight at an inaccessible stop': {
      trips: ['t1: a 08:00, x 08:10, b 08:20', 't2: x 08:12, d 08:30', 't3: b 08:22, d 08:50'],
      files: stops('x,X,48.0,16.2,,,2'),
      query,
      expected: ['08:00 t1 > t3 08:50'],
    },
    'does not board at an inaccessible stop nearby': {
      trips: ['t1: a 08:00, b 08:10', 't2: x 08:20, d 08:30', 't3: b 08:30, d 08:50'],
      files: stops('x,X,48.0009,16.1,,,2'),
      query,
      expected: ['08:00 t1 > t3 08:50'],
    },
    'rides through an inaccessible stop': {
      trips: ['t1: a 08:00, x 08:10, d 08:20'],
      files: stops('x,X,48.0,16.2,,,2'),
      query,
      expected: ['08:00 t1 08:20'],
    },
    'inherits the accessibility of the station': {
      trips: ['t1: a 08:00, x1 08:10', 't2: x1 08:13, d 08:30', 't3: a 08:00, y1 08:20', 't4: y1 08:22, d 08:50'],
      files: stops('x,X,48.1,16.2,1,,2', 'x1,X,48.1,16.2,0,x,0', 'y,Y,48.2,16.2,1,,2', 'y1,Y,48.2,16.2,0,y,1'),
      query,
      expected: ['08:00 t3 > t4 08:50'],
    },
  });
});
