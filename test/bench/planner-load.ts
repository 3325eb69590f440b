import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInChild } from './child.ts';
import type { PlannerInput, PlannerTailInput } from './child-tasks.ts';
import { serveApi, type TripLoad } from './http-servers.ts';
import { BENCH_DAY_START } from './national-questions.ts';
import { listCityQuestions, toTripRequest } from './planner-questions.ts';
import { nationQuestions } from './planner-speed.ts';
import { openPlannerWorld } from './planner-world.ts';

export interface PlannerLoad {
  readonly steady: WatchedLoad;
  /** More concurrent requests than the queue allows. */
  readonly beyond: WatchedLoad;
}

export interface WatchedLoad extends TripLoad {
  /** Longest event-loop delay in milliseconds, without the overhead of the timer; under load and idle. */
  readonly longestDelay: number;
  readonly idleDelay: number;
}

const THREADS = 1;
const MAX_QUEUED = 16;
const STEADY = { connections: 4, requestsPerSecond: null };
/** Many times the capacity of one thread. Each client waits for its response, so there are more clients than queue slots. */
const BEYOND = { connections: 64, requestsPerSecond: 128 };
const WARM_UP_SECONDS = 4;
const SECONDS = 12;
const RESOLUTION_MILLISECONDS = 1;

/** Measures the service under requests from another process, and the longest delay of its event loop. */
export async function measurePlannerLoad({ dataDir }: PlannerInput): Promise<PlannerLoad> {
  const questions = await runInChild('planner_questions', { dataDir });
  const requests = questions.map((question) => toTripRequest(question));
  const { origin } = await serveApi({ dataDir, planner: { threads: THREADS, maxQueued: MAX_QUEUED } });
  const idleDelay = await watchDelay(SECONDS / 4);
  const measure = async (rate: typeof STEADY | typeof BEYOND): Promise<WatchedLoad> => {
    const seconds = WARM_UP_SECONDS + SECONDS;
    const load = runInChild('trip_load', { origin, requests, ...rate, seconds });
    // Starting a process and the first responses block this process.
    await sleep(WARM_UP_SECONDS * 1000);
    const longestDelay = await watchDelay(SECONDS - 1);
    return { ...(await load), longestDelay, idleDelay };
  };
  return { steady: await measure(STEADY), beyond: await measure(BEYOND) };
}

/** Trips at all hours of the day in a city, for four clients of a service with default settings. */
export async function measureCityLoad({ dataDir, questions }: PlannerTailInput): Promise<TripLoad> {
  const queries = await runInChild('planner_city_questions', { dataDir, questions });
  const { origin } = await serveApi({ dataDir });
  const load = { origin, requests: queries.map((question) => toTripRequest(question)), ...STEADY };
  await runInChild('trip_load', { ...load, seconds: WARM_UP_SECONDS });
  return runInChild('trip_load', { ...load, seconds: SECONDS });
}

async function watchDelay(seconds: number): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });
  delay.enable();
  await sleep(seconds * 1000);
  delay.disable();
  return delay.max / 1e6 - RESOLUTION_MILLISECONDS;
}

/** Lists the questions of a country in a separate process, so that their memory does not count. */
export async function listLoadQuestions({ dataDir }: PlannerInput) {
  return nationQuestions(await openPlannerWorld(dataDir));
}

/** The same of the generated city. */
export async function listCityLoadQuestions({ dataDir, questions }: PlannerTailInput) {
  const { planner } = await openPlannerWorld(dataDir);
  return listCityQuestions(planner.timetable, BENCH_DAY_START, questions);
}
