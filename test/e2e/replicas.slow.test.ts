import { expect, onTestFinished, test } from 'vitest';
import type { Board } from '../../api/contract/definitions.ts';
import { compileProgram } from '../support/fakes/compiled-program.ts';
import { type LoadAnswer, type LoadRequest, requestOnce, startLoad } from '../support/fakes/replica-load.ts';
import { prepareReplica, type Replica } from '../support/fakes/running-replica.ts';
import { openTestBalancer } from '../support/fakes/test-balancer.ts';
import { publishFeeds } from '../support/worlds/board-world.ts';
import { soundFeed, temporaryFolder } from '../support/worlds/ingest.ts';
import { publishReport } from '../support/worlds/publish-report.ts';
import { withFiles } from '../support/worlds/text-feed.ts';

const NOW = Date.parse('2026-03-03T06:30:07Z');
/** A stopped clock, so that each pair of snapshots has exactly one response to each request. */
const STOPPED_CLOCK = { DEMO_STARTS_AT: new Date(NOW).toISOString(), DEMO_SPEED: '0' };

const later = withFiles(soundFeed, {
  'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:00:00', '08:02:00'),
});

/** Every route with an entity tag, and trips. */
async function listRequests(origin: string): Promise<LoadRequest[]> {
  const board = (await (await fetch(`${origin}/v2/stops/at:a/departures`)).json()) as Board;
  const paths = [
    '/v2/stops/at:a/departures',
    '/v2/stops/at:b/departures?limit=1',
    '/v2/stops/at:c/arrivals',
    '/v2/stops/at:a/info',
    '/v2/stops?query=berg',
    '/v2/stops/nearby?lat=48.0&lon=16.1',
    `/v2/journeys/${board.departures[0]!.journeyRef}`,
    '/v2/disruptions',
    '/v2/vehicles',
    '/v2/history',
    '/v2/meta',
    '/v2/schema',
    '/v1/predictions?line=1',
    '/v1/vehicles',
    '/v1/announcements',
    '/v1/network-maps',
    '/v1/history',
    '/openapi.json',
  ];
  const trips = { path: '/v2/trips', body: { from: { stopId: 'at:a' }, to: { stopId: 'at:c' } } };
  return [...paths.map((path) => ({ path })), trips];
}

/** Expected response to each request by pair of snapshots, from processes without load. */
function openGolden(requests: readonly LoadRequest[]) {
  const known = new Map<string, LoadAnswer>();
  const nameOf = ({ path, dataVersion }: LoadAnswer) => `${path} ${dataVersion}`;
  return {
    async record({ url }: Replica) {
      for (const request of requests) {
        const answer = await requestOnce(url, request);
        expect([request.path, answer.status]).toEqual([request.path, 200]);
        const before = known.get(nameOf(answer));
        // Equal snapshots have equal bytes and tags, whatever a process served before.
        if (before) expect(contentOf(answer)).toEqual(contentOf(before));
        known.set(nameOf(answer), answer);
      }
    },
    listWrong: (answers: readonly LoadAnswer[]) =>
      answers.filter((answer) => {
        const golden = known.get(nameOf(answer));
        return !golden || golden.hash !== answer.hash || golden.entityTag !== answer.entityTag;
      }),
  };
}

const contentOf = ({ path, dataVersion, entityTag, hash }: LoadAnswer) => ({ path, dataVersion, entityTag, hash });
const BOARD = { path: '/v2/stops/at:a/departures' };

async function untilServed({ url }: Replica, version: string): Promise<void> {
  await expect.poll(async () => (await requestOnce(url, BOARD)).dataVersion, { timeout: 60_000 }).toContain(version);
}

test('no request fails or mixes snapshots while two replicas are killed and stopped during snapshot swaps', {
  timeout: 300_000,
}, async () => {
  const program = await compileProgram('test/support/fakes/cli-at-another-time.ts');
  const dataDir = await temporaryFolder();
  await publishFeeds({ at: soundFeed }, { dataDir });
  const report = (minutes: number) => publishReport(dataDir, { minutes, nowMilliseconds: NOW + minutes });
  const first = await report(3);

  const environment = { ...STOPPED_CLOCK, TAKTGEBER_SHUTDOWN_DRAIN_SECONDS: '1' };
  const prepare = async (name: string) => {
    const replica = await prepareReplica(name, { program, dataDir, environment });
    onTestFinished(() => replica.signal('SIGKILL'));
    return replica;
  };
  const [a, b, standing, fresh] = [
    await prepare('a'),
    await prepare('b'),
    await prepare('standing'),
    await prepare('fresh'),
  ];
  await standing.start();
  const requests = await listRequests(standing.url);
  const golden = openGolden(requests);
  /** Responses of a new process, which has no previous pair. */
  const recordFresh = async () => {
    await fresh.start();
    await golden.record(fresh);
    fresh.signal('SIGKILL');
    expect(await fresh.ended).toBe('SIGKILL');
  };
  await golden.record(standing);
  await recordFresh();

  const balancer = await openTestBalancer([a, b]);
  onTestFinished(() => balancer.close());
  await Promise.all([a.start(), b.start()]);
  await Promise.all([balancer.waitFor('a', true), balancer.waitFor('b', true)]);
  const load = startLoad(balancer.url, requests, 8);
  await load.more(200);

  const second = await report(4);
  await untilServed(standing, second);
  await golden.record(standing);
  await load.more(100);
  a.signal('SIGKILL');
  expect(await a.ended).toBe('SIGKILL');
  await load.more(200);

  // Running replicas keep the pair until there is realtime for the new timetable; a new process has no pair to keep.
  await publishFeeds({ at: later }, { dataDir });
  await recordFresh();
  await a.start();
  await balancer.waitFor('a', true);
  await load.more(200);
  const third = await report(5);
  await untilServed(standing, third);
  await golden.record(standing);
  await recordFresh();
  await load.more(100);

  b.signal('SIGTERM');
  expect(await b.ended).toBe(0);
  await load.more(100);
  await b.start();
  await balancer.waitFor('b', true);
  const fourth = await report(6);
  await untilServed(standing, fourth);
  await golden.record(standing);
  await Promise.all([untilServed(a, fourth), untilServed(b, fourth)]);
  await load.more(200);

  const answers = await load.stop();
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(golden.listWrong(answers)).toEqual([]);
  const versions = new Set(answers.filter(({ path }) => path === BOARD.path).map(({ dataVersion }) => dataVersion));
  for (const id of [first, second, third, fourth]) expect([...versions].some((one) => one?.endsWith(id))).toBe(true);
  expect([...balancer.answered.keys()].sort()).toEqual(['a', 'b']);
  expect([a.output(), b.output()].join('')).not.toContain('"level":50');
});
