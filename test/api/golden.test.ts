import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { buildSample } from '../support/worlds/sample.ts';
import { expectGoldenAnswer } from './golden-answers.ts';
import { serviceOptions } from './service-app.ts';

const HBF = encodeURIComponent('sample:at:49:1349');

// A Monday morning on the sample, with all inputs of responses fixed.
let app: FastifyInstance;
beforeAll(async () => {
  const world = await openWorld({ sample: await buildSample('2026-03-15') }, { now: '2026-03-15T03:00:00Z' });
  app = await buildApp(
    serviceOptions(world, {
      clock: fixedClock('2026-03-16T07:30:00Z'),
      sourceChecks: { sample: '2026-03-16T03:00:00.000Z' },
    }),
  );
});
afterAll(() => app.close());

test.each([
  ['meta', 'Meta', '/v2/meta'],
  ['stops', 'StopList', '/v2/stops?query=westbf'],
  ['nearby', 'StopList', '/v2/stops/nearby?lat=48.2183&lon=16.3916&limit=5'],
  ['departures', 'Board', `/v2/stops/${HBF}/departures?limit=5`],
  ['arrivals', 'ArrivalBoard', `/v2/stops/${HBF}/arrivals?limit=5&products=train,regionalTrain`],
  ['info', 'StopInfo', `/v2/stops/${HBF}/info`],
  ['health', 'V1Health', '/v1/health'],
  ['status', 'V1Status', '/v1/status'],
  ['predictions', 'V1Predictions', '/v1/predictions?line=U1'],
])('%s', async (name, type, url) => {
  await expectGoldenAnswer(app, name, type, { url });
});

test('journey', async () => {
  const board = await app.inject({ url: `/v2/stops/${HBF}/departures?products=train&durationMinutes=240` });
  const railjet = board.json().departures.find((row: { line: { label: string } }) => row.line.label.startsWith('RJ'));
  await expectGoldenAnswer(app, 'journey', 'Journey', { url: `/v2/journeys/${railjet.journeyRef}?stopId=${HBF}` });
});

describe('problems', () => {
  test.each<[string, InjectOptions]>([
    ['unknown-path', { url: '/v2/nothing' }],
    ['unknown-stop', { url: '/v2/stops/nowhere/departures' }],
    ['unknown-other-stop', { url: `/v2/stops/${HBF}/departures?directionStopId=nowhere` }],
    ['unknown-journey', { url: '/v2/journeys/nothing' }],
    ['unknown-parameter', { url: `/v2/stops/${HBF}/departures?line=U1` }],
    ['invalid-parameter', { url: `/v2/stops/${HBF}/departures?limit=201` }],
    ['invalid-page-token', { url: `/v2/stops/${HBF}/departures?pageToken=nothing` }],
    ['out-of-range', { url: `/v2/stops/${HBF}/departures?time=2025-01-01T00:00:00Z` }],
    ['missing-query', { url: '/v1/predictions' }],
    ['origin', { url: '/v2/meta', headers: { origin: 'https://example.org' } }],
    ['method', { url: '/v2/meta', method: 'DELETE' }],
    ['body', { url: '/v2/trips', method: 'POST', payload: { from: {} } }],
  ])('%s', async (name, request) => {
    await expectGoldenAnswer(app, `problem-${name}`, 'Problem', request);
  });
});
