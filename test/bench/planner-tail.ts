import process from 'node:process';
import type { SearchWork } from '../../api/engine/planner/search.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { PlannerTailInput } from './child-tasks.ts';
import { quantile } from './metric.ts';
import { BENCH_DAY_START } from './national-questions.ts';
import { listQuestionsAt } from './planner-questions.ts';
import { openPlannerDesk, openPlannerWorld, type PlannerWorld } from './planner-world.ts';

/** Milliseconds of processor time and work per page at one time of the day. */
export interface PlannerTail {
  readonly clock: string;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Average per page. */
  readonly work: SearchWork;
}

const TIMES = [
  { clock: '08:00', seconds: 8 * 3600 },
  { clock: '23:30', seconds: 23.5 * 3600 },
];
const PAGE_LIMIT = 6;
const WARM_UP_QUESTIONS = 60;

/** Plans pages in the generated city, one after the other: the slowest ones are what travellers notice. */
export async function measurePlannerTail({ dataDir, questions: count }: PlannerTailInput): Promise<PlannerTail[]> {
  const world = await openPlannerWorld(dataDir);
  const desk = openPlannerDesk(world, null, null);
  const tails: PlannerTail[] = [];
  for (const { clock, seconds } of TIMES) {
    const questions = listQuestionsAt(world.planner.timetable, (BENCH_DAY_START + seconds) as Instant, count);
    for (const question of questions.slice(-WARM_UP_QUESTIONS)) await desk.answerPage(question, PAGE_LIMIT);
    const before = sumWork(world);
    const times: number[] = [];
    for (const question of questions) {
      const started = process.cpuUsage();
      await desk.answerPage(question, PAGE_LIMIT);
      const { user, system } = process.cpuUsage(started);
      times.push((user + system) / 1000);
    }
    const after = sumWork(world);
    times.sort((a, b) => a - b);
    const perPage = (name: keyof SearchWork) => (after[name] - before[name]) / count;
    tails.push({
      clock,
      p50: quantile(times, 0.5),
      p95: quantile(times, 0.95),
      p99: quantile(times, 0.99),
      work: { runs: perPage('runs'), routes: perPage('routes'), labels: perPage('labels') },
    });
  }
  return tails;
}

function sumWork({ planner }: PlannerWorld): SearchWork {
  const [one, other] = [planner.search.work, planner.getOppositeSearch().work];
  return {
    runs: one.runs + other.runs,
    routes: one.routes + other.routes,
    labels: one.labels + other.labels,
  };
}
