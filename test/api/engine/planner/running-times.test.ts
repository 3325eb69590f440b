import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRunningTimes } from '../../../../api/engine/planner/running-times.ts';
import { localTables } from '../../../../api/engine/planner/shared-tables.ts';
import type { TimetableTables } from '../../../../pipeline/snapshots/timetable-contract.ts';
import { testPlans } from '../../../support/oracles/naive-plan-cases.ts';

describe('running times', () => {
  /** A trip by its first departure, and by the seconds between its events from its first arrival on. */
  const trip = (callCount: number) =>
    fc.record({
      begin: fc.integer({ min: 0, max: 90_000 }),
      steps: fc.array(fc.constantFrom(0, 60), { minLength: 2 * callCount - 1, maxLength: 2 * callCount - 1 }),
    });
  const pattern = fc.integer({ min: 2, max: 4 }).chain((callCount) => fc.array(trip(callCount), { maxLength: 6 }));
  const patterns = fc.array(pattern, { maxLength: 400 });

  it('are those of each trip, in the same rows for trips that take equally long', () => {
    fc.assert(
      fc.property(patterns, (all) => {
        const tables = toTables(all.filter((trips) => trips.length > 0));
        const found = localTables.share('', (memory) => findRunningTimes(tables, memory));
        const callCounts = tables.patterns.callCount;
        let at = 0;
        let row = 0;
        let rowCount = 0;
        for (const [index, callCount] of callCounts.entries()) {
          const rows = new Map<string, number>();
          for (let i = 0; i < tables.patterns.tripCount[index]!; i++, at++, row += callCount) {
            const eventsFrom = (times: Int32Array, first: number, start: number) =>
              Array.from(times.subarray(first, first + callCount), (time) => time - start);
            const [begin, first] = [tables.times.departure[row]!, found.tripRows[at]!];
            const planned = (['arrival', 'departure'] as const).map((name) =>
              eventsFrom(tables.times[name], row, begin),
            );
            expect(found.tripBegins[at]).toBe(begin);
            expect([eventsFrom(found.arrival, first, 0), eventsFrom(found.departure, first, 0)]).toEqual(planned);
            const key = JSON.stringify(planned);
            expect(rows.get(key) ?? first).toBe(first);
            rows.set(key, first);
          }
          rowCount += rows.size * callCount;
        }
        expect([found.arrival.length, found.departure.length]).toEqual([rowCount, rowCount]);
      }),
    );
  });
});

function toTables(all: readonly { begin: number; steps: number[] }[][]): TimetableTables {
  const callCounts = all.map((trips) => (trips[0]!.steps.length + 1) / 2);
  const [arrival, departure]: [number[], number[]] = [[], []];
  for (const { begin, steps } of all.flat()) {
    let time = begin - steps[0]!;
    [0, ...steps].forEach((step, i) => {
      time += step;
      (i % 2 === 0 ? arrival : departure).push(time);
    });
  }
  const add = (counts: number[]) => counts.map((_, i) => counts.slice(0, i).reduce((sum, count) => sum + count, 0));
  const tripCounts = all.map((trips) => trips.length);
  return {
    patterns: {
      route: new Int32Array(all.length),
      callCount: Int32Array.from(callCounts),
      firstTrip: Int32Array.from(add(tripCounts)),
      tripCount: Int32Array.from(tripCounts),
      firstTime: Int32Array.from(add(tripCounts.map((count, i) => count * callCounts[i]!))),
    },
    trips: { service: new Int32Array(all.flat().length) },
    times: { arrival: Int32Array.from(arrival), departure: Int32Array.from(departure) },
  } as unknown as TimetableTables;
}

describe('overtaking', () => {
  const slow = 'slow: a 08:00, b 08:20, c 08:40, d 09:00';
  const fast = 'fast: a 08:10, b 08:19, c 08:25, d 08:30';
  testPlans({
    'shows the trip that overtakes': { trips: [slow, fast], expected: ['08:10 fast 08:30'] },
    'uses each trip where it is ahead': {
      trips: ['slow: a 08:00, b 08:04, c 08:40, d 09:00', fast],
      query: { to: 'b' },
      expected: ['08:00 slow 08:04', '08:10 fast 08:19'],
    },
    'transfers from the slow trip to the fast one': {
      trips: ['slow: a 08:00, b 08:15, c 08:40, d 09:00', 'fast: e 08:10, b 08:19, c 08:25, d 08:30'],
      expected: ['08:00 slow > fast 08:30', '08:00 slow 09:00'],
    },
    'handles three trips that overtake one another': {
      trips: [
        't1: a 08:00, b 08:10, d 09:30',
        't2: a 08:01, b 08:20, d 09:20',
        't3: a 08:02, b 08:30, d 09:10',
        'u1 route=r2: b 08:12, d 09:00',
      ],
      expected: ['08:00 t1 > u1 09:00', '08:02 t3 09:10'],
    },
    'boards the trip that arrives first, not the one that departs first': {
      trips: ['v1 route=r2: e 07:40, a 07:50', slow, fast],
      query: { from: 'e' },
      expected: ['07:40 v1 > fast 08:30'],
    },
  });
});

describe('frequencies', () => {
  const HEADER = 'trip_id,start_time,end_time,headway_secs,exact_times';
  const runs = (...rows: string[]) => ({ 'frequencies.txt': [HEADER, ...rows, ''].join('\n') });
  const trips = ['f: a 00:00, b 00:10, d 00:20'];
  const expected = ['06:00 f@06:00 06:20', '06:20 f@06:20 06:40', '06:40 f@06:40 07:00'];
  testPlans({
    exact: { trips, files: runs('f,06:00:00,07:00:00,1200,1'), expected },
    'repeats a trip by its headway': { trips, files: runs('f,06:00:00,07:00:00,1200,0'), expected },
    'boards a repeated trip in the middle': {
      trips,
      files: runs('f,06:00:00,07:00:00,1200,1'),
      query: { leave: '06:05', limit: 2 },
      expected: expected.slice(1),
    },
    'ignores the times of the repeated trip itself': {
      trips: ['f: a 09:00, d 09:20'],
      files: runs('f,06:00:00,06:20:00,1200,1'),
      expected: ['06:00 f@06:00 06:20'],
    },
    'handles two periods, one across midnight': {
      trips,
      files: runs('f,06:00:00,06:30:00,1800,1', 'f,23:45:00,24:15:00,900,0'),
      expected: ['06:00 f@06:00 06:20', '23:45 f@23:45 03-19T00:05', '03-19T00:00 f@24:00 03-19T00:20'],
    },
    'transfers between repeated trips': {
      trips: ['f: a 00:00, b 00:10', 'g route=r2: b 00:00, d 00:05'],
      files: runs('f,06:00:00,06:20:00,1200,1', 'g,06:00:00,07:00:00,420,0'),
      expected: ['06:00 f@06:00 > g@06:14 06:19'],
    },
  });
});

describe('service days', () => {
  testPlans({
    'transfers from a trip past midnight to one of the next day': {
      trips: ['t1: a 23:50, b 24:10', 't2: b 00:15, d 00:25'],
      expected: ['23:50 t1 > t2 03-19T00:25'],
    },
    'transfers between two trips after midnight of one service date': {
      trips: ['t1: a 24:50, b 25:10', 't2: b 25:15, d 25:25'],
      expected: ['03-19T00:50 t1 > t2 03-19T01:25'],
    },
    'finds trips of the previous service date after midnight': {
      trips: ['t1: a 24:50, b 25:10', 't2: b 25:15, d 25:25'],
      query: { leave: '00:30', limit: 1 },
      expected: ['00:50 t1 > t2 01:25'],
    },
    'separates trips of two service dates on one line': {
      trips: ['t1: a 23:00, d 24:00', 't2: a 24:30, d 25:30', 't3: a 00:15, d 01:10', 't4: a 00:45, d 02:00'],
      query: { leave: '23:30', limit: 3 },
      expected: ['03-19T00:15 t3 03-19T01:10', '03-19T00:30 t2 03-19T01:30', '03-19T00:45 t4 03-19T02:00'],
    },
    'returns nothing on a day without service': { trips: ['t1 service=odd: a 08:00, d 08:30'], expected: [] },
    'finds trips of the next day within 24 hours': {
      trips: ['t1 service=odd: a 05:00, d 05:30'],
      expected: ['03-19T05:00 t1 03-19T05:30'],
    },
    'finds no trips after 24 hours': { trips: ['t1 service=odd: a 06:01, d 06:30'], expected: [] },
    'rides one trip for more than a day': {
      trips: ['t1 service=odd: a 20:00, b 32:00, d 44:10'],
      query: { leave: '2026-03-17T19:00:00+01:00' },
      expected: ['03-17T20:00 t1 20:10'],
    },
    'accepts itineraries of up to two days': {
      trips: ['t1 service=odd: a 08:00, d 56:00'],
      query: { leave: '2026-03-17T06:00:00+01:00' },
      expected: ['03-17T08:00 t1 03-19T08:00'],
    },
    'rejects itineraries longer than two days': {
      trips: ['t1 service=odd: a 08:00, d 56:01'],
      query: { leave: '2026-03-17T06:00:00+01:00' },
      expected: [],
    },
    'waits overnight between two trips': {
      trips: ['t1 service=odd: a 20:00, b 20:30', 't2: b 06:00, d 06:30'],
      query: { leave: '2026-03-17T19:00:00+01:00' },
      expected: ['03-17T20:00 t1 > t2 06:30'],
    },
  });
});

describe('time zones', () => {
  testPlans({
    'uses the time zone of each agency': {
      trips: ['t1 route=r1: a 08:00, b 08:10', 't2 route=r2: b 07:12, d 07:20'],
      files: {
        'agency.txt': `
          agency_id,agency_name,agency_url,agency_timezone
          v,Verkehr,https://example.org,Europe/Vienna
          l,Lines,https://example.org,Europe/London
        `,
        'routes.txt': `
          route_id,agency_id,route_short_name,route_long_name,route_type
          r1,v,1,Eins,3
          r2,l,2,Two,3
        `,
      },
      expected: ['08:00 t1 > t2 08:20'],
    },
  });
});

describe('nights with a clock change', () => {
  const daily = (year: number, month: string) => ({
    'calendar.txt': `
      service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,${year}${month}01,${year}${month}31
    `,
    'calendar_dates.txt': 'service_id,date,exception_type\n',
  });
  // A service day begins twelve hours before noon: on the 29th at 23:00 of the 28th, on the 25th at 1:00.
  testPlans({
    'spring: transfers from the previous service date': {
      trips: ['t1: a 25:50, b 26:10', 't2: b 03:15, d 03:30'],
      files: daily(2026, '03'),
      query: { leave: '2026-03-28T22:00:00+01:00' },
      expected: ['03-29T01:50 t1 > t2 03-29T03:30'],
    },
    'spring: the trip takes an hour less by the clock': {
      trips: ['t1: a 25:30, b 26:30, d 27:00'],
      files: daily(2026, '03'),
      query: { leave: '2026-03-28T22:00:00+01:00' },
      // An hour and a half.
      expected: ['03-29T01:30 t1 03-29T04:00'],
    },
    'spring: uses the offset before the change': {
      trips: ['t1: a 00:30, d 01:30'],
      files: daily(2026, '03'),
      query: { leave: '2026-03-28T22:00:00+01:00' },
      expected: ['03-28T23:30 t1 03-29T00:30'],
    },
    'autumn: transfers from the previous service date': {
      trips: ['t1: a 25:50, b 26:10', 't2: b 01:15, d 02:30'],
      files: daily(2026, '10'),
      query: { leave: '2026-10-24T22:00:00+02:00' },
      expected: ['10-25T01:50 t1 > t2 10-25T02:30'],
    },
    'autumn: keeps the transfer time': {
      trips: ['t1: a 25:50, b 26:10', 't2: b 02:11, d 02:30', 't3: b 01:11, d 05:00'],
      files: daily(2026, '10'),
      query: { leave: '2026-10-24T22:00:00+02:00' },
      // t3 leaves a minute after t1 arrives, t2 an hour later.
      expected: ['10-25T01:50 t1 > t2 10-25T02:30'],
    },
    'autumn: distinguishes the repeated hour': {
      trips: ['t1: a 26:30, d 26:40', 't2: a 02:30, d 02:40'],
      files: daily(2026, '10'),
      query: { leave: '2026-10-25T02:00:00+02:00', limit: 2 },
      expected: ['10-25T02:30 t1 10-25T02:40', '10-25T02:30 t2 10-25T02:40'],
    },
  });
});
