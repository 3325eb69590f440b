import type { PlannerInput } from './child-tasks.ts';
import { quantile } from './figure.ts';
import { BENCH_DAY_START } from './national-questions.ts';
import { CITY_DAY_START, listCityQuestions, listNationalQuestions, type TripQuestion } from './planner-questions.ts';
import { openPlannerDesk, openPlannerWorld, type PlannerDesk, type PlannerWorld } from './planner-world.ts';

/** Milliseconds. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

export interface CitySpeed {
  readonly questions: readonly TripQuestion[];
  readonly arrival: Quantiles;
  readonly twoHours: Quantiles;
  /** Of a question's two hours, on average. */
  readonly itineraries: number;
  readonly page: Quantiles;
  /** By question; null: nobody gets there within two days. */
  readonly arrivals: readonly (number | null)[];
}

export interface NationalSpeed {
  readonly arrival: Quantiles;
  readonly page: Quantiles;
  readonly anywhere: Quantiles;
}

const CITY_QUESTIONS = 500;
export const NATIONAL_QUESTIONS = 200;
/** Questions that warm up, of which none is asked again. */
const WARM_UP_QUESTIONS = 60;

export async function measureCitySpeed({ dataDir }: PlannerInput): Promise<CitySpeed> {
  const world = await openPlannerWorld(dataDir);
  const questions = askCity(world);
  const desk = openPlannerDesk(world, null, null);
  const arrivals: (number | null)[] = [];
  let itineraries = 0;
  // All of them warm up as a city has them, the first time a minute later.
  const measure = async (ask: (question: TripQuestion) => Promise<void>) => {
    await timeEach(questions.map(askLater), ask);
    itineraries = 0;
    arrivals.length = 0;
    return toQuantiles(await timeEach(questions, ask));
  };
  const page = await measure(async (question) => void (await desk.answerPage(question)));
  const twoHours = await measure(async (question) => {
    itineraries += await desk.presentTwoHours(question);
  });
  const average = itineraries / questions.length;
  const arrival = await measure(async (question) => void arrivals.push(await desk.findArrival(question)));
  return { questions, arrival, twoHours, itineraries: average, page, arrivals };
}

export async function measureNationalSpeed({ dataDir }: PlannerInput): Promise<NationalSpeed> {
  const world = await openPlannerWorld(dataDir);
  const questions = askNation(world);
  const desk = openPlannerDesk(world, null, null);
  const measure = async (ask: (question: TripQuestion) => Promise<unknown>) => {
    await timeEach(listWarmUp(questions), ask);
    return timeEach(questions, ask);
  };
  const pages = await measure((question) => desk.answerPage(question));
  const arrivals = await measure((question) => desk.findArrival(question));
  const anywhere = pages.filter((_, i) => questions[i]!.distance === 'anywhere');
  return { arrival: toQuantiles(arrivals), page: toQuantiles(pages), anywhere: toQuantiles(anywhere) };
}

export function askCity({ planner }: PlannerWorld): TripQuestion[] {
  return listCityQuestions(planner.timetable, CITY_DAY_START, CITY_QUESTIONS);
}

export function askNation({ planner }: PlannerWorld): TripQuestion[] {
  return listNationalQuestions(planner.timetable, BENCH_DAY_START, NATIONAL_QUESTIONS);
}

/** Some of every distance, at other times than they are asked for later. */
export function listWarmUp(questions: readonly TripQuestion[]): TripQuestion[] {
  const step = Math.max(1, Math.floor(questions.length / WARM_UP_QUESTIONS));
  return questions.filter((_, i) => i % step === 0).map(askLater);
}

function askLater(question: TripQuestion): TripQuestion {
  return { ...question, time: (question.time + 60) as TripQuestion['time'] };
}

/** @returns milliseconds, in the order of the questions */
async function timeEach(
  questions: readonly TripQuestion[],
  ask: (question: TripQuestion) => Promise<unknown>,
): Promise<number[]> {
  const milliseconds: number[] = [];
  for (const question of questions) {
    const started = performance.now();
    await ask(question);
    milliseconds.push(performance.now() - started);
  }
  return milliseconds;
}

/** The same pages without and with realtime, in turns. */
export async function timeInTurns(
  questions: readonly TripQuestion[],
  desks: { readonly plain: PlannerDesk; readonly live: PlannerDesk },
): Promise<{ plain: Quantiles; live: Quantiles }> {
  const times = { plain: [] as number[], live: [] as number[] };
  const names = ['plain', 'live'] as const;
  for (const [i, question] of questions.entries()) {
    // Whoever is second finds memory as the first has left it.
    for (const name of i % 2 === 0 ? names : names.toReversed()) {
      times[name].push(...(await timeEach([question], (one) => desks[name].answerPage(one))));
    }
  }
  return { plain: toQuantiles(times.plain), live: toQuantiles(times.live) };
}

export function toQuantiles(milliseconds: readonly number[]): Quantiles {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}
