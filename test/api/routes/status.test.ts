import { beforeAll, describe, expect, test } from 'vitest';
import type { V1Health, V1Status } from '../../../api/contract/definitions.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { PredictionModelState } from '../../../pipeline/model/prediction.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { openLiveWorld, sourceState } from '../../support/worlds/live-world.ts';
import { predictionOf } from '../../support/worlds/trip-predictions.ts';
import { at, DAY, town } from '../engine/live-town.ts';
import { openService, type ServiceOptions } from '../service-app.ts';

let world: World;
/** With empty realtime, so that source states reach the responses. */
let liveWorld: World;
beforeAll(async () => {
  world = await openWorld(town);
  liveWorld = (await openLiveWorld(world)).at(at('08:00'));
});

const NOW = '08:00';
const RECEIVED_AT = '2026-03-03T06:58:20.000Z';
/** Last fetched successfully a hundred seconds ago. */
const fresh = (id: string, over: Partial<RealtimeSourceState> = {}) =>
  sourceState(id, { lastSuccessAt: RECEIVED_AT, ...over });
const stale = (id: string, over: Partial<RealtimeSourceState> = {}) => fresh(id, { maxAgeSeconds: 99, ...over });
/** Requested a hundred seconds ago, without a response so far. */
const never = (id: string, over: Partial<RealtimeSourceState> = {}) =>
  sourceState(id, { lastAttemptAt: RECEIVED_AT, ...over });
/** The poller has started, but has not sent its first request. */
const unpolled = (id: string, over: Partial<RealtimeSourceState> = {}) =>
  sourceState(id, { requestedAreas: [], ...over });
const standby = (id: string, over: Partial<RealtimeSourceState> = {}) => fresh(id, { isStandby: true, ...over });

async function getStatus(
  sources: readonly RealtimeSourceState[],
  over: { on?: World; now?: string; options?: Partial<ServiceOptions> } = {},
) {
  const app = await openService(over.on ?? liveWorld, {
    clock: fixedClock(at(over.now ?? NOW)),
    realtimeSources: sources,
    sourceChecks: { at: '2026-03-03T06:00:00.000Z' },
    ...over.options,
  });
  const status = (await app.inject({ url: '/v1/status' })).json() as V1Status;
  await expectValidAnswer('V1Status', status);
  const answer = await app.inject({ url: '/v1/health' });
  const health = answer.json() as V1Health;
  await expectValidAnswer('V1Health', health);
  // Realtime affects freshness, never health.
  expect([answer.statusCode, health.status]).toEqual([200, 'ok']);
  const { components, sources: listed } = status;
  expect(listed.map(({ id }) => id)).toEqual(health.freshness.map(({ id }) => id));
  const byId = Object.fromEntries(components.map((component) => [component.id, component.status]));
  return { status, health, byId };
}

/** Status of the three realtime components, then the overall status. */
async function rate(
  sources: readonly RealtimeSourceState[],
  over: { on?: World; now?: string; options?: Partial<ServiceOptions> } = {},
) {
  const { status, byId } = await getStatus(sources, over);
  // The status of trips follows that of departures.
  expect(byId.routePlanning).toBe(byId.departures);
  return [byId.departures, byId.disruptions, byId.vehiclePositions, status.overall].join(' ');
}

describe('components', () => {
  test.each<[string, readonly RealtimeSourceState[], string]>([
    ['nobody', [], 'operational paused paused operational'],
    ['one that is fresh', [fresh('x')], 'operational operational operational operational'],
    ['one that is silent', [stale('x')], 'degraded outage outage outage'],
    ['one that was never heard', [never('x')], 'degraded outage outage outage'],
    ['one that is paused', [standby('x')], 'operational paused paused operational'],
    ['one that is paused and silent', [standby('x', { maxAgeSeconds: 1 })], 'operational paused paused operational'],
    [
      'one that is paused and was never heard',
      [never('x', { isStandby: true })],
      'operational paused paused operational',
    ],
    ['one fresh, one silent', [fresh('x'), stale('y')], 'degraded degraded degraded degraded'],
    ['one fresh, one never heard', [never('x'), fresh('y')], 'degraded degraded degraded degraded'],
    ['one fresh, one paused', [fresh('x'), standby('y')], 'operational operational operational operational'],
    ['one silent, one paused', [stale('x'), standby('y')], 'degraded outage outage outage'],
    [
      'each area by its own',
      [fresh('x', { provides: ['departures'] }), stale('y', { provides: ['disruptions'] })],
      'operational outage paused outage',
    ],
    ['one that was not asked yet', [unpolled('x')], 'unknown unknown unknown operational'],
    ['one fresh, one not asked yet', [unpolled('x'), fresh('y')], 'operational operational operational operational'],
    ['one silent, one not asked yet', [unpolled('x'), stale('y')], 'degraded outage outage outage'],
    ['one that may not be asked', [unpolled('x', { trouble: 'budget_spent' })], 'degraded outage outage outage'],
    [
      'one that is paused and was not asked',
      [unpolled('x', { isStandby: true })],
      'operational paused paused operational',
    ],
    [
      'one whose alerts were not asked for yet',
      [
        fresh('x', {
          requestedAreas: ['departures', 'vehiclePositions'],
          lastSuccessByArea: { departures: RECEIVED_AT, vehiclePositions: null, disruptions: null },
        }),
      ],
      'operational unknown outage outage',
    ],
    [
      'an area that nobody provides',
      [fresh('x', { provides: ['departures', 'vehiclePositions'] })],
      'operational paused operational operational',
    ],
  ])('%s', async (_who, sources, expected) => {
    expect(await rate(sources)).toBe(expected);
  });

  test('are unknown without recorded or learnt data, which does not affect the overall status', async () => {
    const { status, byId } = await getStatus([fresh('x')]);
    expect(status.components.map(({ id }) => id)).toEqual([
      ...['departures', 'routePlanning', 'map', 'disruptions', 'punctuality', 'vehiclePositions', 'livePredictions'],
    ]);
    expect([byId.punctuality, byId.livePredictions, status.overall]).toEqual(['unknown', 'unknown', 'operational']);
    expect(status.measurement).toEqual({
      predictionsAvailable: false,
      state: 'unavailable',
      reason: 'no_model',
      evidenceSources: [],
    });
  });

  test('ignore reports for a timetable other than the served one', async () => {
    expect(await rate([fresh('x')], { on: world })).toBe('degraded outage outage outage');
    expect(await rate([standby('x')], { on: world })).toBe('operational paused paused operational');
    const { status } = await getStatus([fresh('x', { coverage: ['Graz'] })], { on: world });
    expect(status.coveredAreas).toEqual([]);
    // The states of the sources themselves are still reported.
    expect(status.sources.map(({ status: state }) => state)).toEqual(['fresh', 'fresh']);
  });
});

describe('after the start', () => {
  const FIVE_AGO = '2026-03-03T06:55:00.000Z';
  const old = fresh('x', { lastSuccessAt: FIVE_AGO, lastAttemptAt: FIVE_AGO, maxAgeSeconds: 120 });
  const awaited = { id: 'x', provides: ['departures', 'disruptions'] as const, isStandby: false };

  test.each<[string, readonly RealtimeSourceState[], Partial<ServiceOptions>, string]>([
    ['nothing is published yet', [], { awaitedSources: [awaited] }, 'unknown unknown paused operational'],
    [
      'of one that is paused',
      [],
      { awaitedSources: [{ ...awaited, isStandby: true }] },
      'operational paused paused operational',
    ],
    ['what the poller before left behind', [old], { startedAt: at('07:59') }, 'unknown unknown unknown operational'],
    [
      'its trouble is its own',
      [{ ...old, trouble: 'http_503' }],
      { startedAt: at('07:59') },
      'unknown unknown unknown operational',
    ],
    ['as long as it may hold', [old], { startedAt: at('07:58') }, 'unknown unknown unknown operational'],
    ['no longer, for then nothing polls', [old], { startedAt: at('07:57:59') }, 'degraded outage outage outage'],
    [
      'asked since, in vain',
      [{ ...old, lastAttemptAt: RECEIVED_AT }],
      { startedAt: at('07:58') },
      'degraded outage outage outage',
    ],
    [
      'what is fresh is fresh',
      [fresh('x')],
      { startedAt: at('07:59') },
      'operational operational operational operational',
    ],
    [
      'one of two is published',
      [fresh('y')],
      { awaitedSources: [awaited, { ...awaited, id: 'y' }] },
      'operational operational operational operational',
    ],
  ])('%s', async (_what, sources, options, expected) => {
    expect(await rate(sources, { options })).toBe(expected);
  });

  test('predictions have no status before their source is polled', async () => {
    const models = [{ sourceId: 'x', model: 'x', lastDay: '2026-03-01' }];
    const { status, byId } = await getStatus([unpolled('x')], { options: { models } });
    expect([byId.livePredictions, status.measurement.state, status.measurement.reason]).toEqual([
      ...['unknown', 'unavailable', 'sources_not_polled_yet'],
    ]);
  });
});

describe('sources', () => {
  test('lists timetables, then realtime, with their age', async () => {
    const credit = { attribution: 'Data by <Graz>', licence: 'CC BY 4.0' };
    const none = { attribution: null, licence: null };
    const { status, health } = await getStatus([fresh('x', credit), stale('y'), never('z'), standby('w')], {
      options: { timetableCredits: { at: { attribution: 'Land', licence: null } } },
    });
    expect(health.freshness).toEqual([
      { id: 'at', status: 'fresh', ageSeconds: 3600, maxAgeSeconds: 129_600 },
      { id: 'x', status: 'fresh', ageSeconds: 100, maxAgeSeconds: 300 },
      { id: 'y', status: 'stale', ageSeconds: 100, maxAgeSeconds: 99 },
      { id: 'z', status: 'never', ageSeconds: null, maxAgeSeconds: 300 },
      { id: 'w', status: 'standby', ageSeconds: 100, maxAgeSeconds: 300 },
    ]);
    expect(status.sources.slice(0, 4)).toEqual([
      {
        id: 'at',
        status: 'fresh',
        lastSuccessAt: '2026-03-03T06:00:00.000Z',
        ageSeconds: 3600,
        attribution: 'Land',
        licence: null,
      },
      { id: 'x', status: 'fresh', lastSuccessAt: RECEIVED_AT, ageSeconds: 100, ...credit },
      { id: 'y', status: 'stale', lastSuccessAt: RECEIVED_AT, ageSeconds: 100, ...none },
      { id: 'z', status: 'never', lastSuccessAt: null, ageSeconds: null, ...none },
    ]);
  });

  test('distinguishes a source from a timetable with the same id', async () => {
    const { status } = await getStatus([fresh('at'), fresh('x')]);
    expect(status.sources.map(({ id }) => id)).toEqual(['at', 'at:realtime', 'x']);
  });

  test.each([
    ['2026-03-03T07:00:30.000Z', 'fresh', 0],
    ['2026-03-03T07:10:00.000Z', 'never', null],
  ])('with a success at %s, in the future, is %s', async (lastSuccessAt, status, ageSeconds) => {
    const { health } = await getStatus([fresh('x', { lastSuccessAt })]);
    expect(health.freshness[1]).toMatchObject({ status, ageSeconds });
  });

  test('covers the areas of current disruption sources, each once', async () => {
    const { status } = await getStatus([
      fresh('x', { coverage: ['Graz', 'Wien'] }),
      fresh('y', { coverage: ['Wien', 'Linz'] }),
      fresh('z', { coverage: ['Bregenz'], provides: ['departures'] }),
      stale('w', { coverage: ['Villach'] }),
      standby('v', { coverage: ['Wels'] }),
    ]);
    expect(status.coveredAreas).toEqual(['Graz', 'Wien', 'Linz']);
  });
});

describe('predictions', () => {
  const MODEL = { sourceId: 'rt', model: 'rt-2026-03-01', lastDay: '2026-03-01' };
  const rt = (over: Partial<RealtimeSourceState> = {}) => fresh('rt', over);

  interface Case {
    /** Time of the newest observation; absent: there is none. */
    readonly observed?: string;
    readonly sources?: readonly RealtimeSourceState[];
    readonly models?: readonly PredictionModelState[];
    readonly options?: Partial<ServiceOptions>;
  }

  async function rateMeasurement({ observed, sources = [rt()], models = [MODEL], options }: Case) {
    const live = await openLiveWorld(world);
    if (observed !== undefined) {
      const quantiles = [[60, 90, 120] as const, [60, 90, 120] as const, [60, 90, 120] as const];
      live.forecast([predictionOf('t1', { day: DAY, observedAt: at(observed) }, quantiles)]);
    }
    const app = await openService(live.at(at(NOW)), {
      clock: fixedClock(at(NOW)),
      realtimeSources: sources,
      sourceChecks: { at: '2026-03-03T06:00:00.000Z' },
      models,
      ...options,
    });
    const status = (await app.inject({ url: '/v1/status' })).json() as V1Status;
    await expectValidAnswer('V1Status', status);
    const { predictionsAvailable, state, reason, evidenceSources } = status.measurement;
    expect(predictionsAvailable).toBe(state === 'live');
    expect(evidenceSources).toEqual(models.map(({ sourceId }) => sourceId));
    const component = status.components.find(({ id }) => id === 'livePredictions')!;
    return `${state} ${reason} ${component.status}, all ${status.overall}`;
  }

  const silent = rt({ maxAgeSeconds: 99, provides: [] });
  const paused = rt({ isStandby: true });
  const two = [MODEL, { ...MODEL, sourceId: 'y' }];

  test.each<[string, Case, string]>([
    ['told', { observed: '07:55' }, 'live null operational, all operational'],
    ['the newest is too old', { observed: '07:51:59' }, 'idle no_recent_observation operational, all operational'],
    ['nothing runs', {}, 'idle no_recent_observation operational, all operational'],
    ['nobody speaks', { sources: [] }, 'unavailable no_realtime unknown, all operational'],
    ['nobody learnt', { models: [] }, 'unavailable no_model unknown, all operational'],
    ['a model of nobody', { sources: [fresh('x')] }, 'unavailable no_model unknown, all operational'],
    ['silence', { sources: [silent] }, 'unavailable no_fresh_source outage, all outage'],
    [
      'silence, although it was just reported',
      { sources: [silent], observed: '07:55' },
      'live null degraded, all degraded',
    ],
    ['a pause of the source', { sources: [paused] }, 'paused sources_on_standby paused, all operational'],
    [
      'half of it silent',
      { sources: [rt(), { ...silent, id: 'y' }], models: two },
      'idle no_recent_observation degraded, all degraded',
    ],
    [
      'half of it paused',
      { sources: [rt(), { ...paused, id: 'y' }], models: two },
      'idle no_recent_observation operational, all operational',
    ],
    [
      'the configuration',
      { observed: '07:55', options: { arePredictionsPaused: true } },
      'paused paused_by_configuration paused, all operational',
    ],
  ])('%s', async (_case, situation, expected) => {
    expect(await rateMeasurement(situation)).toBe(expected);
  });

  test('for a timetable other than the served one are ignored', async () => {
    const app = await openService(world, { clock: fixedClock(at(NOW)), realtimeSources: [rt()], models: [MODEL] });
    const { measurement, components } = (await app.inject({ url: '/v1/status' })).json() as V1Status;
    expect(measurement).toMatchObject({ state: 'unavailable', reason: 'no_realtime', evidenceSources: ['rt'] });
    expect(components.find(({ id }) => id === 'livePredictions')!.status).toBe('outage');
  });
});

test('are consistent at any time, even after the poller has died', async () => {
  const clock = fixedClock(at(NOW));
  const app = await openService(liveWorld, {
    clock,
    realtimeSources: [fresh('x', { maxAgeSeconds: 120 })],
    sourceChecks: { at: '2026-03-03T06:00:00.000Z' },
  });
  const seen: string[] = [];
  for (const now of ['07:58:20', '08:00:20', '08:00:21', '23:59:59']) {
    clock.set(at(now));
    const { sources, components, generatedAt } = (await app.inject({ url: '/v1/status' })).json() as V1Status;
    expect(generatedAt).toBe(new Date(at(now)).toISOString());
    seen.push(`${sources[1]!.ageSeconds} ${sources[1]!.status} ${components[5]!.status}`);
  }
  expect(seen).toEqual(['0 fresh operational', '120 fresh operational', '121 stale outage', '57699 stale outage']);
});
