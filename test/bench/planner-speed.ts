import type { Instant } from '../../pipeline/model/service-time.ts';
import type { PlannerInput, PlannerTailInput } from './child-tasks.ts';
import { quantile } from './metric.ts';
import { BENCH_DAY_START } from './national-questions.ts';
import {
  CITY_DAY_START,
  listCityQuestions,
  listNationalQuestions,
  listQuestionsAt,
  type TripQuestion,
} from './planner-questions.ts';
import { openPlannerDesk, openPlannerWorld, type PlannerDesk, type PlannerWorld } from './planner-world.ts';

/** Milliseconds. */
export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface CitySpeed {
  readonly questions: readonly TripQuestion[];
  readonly arrival: Quantiles;
  readonly twoHours: Quantiles;
  /** Average number of itineraries within the two hours of a question. */
  readonly itineraries: number;
  readonly page: Quantiles;
  /** Arrival by question; null: unreachable within two days. */
  readonly arrivals: readonly (number | null)[];
}

export interface NationalSpeed {
  readonly arrival: Quantiles;
  readonly page: Quantiles;
  readonly anywhere: Quantiles;
}

const CITY_QUESTIONS = 500;
const MORNING_SECONDS = 8 * 3600;
export const NATIONAL_QUESTIONS = 200;
/** Number of questions that only warm up. */
const WARM_UP_QUESTIONS = 60;

export async function measureCitySpeed({ dataDir }: PlannerInput): Promise<CitySpeed> {
  const world = await openPlannerWorld(dataDir);
  const questions = cityQuestions(world);
  const desk = openPlannerDesk(world, null, null);
  const arrivals: (number | null)[] = [];
  let itineraries = 0;
  // In a city all questions warm up first, shifted by a minute.
  const measure = async (answer: (question: TripQuestion) => Promise<void>) => {
    await timeEach(questions.map(shiftByMinute), answer);
    itineraries = 0;
    arrivals.length = 0;
    return toQuantiles(await timeEach(questions, answer));
  };
  const page = await measure(async (question) => void (await desk.answerPage(question)));
  const twoHours = await measure(async (question) => {
    itineraries += await desk.presentTwoHours(question);
  });
  const average = itineraries / questions.length;
  const arrival = await measure(async (question) => void arrivals.push(await desk.findArrival(question)));
  return { questions, arrival, twoHours, itineraries: average, page, arrivals };
}

/** Earliest arrivals in the generated city, at eight in the morning. */
export async function measureArrivals({
  dataDir,
  questions: count,
}: PlannerTailInput): Promise<Pick<CitySpeed, 'questions' | 'arrival' | 'arrivals'>> {
  const world = await openPlannerWorld(dataDir);
  const desk = openPlannerDesk(world, null, null);
  const time = (BENCH_DAY_START + MORNING_SECONDS) as Instant;
  const questions = listQuestionsAt(world.planner.timetable, time, count);
  const arrivals: (number | null)[] = [];
  const answer = async (question: TripQuestion) => void arrivals.push(await desk.findArrival(question));
  await timeEach(listWarmUp(questions), answer);
  arrivals.length = 0;
  return { questions, arrival: toQuantiles(await timeEach(questions, answer)), arrivals };
}

export async function measureNationalSpeed({ dataDir }: PlannerInput): Promise<NationalSpeed> {
  const world = await openPlannerWorld(dataDir);
  const questions = nationQuestions(world);
  const desk = openPlannerDesk(world, null, null);
  const measure = async (answer: (question: TripQuestion) => Promise<unknown>) => {
    await timeEach(listWarmUp(questions), answer);
    return timeEach(questions, answer);
  };
  const pages = await measure((question) => desk.answerPage(question));
  const arrivals = await measure((question) => desk.findArrival(question));
  const anywhere = pages.filter((_, i) => questions[i]!.distance === 'anywhere');
  return { arrival: toQuantiles(arrivals), page: toQuantiles(pages), anywhere: toQuantiles(anywhere) };
}

export function cityQuestions({ planner }: PlannerWorld): TripQuestion[] {
  return listCityQuestions(planner.timetable, CITY_DAY_START, CITY_QUESTIONS);
}

export function nationQuestions({ planner }: PlannerWorld): TripQuestion[] {
  return listNationalQuestions(planner.timetable, BENCH_DAY_START, NATIONAL_QUESTIONS);
}

/** Some questions of every distance, at other times than the measured ones. */
export function listWarmUp(questions: readonly TripQuestion[]): TripQuestion[] {
  const step = Math.max(1, Math.floor(questions.length / WARM_UP_QUESTIONS));
  return questions.filter((_, i) => i % step === 0).map(shiftByMinute);
}

function shiftByMinute(question: TripQuestion): TripQuestion {
  return { ...question, time: (question.time + 60) as TripQuestion['time'] };
}

/** @returns milliseconds, in the order of the questions */
async function timeEach(
  questions: readonly TripQuestion[],
  answer: (question: TripQuestion) => Promise<unknown>,
): Promise<number[]> {
  const milliseconds: number[] = [];
  for (const question of questions) {
    const started = performance.now();
    await answer(question);
    milliseconds.push(performance.now() - started);
  }
  return milliseconds;
}

/** Times the same pages alternately without and with realtime. */
export async function timeInTurns(
  questions: readonly TripQuestion[],
  desks: { readonly plain: PlannerDesk; readonly live: PlannerDesk },
): Promise<{ plain: Quantiles; live: Quantiles }> {
  const times = { plain: [] as number[], live: [] as number[] };
  const names = ['plain', 'live'] as const;
  for (const [i, question] of questions.entries()) {
    // The second run finds warm CPU caches, so the order alternates.
    for (const name of i % 2 === 0 ? names : names.toReversed()) {
      times[name].push(...(await timeEach([question], (one) => desks[name].answerPage(one))));
    }
  }
  return { plain: toQuantiles(times.plain), live: toQuantiles(times.live) };
}

export function toQuantiles(milliseconds: readonly number[]): Quantiles {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) };
}
