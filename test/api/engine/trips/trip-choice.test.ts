import { expect, test } from 'vitest';
import { listOutlooks } from '../../../../api/engine/trips/list-outlooks.ts';
import { planTripChoice } from '../../../../api/engine/trips/plan-trips.ts';
import { computeTimeline } from '../../../../api/engine/trips/timeline.ts';
import type { TripPrediction } from '../../../../pipeline/model/prediction.ts';
import { instant } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { predictionOf, type Quantiles } from '../../../support/worlds/trip-predictions.ts';
import { at, DAY, townTrip } from '../live-town.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';
import { openTripTown, rideOn, walkFrom } from './trip-town.ts';

const ANY: Quantiles = [0, 0, 0];
/** The train departs at 08:18; the bus arrives at 08:10, and the transfer takes 180 s. */
const byTrain = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:x' }, { time: at('07:55'), limit: 1 });

const bus = (arrival: Quantiles) => predictionOf('t1', { day: DAY, observedAt: at('08:01') }, [ANY, arrival, ANY]);

async function choose(forecasts: readonly TripPrediction[]) {
  const live = await openLiveWorld(await openTripTown());
  live.report('rt', at('08:01'), {});
  live.forecast(forecasts);
  const context = openTrips(await live.at(at('08:01')), '08:01');
  const { outlooks, ...result } = await planTripChoice(context, byTrain);
  expect(result).toEqual(await requestTrips(context, byTrain));
  return outlooks;
}

test('a transfer between two unreported vehicles has its spare time and no probability', async () => {
  expect(await choose([])).toEqual([[{ spareSeconds: 447, sampleSize: 0 }]]);
});

test('a transfer with a forecast for only one vehicle has no probability either', async () => {
  expect(await choose([bus([0, 60, 200])])).toEqual([[{ spareSeconds: 447, sampleSize: 0 }]]);
});

test('a transfer with forecasts for both vehicles has the resulting probability', async () => {
  const live = await openLiveWorld(await openTripTown());
  // The tram reaches Ziel at 08:40; a late bus leaves the station at 08:50 instead of 08:12, and the walk takes 300 s.
  live.report('rt', at('08:37'), {
    trips: [reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { departure: timeOf(at('08:50')) })] })],
  });
  live.forecast([
    predictionOf('t1', { day: DAY, observedAt: at('08:37') }, [[1900, 2280, 2500], ANY], { position: 1 }),
    predictionOf('t2', { day: DAY, observedAt: at('08:37') }, [[0, 60, 120]]),
  ]);
  const world = await live.at(at('08:37'));
  const parts = [
    rideOn(world, 't2', [0, 1]),
    walkFrom(world, 'transfer', ['z', 's1'], { meters: 300, seconds: 230, transferSeconds: 300 }),
    rideOn(world, 't1', [2, 3]),
  ];
  const { timetable, realtime } = world;
  const plan = { parts, departure: null, transfers: 1 };
  const timeline = computeTimeline({ timetable, realtime }, plan, instant(at('08:37')));
  const [outlook, ...others] = listOutlooks(timeline);
  expect(others).toEqual([]);
  expect(outlook).toEqual({ spareSeconds: 370, probability: expect.any(Number), sampleSize: 0 });
  const { chance } = timeline.parts.flatMap((part) => (part.kind === 'walk' ? part.transfer! : []))[0]!;
  expect(outlook!.probability).toBe(Math.round(chance! * 100) / 100);
  expect(outlook!.probability).toBeGreaterThan(0.5);
});
