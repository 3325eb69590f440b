import { test } from 'vitest';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import type { TripReport } from '../../pipeline/model/realtime.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf } from '../support/worlds/live-reports.ts';
import { at, townTrip } from './engine/live-town.ts';
import { liveTripTown } from './engine/trips/trip-town.ts';
import { expectGoldenAnswer } from './golden-answers.ts';
import { openService } from './service-app.ts';

const NOW = '08:05';

/** The running bus is late and misses the train; the next train leaves from another platform. */
const trips: readonly TripReport[] = [
  reportOf(townTrip('t1'), {
    calls: [
      callOf(stopOf('a'), { departure: timeOf(at('08:03'), null, true) }),
      callOf(stopOf('k'), { state: 'skipped' }),
      callOf(stopOf('s1'), { arrival: timeOf(at('08:20')), departure: timeOf(at('08:22')) }),
    ],
  }),
  reportOf(townTrip('x2'), { calls: [callOf(stopOf('s2'), { departure: timeOf(at('09:20')), platform: '7' })] }),
];

test('trips from a running vehicle', async () => {
  const alerts = [alertOf('aufzug', { title: 'Aufzug außer Betrieb', isAccess: true, stops: [stopOf('s')] })];
  const app = await openService(await liveTripTown(NOW, { trips, alerts }), { clock: fixedClock(at(NOW)) });
  await expectGoldenAnswer(app, 'live-trips', 'TripResult', {
    method: 'POST',
    url: '/v2/trips',
    payload: { from: { stopId: 'at:a' }, to: { stopId: 'at:x' }, time: at('07:55'), limit: 1, maxTransfers: 1 },
  });
});
