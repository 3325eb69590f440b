import { describe, expect, test } from 'vitest';
import type { Prediction, V1Predictions } from '../../../api/contract/definitions.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import { callOf, reportOf, stopOf, timeOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import type { Quantiles } from '../../support/worlds/trip-predictions.ts';
import { at, townTrip } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';
import {
  get,
  type LastEmitted,
  observedAt,
  ofBus,
  open,
  openLive,
  openTown,
  post,
  postV1,
  refOf,
  SURE,
} from './prediction-town.ts';

/** Delay in minutes and its confidence; null without a prediction. */
async function predictBus(emitted: LastEmitted): Promise<string | null> {
  const [prediction] = (await get('line=1', emitted)).predictions;
  return prediction ? `${prediction.delayMin} ${prediction.confidence}` : null;
}

describe('a prediction', () => {
  test('has the format of each API version', async () => {
    const measuredAt = '2026-03-03T07:02:00.000Z';
    const entry = { jid: refOf('t1'), line: '1', delayMin: 1.5, confidence: 'high', measuredAt };
    expect(await get(`jid=${refOf('t1')}`)).toEqual({
      generatedAt: '2026-03-03T07:05:00.000Z',
      count: 1,
      predictions: [entry],
    });
    expect((await postV1([refOf('t1')])).predictions).toEqual([entry]);
    expect(await post([refOf('t1')])).toEqual({
      generatedAt: '2026-03-03T08:05:00+01:00',
      predictions: [
        {
          journeyRef: refOf('t1'),
          line: '1',
          delayMinutes: 1.5,
          confidence: 'high',
          measuredAt: '2026-03-03T08:02:00+01:00',
          source: 'stop_events',
          evidence: 'observed_actual',
          sourceNames: ['rt'],
          sourceConflict: false,
        },
      ],
      invalidatedJourneyRefs: [],
    });
  });

  test.each<[string, string, string | null]>([
    ['eight minutes', '08:10', '1.5 high'],
    ['a second more, in a snapshot of before', '08:10:15', null],
  ])('is at most eight minutes old: %s', async (_age, now, expected) => {
    const live = await openLive({ now: '08:10' });
    const app = await openService(live, { clock: fixedClock(at(now)) });
    const { predictions } = (await app.inject({ url: '/v1/predictions?line=1' })).json() as V1Predictions;
    expect(predictions.map(({ delayMin, confidence }) => `${delayMin} ${confidence}`)).toEqual(
      expected ? [expected] : [],
    );
  });

  const falling: readonly Quantiles[] = [
    [60, 90, 120],
    [20, 30, 40],
    [-10, 0, 10],
  ];
  const skipping = (...stops: string[]): TripReport =>
    reportOf(townTrip('t1'), { calls: stops.map((id) => callOf(stopOf(id), { state: 'skipped' })) });
  const seen = (stop: string, clock: string): TripReport =>
    reportOf(townTrip('t1'), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock), null, true) })] });

  test.each<[string, string, readonly TripReport[], string | null]>([
    ['the one behind what was observed', '08:11:30', [], '1.5 high'],
    ['once that should be over, the one behind it', '08:11:45', [], '0.5 high'],
    ['and so on', '08:20:45', [], '0 high'],
    ['to the last one', '08:30', [], '0 high'],
    ['and then nothing', '08:30:15', [], null],
    ['not one that is cancelled', '08:05', [skipping('s1')], '0.5 high'],
    ['nor two', '08:05', [skipping('s1', 'k')], '0 high'],
    ['not one where it was seen', '08:05', [seen('s1', '08:01:30')], '0.5 high'],
  ])('is the delay at the next call: %s', async (_which, now, trips, expected) => {
    const forecasts = [ofBus({ observedAt: observedAt(now, -60) }, falling)];
    expect(await predictBus({ forecasts, now, updates: { rt: { trips } } })).toBe(expected);
  });

  test.each<[string, readonly TripReport[]]>([
    ['cancelled', [reportOf(townTrip('t1'), { relationship: 'cancelled' })]],
    ['not to be shown', [reportOf(townTrip('t1'), { relationship: 'deleted' })]],
    ['cancelled call by call', [skipping('a', 's1', 'k', 'z')]],
    [
      'replaced',
      [
        reportOf(townTrip('t1'), {
          relationship: 'replacement',
          calls: ['a', 'z'].map((id) => callOf(stopOf(id), { departure: timeOf(at('08:20'), at('08:20')) })),
        }),
      ],
    ],
  ])('does not exist for a trip that is %s', async (_how, trips) => {
    const emitted = { updates: { other: { trips } } };
    expect((await get('line=1', emitted)).predictions).toEqual([]);
    // The trip has not ended either: a cancellation can be withdrawn.
    expect(await post([refOf('t1')], emitted)).toMatchObject({ predictions: [], invalidatedJourneyRefs: [] });
  });

  test.each<[Quantiles, string | null]>([
    [[0, 60, 120], '1 high'],
    [[0, 60, 121], '1 medium'],
    [[-100, 60, 200], '1 medium'],
    [[-100, 60, 201], null],
    [[-3, -2, -1], '0 high'],
    [[-200, -177, -150], '-3 high'],
    [[-200, -174, -150], '-2.9 high'],
  ])('with %j has a confidence by the width of the interval at that call', async (quantiles, expected) => {
    const wide: Quantiles = [-9999, 0, 9999];
    expect(await predictBus({ forecasts: [ofBus({}, [quantiles, wide, wide])] })).toBe(expected);
    expect(await predictBus({ forecasts: [ofBus({}, [wide, quantiles, quantiles])] })).toBeNull();
  });
});

describe('evidence', () => {
  const predict = async (emitted: LastEmitted): Promise<Prediction> =>
    (await post([refOf('t1')], emitted)).predictions[0]!;
  const late = (stop: string, clock: string, isMeasured = false): Partial<SourceUpdate> => ({
    trips: [
      reportOf(townTrip('t1'), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock), null, isMeasured) })] }),
    ],
  });
  const bus = { vehicles: [vehicleOf('bus', { trip: townTrip('t1') })] };

  test('is an observed vehicle', async () => {
    expect(await predict({ forecasts: [ofBus({ channel: 'positions' })] })).toMatchObject({
      source: 'positions',
      evidence: 'observed_actual',
    });
  });

  test.each<[string, LastEmitted['updates'], string[]]>([
    ['nobody else', {}, ['rt']],
    ['itself', { rt: late('k', '08:22') }, ['rt']],
    ['another one', { other: late('k', '08:22') }, ['rt', 'other']],
    ['both', { other: late('k', '08:22'), rt: late('z', '08:32') }, ['rt', 'other']],
    ['one that shows the vehicle alone', { other: bus }, ['rt', 'other']],
    ['one that speaks of another trip', { other: { trips: [reportOf(townTrip('t2'), { delaySeconds: 60 })] } }, ['rt']],
  ])('includes the sources that report the trip: %s', async (_who, updates = {}, expected) => {
    expect((await predict({ updates })).sourceNames).toEqual(expected);
  });

  test.each<[string, string, string, boolean]>([
    ['on the call to come', 's1', '08:15', true],
    ['on a call behind it', 'k', '08:28', false],
    ['hardly', 's1', '08:12', false],
  ])('includes that sources disagree: %s', async (_where, stop, clock, expected) => {
    const updates = { rt: late(stop, stop === 's1' ? '08:11:30' : '08:21'), other: late(stop, clock) };
    expect((await predict({ updates })).sourceConflict).toBe(expected);
  });

  test('includes that sources disagree on the observed call', async () => {
    const forecasts = [ofBus({ position: 1, observedAt: observedAt('08:01') }, [SURE, SURE])];
    const updates = { rt: late('s1', '08:01', true), other: late('s1', '08:15') };
    expect(await predict({ updates, forecasts })).toMatchObject({ sourceConflict: true });
  });
});

describe('filters', () => {
  const lines = async (query: string, emitted?: LastEmitted) =>
    (await get(query, emitted)).predictions.map(({ line }) => line);
  const both = () => `jids=${refOf('t3')},${refOf('t1')}`;

  test.each<[string, () => string, string[]]>([
    ['a line', () => 'line=2', ['2']],
    ['a line that nobody forecasts', () => 'line=N', []],
    ['a journey', () => `jid=${refOf('t3')}`, ['2']],
    ['journeys, in the order of their lines', both, ['1', '2']],
    ['journeys, each once', () => `jids=${refOf('t1')},${refOf('t1')}`, ['1']],
    ['journeys and one of them', () => `${both()}&jid=${refOf('t1')}`, ['1']],
    ['journeys and another', () => `jids=${refOf('t1')}&jid=${refOf('t3')}`, []],
    ['journeys and a line', () => `${both()}&line=2`, ['2']],
    ['a journey that is another day', () => `jid=${refOf('t1', '2026-03-04')}`, []],
    ['a journey that was altered', () => `jid=${refOf('t1')}A`, []],
    ['a journey of nowhere', () => 'jid=nonsense', []],
    ['a limit', () => `${both()}&limit=1`, ['1']],
  ])('%s', async (_what, query, expected) => {
    expect(await lines(query())).toEqual(expected);
  });

  // The bus is next at s1 (48.04, 16.04), the tram at k (48.02, 16.02): 2,673 m from one another.
  test.each<[string, string, string[]]>([
    ['a kilometre by default', 'lat=48.04&lon=16.04', ['1']],
    ['at the other stop', 'lat=48.02&lon=16.02', ['2']],
    ['both, the nearest first', 'lat=48.02&lon=16.02&radius=2700', ['2', '1']],
    ['the nearest, and no more', 'lat=48.02&lon=16.02&radius=2700&limit=1', ['2']],
    ['both and a line', 'lat=48.02&lon=16.02&radius=2700&line=1', ['1']],
    ['a little too far', 'lat=48.02&lon=16.02&radius=2600', ['2']],
    ['far away', 'lat=10&lon=10&radius=10000', []],
  ])('near a place: %s', async (_what, query, expected) => {
    expect(await lines(query)).toEqual(expected);
  });

  test('locates a trip at the last recent position of its vehicle', async () => {
    const bus = vehicleOf('bus', { trip: townTrip('t1'), lat: 48.1, lon: 16.1 });
    const emitted = { updates: { rt: { vehicles: [bus] } } };
    expect(await lines('lat=48.1&lon=16.1', emitted)).toEqual(['1']);
    expect(await lines('lat=48.04&lon=16.04', emitted)).toEqual([]);
    const live = await openLiveWorld(await openTown());
    live.report('rt', at('08:02'), { vehicles: [bus] });
    live.forecast([ofBus({ observedAt: observedAt('08:09') })]);
    const app = await openService(live.at(at('08:10')), { clock: fixedClock(at('08:10:15')) });
    const near = async (query: string) => (await app.inject({ url: `/v1/predictions?${query}` })).json().count;
    expect([await near('lat=48.1&lon=16.1'), await near('lat=48.04&lon=16.04')]).toEqual([0, 1]);
  });

  test.each<[string, 'missing_query' | 'invalid_parameter' | 'unknown_parameter', string | undefined]>([
    ['', 'missing_query', undefined],
    ['limit=5', 'missing_query', undefined],
    ['lat=48', 'missing_query', undefined],
    ['radius=100', 'missing_query', undefined],
    ['line=1&radius=100', 'invalid_parameter', 'lat'],
    ['line=1&lat=48', 'invalid_parameter', 'lon'],
    ['lat=48&lon=16&radius=10001', 'invalid_parameter', 'radius'],
    ['lat=48&lon=16&radius=0', 'invalid_parameter', 'radius'],
    ['lat=91&lon=16', 'invalid_parameter', 'lat'],
    ['line=1&limit=201', 'invalid_parameter', 'limit'],
    ['line=1&limit=0', 'invalid_parameter', 'limit'],
    [`jids=${Array(41).fill('x').join()}`, 'invalid_parameter', 'jids'],
    ['line=1&journeyRefs=x', 'unknown_parameter', 'journeyRefs'],
  ])('"%s" is refused: %s', async (query, code, parameter) => {
    expectProblem(await (await open()).inject({ url: `/v1/predictions?${query}` }), code, parameter);
  });
});

describe('batches', () => {
  test('of v1 contain all requested journeys, ordered by line', async () => {
    const emitted = await postV1([refOf('t3'), refOf('t1'), 'nonsense', refOf('t3')]);
    expect([emitted.count, emitted.predictions.map(({ line }) => line)]).toEqual([2, ['1', '2']]);
  });

  test('of v2 contain each journey once, in the requested order', async () => {
    const { predictions } = await post([refOf('t3'), refOf('t1'), refOf('t3')]);
    expect(predictions.map(({ line }) => line)).toEqual(['2', '1']);
  });

  test.each([
    ['/v1/predictions/batch', 'jids'],
    ['/v2/predictions/batch', 'journeyRefs'],
  ])('%s accepts 1 to 200', async (url, member) => {
    const app = await open();
    const send = (payload: object) => app.inject({ method: 'POST', url, payload });
    const many = (count: number) => ({ [member]: Array(count).fill('x') });
    expect((await send(many(200))).statusCode).toBe(200);
    expectProblem(await send(many(201)), 'invalid_body', `/${member}`);
    expectProblem(await send(many(0)), 'invalid_body', `/${member}`);
    expectProblem(await send({}), 'invalid_body', `/${member}`);
    expectProblem(await send({ ...many(1), limit: 1 }), 'invalid_body', '/limit');
    expectProblem(await app.inject({ method: 'POST', url }), 'invalid_body');
  });

  test('are not cached, and name their data version', async () => {
    const live = await openLive({});
    const app = await openService(live, { clock: fixedClock(at('08:05:07')) });
    const request = { method: 'POST', url: '/v2/predictions/batch', payload: { journeyRefs: ['x'] } } as const;
    const { headers, body } = await app.inject(request);
    const version = `${live.timetable.manifest.id}.${live.realtime!.manifest.id}`;
    expect([headers['cache-control'], headers.etag, headers['data-version']]).toEqual(['no-store', undefined, version]);
    expect(JSON.parse(body).generatedAt).toBe(at('08:05:07'));
    const { headers: ofGet } = await app.inject({ url: '/v1/predictions?line=1' });
    expect([ofGet['cache-control'], ofGet['data-version']]).toEqual(['public, max-age=15', version]);
    expect(ofGet.etag).toMatch(/^".+"$/);
  });
});
