import { describe, expect, test } from 'vitest';
import { usualWalker } from '../../../../api/engine/planner/transfer-seconds.ts';
import { presentLegs } from '../../../../api/engine/trips/present-legs.ts';
import type { DatedRide } from '../../../../api/engine/trips/run.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { instant, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { feedFromText, withFiles } from '../../../support/worlds/text-feed.ts';
import { predictionOf } from '../../../support/worlds/trip-predictions.ts';
import { at, DAY, townTrip } from '../live-town.ts';
import { describeLegs, liveTripTown, openTripTown, rideOn, tripTown } from './trip-town.ts';

async function present(world: World, rides: readonly DatedRide[], walker = usualWalker, now = '08:01') {
  const { timetable, realtime, references } = world;
  const context = { published: { timetable, realtime }, references, instant: instant(at(now)), walks: null };
  const trip = await presentLegs(context, rides, walker);
  await expectValidAnswer('Trip', trip);
  return trip;
}

const townWith = (transfers: string) =>
  openWorld({ at: withFiles(feedFromText(tripTown), { 'transfers.txt': transfers }) });

describe('walks between given rides', () => {
  test('are those of the timetable', async () => {
    const world = await openTripTown();
    const trip = await present(world, [rideOn(world, 't1', [0, 2]), rideOn(world, 't2', [0, 1])]);
    expect(describeLegs(trip)).toEqual([
      'transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)',
      'transfer: Bahnhof 1 08:10 - Bahnhof 2 08:10:33 (43 m, ok, walk:straightLine)',
      'transit 2: Bahnhof 2 08:18 - Ziel 08:40 (tripNumber:TR 2, bikes:yes)',
    ]);
    expect(trip.transfers).toBe(1);
  });

  test('do not exist if the passenger stays on board', async () => {
    const world = await openTripTown();
    const trip = await present(world, [rideOn(world, 't3', [0, 2]), rideOn(world, 't4', [0, 1])]);
    expect(describeLegs(trip)[1]).toBe('transit 4: Ziel 08:52 - Anger 09:20 (wheelchair:yes, staySeated:yes)');
    expect(trip.transfers).toBe(0);
  });

  test('are estimated between stops that the timetable does not connect', async () => {
    const world = await openTripTown();
    // From the church to the heath: far beyond the maximum walking distance.
    const trip = await present(world, [rideOn(world, 't1', [0, 1]), rideOn(world, 't3', [0, 2])]);
    expect(describeLegs(trip)[1]).toMatch(
      /^walk: Kirche 08:06 - Heide 08:56:\d\d \(39\d\d m, missed, walk:straightLine\)$/,
    );
  });

  test.each<[string, string, string]>([
    ['a timed transfer is guaranteed', 's1,s2,1,', 'guaranteed'],
    ['one with a published time', 's1,s2,2,400', 'ok'],
    ['one whose published time is too long', 's1,s2,2,600', 'tight'],
    ['a forbidden transfer takes its normal duration', 's1,s2,3,', 'ok'],
  ])('%s', async (_what, rule, expected) => {
    const world = await townWith(`from_stop_id,to_stop_id,transfer_type,min_transfer_time\n${rule}\n`);
    const trip = await present(world, [rideOn(world, 't1', [0, 2]), rideOn(world, 't2', [0, 1])]);
    expect(trip.legs[1]!.transferRisk).toBe(expected);
  });

  test.each<[string, string, string[]]>([
    ['usual', 's1,s2,0,', ['transferSeconds:480', 'minTransferSeconds:180', 'walkSeconds:33']],
    ['published', 's1,s2,2,360', ['transferSeconds:480', 'minTransferSeconds:360', 'walkSeconds:33']],
    ['guaranteed', 's1,s2,1,', ['transferSeconds:480', 'minTransferSeconds:0', 'walkSeconds:33']],
  ])('list the seconds of a transfer that is %s', async (_what, rule, expected) => {
    const world = await townWith(`from_stop_id,to_stop_id,transfer_type,min_transfer_time\n${rule}\n`);
    const trip = await present(world, [rideOn(world, 't1', [0, 2]), rideOn(world, 't2', [0, 1])]);
    expect(trip.legs[1]!.attributes).toEqual(['walk:straightLine', ...expected]);
  });

  test.each<[string, string]>([
    ['08:17:40', 'tight'],
    ['08:17:41', 'missed'],
  ])('are missed below a published minimum that is shorter than the walk: arriving at %s', async (clock, expected) => {
    // The publisher requires 20 s, the walk is estimated at 33 s.
    const world = await townWith('from_stop_id,to_stop_id,transfer_type,min_transfer_time\ns1,s2,2,20\n');
    const late = reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });
    const live = await openLiveWorld(world);
    live.report('rt', at('08:01'), { trips: [late] });
    const shown = live.at(at('08:01'));
    const trip = await present(shown, [rideOn(shown, 't1', [0, 2]), rideOn(shown, 't2', [0, 1])]);
    expect(trip.legs[1]!.transferRisk).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['a published minimum', 's1,s2,2,180', 'tight'],
    ['only the reserve of the planner', 's1,s2,0,', 'ok'],
  ])('are tight although they are likely if they leave less than %s', async (_what, rule, expected) => {
    const world = await townWith(`from_stop_id,to_stop_id,transfer_type,min_transfer_time\n${rule}\n`);
    const late = reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at('08:16')) })] });
    const live = await openLiveWorld(world);
    live.report('rt', at('08:01'), { trips: [late] });
    const delay = [300, 330, 360] as const;
    live.forecast([predictionOf('t1', { day: DAY, observedAt: at('08:01') }, [delay, delay, delay])]);
    const shown = live.at(at('08:01'));
    const trip = await present(shown, [rideOn(shown, 't1', [0, 2]), rideOn(shown, 't2', [0, 1])]);
    expect(trip.legs[1]!.attributes).toContain('minTransferSeconds:180');
    expect(trip.legs[1]!.transferRisk).toBe(expected);
  });

  test('use the walking speed and minimum transfer time of the traveller', async () => {
    const world = await openTripTown();
    const rides = [rideOn(world, 't1', [0, 2]), rideOn(world, 't2', [0, 1])];
    const slow = await present(world, rides, { ...usualWalker, walkSpeedKmh: 2 });
    expect(describeLegs(slow)[1]).toBe('transfer: Bahnhof 1 08:10 - Bahnhof 2 08:11:18 (43 m, ok, walk:straightLine)');
    const careful = await present(world, rides, { ...usualWalker, minTransferSeconds: 540 });
    expect(careful.legs[1]!.transferRisk).toBe('tight');
  });
});

describe('with any realtime', () => {
  const late = (tripId: string, stop: string, clock: string) =>
    reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock)) })] });
  const rides = (world: World) => [rideOn(world, 't1', [0, 2]), rideOn(world, 't2', [0, 1])];

  test.each<[string, TripReport[], (string | undefined)[], boolean[]]>([
    ['nothing', [], [undefined, 'ok', undefined], [false, false, false]],
    ['a missed transfer', [late('t1', 's1', '08:20')], [undefined, 'missed', undefined], [false, false, false]],
    [
      'a cancelled vehicle',
      [reportOf(townTrip('t2'), { relationship: 'cancelled' })],
      [undefined, 'ok', undefined],
      [false, false, true],
    ],
  ])('the trip is presented: %s', async (_what, trips, risks, areCancelled) => {
    const world = await liveTripTown('08:01', { trips });
    const trip = await present(world, rides(world));
    expect(trip.legs.map(({ transferRisk }) => transferRisk)).toEqual(risks);
    expect(trip.legs.map(({ cancellation }) => cancellation.fullyCancelled)).toEqual(areCancelled);
  });

  test('it keeps its id', async () => {
    const before = await openTripTown();
    const after = await liveTripTown('08:01', { trips: [late('t1', 's1', '08:20')] });
    expect((await present(after, rides(after))).id).toBe((await present(before, rides(before))).id);
  });
});
