import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import type { AlertReport, TripReport } from '../../pipeline/model/realtime.ts';
import { instant, openWorld, queryDepartures, type World } from '../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../support/worlds/live-reports.ts';
import { openLiveWorld } from '../support/worlds/live-world.ts';
import { predictionOf } from '../support/worlds/trip-predictions.ts';
import { at, DAY, town, townTrip } from './engine/live-town.ts';
import { expectGoldenAnswer } from './golden-answers.ts';
import { serviceOptions } from './service-app.ts';

const NOW = '08:05';

/** A morning with a late bus on a changed platform, a cancelled bus, an observed tram and an added bus. */
const trips: readonly TripReport[] = [
  reportOf(townTrip('t1'), {
    calls: [
      callOf(stopOf('a'), { departure: timeOf(at('08:03'), null, true) }),
      callOf(stopOf('s1'), { arrival: timeOf(at('08:17')), departure: timeOf(at('08:19')), platform: '2' }),
      callOf(stopOf('k'), { state: 'skipped' }),
      callOf(stopOf('z'), { arrival: timeOf(at('08:36')) }),
    ],
  }),
  reportOf(townTrip('t2'), { relationship: 'cancelled' }),
  reportOf(tripOf('extra', { startDate: DAY, lineLabel: 'E', product: 'cityBus', operatorName: 'Wiesenbus' }), {
    relationship: 'added',
    calls: [
      callOf(stopOf('s2'), { departure: timeOf(at('08:20'), at('08:20')), scheduledPlatform: '2' }),
      callOf(stopOf(null, 'Wiese'), { arrival: timeOf(at('08:26'), at('08:25')) }),
      callOf(stopOf('h'), { arrival: timeOf(at('08:36'), at('08:34')) }),
    ],
  }),
];

const alerts: readonly AlertReport[] = [
  alertOf('bauarbeiten', {
    kind: 'construction',
    category: 'BAU',
    priority: 20,
    title: 'Bahnhof: Bussteig 1 gesperrt',
    text: 'Die Linie 1 hält am Bussteig 2.',
    operatorName: 'Verkehr',
    activeWindows: [{ from: instant(at('05:00')), to: instant(at('20:00')) }],
    lines: [{ label: '1', routeId: null, agencyId: null, operatorName: null, region: 'Talschaft' }],
    stops: [stopOf('s')],
    links: [{ title: 'Plan', url: 'https://example.org/plan' }],
  }),
  alertOf('aufzug', {
    title: 'Aufzug außer Betrieb',
    text: 'Bis auf Weiteres.',
    isAccess: true,
    stops: [stopOf('s2')],
  }),
];

let app: FastifyInstance;
let world: World;
beforeAll(async () => {
  const live = await openLiveWorld(await openWorld(town), ['city'], {
    kind: 'wiener-linien',
    coverage: ['Talschaft'],
    isNationwide: true,
  });
  live.report('city', at('08:04'), {
    trips,
    alerts,
    vehicles: [
      vehicleOf('bus 12', { trip: townTrip('t1'), lat: 48.03, lon: 16.03, headingDeg: 45, stop: stopOf('s1') }),
      vehicleOf('tram 3', { trip: tripOf(null, { lineLabel: '2' }), lat: 48.02, lon: 16.02 }),
    ],
    stationBoards: [
      {
        station: '60201095',
        publishedAt: null,
        isFrozen: false,
        departures: [
          { line: 'U1', towards: 'Ziel', plannedAt: instant(at('08:06')), realAt: instant(at('08:07')) },
          { line: 'U2', towards: 'Heide', plannedAt: instant(at('08:09')), realAt: null },
        ],
      },
    ],
  });
  live.forecast([
    predictionOf(
      't1',
      { day: DAY, observedAt: at('08:03') },
      [
        [120, 174, 230],
        [120, 180, 300],
        [90, 200, 380],
      ],
      {
        sourceId: 'city',
        delaySeconds: 180,
      },
    ),
  ]);
  world = live.at(at(NOW));
  const sourceChecks = { at: '2026-03-03T03:00:00.000Z' };
  app = await buildApp(serviceOptions(world, { clock: fixedClock(at(NOW)), sourceChecks }));
});
afterAll(() => app.close());

test.each([
  ['live-departures', 'Board', '/v2/stops/at:s/departures?limit=4'],
  ['live-arrivals', 'ArrivalBoard', '/v2/stops/at:z/arrivals'],
  ['live-disruptions', 'DisruptionList', '/v2/disruptions'],
  ['live-vehicles', 'VehicleSnapshot', '/v2/vehicles'],
  ['live-vehicles-v1', 'V1Vehicles', '/v1/vehicles'],
  ['live-metro', 'V1Metro', '/v1/city-transit/metro?diva=60201095'],
  ['live-health', 'V1Health', '/v1/health'],
  ['live-status', 'V1Status', '/v1/status'],
  ['live-predictions', 'V1Predictions', '/v1/predictions?lat=48.03&lon=16.03&radius=500'],
])('%s', async (name, type, url) => {
  await expectGoldenAnswer(app, name, type, { url });
});

test.each([
  ['live-journey', '1'],
  ['live-added-journey', 'E'],
])('%s', async (name, line) => {
  const { departures } = await queryDepartures(world, 'at:s', { now: at(NOW), lines: [line] });
  await expectGoldenAnswer(app, name, 'Journey', { url: `/v2/journeys/${departures[0]!.journeyRef}` });
});

test('batches of predictions', async () => {
  const { departures } = await queryDepartures(world, 'at:s', { now: at(NOW) });
  const refs = departures.map(({ journeyRef }) => journeyRef!);
  const past = await queryDepartures(world, 'at:s', { time: at('03:00'), now: at(NOW) });
  const ended = past.departures[0]!.journeyRef!;
  await expectGoldenAnswer(app, 'live-prediction-batch', 'PredictionBatch', {
    method: 'POST',
    url: '/v2/predictions/batch',
    payload: { journeyRefs: [...refs, ended, 'nothing'] },
  });
  await expectGoldenAnswer(app, 'live-prediction-batch-v1', 'V1Predictions', {
    method: 'POST',
    url: '/v1/predictions/batch',
    payload: { jids: refs },
  });
});
