import { stat } from 'node:fs/promises';
import path from 'node:path';
import { openTimetable } from '../../api/engine/read/timetable.ts';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { openObservations } from '../../pipeline/lake/observations/observation-store.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { parseMetroStations } from '../../pipeline/model/metro-stations.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { type Matcher, openMatcher } from '../../pipeline/realtime/matching/open-matcher.ts';
import { parseStopLinks } from '../../pipeline/realtime/matching/stop-link-overrides.ts';
import type { AppliedUpdate } from '../../pipeline/realtime/state/apply-update.ts';
import { createRealtimeState, type RealtimeState } from '../../pipeline/realtime/state/realtime-state.ts';
import { publishRealtime } from '../../pipeline/snapshots/publish-realtime.ts';
import type { RealtimeSourceState, RealtimeTables } from '../../pipeline/snapshots/realtime-contract.ts';
import { type RealtimePointer, realtimeSnapshotFile } from '../../pipeline/snapshots/realtime-files.ts';
import type { TimetableSnapshot } from '../../pipeline/snapshots/timetable-contract.ts';
import { readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { decodeFeedMessage } from '../../pipeline/sources/gtfs-rt/decode-feed-message.ts';
import { normaliseFeed } from '../../pipeline/sources/gtfs-rt/normalise-feed.ts';
import { type StateInput, warningsOnly } from './child-tasks.ts';
import { median } from './metric.ts';
import { BENCH_NOW } from './national-questions.ts';
import { makeTraffic } from './national-traffic.ts';

export interface StateMeasures {
  readonly callCount: number;
  readonly messageBytes: number;
  readonly snapshotBytes: number;
  /** Milliseconds, medians of the rounds. */
  readonly steps: Readonly<Record<Step, number>>;
  /** The requested number of distinct snapshots; the pointer names the last. */
  readonly snapshots: readonly MarkedSnapshot[];
}

/** A published snapshot that can be identified by any of its times. */
export interface MarkedSnapshot extends RealtimePointer {
  /** Seconds of the minute of each estimated and observed time. */
  readonly mark: number;
}

const steps = [
  'decode',
  'normalise',
  'applyFirst',
  'applySecond',
  'journalFirst',
  'journalSecond',
  'build',
  'publish',
] as const;
type Step = (typeof steps)[number];

const ROUNDS = 4;
const SOURCE = 'bench_rt';
const MAX_AGE_SECONDS = 300;
const POLL_SECONDS = 30;
const KEPT_SNAPSHOTS = 1000;

export const benchSource = { id: SOURCE, maxAgeSeconds: MAX_AGE_SECONDS, findTimetableSource: () => 'bench' };

/**
 * Measures how the poller processes the messages of a whole country: a first one, a second one in which a tenth of the trips
 * changed, and the snapshot of both. Each round begins with an empty state; the first one warms up and does not count.
 */
export async function measureState(input: StateInput): Promise<StateMeasures> {
  const { dataDir, timetableId } = input;
  const snapshot = await readTimetableSnapshot(dataDir, timetableId);
  const traffic = makeTraffic(openTimetable(snapshot), BENCH_NOW, { tripCount: input.runningTrips, oddEvery: 100 });
  const later = (BENCH_NOW + POLL_SECONDS) as Instant;
  const world: PolledWorld = {
    snapshot,
    matcher: await openBenchMatcher(snapshot),
    first: traffic.writeTripUpdates(BENCH_NOW, 'none'),
    second: traffic.writeTripUpdates(later, 'tenth'),
    news: traffic.writeNews(later),
  };
  const rounds: Record<Step, number>[] = [];
  let published = await pollTwice(world, { ...input, round: 0 }, startWatch().time);
  for (let round = 1; round <= ROUNDS; round++) {
    const watch = startWatch();
    published = await pollTwice(world, { ...input, round }, watch.time);
    rounds.push(watch.read());
  }
  const { size } = await stat(realtimeSnapshotFile(dataDir, published.id));
  return {
    callCount: traffic.callCount,
    messageBytes: world.first.byteLength,
    snapshotBytes: size,
    steps: toSteps((step) => median(rounds.map((round) => round[step]))),
    snapshots: await publishMarked(input, published.tables),
  };
}

interface PolledWorld {
  readonly snapshot: TimetableSnapshot;
  readonly matcher: Matcher;
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  readonly news: Uint8Array;
}

export async function openBenchMatcher(snapshot: TimetableSnapshot): Promise<Matcher> {
  const links = parseStopLinks(await readProjectFile('data/lookups/stop-links.csv'));
  const metroStations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  return openMatcher(snapshot, { stopLinks: links.records, metroStations });
}

type Time = <Result>(step: Step, task: () => Result | Promise<Result>) => Promise<Result>;

/** Records the milliseconds of each step, and returns the mean of repeated steps. */
function startWatch(): { time: Time; read: () => Record<Step, number> } {
  const taken = new Map<Step, number[]>();
  return {
    async time(step, task) {
      const started = performance.now();
      const result = await task();
      taken.set(step, [...(taken.get(step) ?? []), performance.now() - started]);
      return result;
    },
    read: () => toSteps((step) => mean(taken.get(step)!)),
  };
}

function toSteps(read: (step: Step) => number): Record<Step, number> {
  return Object.fromEntries(steps.map((step) => [step, read(step)])) as Record<Step, number>;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function pollTwice(
  { snapshot, matcher, first, second, news }: PolledWorld,
  { round, ...input }: StateInput & { readonly round: number },
  time: Time,
): Promise<{ tables: RealtimeTables; id: string }> {
  const state = createRealtimeState([benchSource], { tables: snapshot.tables, matcher });
  const lake = { memoryLimit: '1GB', threads: 1 };
  const journalDir = path.join(input.workDir, String(round));
  const store = await openObservations(journalDir, toSourceId(SOURCE), lake, { log: warningsOnly });
  const take = async (bytes: Uint8Array, part: string, fetchedAt: Instant, apply: Step, journal: Step) => {
    const message = await time('decode', () => decodeFeedMessage(bytes, SOURCE));
    const update = await time('normalise', () => normaliseFeed(message, rulesAt(fetchedAt)));
    const applied = await time(apply, () => state.apply(SOURCE, { part, fetchedAt, update }));
    assertAllTaken(applied, update.problems.length);
    const { observations, ended, resolved } = applied;
    await time(journal, () => store.append({ part, rawId: 'bench', seenAt: fetchedAt, observations, ended, resolved }));
  };
  const later = (BENCH_NOW + POLL_SECONDS) as Instant;
  await take(first, 'trip-updates', BENCH_NOW, 'applyFirst', 'journalFirst');
  await take(second, 'trip-updates', later, 'applySecond', 'journalSecond');
  await store.close();
  takeNews(state, news, later);
  const tables = await time('build', () => state.build(later));
  const id = await time('publish', () => publish(input, tables, round));
  return { tables, id };
}

/** Adds positions and alerts, which are not measured but belong to the snapshot. */
function takeNews(state: RealtimeState, bytes: Uint8Array, fetchedAt: Instant): void {
  const update = normaliseFeed(decodeFeedMessage(bytes, SOURCE), rulesAt(fetchedAt));
  assertAllTaken(state.apply(SOURCE, { part: 'news', fetchedAt, update }), update.problems.length);
}

export function rulesAt(fetchedAt: Instant) {
  return { source: SOURCE, fetchedAt, maxAgeSeconds: MAX_AGE_SECONDS, measuredStopEvents: false };
}

/** Ensures that no message was refused, since refusing is faster. */
export function assertAllTaken({ tally }: AppliedUpdate, problems: number): void {
  const isWhole = Object.keys(tally.unmatched).length === 0 && tally.vehiclesUnmatched === 0 && problems === 0;
  if (!isWhole) throw new Error(`some of the traffic was refused: ${JSON.stringify(tally)}`);
}

// ---- Publishing --------------------------------------------------------------------------------

export const benchSourceState: RealtimeSourceState = {
  id: SOURCE,
  kind: 'gtfs-rt',
  archive: 'full',
  isStandby: false,
  lastSuccessAt: new Date(BENCH_NOW * 1000).toISOString(),
  lastSuccessByArea: {},
  lastAttemptAt: new Date(BENCH_NOW * 1000).toISOString(),
  requestedAreas: ['departures', 'vehiclePositions', 'disruptions'],
  trouble: null,
  maxAgeSeconds: MAX_AGE_SECONDS,
  provides: ['departures', 'vehiclePositions', 'disruptions'],
  coverage: [],
  isNationwide: true,
  attribution: null,
  licence: null,
  vehicleCells: [],
  onDemand: null,
  tally: {
    matched: {},
    unmatched: {},
    vehiclesMatched: 0,
    vehiclesOnRouteOnly: 0,
    vehiclesUnmatched: 0,
    alerts: 0,
    records: 0,
    problems: {},
  },
};

/** @param number of the snapshot; each has a different instant */
function publish({ dataDir, timetableId }: StateInput, tables: RealtimeTables, number: number): Promise<string> {
  const state = { timetableId, sources: [benchSourceState], models: [], tables };
  return publishRealtime(dataDir, state, BENCH_NOW * 1000 + number, KEPT_SNAPSHOTS);
}

async function publishMarked(input: StateInput, tables: RealtimeTables): Promise<MarkedSnapshot[]> {
  const { timetableId, markedSnapshots } = input;
  const snapshots: MarkedSnapshot[] = [];
  for (let mark = 0; mark < markedSnapshots; mark++) {
    const id = await publish(input, markTables(tables, mark), ROUNDS + 1 + mark);
    snapshots.push({ id, timetableId, mark });
  }
  return snapshots;
}

/** The same state with every time shifted within its minute, so that a response mixing two snapshots is detected. */
function markTables(tables: RealtimeTables, mark: number): RealtimeTables {
  const { calls, addedCalls } = tables;
  return {
    ...tables,
    calls: { ...calls, ...markTimes(calls, mark) },
    addedCalls: { ...addedCalls, ...markTimes(addedCalls, mark) },
  };
}

function markTimes({ arrival, departure }: Pick<RealtimeTables['calls'], 'arrival' | 'departure'>, mark: number) {
  const move = (time: number) => (time === 0 ? 0 : time - (time % 60) + mark);
  return { arrival: arrival.map(move), departure: departure.map(move) };
}
