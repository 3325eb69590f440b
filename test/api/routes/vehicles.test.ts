import { beforeAll, describe, expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { GeoBox } from '../../../pipeline/model/geo.ts';
import type { VehicleReport } from '../../../pipeline/model/realtime.ts';
import { nameCoverageCell } from '../../../pipeline/model/vehicle-demand.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { instant, openWorld, queryDepartures, type World } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld, sourceState } from '../../support/worlds/live-world.ts';
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
  live.report('rt', at(NOW), { trips: [extra], vehicles });
  return live.at(at(NOW));
}

async function getVehicles(live: World, url: string, now = NOW) {
  const app = await openService(live, { clock: fixedClock(at(now)) });
  return app.inject({ url });
}

async function getBoth(live: World, query = '', now = NOW) {
  const v1 = await getVehicles(live, `/v1/vehicles${query}`, now);
  const v2 = await getVehicles(live, `/v2/vehicles${query.replace('jids=', 'journeyRefs=')}`, now);
  await expectValidAnswer('V1Vehicles', v1.json());
  await expectValidAnswer('VehicleSnapshot', v2.json());
  const ids = (answer: typeof v1) => answer.json().vehicles.map(({ id }: { id: string }) => id.replace('rt:', ''));
  expect(ids(v1)).toEqual(ids(v2));
  expect([v1.json().count, v2.json().count]).toEqual([ids(v1).length, ids(v1).length]);
  return { ids: ids(v1), sources: [v1.json().source, v2.json().source], v1: v1.json(), v2: v2.json() };
}

const refAt = async (live: World, stop: string, query = {}) =>
  (await queryDepartures(live, `at:${stop}`, { time: at('08:00'), now: at(NOW), ...query })).departures[0]!.journeyRef!;

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

  test('have the format of each API version', async () => {
    const live = await liveWorld(fleet);
    const { v1, v2, ids, sources } = await getBoth(live);
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
    [
      'a box as large as may be',
      '?minLat=47.1&minLon=15.1&maxLat=49.1&maxLon=17.1',
      ['bus', 'empty', 'extra', 'line', 'stray'],
    ],
    ['the first of them', '?limit=2', ['bus', 'empty']],
    ['the first within a box', '?limit=1&minLat=48.1&minLon=16&maxLat=49&maxLon=17', ['empty']],
  ])('%s', async (_what, query, expected) => {
    const { ids, sources } = await getBoth(await liveWorld(fleet), query);
    expect([ids, sources]).toEqual([expected, MEASURED]);
  });

  test('of journeys: those with a position', async () => {
    const live = await liveWorld(fleet);
    const t1 = await refAt(live, 'a');
    const extra = await refAt(live, 'a', { time: at('08:10'), lines: ['E'] });
    const tomorrow = await refAt(live, 'a', { time: '2026-03-04T08:00:00+01:00' });
    const found = async (...refs: string[]) => (await getBoth(live, `?jids=${refs.join(',')}`)).ids;
    expect(await found(t1)).toEqual(['bus']);
    expect(await found(extra, 'nonsense', t1, t1)).toEqual(['bus', 'extra']);
    expect(await found(tomorrow)).toEqual([]);
    expect(await found(`${t1}A`)).toEqual([]);
  });
});

describe('invalid requests', () => {
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
  ])('%s: names %s', async (query, parameter) => {
    for (const family of ['v1', 'v2']) {
      expectProblem(await getVehicles(world, `/${family}/vehicles?${query}`), 'invalid_parameter', parameter);
    }
  });

  test('a box and journeys exclude each other', async () => {
    const box = 'minLat=48&minLon=16&maxLat=48.5&maxLon=16.5';
    expectProblem(await getVehicles(world, `/v1/vehicles?${box}&jids=x`), 'invalid_parameter', 'jids');
    expectProblem(await getVehicles(world, `/v2/vehicles?${box}&journeyRefs=x`), 'invalid_parameter', 'journeyRefs');
    expectProblem(await getVehicles(world, '/v1/vehicles?journeyRefs=x'), 'unknown_parameter', 'journeyRefs');
  });

  test('refuses an inverted box even without measured positions', async () => {
    const url = '/v2/vehicles?minLat=49&minLon=16&maxLat=48&maxLon=16';
    expectProblem(await getVehicles(world, url), 'invalid_parameter', 'maxLat');
  });
});

describe('age', () => {
  const seenAt = (clock: string) => vehicleOf('bus', { recordedAt: instant(at(clock)) });

  test.each<[string, string, string[]]>([
    ['480 seconds', '08:07:00', ['bus']],
    ['481 seconds', '08:06:59', []],
  ])('%s', async (_age, clock, expected) => {
    const { ids, sources } = await getBoth(await liveWorld([seenAt(clock)]));
    expect([ids, sources]).toEqual([expected, MEASURED]);
  });

  test.each<[string, string, string[]]>([
    ['480 seconds', '08:23:00', ['bus']],
    ['481 seconds and more', '08:23:15', []],
  ])('grows without polls: %s', async (_age, now, expected) => {
    const live = await liveWorld([seenAt(NOW)], { maxAgeSeconds: 3600 });
    expect((await getBoth(live, '', now)).ids).toEqual(expected);
  });

  test('replaces an observation time in the future by the time of receipt', async () => {
    const { v2 } = await getBoth(await liveWorld([seenAt('09:00')]));
    expect(v2.vehicles[0].observedAt).toBe('2026-03-03T08:15:00+01:00');
  });
});

describe('on demand', () => {
  const SALZBURG = '?minLat=47.75&minLon=12.95&maxLat=47.85&maxLon=13.05';
  const area = { south: 47.7, west: 12.9, north: 47.9, east: 13.1 };
  const receivedAt = '2026-03-03T07:15:00.000Z';
  const rt = (over: Partial<RealtimeSourceState> = {}) => sourceState('rt', { lastSuccessAt: receivedAt, ...over });
  const hafas = (over: Partial<RealtimeSourceState> = {}) =>
    rt({ id: 'map', provides: ['departures'], onDemand: { isCapped: false, areas: [] }, ...over });
  const requestedAt = (clock: string, isCapped = false) => ({
    onDemand: { isCapped, areas: [{ box: area, requestedAt: new Date(at(clock)).toISOString() }] },
  });

  /** Responses of both API versions, and the areas recorded for the poller. */
  async function getMap(sources: readonly RealtimeSourceState[], query: string, now = NOW) {
    const live = await openLiveWorld(
      world,
      sources.map(({ id }) => id),
    );
    live.report(sources[0]!.id, at(NOW), {
      vehicles: [vehicleOf('bus', { trip: townTrip('t1'), lat: 48.02, lon: 16.03 })],
    });
    live.report(sources.at(-1)!.id, at(NOW), { vehicles: [vehicleOf('train', { lat: 47.8, lon: 13 })] }, 'area');
    const shown = live.at(at(NOW));
    const manifest = { ...shown.realtime!.manifest, sources };
    const noted: GeoBox[][] = [];
    const app = await openService(
      { ...shown, realtime: { ...shown.realtime!, manifest } },
      { clock: fixedClock(at(now)), wantVehicles: (boxes) => void noted.push([...boxes]) },
    );
    const v1 = (await app.inject({ url: `/v1/vehicles${query}` })).json();
    const v2 = (await app.inject({ url: `/v2/vehicles${query.replace('jids=', 'journeyRefs=')}` })).json();
    await expectValidAnswer('V1Vehicles', v1);
    await expectValidAnswer('VehicleSnapshot', v2);
    expect(noted.length % 2).toBe(0);
    return { sources: [v1.source, v2.source], count: v2.count, noted: noted[0] ?? [] };
  }

  const LIVE = ['ondemand_live', 'ondemandLive'];
  const CAPPED = ['ondemand_capped', 'ondemandCapped'];
  const NOT_YET = ['unavailable', 'ondemandUnavailable'];

  test.each<[string, RealtimeSourceState[], string, string[], GeoBox[]]>([
    ['of an area that was never asked for', [rt(), hafas()], NOW, NOT_YET, [area]],
    ['of one that was asked for just now', [rt(), hafas(requestedAt(NOW))], NOW, LIVE, [area]],
    ['a minute ago', [rt(), hafas(requestedAt('08:14'))], NOW, LIVE, [area]],
    ['longer ago', [rt(), hafas(requestedAt('08:13:59'))], NOW, NOT_YET, [area]],
    ['without anybody who is polled', [hafas(requestedAt(NOW))], NOW, LIVE, [area]],
    ['that the budget forbids', [rt(), hafas({ onDemand: { isCapped: true, areas: [] } })], NOW, CAPPED, [area]],
    ['that was asked for before the budget forbade it', [rt(), hafas(requestedAt(NOW, true))], NOW, LIVE, [area]],
    [
      'that one of two may be asked for',
      [hafas({ onDemand: { isCapped: true, areas: [] } }), hafas({ id: 'b' })],
      NOW,
      NOT_YET,
      [area],
    ],
    ['of a source on standby, beside one that is not', [rt(), hafas({ isStandby: true })], NOW, NOT_YET, []],
    ['while all is on standby', [rt({ isStandby: true }), hafas({ isStandby: true })], NOW, UNAVAILABLE, []],
    ['where no source can be asked', [rt()], '08:23:15', NOT_YET, []],
    [
      'where what is polled had a vehicle yesterday evening',
      [rt({ vehicleCells: [nameCoverageCell(47.8, 13)] }), hafas()],
      NOW,
      MEASURED,
      [],
    ],
  ])('%s', async (_what, sources, now, expected, noted) => {
    expect(await getMap(sources, SALZBURG, now)).toMatchObject({ sources: expected, noted });
  });

  test('a poll covers areas in which it has a vehicle', async () => {
    const query = '?minLat=48&minLon=16&maxLat=48.1&maxLon=16.1';
    expect(await getMap([rt(), hafas()], query)).toEqual({ sources: MEASURED, count: 1, noted: [] });
  });

  test('shows vehicles in requested areas without regular polls', async () => {
    expect(await getMap([hafas(requestedAt(NOW))], SALZBURG)).toMatchObject({ sources: LIVE, count: 1 });
  });

  test('requests nothing without an area', async () => {
    expect(await getMap([rt(), hafas()], '')).toMatchObject({ sources: MEASURED, noted: [] });
  });

  test('of journeys: requests areas where running journeys without a vehicle are expected', async () => {
    const t1 = await refAt(world, 'a');
    const t2 = await refAt(world, 'a', { time: at('08:30') });
    expect(await getMap([rt(), hafas()], `?jids=${t1}`)).toMatchObject({ sources: MEASURED, noted: [] });
    expect(await getMap([rt(), hafas()], `?jids=${t1},${t2}`)).toMatchObject({ sources: MEASURED, noted: [] });
    // Between Anger and the station.
    expect(await getMap([rt(), hafas()], `?jids=${t1},${t2},nonsense`, '08:36')).toMatchObject({
      sources: NOT_YET,
      noted: [{ south: 47.9, west: 15.9, north: 48.1, east: 16.1 }],
    });
  });
});

describe('the source of an empty list', () => {
  const bus = vehicleOf('bus');

  test.each<[string, Partial<RealtimeSourceState>, string, string[]]>([
    ['measured', {}, NOW, MEASURED],
    ['paused on purpose', { isStandby: true }, NOW, UNAVAILABLE],
    ['silent for too long', { maxAgeSeconds: 60 }, '08:16:15', UNAVAILABLE],
    ['silent, but not for too long', { maxAgeSeconds: 60 }, '08:16', MEASURED],
    ['of a source that has no positions', { provides: ['departures'] }, NOW, UNAVAILABLE],
    ['of one that was never heard', { lastSuccessAt: null }, NOW, UNAVAILABLE],
  ])('%s', async (_what, over, now, expected) => {
    const { ids, sources } = await getBoth(await liveWorld([bus], over), '', now);
    expect([ids, sources]).toEqual([expected === MEASURED ? ['bus'] : [], expected]);
  });

  test('is measured if there are no vehicles', async () => {
    const { ids, sources } = await getBoth(await liveWorld([]));
    expect([ids, sources]).toEqual([[], MEASURED]);
  });

  test('is not measured without realtime', async () => {
    const { ids, sources } = await getBoth(world);
    expect([ids, sources]).toEqual([[], UNAVAILABLE]);
  });

  test('excludes vehicles of a paused source', async () => {
    const live = await openLiveWorld(world, ['one', 'two']);
    live.report('one', at(NOW), { vehicles: [vehicleOf('a')] });
    live.report('two', at(NOW), { vehicles: [vehicleOf('b')] });
    const shown = live.at(at(NOW));
    const [one, two] = shown.realtime!.manifest.sources;
    const manifest = { ...shown.realtime!.manifest, sources: [one!, { ...two!, isStandby: true }] };
    const { ids, sources } = await getBoth({ ...shown, realtime: { ...shown.realtime!, manifest } });
    expect([ids, sources]).toEqual([['one:a'], MEASURED]);
  });
});
