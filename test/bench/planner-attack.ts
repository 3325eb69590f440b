import process from 'node:process';
import type { TripRequest } from '../../api/contract/definitions.ts';
import { presentTimestamp } from '../../api/engine/read/present.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { runInChild } from './child.ts';
import type { PlannerInput } from './child-tasks.ts';
import { serveApi } from './http-servers.ts';
import { makeRandom, pickFrom } from './made-up-stops.ts';
import { quantile } from './metric.ts';
import { BENCH_DAY_START, readRequestedStops } from './national-questions.ts';
import { listQuestionsAt, type TripQuestion, toTripRequest } from './planner-questions.ts';
import { openPlannerDesk, openPlannerWorld } from './planner-world.ts';

export interface PlannerAttack {
  /** Milliseconds of the boards of one client, without and beside the attack. */
  readonly quiet: number;
  readonly beside: number;
  /** Seconds until the longest answer to an attacking client, and per second: answered and refused. */
  readonly longestSeconds: number;
  readonly answeredPerSecond: number;
  readonly refusedPerSecond: number;
  readonly others: number;
  /** Processor seconds of the slowest of the queries. */
  readonly slowestSeconds: number;
}

const CLIENTS = 8;
const QUERIES = 20;
const BOARDS = 400;
const ATTACK_SECONDS = 30;
const SEED = 31;

/** Measures boards of one client beside eight clients that send the slowest trip queries that we can construct. */
export async function measureAttack({ dataDir }: PlannerInput): Promise<PlannerAttack> {
  const { requests, slowestSeconds } = await runInChild('planner_slowest', { dataDir });
  const { origin } = await serveApi({ dataDir });
  const boards = await listBoards(dataDir);
  await timeBoards(origin, boards.slice(0, BOARDS / 4));
  const quiet = await timeBoards(origin, boards);
  const load = { origin, requests, connections: CLIENTS, requestsPerSecond: null, seconds: ATTACK_SECONDS };
  const attack = runInChild('trip_load', load);
  let isOver = false;
  const ended = attack.finally(() => {
    isOver = true;
  });
  const beside: number[] = [];
  while (!isOver) beside.push(...(await timeBoards(origin, boards.slice(0, BOARDS / 10))));
  const { answeredPerSecond, overloaded, others, longestSeconds } = await ended;
  return {
    quiet: toP99(quiet),
    beside: toP99(beside),
    longestSeconds,
    answeredPerSecond,
    refusedPerSecond: overloaded / ATTACK_SECONDS,
    others,
    slowestSeconds,
  };
}

/** Each at another time, so that no answer is cached. */
async function listBoards(dataDir: string): Promise<string[]> {
  const stops = await readRequestedStops(dataDir, BOARDS);
  return stops.map((id, i) => {
    const time = presentTimestamp((BENCH_DAY_START + 8 * 3600 + 60 * i) as Instant);
    return `/v2/stops/${encodeURIComponent(id)}/departures?time=${encodeURIComponent(time)}`;
  });
}

async function timeBoards(origin: string, paths: readonly string[]): Promise<number[]> {
  const milliseconds: number[] = [];
  for (const path of paths) {
    const started = performance.now();
    const response = await fetch(`${origin}${path}`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    milliseconds.push(performance.now() - started);
  }
  return milliseconds;
}

function toP99(milliseconds: readonly number[]): number {
  return quantile(
    milliseconds.toSorted((a, b) => a - b),
    0.99,
  );
}

// ---- The slowest queries -----------------------------------------------------------------------

const TIMES = [8, 23.5, 1.5].map((hours) => hours * 3600);
const PAIRS = 2;
const PAGE_LIMIT = 6;
const LONGEST_WALK_METERS = 5000;
const SLOWEST_WALK_KMH = 2;

/** Constructs queries that are as expensive as the contract permits. @returns the slowest of them */
export async function findSlowestQueries({ dataDir }: PlannerInput): Promise<{
  readonly requests: readonly TripRequest[];
  readonly slowestSeconds: number;
}> {
  const world = await openPlannerWorld(dataDir);
  const desk = openPlannerDesk(world, null, null);
  const random = makeRandom(SEED);
  const { lat, lon } = world.planner.timetable.tables.stops;
  const measured: { request: TripRequest; seconds: number }[] = [];
  for (const seconds of TIMES) {
    const questions = listQuestionsAt(world.planner.timetable, (BENCH_DAY_START + seconds) as Instant, 4 * PAIRS);
    for (const question of questions.slice(0, PAIRS)) {
      const between = [pickFrom(questions, random), pickFrom(questions, random)];
      const at = Math.floor(random() * lat.length);
      for (const request of listExpensive(question, between, { lat: lat[at]!, lon: lon[at]! })) {
        const started = process.cpuUsage();
        await desk.answerRequest(request, question.time);
        const { user, system } = process.cpuUsage(started);
        measured.push({ request, seconds: (user + system) / 1e6 });
      }
    }
  }
  measured.sort((a, b) => b.seconds - a.seconds);
  return {
    requests: measured.slice(0, QUERIES).map(({ request }) => request),
    slowestSeconds: measured[0]!.seconds,
  };
}

/** @param between origins of other questions, as places to pass */
function listExpensive(
  question: TripQuestion,
  between: readonly TripQuestion[],
  point: { readonly lat: number; readonly lon: number },
): TripRequest[] {
  const page: TripRequest = { ...toTripRequest(question, PAGE_LIMIT), all: true };
  const farOnFoot = { maxWalkMeters: LONGEST_WALK_METERS, walkSpeedKmh: SLOWEST_WALK_KMH };
  const via = between.map(({ from }) => ({ stopId: from }));
  return [
    page,
    { ...page, timeMode: 'arrival' },
    { ...page, ...farOnFoot },
    { ...page, from: { coord: point }, ...farOnFoot },
    { ...page, via },
    { ...page, via, from: { coord: point }, ...farOnFoot, timeMode: 'arrival' },
    { ...page, via, wheelchair: true, minTransferMinutes: 20 },
  ];
}
