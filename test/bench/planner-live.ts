import { SPAN_SECONDS } from '../../api/engine/planner/raptor-routes.ts';
import { openRealtime, type Realtime } from '../../api/engine/read/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { PlannerLiveInput } from './child-tasks.ts';
import { median } from './metric.ts';
import { BENCH_NOW } from './national-questions.ts';
import { makeTraffic, type TrafficPlan } from './national-traffic.ts';
import { CITY_NOW, type TripQuestion } from './planner-questions.ts';
import { cityQuestions, listWarmUp, nationQuestions, type Quantiles, timeInTurns } from './planner-speed.ts';
import { openPlannerDesk, openPlannerWorld, type PlannerWorld } from './planner-world.ts';
import { buildRealtime } from './realtime-snapshot.ts';
import { measureRescues, type RescueSpeed } from './rescue-speed.ts';

export interface PlannerLive {
  readonly runningTrips: number;
  readonly plain: Quantiles;
  readonly live: Quantiles;
  readonly rescue: RescueSpeed;
  /** Median milliseconds from a new snapshot until its routes can be searched. */
  readonly routesMilliseconds: number;
}

/** Age of the snapshot: half a minute. */
const AGE_SECONDS = 30;
/** All questions are for a time shortly ahead, covered by realtime. */
const BEGIN_SECONDS = 600;
const ROUTES_ROUNDS = 6;

/** Measures questions about the current time, without and with realtime. */
export async function measurePlannerLive({ dataDir, place, runningTrips }: PlannerLiveInput): Promise<PlannerLive> {
  const world = await openPlannerWorld(dataDir);
  const isCity = place === 'city';
  const now = isCity ? CITY_NOW : BENCH_NOW;
  const plan: TrafficPlan = isCity ? { tripCount: null, oddEvery: 20 } : { tripCount: runningTrips, oddEvery: 100 };
  const traffic = makeTraffic(world.planner.timetable, now, plan);
  const snapshot = await buildRealtime(world.snapshot, traffic, now);
  const open = () => openRealtime(snapshot, null);
  const instant = (now + AGE_SECONDS) as Instant;
  const routesMilliseconds = measureRoutes(world, open, instant);
  const desks = { plain: openPlannerDesk(world, null, instant), live: openPlannerDesk(world, open(), instant) };
  const queries = (isCity ? cityQuestions(world) : nationQuestions(world)).map((question, i): TripQuestion => {
    return { ...question, time: (instant + ((i * 7) % BEGIN_SECONDS)) as Instant };
  });
  await timeInTurns(listWarmUp(queries), desks);
  const pages = await timeInTurns(queries, desks);
  const rescue = await measureRescues(world, open(), instant, queries);
  return { runningTrips: traffic.tripCount, routesMilliseconds, rescue, ...pages };
}

/** The first round warms up and does not count. */
function measureRoutes({ planner }: PlannerWorld, open: () => Realtime, instant: Instant): number {
  const routes = planner.getRaptorRoutes(Math.floor(instant / SPAN_SECONDS));
  const times = Array.from({ length: ROUTES_ROUNDS }, () => {
    const realtime = open();
    const started = performance.now();
    planner.getMinTimes(planner.getLiveRoutes(routes, realtime, instant));
    return performance.now() - started;
  });
  return median(times.slice(1));
}
