import { beforeAll, expect, it } from 'vitest';
import type { TripRequest } from '../../../../api/contract/definitions.ts';
import type { TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import { findRefusal } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../../support/worlds/live-reports.ts';
import { at } from '../live-town.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';
import { describeLegs, liveTripTown, openTripTown } from './trip-town.ts';

let context: TripsContext;
beforeAll(async () => {
  context = openTrips(await openTripTown(), '07:00');
});

const FROM_A_TO_Z = [{ stopId: 'at:a' }, { stopId: 'at:z' }] as const;
const search = (over: Partial<TripRequest>, where = context) =>
  requestTrips(where, buildTripRequest(...FROM_A_TO_Z, { maxWalkMeters: 0, limit: 1, ...over }));

it('shows a stay at a via as a transfer and a wait', async () => {
  const { trips } = await search({ via: [{ stopId: 'at:s' }], viaMinimumStaySeconds: [1200] });
  expect(describeLegs(trips[0]!)).toEqual([
    'transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)',
    'transfer: Bahnhof 1 08:10 - Bahnhof 2 08:10:33 (43 m, ok, walk:straightLine)',
    'wait: Bahnhof 2 08:10:33 - Bahnhof 2 09:00',
    'transit 2: Bahnhof 2 09:00 - Ziel 09:22',
  ]);
  const { attributes } = trips[0]!.legs[1]!;
  expect(attributes).toEqual(expect.arrayContaining(['transferSeconds:3000', 'minTransferSeconds:1200']));
});

it('rates a transfer as tight if realtime shortens the stay', async () => {
  const late = reportOf(tripOf('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at('08:45')) })] });
  const live = openTrips(await liveTripTown('08:30', { trips: [late] }), '08:30');
  const stay = { via: [{ stopId: 'at:s' }], time: at('07:50') };
  const [trip] = (await search({ ...stay, viaMinimumStaySeconds: [1200] }, live)).trips;
  expect(trip?.legs.map(({ transferRisk }) => transferRisk)).toContain('tight');
});

it.each<[what: string, over: Partial<TripRequest>, refusal: string]>([
  ['without places', { viaMinimumStaySeconds: [60] }, 'invalid_body /viaMinimumStaySeconds'],
  [
    'for more places than there are',
    { via: [{ stopId: 'at:s' }], viaMinimumStaySeconds: [60, 60] },
    'invalid_body /viaMinimumStaySeconds',
  ],
])('refuses stays %s', async (_, over, refusal) => {
  expect(await findRefusal(() => search(over))).toBe(refusal);
});

it('keeps a page to the same stays', async () => {
  const via = { via: [{ stopId: 'at:s' }] };
  const { laterRef } = await search({ ...via, viaMinimumStaySeconds: [600] });
  const follow = (seconds: number[]) => search({ ...via, viaMinimumStaySeconds: seconds, pageRef: laterRef! });
  await expect(follow([600])).resolves.toMatchObject({ trips: expect.any(Array) });
  expect(await findRefusal(() => follow([0]))).toBe('invalid_body /pageRef');
});
