import { beforeAll, describe, expect, test } from 'vitest';
import { openRealtime, withoutPredictions } from '../../../../api/engine/read/realtime.ts';
import type { Plan } from '../../../../api/engine/trips/timeline.ts';
import type { TripPrediction } from '../../../../pipeline/model/prediction.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { type ServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import type { World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { predictionOf, type Quantiles } from '../../../support/worlds/trip-predictions.ts';
import { at, DAY, townTrip } from '../live-town.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';
import { openTripTown, presentParts, rideOn, walkFrom } from './trip-town.ts';

let world: World;
beforeAll(async () => {
  world = await openTripTown();
});

interface LastEmitted {
  readonly forecasts: readonly TripPrediction[];
  readonly trips?: readonly TripReport[];
  readonly reportedAt?: string;
  readonly now?: string;
}

async function openLive({
  forecasts,
  trips = [],
  reportedAt = '08:01',
  now = reportedAt,
}: LastEmitted): Promise<World> {
  const live = await openLiveWorld(world);
  live.report('rt', at(reportedAt), { trips });
  live.forecast(forecasts);
  return live.at(at(now));
}

/** The only risk reported for a transfer. */
async function findRisk(live: World, parts: Plan['parts'], now: string): Promise<string | undefined> {
  const { legs } = await presentParts(live, parts, { now });
  const [risk, ...others] = legs.flatMap(({ transferRisk }) => transferRisk ?? []);
  expect(others).toEqual([]);
  return risk;
}

const ANY: Quantiles = [0, 0, 0];

describe('the arrival is forecast', () => {
  /** The bus arrives at 08:10, the tram departs at 08:18, and the walk takes 33 s: 447 s of spare time. */
  const byTram = (isGuaranteed = false, transferSeconds = 180) => [
    rideOn(world, 't1', [0, 2]),
    walkFrom(world, 'transfer', ['s1', 's2'], { meters: 43, seconds: 33, transferSeconds, isGuaranteed }),
    rideOn(world, 't2', [0, 1]),
  ];
  const ofBus = (quantiles: Quantiles, over: Partial<TripPrediction> = {}) =>
    predictionOf('t1', { day: DAY, observedAt: at('08:01') }, [ANY, quantiles, ANY], over);
  const arriving = (clock: string, isMeasured = false) =>
    reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock), null, isMeasured) })] });

  test.each<[string, Quantiles, string]>([
    ['in time with a probability of 90 %', [0, 60, 447], 'ok'],
    ['a little less', [0, 60, 448], 'tight'],
    ['never', [900, 1000, 1100], 'tight'],
    ['early', [-200, -100, -50], 'ok'],
    ['so wide that the prediction itself is not shown', [-1000, 0, 290], 'ok'],
  ])('%s', async (_how, quantiles, expected) => {
    expect(await findRisk(await openLive({ forecasts: [ofBus(quantiles)] }), byTram(), '08:01')).toBe(expected);
  });

  const late: Quantiles = [900, 1000, 1100];

  test.each<[string, () => LastEmitted, string]>([
    ['nothing else', () => ({ forecasts: [ofBus(late)] }), 'tight'],
    ['at its maximum age', () => ({ forecasts: [ofBus(late)], now: '08:09' }), 'tight'],
    ['an observation after that stop', () => ({ forecasts: [ofBus(late, shortened())] }), 'ok'],
    ['the vehicle was observed there', () => ({ forecasts: [ofBus(late)], trips: [arriving('08:00:30', true)] }), 'ok'],
    ['another day', () => ({ forecasts: [ofBus(late, { day: DAY_BEFORE })] }), 'ok'],
    ['realtime reports it missed', () => ({ forecasts: [ofBus([0, 0, 0])], trips: [arriving('08:17:28')] }), 'missed'],
    [
      'the trip is cancelled',
      () => ({ forecasts: [ofBus(late)], trips: [reportOf(townTrip('t1'), { relationship: 'cancelled' })] }),
      'ok',
    ],
  ])('%s', async (_what, situation, expected) => {
    const { now = '08:01', ...rest } = situation();
    expect(await findRisk(await openLive({ ...rest, now }), byTram(), now)).toBe(expected);
  });

  const DAY_BEFORE = toEpochDay('2026-03-02' as ServiceDate);
  /** Of the last call only. */
  const shortened = () => ({
    position: 2,
    low: Int16Array.of(900),
    median: Int16Array.of(1000),
    high: Int16Array.of(1100),
  });

  test('an old snapshot expires', async () => {
    const live = await openLive({ forecasts: [ofBus(late)], now: '08:09' });
    expect(await findRisk(live, byTram(), '08:09')).toBe('tight');
    expect(await findRisk(live, byTram(), '08:09:01')).toBe('ok');
  });

  test('paused predictions are ignored', async () => {
    const live = await openLive({ forecasts: [ofBus(late)] });
    const realtime = openRealtime(withoutPredictions(live.realtime!), null);
    expect(await findRisk({ ...live, realtime }, byTram(), '08:01')).toBe('ok');
    expect(await findRisk(live, byTram(), '08:01')).toBe('tight');
  });

  test('a vehicle that waits remains guaranteed', async () => {
    expect(await findRisk(await openLive({ forecasts: [ofBus(late)] }), byTram(true), '08:01')).toBe('guaranteed');
  });

  test('a transfer that is tight by the schedule may be safe', async () => {
    // 08:16 leaves two minutes; the publisher requires one.
    const situation = { trips: [arriving('08:16')], forecasts: [ofBus([200, 230, 300])] };
    expect(await findRisk(await openLive({ ...situation, forecasts: [] }), byTram(false, 60), '08:01')).toBe('tight');
    expect(await findRisk(await openLive(situation), byTram(false, 60), '08:01')).toBe('ok');
  });

  test('appears in a response of the trips route', async () => {
    const body = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:x' }, { time: at('07:55'), limit: 1 });
    const riskOf = async (quantiles: Quantiles) => {
      const context = openTrips(await openLive({ forecasts: [ofBus(quantiles)] }), '08:01');
      const { trips } = await requestTrips(context, body);
      return trips[0]!.legs.flatMap(({ transferRisk }) => transferRisk ?? []);
    };
    expect([await riskOf([0, 60, 200]), await riskOf([0, 60, 600])]).toEqual([['ok'], ['tight']]);
  });
});

describe('the departure is forecast', () => {
  /**
   * The tram reaches Ziel at 08:40; a late bus leaves the station at 08:50 instead of 08:12. The minimum is five
   * minutes, the walk 230 s.
   */
  const parts = () => [
    rideOn(world, 't2', [0, 1]),
    walkFrom(world, 'transfer', ['z', 's1'], { meters: 300, seconds: 230, transferSeconds: 300 }),
    rideOn(world, 't1', [2, 3]),
  ];
  const leaving = reportOf(townTrip('t1'), {
    calls: [callOf(stopOf('s1'), { departure: timeOf(at('08:50')) })],
  });
  const ofBus = (quantiles: Quantiles) =>
    predictionOf('t1', { day: DAY, observedAt: at('08:37') }, [quantiles, ANY], { position: 1 });

  // Made if the bus leaves 1,910 s late or more.
  test.each<[string, TripPrediction[], string]>([
    ['never', [], 'ok'],
    ['late enough with a probability of 90 %', [ofBus([1910, 2280, 2400])], 'ok'],
    ['a little less', [ofBus([1890, 2280, 2400])], 'tight'],
    ['on schedule', [ofBus([-100, -50, 0])], 'tight'],
  ])('%s', async (_how, forecasts, expected) => {
    const live = await openLive({ forecasts, trips: [leaving], reportedAt: '08:38' });
    expect(await findRisk(live, parts(), '08:38')).toBe(expected);
  });

  test('and so is the arrival', async () => {
    const ofTram = (quantiles: Quantiles) =>
      predictionOf('t2', { day: DAY, observedAt: at('08:37') }, [quantiles], { position: 0 });
    const bus: Quantiles = [1980, 2280, 2400];
    const riskWith = async (quantiles: Quantiles) => {
      const forecasts = [ofBus(bus), ofTram(quantiles)];
      return findRisk(await openLive({ forecasts, trips: [leaving], reportedAt: '08:38' }), parts(), '08:38');
    };
    expect([await riskWith([-200, -100, 0]), await riskWith([0, 100, 400])]).toEqual(['ok', 'tight']);
  });
});
