import { describe, expect, test } from 'vitest';
import type { PlanQuery } from '../../../../api/engine/planner/itinerary.ts';
import { usualWalker } from '../../../../api/engine/planner/transfer-seconds.ts';
import { findRunningTrips, mergeTrips } from '../../../../api/engine/trips/plan-trips.ts';
import { joinRides } from '../../../../api/engine/trips/present-legs.ts';
import { computeTimeline, type Timeline } from '../../../../api/engine/trips/timeline.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { instant, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, townTrip } from '../live-town.ts';
import { liveTripTown, openTripTown, rideOn } from './trip-town.ts';

const query = { timeMode: 'departure', time: instant(at('08:00')) } as PlanQuery;

/** To the station by bus, on by tram; and only the bus. */
function listPlanned(world: World) {
  const { timetable } = world;
  const join = (...rides: Parameters<typeof joinRides>[1]) =>
    joinRides({ timetable, realtime: null }, rides, usualWalker);
  return [
    join(rideOn(world, 't1', [0, 2]), rideOn(world, 't2', [0, 1])),
    join(rideOn(world, 't1', [0, 3])),
    join(rideOn(world, 't1', [0, 2]), rideOn(world, 'late', [0, 1])),
    join(rideOn(world, 't3', [0, 2]), rideOn(world, 't4', [0, 1])),
  ];
}

const arriving = (clock: string, tripId = 't1', stop = 's1') =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock)) })] });
const leaving = (clock: string, tripId: string, stop: string) =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(clock)) })] });
const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
const skipping = (tripId: string, stop: string) =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { state: 'skipped' })] });

async function findIn(trips: readonly TripReport[], now: string, over: Partial<PlanQuery> = {}) {
  const world = await liveTripTown(now, { trips });
  const planned = listPlanned(world);
  const { timetable, realtime } = world;
  const published = { timetable, realtime };
  const found = findRunningTrips(published, instant(at(now)), { ...query, ...over }, () => planned);
  // By their rides, in the notation of the list above.
  return found.map(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'ride' ? timetable.tables.trips.tripId.get(part.run.ride.trip) : [])),
  );
}

describe('a traveller under way sees trips that realtime has broken', () => {
  test.each<[string, TripReport[], string, string[][]]>([
    ['nothing is broken', [arriving('08:12')], '08:05', []],
    ['a missed transfer', [arriving('08:16')], '08:05', [['t1', 't2']]],
    ['a cancelled vehicle', [cancelled('t2')], '08:05', [['t1', 't2']]],
    [
      'the alighting stop is skipped',
      [skipping('t1', 's1')],
      '08:05',
      [
        ['t1', 't2'],
        ['t1', 'late'],
      ],
    ],
    ['an intermediate stop is skipped', [skipping('t1', 'k')], '08:05', []],
    ['at most two', [cancelled('t1')], '08:05', [['t1', 't2'], ['t1']]],
    ['the vehicle continues later than scheduled', [arriving('08:58', 't3', 'z')], '08:30', []],
    [
      'the vehicle arrives later than its next trip is reported to leave',
      [arriving('08:58', 't3', 'z'), leaving('08:52', 't4', 'z')],
      '08:30',
      [['t3', 't4']],
    ],
    ['the vehicle skips the stop where it continues', [skipping('t3', 'z')], '08:30', []],
    ['not departed yet', [cancelled('t2')], '07:59:59', []],
    ['ended', [cancelled('t2')], '08:40', []],
    ['about to end', [cancelled('t2')], '08:39:59', [['t1', 't2']]],
  ])('%s', async (_what, trips, now, expected) => {
    expect(await findIn(trips, now, now < '08:00' ? { time: instant(at('07:00')) } : {})).toEqual(expected);
  });

  test.each<[string, Partial<PlanQuery>]>([
    ['a request for now', { time: instant(at('08:05')) }],
    ['an arrival request', { timeMode: 'arrival' }],
  ])('but not for %s', async (_who, over) => {
    expect(await findIn([cancelled('t2')], '08:05', over)).toEqual([]);
  });

  test('are not searched without realtime', async () => {
    const { timetable } = await openTripTown();
    const plan = () => {
      throw new Error('nobody need look');
    };
    expect(findRunningTrips({ timetable, realtime: null }, instant(at('08:05')), query, plan)).toEqual([]);
  });
});

test('are sorted by departure, arrival, transfers', async () => {
  const world = await openTripTown();
  const { timetable, realtime } = world;
  const lay = (...rides: Parameters<typeof joinRides>[1]): Timeline =>
    computeTimeline(
      { timetable, realtime },
      joinRides({ timetable, realtime }, rides, usualWalker),
      instant(at('07:00')),
    );
  const direct = lay(rideOn(world, 't1', [0, 3]));
  const byTram = lay(rideOn(world, 't1', [0, 2]), rideOn(world, 't2', [0, 1]));
  const late = lay(rideOn(world, 'late', [0, 1]));
  expect(mergeTrips([direct, late], [byTram])).toEqual([direct, byTram, late]);
  const withChange = { ...direct, transfers: 1 };
  expect(mergeTrips([direct], [withChange])).toEqual([direct, withChange]);
});
