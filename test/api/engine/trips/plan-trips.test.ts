import { beforeAll, describe, expect, test } from 'vitest';
import type { Place, Trip, TripRequest } from '../../../../api/contract/definitions.ts';
import type { TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { findRefusal } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, describeTime, townTrip } from '../live-town.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';
import { describeLegs, liveTripTown, openTripTown } from './trip-town.ts';

const A = { stopId: 'at:a' };
const Z = { stopId: 'at:z' };

let context: TripsContext;
beforeAll(async () => {
  context = openTrips(await openTripTown(), '07:00');
});

const request = (over: Partial<TripRequest> = {}, from: Place = A, to: Place = Z) =>
  requestTrips(context, buildTripRequest(from, to, over));

/** `08:00 - 08:30 1`: departure, arrival and lines. */
const describeTrip = ({ departure, arrival, legs }: Trip) =>
  [`${describeTime(departure)} - ${describeTime(arrival)}`, ...legs.flatMap(({ line }) => line?.label ?? [])].join(' ');
const describeTrips = ({ trips }: { trips: readonly Trip[] }) => trips.map(describeTrip);

const MORNING = ['08:00 - 08:30 1', '08:00 - 08:30 1'];

describe('a response', () => {
  test('starts now without a requested time', async () => {
    expect(describeTrips(await request({ limit: 1 }))).toEqual(MORNING.slice(0, 1));
    const later = { ...context, instant: context.instant + 86_400 } as TripsContext;
    const { trips } = await requestTrips(later, buildTripRequest(A, Z, { limit: 1 }));
    expect(trips[0]!.departure.scheduled).toBe('2026-03-04T08:00:00+01:00');
  });

  test('accepts the requested time with any offset', async () => {
    const times = ['2026-03-04T07:30:00+01:00', '2026-03-04T06:30:00.5Z'];
    const answers = await Promise.all(times.map((time) => request({ time, limit: 1 })));
    expect(answers.map(({ trips }) => trips[0]!.departure.scheduled)).toEqual(
      times.map(() => '2026-03-04T08:00:00+01:00'),
    );
  });

  test('ends in time for an arrival search', async () => {
    const { trips } = await request({ time: at('08:30'), timeMode: 'arrival', limit: 1 });
    expect(trips.map(describeTrip)).toEqual(['08:00 - 08:30 1']);
  });

  test('is a walk if there is nothing else', async () => {
    const { trips } = await request(
      { limit: 1 },
      { coord: { lat: 48.03, lon: 16.06 } },
      { coord: { lat: 48.031, lon: 16.06 }, name: 'Hof' },
    );
    expect(describeLegs(trips[0]!)).toEqual([
      'walk: 48.030000,16.060000 07:00 - Hof 07:01:52 (145 m, walk:straightLine)',
    ]);
  });

  test('passes the requested via', async () => {
    const { trips } = await request({ via: [{ stopId: 'at:s' }], limit: 1 });
    expect(trips.map(describeTrip)).toEqual(['08:00 - 08:30 1']);
  });

  test('is empty if the origin is the destination, without further pages', async () => {
    expect(await request({}, { stopId: 'at:s' }, { stopId: 'at:s1' })).toEqual({ trips: [] });
    // Nothing calls at an entrance.
    expect(await request({}, { stopId: 'at:e' }, { stopId: 'at:e' })).toEqual({ trips: [] });
  });

  test('is empty without an itinerary', async () => {
    expect((await request({}, A, { coord: { lat: 50, lon: 10 } })).trips).toEqual([]);
  });
});

test.each<[string, Partial<TripRequest>, string]>([
  ['an unknown stop', { from: { stopId: 'at:nowhere' } }, 'unknown_stop /from/stopId'],
  ['an unknown via stop', { via: [{ stopId: 'at:nowhere' }] }, 'unknown_stop /via/0/stopId'],
  ['a time before the timetable', { time: '2026-03-01T00:00:00Z' }, 'timetable_out_of_range /time'],
  ['a time after it', { time: '2027-03-01T00:00:00Z' }, 'timetable_out_of_range /time'],
  ['a foreign page reference', { pageRef: 'nothing' }, 'invalid_body /pageRef'],
])('rejects %s', async (_what, over, expected) => {
  expect(await findRefusal(() => request(over))).toBe(expected);
});

test('does not report the body if the clock is outside the timetable', async () => {
  const late = openTrips(await openTripTown(), '2027-03-01T00:00:00Z');
  expect(await findRefusal(() => requestTrips(late, buildTripRequest(A, Z)))).toBe('timetable_out_of_range');
});

describe('pages', () => {
  /** All trips from a time on, page by page. */
  async function readOn(body: TripRequest, ref: 'laterRef' | 'earlierRef', pages: number): Promise<Trip[][]> {
    const read: Trip[][] = [];
    let answer = await requestTrips(context, body);
    read.push([...answer.trips]);
    while (answer[ref] !== undefined && read.length < pages) {
      const { time: _, ...same } = body;
      answer = await requestTrips(context, { ...same, pageRef: answer[ref]! });
      read.push([...answer.trips]);
    }
    return read;
  }

  test('continue without repeats or gaps, later and earlier', async () => {
    const time = '2026-03-04T12:00:00+01:00';
    const days = (pages: readonly Trip[][]) => pages.flat().map(({ departure }) => departure.scheduled!.slice(8, 16));
    const later = await readOn(buildTripRequest(A, Z, { time, limit: 1, maxTransfers: 0 }), 'laterRef', 20);
    expect(days(later)).toEqual(['05T08:00', '06T08:00', '07T08:00', '08T08:00']);
    const earlier = await readOn(buildTripRequest(A, Z, { time, limit: 1, maxTransfers: 0 }), 'earlierRef', 20);
    expect(days(earlier.slice(1))).toEqual(['04T08:00', '03T08:00', '02T08:00']);
    expect(new Set([...later, ...earlier.slice(1)].flat().map(({ id }) => id)).size).toBe(7);
  });

  test('are valid for their request only', async () => {
    const { laterRef } = await request({ limit: 1 });
    expect(await findRefusal(() => request({ limit: 2, pageRef: laterRef! }))).toBe('invalid_body /pageRef');
  });
});

describe('a request for a past time may come from a traveller under way', () => {
  const X = { stopId: 'at:x' };
  const arriving = (clock: string) =>
    reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });
  const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
  const options = { time: at('07:55'), limit: 1, maxTransfers: 1 };

  /** With the risk of each transfer, and a note for cancelled legs. */
  const describeAll = ({ trips }: { trips: readonly Trip[] }) =>
    trips.map((trip) => {
      const risks = trip.legs.flatMap(({ transferRisk }) => transferRisk ?? []);
      return [describeTrip(trip), ...risks, ...(trip.cancellation.partiallyCancelled ? ['cancelled'] : [])].join(' ');
    });
  async function requestLive(now: string, trips: readonly TripReport[], over: Partial<TripRequest> = options) {
    return describeAll(
      await requestTrips(openTrips(await liveTripTown(now, { trips }), now), buildTripRequest(A, X, over)),
    );
  }

  const BROKEN = '08:00 - 08:45 1 S5 missed';
  const REACHED = '08:00 - 09:45 1 S5 ok';

  test.each<[string, TripReport[], string[]]>([
    ['nothing is broken', [arriving('08:11')], ['08:00 - 08:45 1 S5 ok']],
    ['a missed transfer, in its place, beyond the limit', [arriving('08:20')], [BROKEN, REACHED]],
    ['a cancelled vehicle', [cancelled('x1')], ['08:00 - 08:45 1 S5 ok cancelled', REACHED]],
  ])('and shows: %s', async (_what, trips, expected) => {
    expect(await requestLive('08:05', trips)).toEqual(expected);
  });

  test.each<[string, string, Partial<TripRequest>]>([
    ['now', '08:05', { limit: 1 }],
    ['later', '08:05', { time: at('08:10'), limit: 1 }],
    ['a time before the first departure', '07:58', { time: at('07:55'), limit: 1 }],
    ['an arrival', '08:05', { time: at('10:00'), timeMode: 'arrival', limit: 1 }],
  ])('but not for %s', async (_what, now, over) => {
    expect(await requestLive(now, [arriving('08:20')], over)).not.toContain(BROKEN);
  });

  test('once, on the first page', async () => {
    const live = openTrips(await liveTripTown('08:05', { trips: [arriving('08:20')] }), '08:05');
    const body = buildTripRequest(A, X, options);
    const { laterRef, earlierRef } = await requestTrips(live, body);
    const { time: _, ...same } = body;
    const others = [laterRef, earlierRef].map((pageRef) => requestTrips(live, { ...same, pageRef: pageRef! }));
    expect((await Promise.all(others)).flatMap(describeAll)).not.toContain(BROKEN);
  });
});
