import { describe, expect, test } from 'vitest';
import type { LegRef, Place } from '../../../../api/contract/definitions.ts';
import { listLegRefs } from '../../../../api/contract/leg-refs.ts';
import { type FollowRequest, followTrip } from '../../../../api/engine/rescue/follow-trip.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, townTrip } from '../live-town.ts';
import { openStreets } from '../trips/straight-streets.ts';
import { buildTripRequest, openTrips, requestTrips } from '../trips/trip-questions.ts';
import { describeLegs, liveTripTown, openTripTown } from '../trips/trip-town.ts';

const toTheCourt = [{ stopId: 'at:a' }, { stopId: 'at:x' }] as const;

/** An itinerary planned the evening before, followed while under way. */
async function follow([from, to]: readonly [Place, Place], now: string, trips: readonly TripReport[]) {
  const planned = openTrips(await openTripTown(), '07:00');
  const [trip] = (await requestTrips(planned, buildTripRequest(from, to, { time: at('07:55'), limit: 1 }))).trips;
  const context = openTrips(await liveTripTown(now, { trips: [...trips] }), now);
  const followed = await followTrip(context, { legs: listLegRefs(trip!), from, to });
  await expectValidAnswer('Trip', followed.trip);
  return { planned: trip!, followed };
}

/** The bus arrives at the station at a time. */
const bus = (clock: string): TripReport =>
  reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });

describe('a followed trip', () => {
  test.each<[string, readonly [Place, Place]]>([
    ['between stops', toTheCourt],
    ['between a station and a stop', [{ stopId: 'at:s' }, { stopId: 'at:z' }]],
    [
      'from door to door',
      [
        { coord: { lat: 48.001, lon: 16.001 }, name: 'Am Anger' },
        { coord: { lat: 48.081, lon: 16.101 }, name: 'Am Hof' },
      ],
    ],
  ])('equals the planned trip while nothing changes: %s', async (_what, ends) => {
    const { planned, followed } = await follow(ends, '07:56', []);
    expect(followed).toEqual({
      generatedAt: at('07:56'),
      state: 'unknown',
      trip: planned,
      outlooks: followed.outlooks,
    });
    expect(followed.outlooks).toHaveLength(planned.legs.filter(({ transferRisk }) => transferRisk).length);
  });

  test('keeps a missed transfer', async () => {
    const { followed } = await follow(toTheCourt, '08:03', [bus('08:20')]);
    expect([followed.state, followed.atLeg]).toEqual(['missed', 1]);
    expect(followed.outlooks).toEqual([{ spareSeconds: -153, sampleSize: 0 }]);
    expect(describeLegs(followed.trip)[1]).toContain('missed');
  });

  test('keeps a cancelled vehicle', async () => {
    const { followed } = await follow(toTheCourt, '08:03', [
      bus('08:10'),
      reportOf(townTrip('x1'), { relationship: 'cancelled' }),
    ]);
    expect([followed.state, followed.atLeg]).toEqual(['cancelled', 1]);
    expect(followed.trip.cancellation.partiallyCancelled).toBe(true);
  });

  test.each<[string, FollowRequest['modes'], RegExp | null]>([
    ['on foot it is too far', {}, null],
    ['by bicycle', { access: { modes: ['walk', 'bike'] } }, /^bike: Hügel .* \(2600 m, parking:station\)$/],
    ['with a bicycle on board', { bikeOnBoard: true }, /^bike: Hügel .* \(2600 m, bike:onBoard\)$/],
    [
      'by car',
      { access: { modes: ['walk', 'car'], parking: 'parkAndRide' } },
      /^car: Hügel .* \(2736 m, parking:parkAndRide\)$/,
    ],
  ])('begins as it was planned: %s', async (_what, modes, way) => {
    const planned = await requestTrips(openTrips(await openTripTown(), '07:00'), {
      ...buildTripRequest({ stopId: 'at:s' }, { stopId: 'at:x' }, { time: at('07:55'), limit: 1 }),
    });
    const { walks } = openStreets(['bike', 'car'], [{ lat: 48.0405, lon: 16.0405 }]);
    const context = { ...openTrips(await openTripTown(), '07:00'), walks };
    const from = { coord: { lat: 48.04, lon: 16.0131 }, name: 'Hügel' };
    const { trip } = await followTrip(context, {
      legs: listLegRefs(planned.trips[0]!),
      from,
      to: { stopId: 'at:x' },
      ...(modes ? { modes } : {}),
    });
    await expectValidAnswer('Trip', trip);
    const [first] = describeLegs(trip);
    if (way) expect(first).toMatch(way);
    else expect(first).toMatch(/^transit/);
  });

  test('has no walk to a place that is too far away', async () => {
    const { followed, planned } = await follow(toTheCourt, '08:03', []);
    const context = openTrips(await liveTripTown('08:03', {}), '08:03');
    const far = { coord: { lat: 48.5, lon: 16.5 } };
    const elsewhere = await followTrip(context, { legs: listLegRefs(planned), from: far, to: far });
    expect(elsewhere.trip.legs).toEqual(followed.trip.legs);
  });

  test.each<[string, Partial<{ from: Place; to: Place; legs: LegRef[] }>, string, string]>([
    ['an origin without stops nearby', { from: { stopId: 'at:nowhere' } }, 'unknown_stop', '/from/stopId'],
    ['a destination without stops nearby', { to: { stopId: 'at:nowhere' } }, 'unknown_stop', '/to/stopId'],
    [
      'an unknown journey',
      { legs: [{ journeyRef: 'none', originId: 'at:a', destinationId: 'at:s' }] },
      'unknown_journey',
      '/legs/0/journeyRef',
    ],
  ])('rejects %s', async (_what, over, code, parameter) => {
    const context = openTrips(await openTripTown(), '07:56');
    const [from, to] = toTheCourt;
    const [trip] = (await requestTrips(context, buildTripRequest(from, to, { time: at('07:55'), limit: 1 }))).trips;
    const request = { legs: listLegRefs(trip!), from, to, ...over };
    await expect(followTrip(context, request)).rejects.toMatchObject({ code, parameter });
  });
});
