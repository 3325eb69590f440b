import type { FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { LegRef, RescueResult, Trip, TripResult } from '../../../../api/contract/definitions.ts';
import { listLegRefs } from '../../../../api/contract/leg-refs.ts';
import type { ProblemCode } from '../../../../api/contract/problems.ts';
import type { FollowedTrip, TripChoice } from '../../../../api/contract/trip-outlook.ts';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, townTrip } from '../../engine/live-town.ts';
import { liveTripTown } from '../../engine/trips/trip-town.ts';
import { openService } from '../../service-app.ts';
import { expectProblem } from '../../test-app.ts';

const NOW = '08:03';
const toTheCourt = { from: 'at:a', to: 'at:x' };
/** The bus is late and misses the train. */
const lateBus: TripReport = reportOf(townTrip('t1'), {
  calls: [callOf(stopOf('s1'), { arrival: timeOf(at('08:20')), departure: timeOf(at('08:22')) })],
});

const openTown = async (trips: readonly TripReport[] = []) =>
  openService(await liveTripTown(NOW, { trips: [...trips] }), { clock: fixedClock(at(NOW)) });

type Query = Readonly<Record<string, string | number | boolean>>;

function get(app: FastifyInstance, path: string, query: Query) {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return app.inject({ url: `${path}?${text.join('&')}` });
}

/** An item of a list, in which a comma is encoded twice. */
const item = (text: string) => encodeURIComponent(text);
const listLegs = (legs: readonly LegRef[]) =>
  legs.flatMap(({ journeyRef, originId, destinationId }) => [journeyRef, originId, destinationId].map(item)).join(',');

async function planTown(app: FastifyInstance): Promise<{ trip: Trip; legs: string; refs: LegRef[] }> {
  const { trips } = (
    await get(app, '/site/data/trips', { ...toTheCourt, time: at('07:55'), limit: 1 })
  ).json<TripChoice>();
  const refs = listLegRefs(trips[0]!);
  return { trip: trips[0]!, legs: listLegs(refs), refs };
}

describe('trips for the pages', () => {
  test.each<[string, Query, object]>([
    [
      'between stops',
      { ...toTheCourt, time: at('07:55') },
      { from: { stopId: 'at:a' }, to: { stopId: 'at:x' }, time: at('07:55') },
    ],
    [
      'by arrival, with a wheelchair',
      { ...toTheCourt, time: at('09:55'), arriveBy: true, wheelchair: true, limit: 2 },
      {
        from: { stopId: 'at:a' },
        to: { stopId: 'at:x' },
        time: at('09:55'),
        timeMode: 'arrival',
        wheelchair: true,
        limit: 2,
      },
    ],
    [
      'past stops on the way',
      { from: 'at:a', to: 'at:x', via: 'at:s', time: at('07:55') },
      { from: { stopId: 'at:a' }, to: { stopId: 'at:x' }, via: [{ stopId: 'at:s' }], time: at('07:55') },
    ],
    [
      'from a coordinate with a name to one without',
      { from: '48.001,16.001', fromName: 'Am Anger, 1', to: '48.08,16.1', time: at('07:55') },
      {
        from: { coord: { lat: 48.001, lon: 16.001 }, name: 'Am Anger, 1' },
        to: { coord: { lat: 48.08, lon: 16.1 } },
        time: at('07:55'),
      },
    ],
  ])('equal those of /v2, with their outlooks: %s', async (_what, query, body) => {
    const app = await openTown([lateBus]);
    const answer = await get(app, '/site/data/trips', query);
    const { outlooks, ...result } = answer.json<TripChoice>();
    const payload = { limit: 5, ...body };
    const published = (await app.inject({ method: 'POST', url: '/v2/trips', payload })).json<TripResult>();
    expect(result).toEqual(published);
    expect(result.trips).not.toEqual([]);
    const risks = result.trips.map(({ legs }) => legs.filter(({ transferRisk }) => transferRisk).length);
    expect(outlooks.map(({ length }) => length)).toEqual(risks);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('continue at a page token like those of /v2 at a page reference', async () => {
    const app = await openTown();
    const query = { from: 'at:s', to: 'at:x', limit: 1 };
    const first = (await get(app, '/site/data/trips', { ...query, time: at('07:55') })).json<TripChoice>();
    const next = (await get(app, '/site/data/trips', { ...query, pageToken: first.laterRef! })).json<TripChoice>();
    const payload = { from: { stopId: 'at:s' }, to: { stopId: 'at:x' }, limit: 1, pageRef: first.laterRef };
    const published = (await app.inject({ method: 'POST', url: '/v2/trips', payload })).json<TripResult>();
    expect(next.trips).toEqual(published.trips);
    expect(next.trips[0]!.id).not.toBe(first.trips[0]!.id);
  });
});

test('follow a chosen trip by its rides', async () => {
  const { trip, legs } = await planTown(await openTown());
  const app = await openTown([lateBus]);
  const followed = (await get(app, '/site/data/trip', { ...toTheCourt, legs })).json<FollowedTrip>();
  expect(followed).toMatchObject({ generatedAt: at(NOW), state: 'missed', atLeg: 1, trip: { id: trip.id } });
  expect(followed.outlooks).toEqual([{ spareSeconds: -153, sampleSize: 0 }]);
});

test('return the rescue of /v2', async () => {
  const { legs, refs } = await planTown(await openTown());
  const app = await openTown([lateBus]);
  const rescue = (await get(app, '/site/data/rescue', { legs, to: 'at:x' })).json<RescueResult>();
  const payload = { legs: refs, to: { stopId: 'at:x' } };
  expect(rescue).toEqual((await app.inject({ method: 'POST', url: '/v2/rescue', payload })).json());
  expect([rescue.state, rescue.options.map(({ kind }) => kind)]).toEqual(['missed', ['next']]);
});

const someLegs = 'none,at%3Aa,at%3As1';

test.each<[string, string, Query, ProblemCode, string?]>([
  ['no origin', 'trips', { to: 'at:x' }, 'invalid_parameter', 'from'],
  ['an origin that is nowhere', 'trips', { from: 'at:nowhere', to: 'at:x' }, 'unknown_stop', 'from'],
  ['a destination that is nowhere', 'trips', { from: 'at:a', to: 'at:nowhere' }, 'unknown_stop', 'to'],
  [
    'a second stop on the way that is nowhere',
    'trips',
    { ...toTheCourt, via: 'at:s', via2: 'at:n' },
    'unknown_stop',
    'via2',
  ],
  ['a point that is not on earth', 'trips', { from: '91.5,16.0', to: 'at:x' }, 'invalid_parameter', 'from'],
  ['half a point', 'trips', { from: '48.2', to: 'at:x' }, 'unknown_stop', 'from'],
  ['a time without offset', 'trips', { ...toTheCourt, time: '2026-03-03T08:00:00' }, 'invalid_parameter', 'time'],
  [
    'a time beyond the timetable',
    'trips',
    { ...toTheCourt, time: '2030-01-01T08:00:00Z' },
    'timetable_out_of_range',
    'time',
  ],
  ['too many trips', 'trips', { ...toTheCourt, limit: 7 }, 'invalid_parameter', 'limit'],
  ['a page token of nobody', 'trips', { ...toTheCourt, pageToken: 'none' }, 'invalid_parameter', 'pageToken'],
  [
    'a time and a page',
    'trips',
    { ...toTheCourt, time: at('08:00'), pageToken: 'none' },
    'invalid_parameter',
    'pageToken',
  ],
  ['a parameter of /v2', 'trips', { ...toTheCourt, pageRef: 'none' }, 'unknown_parameter', 'pageRef'],
  ['no rides', 'trip', toTheCourt, 'invalid_parameter', 'legs'],
  ['a mode without streets', 'trips', { ...toTheCourt, mode: 'bike' }, 'mode_unavailable', 'mode'],
  ['a bicycle on board without streets', 'trips', { ...toTheCourt, mode: 'bikeOnBoard' }, 'mode_unavailable', 'mode'],
  ['a mode that is none', 'trips', { ...toTheCourt, mode: 'rocket' }, 'invalid_parameter', 'mode'],
  ['rides of two items', 'trip', { ...toTheCourt, legs: 'a,b,c,d' }, 'invalid_parameter', 'legs'],
  ['a journey that is none', 'trip', { ...toTheCourt, legs: someLegs }, 'unknown_journey', 'legs'],
  ['nine rides', 'rescue', { legs: Array(9).fill(someLegs).join(',') }, 'invalid_parameter', 'legs'],
  ['a journey that is none', 'rescue', { legs: someLegs }, 'unknown_journey', 'legs'],
  ['more options than there are', 'rescue', { legs: someLegs, limit: 9 }, 'invalid_parameter', 'limit'],
])('%s is refused by /site/data/%s', async (_what, path, query, code, parameter) => {
  expectProblem(await get(await openTown(), `/site/data/${path}`, query), code, parameter);
});

test('refuse with the name of the parameter, not of the body member', async () => {
  const app = await openTown();
  const { detail } = (await get(app, '/site/data/trips', { from: '91.5,16.0', to: 'at:x' })).json();
  expect(detail).toMatch(/^"from" must/);
});
