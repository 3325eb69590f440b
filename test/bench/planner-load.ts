import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInChild } from './child.ts';
import type { PlannerInput } from './child-tasks.ts';
import { serveApi, type TripLoad } from './http-servers.ts';
import { askNation } from './planner-speed.ts';
import { openPlannerWorld } from './planner-world.ts';

export interface PlannerLoad {
  readonly steady: WatchedLoad;
  /** More than may wait ask at once. */
  readonly beyond: WatchedLoad;
}

export interface WatchedLoad extends TripLoad {
  /** Longest, milliseconds, what the timer itself takes taken off; of the same while nobody asks. */
  readonly longestDelay: number;
  readonly idleDelay: number;
}

const THREADS = 1;
const MAX_QUEUED = 16;
const STEADY = { connections: 4, requestsPerSecond: null };
/** Many times what one thread answers; each waits for its answer, so there must be more of them than may wait. */
const BEYOND = { connections: 64, requestsPerSecond: 128 };
const WARM_UP_SECONDS = 4;
const SECONDS = 12;
const RESOLUTION_MILLISECONDS = 1;

/** The service in this process under questions that another one sends, and how long its event loop stands still. */
export async function measurePlannerLoad({ dataDir }: PlannerInput): Promise<PlannerLoad> {
  const questions = await runInChild('planner_questions', { dataDir });
  const { origin } = await serveApi({ dataDir, planner: { threads: THREADS, maxQueued: MAX_QUEUED } });
  const idleDelay = await watchDelay(SECONDS / 4);
  const measure = async (asking: typeof STEADY | typeof BEYOND): Promise<WatchedLoad> => {
    const seconds = WARM_UP_SECONDS + SECONDS;
    const load = runInChild('trip_load', { origin, questions, ...asking, seconds });
    // Starting a process holds this one up; so do the first answers.
    await sleep(WARM_UP_SECONDS * 1000);
    const longestDelay = await watchDelay(SECONDS - 1);
    return { ...(await load), longestDelay, idleDelay };
  };
  return { steady: await measure(STEADY), beyond: await measure(BEYOND) };
}

async function watchDelay(seconds: number): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });
  delay.enable();
  await sleep(seconds * 1000);
  delay.disable();
  return delay.max / 1e6 - RESOLUTION_MILLISECONDS;
}

/** The questions of a country, made where their memory is of no account. */
export async function listLoadQuestions({ dataDir }: PlannerInput) {
  return askNation(await openPlannerWorld(dataDir));
}
