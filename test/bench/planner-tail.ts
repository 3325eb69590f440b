import process from 'node:process';
import type { SearchWork } from '../../api/engine/planner/search.ts';
import { openRealtime, type Realtime } from '../../api/engine/read/realtime.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { PlannerTailInput } from './child-tasks.ts';
import { quantile } from './metric.ts';
import { BENCH_DAY_START } from './national-questions.ts';
import { makeTraffic } from './national-traffic.ts';
import { listQuestionsAt, type TripQuestion } from './planner-questions.ts';
import { openPlannerDesk, openPlannerWorld, type PlannerWorld } from './planner-world.ts';
import { buildRealtime } from './realtime-snapshot.ts';
import { measureRescues, type RescueSpeed } from './rescue-speed.ts';

/** Milliseconds of processor time and work per page of one kind. */
export interface PlannerTail {
  readonly kind: TailKind;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Per page: the average, and the 99th percentile of each count. */
  readonly work: SearchWork;
  readonly tailWork: SearchWork;
}

const PAGE_LIMIT = 6;
const WARM_UP_QUESTIONS = 60;
const RESCUES = 300;
const MORNING = (BENCH_DAY_START + 8 * 3600) as Instant;
const NIGHT = (BENCH_DAY_START + 23.5 * 3600) as Instant;
/** Age of the realtime snapshot. */
const AGE_SECONDS = 30;

export type TailKind = 'at 08:00' | 'at 08:00 with realtime' | 'at 23:30';

export interface CityTail {
  readonly pages: readonly PlannerTail[];
  readonly rescue: RescueSpeed;
}

/** Plans pages in the generated city, one after the other: the slowest ones are what travellers notice. */
export async function measurePlannerTail({ dataDir, questions }: PlannerTailInput): Promise<CityTail> {
  const world = await openPlannerWorld(dataDir);
  const { timetable } = world.planner;
  const [morning, night] = [MORNING, NIGHT].map((time) => listQuestionsAt(timetable, time, questions));
  const realtime = await reportAllTrips(world);
  const pages = [
    await measurePages(world, 'at 08:00', morning!, null),
    await measurePages(world, 'at 08:00 with realtime', morning!, realtime),
    await measurePages(world, 'at 23:30', night!, null),
  ];
  const instant = (MORNING + AGE_SECONDS) as Instant;
  return { pages, rescue: await measureRescues(world, realtime, instant, morning!.slice(0, RESCUES)) };
}

/** Realtime of every running trip: one in twenty is cancelled, as many skip a call or have an added copy. */
async function reportAllTrips({ planner, snapshot }: PlannerWorld): Promise<Realtime> {
  const traffic = makeTraffic(planner.timetable, MORNING, { tripCount: null, oddEvery: 20 });
  return openRealtime(await buildRealtime(snapshot, traffic, MORNING), null);
}

async function measurePages(
  world: PlannerWorld,
  kind: TailKind,
  questions: readonly TripQuestion[],
  realtime: Realtime | null,
): Promise<PlannerTail> {
  const desk = openPlannerDesk(world, realtime, realtime && ((MORNING + AGE_SECONDS) as Instant));
  for (const question of questions.slice(-WARM_UP_QUESTIONS)) await desk.answerPage(question, PAGE_LIMIT);
  const times: number[] = [];
  const work: SearchWork[] = [];
  for (const question of questions) {
    const before = sumWork(world);
    const started = process.cpuUsage();
    await desk.answerPage(question, PAGE_LIMIT);
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
    const after = sumWork(world);
    work.push(mapWork((name) => after[name] - before[name]));
  }
  const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
  const valuesOf = (name: keyof SearchWork) => work.map((page) => page[name]);
  return {
    kind,
    p50: quantile(sorted(times), 0.5),
    p95: quantile(sorted(times), 0.95),
    p99: quantile(sorted(times), 0.99),
    work: mapWork((name) => valuesOf(name).reduce((sum, value) => sum + value, 0) / work.length),
    tailWork: mapWork((name) => quantile(sorted(valuesOf(name)), 0.99)),
  };
}

function mapWork(countOf: (name: keyof SearchWork) => number): SearchWork {
  return { runs: countOf('runs'), routes: countOf('routes'), labels: countOf('labels') };
}

function sumWork({ planner }: PlannerWorld): SearchWork {
  const [one, other] = [planner.search.work, planner.getOppositeSearch().work];
  return mapWork((name) => one[name] + other[name]);
}
