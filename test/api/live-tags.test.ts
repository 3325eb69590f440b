import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type AppOptions, buildApp } from '../../api/app.ts';
import type { Published } from '../../api/engine/read/realtime.ts';
import { createReferences } from '../../api/engine/read/references.ts';
import { allHandlers } from '../../api/handlers.ts';
import type { HeldSnapshot } from '../../api/plugins/route-handler.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';
import { testWatches } from '../support/fakes/test-watches.ts';
import { openWorld, queryDepartures, TEST_KEY, type World } from '../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, vehicleOf } from '../support/worlds/live-reports.ts';
import { openLiveWorld, sourceState } from '../support/worlds/live-world.ts';
import { predictionOf } from '../support/worlds/trip-predictions.ts';
import { at, DAY, town, townTrip } from './engine/live-town.ts';
import { noHistory, noPredictions, serviceOptions, testPlanning } from './service-app.ts';

const SURE = [60, 90, 120] as const;

/** Possible snapshots: three polls of the town, and the town without realtime. */
let instants: readonly HeldSnapshot<Published>[];
let world: World;
let ref: string;
beforeAll(async () => {
  world = await openWorld(town);
  ref = (await queryDepartures(world, 'at:a', { time: at('08:00') })).departures[0]!.journeyRef!;
  const live = await openLiveWorld(world);
  const polls = ['08:01', '08:02', '08:03'].map((reportedAt) => {
    live.report('rt', at('08:00'), {
      trips: [
        reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { departure: timeOf(at(`08:1${reportedAt[4]}`)) })] }),
      ],
      vehicles: [vehicleOf('bus', { trip: townTrip('t1'), lat: 48 + Number(reportedAt[4]) / 100 })],
      alerts: [alertOf(reportedAt, { stops: [stopOf('s')] })],
    });
    live.forecast([
      predictionOf('t1', { day: DAY, observedAt: at(reportedAt) }, [SURE, SURE, SURE], {
        delaySeconds: Number(reportedAt[4]),
      }),
    ]);
    return live.at(at(reportedAt));
  });
  instants = [...polls, world].map(hold);
});

function hold({ timetable, realtime }: World): HeldSnapshot<Published> {
  const { id } = timetable.manifest;
  return {
    value: { timetable, realtime },
    dataVersion: realtime ? `${id}.${realtime.manifest.id}` : id,
    timetableVersion: id,
  };
}

/** A service whose published snapshot and reported source states the test controls. */
async function openReplica(responseCacheBytes: number) {
  const clock = fixedClock(at('08:00'));
  let current = instants[0]!;
  let sources: readonly RealtimeSourceState[] = [];
  const handlers = allHandlers({
    clock,
    // Separate references, so that responses are not equal only because of a shared cache.
    references: createReferences(TEST_KEY),
    planning: testPlanning(world.references),
    getSourceChecks: () => ({}),
    getRealtimeSources: () => sources,
    awaitedSources: [],
    vehicleDemands: { want: () => {} },
    startedAt: 0 as Instant,
    configuredTimetables: [],
    timetableCredits: new Map(),
    metroStations: new Set([60_201_095]),
    timetableMaxAgeSeconds: 3600,
    history: noHistory,
    predictions: noPredictions,
    watches: testWatches(clock, world),
    isEndpointAllowed: () => false,
    announcements: { current: () => null },
    networkMaps: { current: () => null },
    openLake: null,
    places: { current: () => null },
  });
  const options: AppOptions<Published> = {
    ...serviceOptions(world, { clock }),
    handlers,
    snapshots: { current: () => current },
    responseCacheBytes,
  };
  const app = await buildApp(options);
  onTestFinished(() => app.close());
  return {
    get(url: string, snapshot: HeldSnapshot<Published>, now: string, states: readonly RealtimeSourceState[] = []) {
      clock.set(now);
      current = snapshot;
      sources = states;
      return app.inject({ url });
    },
  };
}

const liveUrls = () => [
  ...['/v2/stops/at:s/departures', '/v2/stops/at:s/departures?limit=1', '/v2/stops/at:s/arrivals'],
  ...[`/v2/journeys/${ref}`, `/v2/journeys/${ref}?stopId=at:s`, '/v2/disruptions', '/v2/disruptions?stopId=at:s1'],
  ...[
    '/v2/vehicles',
    `/v2/vehicles?journeyRefs=${ref}`,
    '/v1/vehicles',
    '/v1/predictions?line=1',
    '/v1/city-transit/metro?diva=60201095',
  ],
];
const timetableUrls = ['/v2/meta', '/v2/stops?query=bahnhof', '/v2/stops/nearby?lat=48&lon=16', '/v2/stops/at:s/info'];

test('equal tags mean equal bytes, whatever is published and whatever the poller reports', async () => {
  const replicas = await Promise.all([0, 1_000_000].map(openReplica));
  const question = fc.record({
    replica: fc.constantFrom(...replicas),
    snapshot: fc.constantFrom(...instants),
    url: fc.constantFrom(...liveUrls(), ...timetableUrls),
    seconds: fc.integer({ min: 0, max: 59 }),
    source: fc.constantFrom(
      ...[sourceState('x'), sourceState('x', { isNationwide: true, lastSuccessAt: '2026-03-03T07:05:00.000Z' })],
      sourceState('x', { kind: 'wiener-linien', lastSuccessAt: '2026-03-03T07:05:00.000Z' }),
    ),
  });
  const bytesByTag = new Map<string, string>();
  let seenAgain = 0;
  await fc.assert(
    fc.asyncProperty(question, async ({ replica, snapshot, url, seconds, source }) => {
      const now = at(`08:05:${String(seconds).padStart(2, '0')}`);
      const { statusCode, headers, body } = await replica.get(url, snapshot, now, [source]);
      expect(headers.etag !== undefined).toBe(statusCode === 200);
      if (headers.etag === undefined) return;
      const known = bytesByTag.get(headers.etag);
      if (known !== undefined) seenAgain++;
      expect(body).toBe(known ?? body);
      bytesByTag.set(headers.etag, body);
    }),
    { numRuns: 1500 },
  );
  expect(seenAgain).toBeGreaterThan(500);
});

describe('a poll', () => {
  test('changes only the tags of responses that depend on it', async () => {
    const replica = await openReplica(1_000_000);
    const states = [sourceState('x', { kind: 'wiener-linien' })];
    const tagsOf = async (url: string) => {
      const answers = [];
      for (const snapshot of instants) answers.push(await replica.get(url, snapshot, at('08:05'), states));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
      const versions = answers.map(({ headers }) => headers['data-version']);
      return { tags: new Set(answers.map(({ headers }) => headers.etag)).size, versions };
    };
    const timetableId = world.timetable.manifest.id;
    for (const url of liveUrls()) {
      const { tags, versions } = await tagsOf(url);
      expect([url, tags, versions]).toEqual([url, 4, instants.map(({ dataVersion }) => dataVersion)]);
    }
    for (const url of timetableUrls) {
      const { tags, versions } = await tagsOf(url);
      expect([url, tags, versions]).toEqual([url, 1, instants.map(() => timetableId)]);
    }
  });

  test('changes the response', async () => {
    const replica = await openReplica(1_000_000);
    const seen = [];
    for (const snapshot of instants) {
      const answer = await replica.get('/v2/stops/at:s/departures?limit=1', snapshot, at('08:05'));
      const [row] = answer.json().departures;
      seen.push(`${row.departure.realtime?.slice(11, 16) ?? 'planned'} ${row.notices.length}`);
    }
    expect(seen).toEqual(['08:11 1', '08:12 1', '08:13 1', 'planned 0']);
  });
});
