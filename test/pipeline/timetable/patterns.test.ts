import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { buildPatterns, buildRuns, type Frequency, type TripCalls } from '../../../pipeline/timetable/feed/patterns.ts';

interface Trip {
  readonly route: number;
  readonly stops: readonly number[];
  /** Arrival and departure per stop. */
  readonly times: readonly (readonly [number, number])[];
  readonly pickupType?: number;
  readonly headsign?: number;
  readonly booking?: number;
  readonly mark?: number;
}

function toCalls(trips: readonly Trip[]): TripCalls {
  const calls = trips.flatMap(({ stops, times, pickupType = 0, headsign = -1, booking = -1 }) =>
    stops.map((stop, i) => ({ stop, pickupType, headsign, booking, time: times[i]! })),
  );
  const tripFirstCall = new Int32Array(trips.length + 1);
  for (const [i, { stops }] of trips.entries()) tripFirstCall[i + 1] = tripFirstCall[i]! + stops.length;
  return {
    tripRoute: Int32Array.from(trips, ({ route }) => route),
    tripFirstCall,
    stop: Int32Array.from(calls, ({ stop }) => stop),
    pickupType: Uint8Array.from(calls, ({ pickupType }) => pickupType),
    dropOffType: new Uint8Array(calls.length),
    headsign: Int32Array.from(calls, ({ headsign }) => headsign),
    platform: new Int32Array(calls.length).fill(-1),
    booking: Int32Array.from(calls, ({ booking }) => booking),
    arrival: Int32Array.from(calls, ({ time }) => time[0]),
    departure: Int32Array.from(calls, ({ time }) => time[1]),
  };
}

const NO_LIMIT = 1_000_000;

function marksOf(trips: readonly Trip[]): Int32Array {
  return Int32Array.from(trips, ({ mark = 0 }) => mark);
}

function patternsOf(trips: readonly Trip[], frequencies: readonly Frequency[] = []): number[][] {
  const calls = toCalls(trips);
  const runs = buildRuns(calls, frequencies, NO_LIMIT);
  const { runOrder, firstRun } = buildPatterns(calls, runs, marksOf(trips));
  return Array.from({ length: firstRun.length - 1 }, (_, p) =>
    Array.from(runOrder.subarray(firstRun[p], firstRun[p + 1]), (run) => runs.trip[run]!),
  );
}

describe('buildPatterns', () => {
  const at = (...times: number[]): [number, number][] => times.map((time) => [time, time]);
  const trip = (more: Partial<Trip> = {}): Trip => ({ route: 0, stops: [1, 2, 3], times: at(0, 10, 20), ...more });

  it.each<[title: string, trips: readonly Trip[], patterns: number[][]]>([
    ['no trips at all', [], []],
    ['one after the other, by time', [trip({ times: at(5, 15, 25) }), trip()], [[1, 0]]],
    ['equal times keep the order of trips', [trip(), trip()], [[0, 1]]],
    ['one that overtakes', [trip(), trip({ times: at(1, 9, 19) })], [[0], [1]]],
    ['one that overtakes only in between', [trip(), trip({ times: at(1, 9, 21) })], [[0], [1]]],
    [
      'one that overtakes during a dwell',
      [
        trip({
          times: [
            [0, 0],
            [10, 15],
            [20, 20],
          ],
        }),
        trip({
          times: [
            [1, 1],
            [10, 11],
            [21, 21],
          ],
        }),
      ],
      [[0], [1]],
    ],
    ['another route', [trip(), trip({ route: 1 })], [[0], [1]]],
    ['other stops', [trip(), trip({ stops: [1, 2, 4] })], [[0], [1]]],
    ['fewer stops', [trip(), trip({ stops: [1, 2], times: at(0, 10) })], [[0], [1]]],
    ['other boarding rules', [trip(), trip({ pickupType: 1 })], [[0], [1]]],
    ['another headsign', [trip(), trip({ headsign: 7 })], [[0], [1]]],
    ['another mark', [trip(), trip({ mark: 2 }), trip(), trip({ mark: 2 }), trip({ mark: 3 })], [[0, 2], [1, 3], [4]]],
    [
      'patterns of a route side by side',
      [trip({ route: 1 }), trip(), trip({ route: 1, stops: [3, 2, 1] })],
      [[1], [0], [2]],
    ],
  ])('%s', (_title, trips, patterns) => {
    expect(patternsOf(trips)).toEqual(patterns);
  });

  it('contains every run exactly once, with sorted columns and equal calls per pattern', () => {
    const arbitraryTrip = fc
      .record({
        route: fc.nat(1),
        stops: fc.constantFrom([1, 2, 3], [1, 2, 4], [2, 1]),
        start: fc.nat(20),
        steps: fc.array(fc.tuple(fc.nat(8), fc.nat(3)), { minLength: 3, maxLength: 3 }),
      })
      .map(({ route, stops, start, steps }): Trip => {
        let now = start;
        const times = stops.map((_, i): [number, number] => {
          const arrival = now + steps[i]![0];
          now = arrival + steps[i]![1];
          return [arrival, now];
        });
        return { route, stops, times };
      });
    const frequency = fc.record({
      trip: fc.nat(3),
      startSeconds: fc.nat(30),
      length: fc.integer({ min: 1, max: 40 }),
      headwaySeconds: fc.integer({ min: 3, max: 20 }),
    });
    fc.assert(
      fc.property(
        fc.array(arbitraryTrip, { minLength: 4, maxLength: 14 }),
        fc.array(frequency, { maxLength: 2 }),
        (trips, repeats) => {
          const calls = toCalls(trips);
          const frequencies = repeats.map(({ length, ...rest }) => ({
            ...rest,
            endSeconds: rest.startSeconds + length,
            isExact: false,
          }));
          const runs = buildRuns(calls, frequencies, NO_LIMIT);
          const { runOrder, firstRun } = buildPatterns(calls, runs, marksOf(trips));
          expect([...runOrder].sort((a, b) => a - b)).toEqual(Array.from(runs.trip, (_, run) => run));
          for (let p = 0; p + 1 < firstRun.length; p++) {
            const rows = Array.from(runOrder.subarray(firstRun[p], firstRun[p + 1]), (run) => {
              const { route, stops, times } = trips[runs.trip[run]!]!;
              return { kind: [route, stops], times: times.flat().map((time) => time + runs.shiftSeconds[run]!) };
            });
            for (const [i, row] of rows.entries()) {
              expect(row.kind).toEqual(rows[0]!.kind);
              if (i > 0) expect(row.times.every((time, k) => time >= rows[i - 1]!.times[k]!)).toBe(true);
            }
          }
        },
      ),
    );
  });
});

describe('buildRuns', () => {
  const calls = toCalls([
    {
      route: 0,
      stops: [1, 2],
      times: [
        [90, 100],
        [200, 200],
      ],
    },
    {
      route: 0,
      stops: [1, 2],
      times: [
        [0, 0],
        [50, 50],
      ],
    },
  ]);
  const frequency = (more: Partial<Frequency>): Frequency => ({
    trip: 0,
    startSeconds: 1000,
    endSeconds: 1600,
    headwaySeconds: 300,
    isExact: true,
    ...more,
  });

  it.each<[title: string, frequencies: readonly Frequency[], starts: number[], isHeadway: number[]]>([
    ['the end is not a departure', [frequency({})], [1000, 1300], [0, 0]],
    ['a run just before the end', [frequency({ endSeconds: 1601 })], [1000, 1300, 1600], [0, 0, 0]],
    ['a headway longer than the period', [frequency({ headwaySeconds: 9999 })], [1000], [0]],
    ['headways without exact times are marked', [frequency({ isExact: false })], [1000, 1300], [1, 1]],
    [
      'a departure named twice is one run',
      [frequency({}), frequency({ startSeconds: 1300, endSeconds: 1900, isExact: false })],
      [1000, 1300, 1600],
      [0, 0, 1],
    ],
  ])('%s', (_title, frequencies, starts, isHeadway) => {
    const runs = buildRuns(calls, frequencies, NO_LIMIT);
    // The trip without a frequency comes last, once and at its own times.
    expect([...runs.trip]).toEqual([...starts.map(() => 0), 1]);
    expect([...runs.frequencyStart]).toEqual([...starts, -1]);
    expect([...runs.shiftSeconds]).toEqual([...starts.map((start) => start - 100), 0]);
    expect([...runs.isHeadway]).toEqual([...isHeadway, 0]);
  });

  it('refuses more runs than the limit', () => {
    expect(() => buildRuns(calls, [frequency({ headwaySeconds: 1 })], 600)).toThrow(
      new ExternalError('timetable_too_large', "the feeds' frequencies make 601 runs, more than 600"),
    );
  });
});
