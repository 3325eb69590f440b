import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { TripResult } from '../../api/contract/definitions.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { buildSample } from '../support/worlds/sample.ts';
import { expectGoldenAnswer } from './golden-answers.ts';
import { serviceOptions } from './service-app.ts';

const WIEN_HBF = { stopId: 'sample:at:49:1349' };
const INNSBRUCK_HBF = { stopId: 'sample:at:47:innsbruck' };

// A Monday morning on the sample.
let app: FastifyInstance;
beforeAll(async () => {
  const world = await openWorld({ sample: await buildSample('2026-03-15') }, { now: '2026-03-15T03:00:00Z' });
  app = await buildApp(serviceOptions(world, { clock: fixedClock('2026-03-16T07:30:00Z') }));
});
afterAll(() => app.close());

const post = (payload: object) => ({ method: 'POST', url: '/v2/trips', payload }) as const;

describe('trips', () => {
  test.each<[string, object]>([
    ['trips-innsbruck', { from: WIEN_HBF, to: INNSBRUCK_HBF, limit: 2 }],
    [
      'trips-innsbruck-arrival',
      { from: WIEN_HBF, to: INNSBRUCK_HBF, time: '2026-03-16T18:00:00+01:00', timeMode: 'arrival', limit: 1 },
    ],
    [
      'trips-from-door-to-door',
      {
        from: { coord: { lat: 48.2089, lon: 16.3726 }, name: 'Stephansdom' },
        to: { coord: { lat: 48.1847, lon: 16.3119 }, name: 'Schönbrunn' },
        limit: 1,
      },
    ],
    [
      // From the last train of the evening to a place without stops.
      'trips-call-a-bus',
      {
        from: { stopId: 'sample:at:44:attnang' },
        to: { coord: { lat: 47.5335, lon: 13.4975 }, name: 'Vorderer Gosausee' },
        time: '2026-03-16T19:00:00+01:00',
        limit: 1,
      },
    ],
  ])('%s', async (name, payload) => {
    await expectGoldenAnswer(app, name, 'TripResult', post(payload));
  });
});

describe('problems', () => {
  test.each<[string, object]>([
    ['stop', { from: WIEN_HBF, to: { stopId: 'sample:nowhere' } }],
    ['out-of-range', { from: WIEN_HBF, to: INNSBRUCK_HBF, time: '2030-01-01T00:00:00Z' }],
    ['page', { from: WIEN_HBF, to: INNSBRUCK_HBF, pageRef: 'nothing' }],
  ])('%s', async (name, payload) => {
    await expectGoldenAnswer(app, `problem-trips-${name}`, 'Problem', post(payload));
  });
});

test('pages of a day contain every trip once, forwards and backwards', async () => {
  const body = { from: WIEN_HBF, to: INNSBRUCK_HBF, limit: 3, maxTransfers: 0 };
  const plan = async (over: object) => {
    const answer = await app.inject(post({ ...body, ...over }));
    expect(answer.statusCode).toBe(200);
    return answer.json() as TripResult;
  };
  const first = await plan({ time: '2026-03-16T08:00:00+01:00' });
  const second = await plan({ pageRef: first.laterRef });
  const third = await plan({ pageRef: second.laterRef });
  const ids = [first, second, third].flatMap(({ trips }) => trips.map(({ id }) => id));
  expect(new Set(ids).size).toBe(9);
  const back = await plan({ pageRef: third.earlierRef });
  const further = await plan({ pageRef: back.earlierRef });
  expect([...further.trips, ...back.trips].map(({ id }) => id)).toEqual(ids.slice(0, 6));
});
