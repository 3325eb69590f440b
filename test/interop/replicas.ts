import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { findFreePort } from '../support/fakes/free-port.ts';
import { type LoadAnswer, type LoadRequest, requestOnce, startLoad } from '../support/fakes/replica-load.ts';
import { prepareReplica, type Replica } from '../support/fakes/running-replica.ts';
import { CHANGED_NAME, ingestChangedSample, SAMPLE_NAME } from './changed-sample.ts';
import { type ReplicaWatches, watchingEnvironment, watchLegs } from './replica-watches.ts';
import { CLI } from './run-cli.ts';
import { startPostgres } from './services/postgres.ts';
import { endWithProcess, startService } from './services/service.ts';
import { installDebianPackage, runTool } from './tools.ts';

const READY_MILLISECONDS = 240_000;
const CONNECTIONS = 16;
const CALM_SECONDS = 8;
/** Time under load after a kill or stop. */
const AFTER_SECONDS = 5;
/** Longer than the health checks of HAProxy need. */
const DRAIN_SECONDS = 3;
/** Time limit of the planner: below that of requests, but high, so that slow trips on a busy machine do not fail. */
const PLANNER_SECONDS = 14;

/**
 * Runs two replicas behind HAProxy with `deploy/haproxy.cfg` on the simulated country, with realtime. Under load, one is
 * killed while both push events of watches, and restarted; a changed timetable is published; the other replica is stopped
 * gracefully and restarted.
 * @returns a summary of the measurements
 * @throws Error if a request fails, a response mixes snapshots, or an event is lost or repeated without reason
 */
export async function balanceReplicas(): Promise<string> {
  await installDebianPackage('haproxy', 'haproxy', '-v');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-replicas-'));
  try {
    const poller = await startPoller(dataDir);
    const watching = watchingEnvironment(await (await startPostgres()).createDatabase());
    const replicas = [
      await openReplica('one', dataDir, watching),
      await openReplica('two', dataDir, watching),
    ] as const;
    await Promise.all(replicas.map((replica) => replica.start()));
    await Promise.all(replicas.map(untilReady));
    const origin = await startBalancer(replicas);
    const summary = await endureLoad(origin, replicas, dataDir);
    for (const replica of replicas) replica.signal('SIGKILL');
    await poller.stop();
    return summary;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Ingests the sample and polls its upstreams until stopped. */
async function startPoller(dataDir: string) {
  const port = await findFreePort();
  return startService({
    name: 'poller',
    program: process.execPath,
    args: [CLI, 'up', '--data', dataDir, '--port', String(port)],
    env: { TAKTGEBER_CONFIG: '', TAKTGEBER_SCHEDULE_IS_ENABLED: 'false', TAKTGEBER_METRICS_IS_ENABLED: 'false' },
    readyMilliseconds: READY_MILLISECONDS,
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/v1/health`)).ok,
  });
}

async function openReplica(name: string, dataDir: string, watching: Record<string, string>): Promise<Replica> {
  const environment = {
    ...watching,
    TAKTGEBER_SHUTDOWN_DRAIN_SECONDS: String(DRAIN_SECONDS),
    TAKTGEBER_PLANNER_TIME_LIMIT_SECONDS: String(PLANNER_SECONDS),
  };
  const replica = await prepareReplica(name, { program: CLI, dataDir, environment });
  endWithProcess(async () => replica.signal('SIGKILL'));
  return replica;
}

export async function untilReady({ readyUrl }: Replica): Promise<void> {
  const deadline = performance.now() + READY_MILLISECONDS;
  while (
    !(await fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > deadline) throw new Error(`${readyUrl} was not ready in time`);
    await wait(100);
  }
}

/** @returns its origin, once it considers both replicas healthy */
export async function startBalancer([one, two]: readonly [Replica, Replica]): Promise<string> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = projectPath('deploy/haproxy.cfg');
  const env = {
    BALANCER: `127.0.0.1:${port}`,
    REPLICA_1: new URL(one.url).host,
    REPLICA_1_METRICS_PORT: new URL(one.readyUrl).port,
    REPLICA_2: new URL(two.url).host,
    REPLICA_2_METRICS_PORT: new URL(two.readyUrl).port,
  };
  await runTool('haproxy', ['-c', '-f', file], '');
  await startService({
    name: 'HAProxy',
    program: 'haproxy',
    args: ['-db', '-f', file],
    env,
    readyMilliseconds: READY_MILLISECONDS,
    isReady: async () => (await fetch(`${origin}/v1/health`)).ok,
  });
  return origin;
}

/** Requests for boards, stops, journeys, trips and realtime; where operators appear, responses record which names. */
async function listRequests(origin: string): Promise<LoadRequest[]> {
  const fetchJson = async <Body>(path: string) => (await (await fetch(origin + path)).json()) as Body;
  const { stops } = await fetchJson<{ stops: { id: string }[] }>('/v2/stops?query=Hauptbahnhof&limit=8');
  const ids = stops.map(({ id }) => encodeURIComponent(id));
  const boards = ids.flatMap((id) => [`/v2/stops/${id}/departures`, `/v2/stops/${id}/arrivals?limit=10`]);
  const { departures } = await fetchJson<{ departures: { journeyRef: string }[] }>(boards[0]!);
  const journeys = departures.slice(0, 5).map(({ journeyRef }) => `/v2/journeys/${journeyRef}`);
  const others = ['/v2/disruptions', '/v2/vehicles', '/v2/meta', '/v1/predictions?line=U1', '/v2/stops?query=wien'];
  const trips = { path: '/v2/trips', body: { from: { stopId: stops[0]!.id }, to: { stopId: stops[1]!.id }, limit: 1 } };
  const named = [...boards, ...journeys].map((one) => ({
    path: one,
    searchedTexts: [inLine(SAMPLE_NAME), inLine(CHANGED_NAME)],
  }));
  return [...named, ...others.map((one) => ({ path: one })), trips];
}

async function endureLoad(origin: string, replicas: readonly [Replica, Replica], dataDir: string): Promise<string> {
  const requests = await listRequests(origin);
  const boards = requests.map(({ path }) => path).filter((path) => path.endsWith('/departures'));
  const watches = await watchLegs(dataDir, replicas, boards);
  const load = startLoad(origin, requests, CONNECTIONS);
  const times = await disturb(replicas, watches, () => swapTimetable(dataDir, replicas, boards[0]!));
  const answers = await load.stop();
  expectNoFailure(answers, times);
  expectOneAnswerPerTag(answers);
  const pairs = new Set(answers.map(({ dataVersion }) => dataVersion).filter((version) => version?.includes('.')));
  const timetables = expectNoMixture(answers, times.timetableId);
  const pushed = await watches.settle(origin);
  const between = (from: number, to: number) => describe(answers.filter(({ at }) => at >= from && at < to));
  return [
    `${answers.length} requests, 0 failed, of ${pairs.size} pairs of snapshots and ${timetables} timetables, none mixed`,
    `calm ${between(0, times.killedAt)}`,
    `kill -9 and 5 s after ${between(times.killedAt, times.restartedAt)}`,
    `start ${between(times.restartedAt, times.ingestedAt)}`,
    `another timetable, from its ingest to its swap ${between(times.ingestedAt, times.stoppedAt)}`,
    `SIGTERM to the end ${between(times.stoppedAt, Number.POSITIVE_INFINITY)}`,
    pushed,
  ].join('; ');
}

/** Milliseconds of `performance.now()`. */
interface Times {
  readonly killedAt: number;
  readonly restartedAt: number;
  readonly ingestedAt: number;
  readonly stoppedAt: number;
  /** Id of the ingested timetable. */
  readonly timetableId: string;
}

/** Events under load, with their times. */
async function disturb([one, two]: readonly [Replica, Replica], watches: ReplicaWatches, swap: () => Promise<string>) {
  await wait(CALM_SECONDS * 1000);
  await watches.untilBothPush();
  const killedAt = performance.now();
  one.signal('SIGKILL');
  watches.noteKill(killedAt);
  await wait(AFTER_SECONDS * 1000);
  const restartedAt = performance.now();
  await one.start();
  await untilReady(one);
  await wait(AFTER_SECONDS * 1000);
  const ingestedAt = performance.now();
  const timetableId = await swap();
  await wait(AFTER_SECONDS * 1000);
  const stoppedAt = performance.now();
  two.signal('SIGTERM');
  const code = await two.ended;
  if (code !== 0) throw new Error(`the stopped replica exited with ${code}: ${two.output().slice(-500)}`);
  await two.start();
  await untilReady(two);
  await wait(AFTER_SECONDS * 1000);
  return { killedAt, restartedAt, ingestedAt, stoppedAt, timetableId };
}

/** @returns id of the changed timetable, once both replicas serve it with realtime */
async function swapTimetable(dataDir: string, replicas: readonly Replica[], board: string): Promise<string> {
  const id = await ingestChangedSample(dataDir);
  const deadline = performance.now() + READY_MILLISECONDS;
  for (const { name, url } of replicas) {
    while (!(await requestOnce(url, { path: board })).dataVersion?.startsWith(`${id}.`)) {
      if (performance.now() > deadline) throw new Error(`replica ${name} does not serve timetable ${id}`);
      await wait(250);
    }
  }
  return id;
}

/** The name as a line of the timetable contains it; notices name their publisher, whichever timetable is loaded. */
const inLine = (name: string) => `${name})","lineId"`;

/**
 * Checks that responses with operators only have the names of the timetable in their `Data-Version`. At night some boards
 * are empty and have none.
 * @returns the number of timetables
 */
function expectNoMixture(answers: readonly LoadAnswer[], changedId: string): number {
  const named = answers.filter(({ foundTexts }) => foundTexts.length > 0);
  const mixed = named.find(({ dataVersion, foundTexts }) => {
    const isChanged = dataVersion?.split('.')[0] === changedId;
    return foundTexts.includes(inLine(isChanged ? SAMPLE_NAME : CHANGED_NAME));
  });
  if (mixed) throw new Error(`the response of ${mixed.path} mixes two timetables; its version is ${mixed.dataVersion}`);
  const timetables = new Set(named.flatMap(({ dataVersion }) => dataVersion?.split('.')[0] ?? []));
  if (timetables.size < 2) throw new Error('no timetable was swapped under load, so swaps were not tested');
  return timetables.size;
}

function expectNoFailure(answers: readonly LoadAnswer[], times: Times): void {
  const failed = answers.filter(({ status }) => status !== 200);
  if (failed.length === 0) return;
  const kinds = [...new Set(failed.map(({ status, path, failure }) => `${status} at ${path} ${failure}`))];
  const seconds = (at: number) => ((at - times.killedAt) / 1000).toFixed(1);
  const [first, last] = [failed[0]!.at, failed.at(-1)!.at];
  throw new Error(
    `${failed.length} of ${answers.length} requests failed, from ${seconds(first)} to ${seconds(last)} s after the kill ` +
      `(start ${seconds(times.restartedAt)}, ingest ${seconds(times.ingestedAt)}, SIGTERM ${seconds(times.stoppedAt)}): ` +
      kinds.slice(0, 5).join(', '),
  );
}

/** Checks that equal entity tags mean equal bytes, also across replicas and restarts. */
function expectOneAnswerPerTag(answers: readonly LoadAnswer[]): void {
  const known = new Map<string, string>();
  for (const { path, entityTag, hash } of answers) {
    if (entityTag === null) continue;
    const name = `${path} ${entityTag}`;
    if ((known.get(name) ?? hash) !== hash) throw new Error(`two responses of ${name} differ`);
    known.set(name, hash);
  }
}

function describe(answers: readonly LoadAnswer[]): string {
  const times = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const quantile = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(0);
  return `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, longest ${quantile(1)} ms (${answers.length})`;
}
