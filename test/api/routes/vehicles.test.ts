import { beforeAll, describe, expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { VehicleReport } from '../../../pipeline/model/realtime.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { askDepartures, instant, openWorld, type World } from '../../support/board-world.ts';
import { expectValidAnswer } from '../../support/contract-validator.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/live-reports.ts';
import { openLiveWorld } from '../../support/live-world.ts';
import { at, DAY, town, townTrip } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

const NOW = '08:15';

async function liveWorld(vehicles: readonly VehicleReport[], over?: Partial<RealtimeSourceState>): Promise<World> {
  const live = await openLiveWorld(world, ['rt'], over);
  const extra = reportOf(tripOf('extra', { startDate: DAY, lineLabel: 'E', product: 'ship' }), {
    relationship: 'added',
    calls: ['a', 'h'].map((id) => callOf(stopOf(id), { departure: timeOf(at('08:20')) })),
  });
  live.say('rt', at(NOW), { trips: [extra], vehicles });
  return live.at(at(NOW));
}

async function ask(live: World, url: string, now = NOW) {
  const app = await openService(live, { clock: fixedClock(at(now)) });
  return app.inject({ url });
}

async function askBoth(live: World, query = '', now = NOW) {
  const v1 = await ask(live, `/v1/vehicles${query}`, now);
  const v2 = await ask(live, `/v2/vehicles${query.replace('jids=', 'journeyRefs=')}`, now);
  await expectValidAnswer('V1Vehicles', v1.json());
  await expectValidAnswer('VehicleSnapshot', v2.json());
  const ids = (answer: typeof v1) => answer.json().vehicles.map(({ id }: { id: string }) => id.replace('rt:', ''));
  expect(ids(v1)).toEqual(ids(v2));
  expect([v1.json().count, v2.json().count]).toEqual([ids(v1).length, ids(v1).length]);
  return { ids: ids(v1), sources: [v1.json().source, v2.json().source], v1: v1.json(), v2: v2.json() };
}

const refAt = async (live: World, stop: string, asked = {}) =>
  (await askDepartures(live, `at:${stop}`, { time: at('08:00'), now: at(NOW), ...asked })).departures[0]!.journeyRef!;

const MEASURED = ['measurement_snapshot', 'measurementSnapshot'];
const UNAVAILABLE = ['unavailable', 'unavailable'];

describe('vehicles', () => {
  const fleet = [
    vehicleOf('bus', {
      trip: townTrip('t1'),
      lat: 48.0212345678,
      lon: 16.0312345678,
      headingDeg: 359,
      stop: stopOf('k'),
    }),
    vehicleOf('extra', { trip: tripOf('extra'), lat: 48.1, lon: 16.1 }),
    vehicleOf('line', { trip: tripOf(null, { lineLabel: '2', headsign: 'Depot' }), lat: 48.2, lon: 16.2 }),
    vehicleOf('stray', { trip: tripOf(null, { lineLabel: '99' }), lat: 48.3, lon: 16.3, headingDeg: 0 }),
    vehicleOf('empty', { lat: 48.4, lon: 16.4 }),
  ];

  test('tell what is known of them, in the words of both families', async () => {
    const live = await liveWorld(fleet);
    const { v1, v2, ids, sources } = await askBoth(live);
    expect([ids, sources]).toEqual([['bus', 'empty', 'extra', 'line', 'stray'], MEASURED]);
    const t1 = await refAt(live, 'a');
    const extra = await refAt(live, 'a', { time: at('08:10'), lines: ['E'] });
    const observedAt = '2026-03-03T07:15:00.000Z';
    const nothing = { jid: null, line: null, product: null, direction: null, headingDeg: null, observedAt };
    expect([v1.generatedAt, v2.generatedAt]).toEqual([observedAt, '2026-03-03T08:15:00+01:00']);
    expect(v1.vehicles).toEqual([
      {
        id: 'rt:bus',
        jid: t1,
        line: '1',
        product: 'cityBus',
        direction: 'Ziel',
        lat: 48.021235,
        lon: 16.031235,
        headingDeg: 359,
        observedAt,
      },
      { ...nothing, id: 'rt:empty', lat: 48.4, lon: 16.4 },
      { ...nothing, id: 'rt:extra', jid: extra, line: 'E', product: 'ship', direction: 'Heide', lat: 48.1, lon: 16.1 },
      { ...nothing, id: 'rt:line', line: '2', product: 'tram', direction: 'Depot', lat: 48.2, lon: 16.2 },
      { ...nothing, id: 'rt:stray', line: '99', product: 'other', lat: 48.3, lon: 16.3, headingDeg: 0 },
    ]);
    expect(v2.vehicles.slice(0, 2)).toEqual([
      {
        id: 'rt:bus',
        journeyRef: t1,
        coord: { lat: 48.021235, lon: 16.031235 },
        line: { label: '1', name: 'Anger - Ziel', product: 'cityBus', operatorName: 'Verkehr', lineId: 'at:r1' },
        direction: 'Ziel',
        headingDeg: 359,
        observedAt: '2026-03-03T08:15:00+01:00',
      },
      { id: 'rt:empty', coord: { lat: 48.4, lon: 16.4 }, observedAt: '2026-03-03T08:15:00+01:00' },
    ]);
  });

  test.each<[string, string, string[]]>([
    [
      'within a box, its edges included',
      '?minLat=48.1&minLon=16.1&maxLat=48.3&maxLon=16.3',
      ['extra', 'line', 'stray'],
    ],
    ['a box without size', '?minLat=48.2&minLon=16.2&maxLat=48.2&maxLon=16.2', ['line']],
    ['a box beside them', '?minLat=48.1&minLon=16.2&maxLat=48.19&maxLon=16.3', []],
    [
      'a box as large as may be',
      '?minLat=47.1&minLon=15.1&maxLat=49.1&maxLon=17.1',
      ['bus', 'empty', 'extra', 'line', 'stray'],
    ],
    ['the first of them', '?limit=2', ['bus', 'empty']],
    ['the first within a box', '?limit=1&minLat=48.1&minLon=16&maxLat=49&maxLon=17', ['empty']],
  ])('%s', async (_what, query, expected) => {
    const { ids, sources } = await askBoth(await liveWorld(fleet), query);
    expect([ids, sources]).toEqual([expected, MEASURED]);
  });

  test('of journeys: those that are known', async () => {
    const live = await liveWorld(fleet);
    const t1 = await refAt(live, 'a');
    const extra = await refAt(live, 'a', { time: at('08:10'), lines: ['E'] });
    const tomorrow = await refAt(live, 'a', { time: '2026-03-04T08:00:00+01:00' });
    const found = async (...refs: string[]) => (await askBoth(live, `?jids=${refs.join(',')}`)).ids;
    expect(await found(t1)).toEqual(['bus']);
    expect(await found(extra, 'nonsense', t1, t1)).toEqual(['bus', 'extra']);
    expect(await found(tomorrow)).toEqual([]);
    expect(await found(`${t1}A`)).toEqual([]);
  });
});

describe('bad questions', () => {
  test.each<[string, string]>([
    ['minLat=48&minLon=16&maxLat=48.5', 'maxLon'],
    ['minLat=48', 'minLon'],
    ['minLat=48.5&minLon=16&maxLat=48&maxLon=16.5', 'maxLat'],
    ['minLat=48&minLon=16.5&maxLat=48.5&maxLon=16', 'maxLon'],
    ['minLat=47&minLon=16&maxLat=49.001&maxLon=16.5', 'maxLat'],
    ['minLat=48&minLon=15&maxLat=48.5&maxLon=17.001', 'maxLon'],
    ['minLat=48&minLon=16&maxLat=91&maxLon=16.5', 'maxLat'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=1.5', 'limit'],
  ])('%s: %s is to blame', async (query, parameter) => {
    for (const family of ['v1', 'v2']) {
      expectProblem(await ask(world, `/${family}/vehicles?${query}`), 'invalid_parameter', parameter);
    }
  });

  test('a box and journeys exclude each other', async () => {
    const box = 'minLat=48&minLon=16&maxLat=48.5&maxLon=16.5';
    expectProblem(await ask(world, `/v1/vehicles?${box}&jids=x`), 'invalid_parameter', 'jids');
    expectProblem(await ask(world, `/v2/vehicles?${box}&journeyRefs=x`), 'invalid_parameter', 'journeyRefs');
    expectProblem(await ask(world, '/v1/vehicles?journeyRefs=x'), 'unknown_parameter', 'journeyRefs');
  });

  test('a box that is turned over is refused also where nobody measures', async () => {
    const url = '/v2/vehicles?minLat=49&minLon=16&maxLat=48&maxLon=16';
    expectProblem(await ask(world, url), 'invalid_parameter', 'maxLat');
  });
});

describe('age', () => {
  const seenAt = (clock: string) => vehicleOf('bus', { recordedAt: instant(at(clock)) });

  test.each<[string, string, string[]]>([
    ['480 seconds', '08:07:00', ['bus']],
    ['481 seconds', '08:06:59', []],
  ])('%s', async (_age, clock, expected) => {
    const { ids, sources } = await askBoth(await liveWorld([seenAt(clock)]));
    expect([ids, sources]).toEqual([expected, MEASURED]);
  });

  test.each<[string, string, string[]]>([
    ['480 seconds', '08:23:00', ['bus']],
    ['481 seconds and more', '08:23:15', []],
  ])('grows while nobody polls: %s', async (_age, now, expected) => {
    const live = await liveWorld([seenAt(NOW)], { maxAgeSeconds: 3600 });
    expect((await askBoth(live, '', now)).ids).toEqual(expected);
  });

  test('what seems to come from the future was seen when it was heard', async () => {
    const { v2 } = await askBoth(await liveWorld([seenAt('09:00')]));
    expect(v2.vehicles[0].observedAt).toBe('2026-03-03T08:15:00+01:00');
  });
});

describe('source says what an empty list means', () => {
  const bus = vehicleOf('bus');

  test.each<[string, Partial<RealtimeSourceState>, string, string[]]>([
    ['measured', {}, NOW, MEASURED],
    ['paused on purpose', { isStandby: true }, NOW, UNAVAILABLE],
    ['silent for too long', { maxAgeSeconds: 60 }, '08:16:15', UNAVAILABLE],
    ['silent, but not for too long', { maxAgeSeconds: 60 }, '08:16', MEASURED],
    ['of a source that has no positions', { provides: ['departures'] }, NOW, UNAVAILABLE],
    ['of one that was never heard', { lastSuccessAt: null }, NOW, UNAVAILABLE],
  ])('%s', async (_what, over, now, expected) => {
    const { ids, sources } = await askBoth(await liveWorld([bus], over), '', now);
    expect([ids, sources]).toEqual([expected === MEASURED ? ['bus'] : [], expected]);
  });

  test('measured, and nobody is there', async () => {
    const { ids, sources } = await askBoth(await liveWorld([]));
    expect([ids, sources]).toEqual([[], MEASURED]);
  });

  test('without realtime nobody measures', async () => {
    const { ids, sources } = await askBoth(world);
    expect([ids, sources]).toEqual([[], UNAVAILABLE]);
  });

  test('a paused source shows none of its vehicles beside those of another', async () => {
    const live = await openLiveWorld(world, ['one', 'two']);
    live.say('one', at(NOW), { vehicles: [vehicleOf('a')] });
    live.say('two', at(NOW), { vehicles: [vehicleOf('b')] });
    const shown = live.at(at(NOW));
    const [one, two] = shown.realtime!.manifest.sources;
    const manifest = { ...shown.realtime!.manifest, sources: [one!, { ...two!, isStandby: true }] };
    const { ids, sources } = await askBoth({ ...shown, realtime: { ...shown.realtime!, manifest } });
    expect([ids, sources]).toEqual([['one:a'], MEASURED]);
  });
});
