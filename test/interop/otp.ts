import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { measureIngest } from '../bench/ingest-bench.ts';
import { median } from '../bench/metric.ts';
import { CITY_DAY, CITY_DAY_START, listCityQuestions, type TripQuestion } from '../bench/planner-questions.ts';
import { openPlannerDesk, openPlannerWorld } from '../bench/planner-world.ts';
import { readPlanFeed } from '../support/oracles/naive-plan-feed.ts';
import { findReach, type NaivePlanQuery, plainQuestion } from '../support/oracles/naive-plan-places.ts';
import { type NaiveNetwork, openNaiveNetwork } from '../support/oracles/naive-plan-runs.ts';
import { endOf } from '../support/oracles/naive-plan-search.ts';
import { findTransfer } from '../support/oracles/naive-plan-transfers.ts';
import { readZipTexts, realData } from '../support/worlds/real-data.ts';
import { type OtpPlan, type OtpRide, type OtpService, startOtp, toOtpTime } from './services/otp.ts';
import { otpRules } from './services/otp-rules.ts';

const QUESTIONS = 300;
const PERIOD = ['2020-05-19', '2020-05-22'] as const;
/** The naive network begins on the day before and includes the following night. */
const DAY = 24 * 3600;
/** Search windows for the first departure; the second is used if the first has no itinerary. */
const WINDOWS_SECONDS = [4 * 3600, 24 * 3600] as const;
const FILES = ['agency.txt', 'stops.txt', 'routes.txt', 'trips.txt', 'stop_times.txt', 'calendar_dates.txt'];

/**
 * OpenTripPlanner merges no stops into stations and begins and ends at the stops themselves, so our planner gets the same
 * restrictions.
 */
const withoutMerging = {
  TAKTGEBER_MERGING_STATIONS_BY_ID: 'false',
  TAKTGEBER_MERGING_STATIONS_BY_NAME: 'false',
  TAKTGEBER_MERGING_TRIPS: 'false',
  TAKTGEBER_MERGING_THROUGH_TRIPS: 'false',
};

/**
 * Checks that our planner arrives no later than OpenTripPlanner on a real city feed, with the same rules for walks and
 * transfers. Code independent of our planner follows every itinerary of OpenTripPlanner ride by ride in the feed; those that
 * our rules do not allow are counted by reason.
 * @returns shares and times
 */
export async function compareWithOtp(): Promise<string> {
  const zip = realData('gtfs/bydgoszcz.zip');
  const files = await readZipTexts(zip, FILES).catch((error) => {
    throw new Error(`the feed of Bydgoszcz is missing (TAKTGEBER_REAL_DATA names its folder): ${error.message}`);
  });
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-otp-data-'));
  try {
    await measureIngest({ zip, dataDir, environment: withoutMerging });
    const world = await openPlannerWorld(dataDir);
    const questions = listCityQuestions(world.planner.timetable, CITY_DAY_START, QUESTIONS);
    const desk = openPlannerDesk(world, null, null);
    const [ours, ourTimes] = await answerEach(questions, (question) => desk.findArrival(question, true));
    const otp = await startOtp({ zip, period: PERIOD, ...otpRules });
    const [theirs, theirTimes] = await answerEach(questions, (question) => queryOtp(otp, question));
    await otp.stop();
    const network = openNaiveNetwork(readPlanFeed(files), CITY_DAY_START - DAY, CITY_DAY_START + 3 * DAY);
    const shares = compare(network, questions, ours, theirs);
    const times = `our earliest arrival in ${ourTimes} ms, all itineraries within ${WINDOWS_SECONDS[0] / 3600} h by OTP in ${theirTimes} ms`;
    return `${shares}; median ${times}, by HTTP; OTP ${otp.version} started in ${otp.startSeconds.toFixed(0)} s`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function answerEach<Answer>(
  questions: readonly TripQuestion[],
  answer: (question: TripQuestion) => Promise<Answer>,
): Promise<[answers: Answer[], medianMilliseconds: string]> {
  const answers: Answer[] = [];
  const milliseconds: number[] = [];
  for (const question of questions) {
    const started = performance.now();
    answers.push(await answer(question));
    milliseconds.push(performance.now() - started);
  }
  return [answers, median(milliseconds).toFixed(1)];
}

async function queryOtp(otp: OtpService, { from, to, time }: TripQuestion): Promise<OtpPlan> {
  const clock = toOtpTime(time - CITY_DAY_START);
  const question = { from: toGtfsId(from), to: toGtfsId(to), date: CITY_DAY, time: clock };
  const [usual, longest] = WINDOWS_SECONDS;
  const found = await otp.plan({ ...question, searchWindowSeconds: usual });
  return found.itineraries.length > 0 ? found : otp.plan({ ...question, searchWindowSeconds: longest });
}

/** The stop id without our source. */
function toGtfsId(stopId: string): string {
  return stopId.slice(stopId.indexOf(':') + 1);
}

// ---- Comparison ----------------------------------------------------------------------------------

const outcomes = ['equal', 'earlier by ours', 'only by ours', 'none by either'] as const;

/** @throws Error if an itinerary that our rules allow arrives before ours */
function compare(
  network: NaiveNetwork,
  questions: readonly TripQuestion[],
  ours: readonly (Instant | null)[],
  theirs: readonly OtpPlan[],
): string {
  const counts = new Map<string, number>();
  const refused = new Map<string, number>();
  const unanswered = new Map<string, number>();
  const later: string[] = [];
  const count = (counted: Map<string, number>, name: string) => counted.set(name, (counted.get(name) ?? 0) + 1);
  let itineraries = 0;
  for (const [i, { from, to, time }] of questions.entries()) {
    const question = { ...plainQuestion, from: { stopId: toGtfsId(from) }, to: { stopId: toGtfsId(to) } };
    let best = Number.POSITIVE_INFINITY;
    for (const rides of theirs[i]!.itineraries.filter(({ length }) => length > 0)) {
      itineraries += 1;
      const followed = follow(network, question, time, rides);
      if (typeof followed === 'string') count(refused, followed);
      else best = Math.min(best, followed);
    }
    const our = ours[i] ?? Number.POSITIVE_INFINITY;
    if (our > best) later.push(`${from} to ${to} at ${new Date(time * 1000).toISOString()}: ${our - best} s later`);
    const outcome = classify(our, best);
    count(counts, outcome);
    if (outcome === 'only by ours') count(unanswered, theirs[i]!.errors.join(' ') || 'without a reason');
  }
  if (later.length > 0) {
    throw new Error(
      `of ${questions.length} arrivals ${later.length} are later than OTP's: ${later.slice(0, 3).join('; ')}`,
    );
  }
  const shares = outcomes.map((name) => `${(((counts.get(name) ?? 0) / questions.length) * 100).toFixed(1)} % ${name}`);
  const list = (counted: Map<string, number>) =>
    [...counted].map(([reason, number]) => `${number} ${reason}`).join(', ') || 'none';
  return [
    `${questions.length} earliest arrivals: ${shares.join(', ')}, 0 later`,
    `of ${itineraries} itineraries of OTP our rules refuse: ${list(refused)}`,
    `what it has not found: ${list(unanswered)}`,
  ].join('; ');
}

function classify(our: number, best: number): (typeof outcomes)[number] {
  if (our === best) return our === Number.POSITIVE_INFINITY ? 'none by either' : 'equal';
  return best === Number.POSITIVE_INFINITY ? 'only by ours' : 'earlier by ours';
}

/**
 * Follows rides through the feed under our rules.
 * @returns the arrival at the destination, or the reason why our rules do not allow the itinerary
 */
function follow(
  { feed, runs }: NaiveNetwork,
  question: NaivePlanQuery,
  time: number,
  rides: readonly OtpRide[],
): number | string {
  const [start, end] = [question.from, question.to].map((at) => findReach(feed, at, question.maxWalkMeters));
  let before: ReturnType<typeof findRide> = null;
  for (const ride of rides) {
    const found = findRide(feed, runs, ride);
    if (!found) return 'with a ride at other times than in the feed';
    const { run, board } = found;
    const on = run.calls[board]!;
    if (before) {
      const off = before.run.calls[before.alight]!;
      const rule = findTransfer(feed, endOf(before.run, off.stop), endOf(run, on.stop), question);
      if (!rule) return 'with a change further than 1000 m';
      if (on.departure - off.arrival < rule.seconds) return 'with a change in less than our least time';
    } else {
      if (!start!.members.has(on.stop)) return 'from another stop';
      if (time > on.departure) return 'that leave before the time';
    }
    before = found;
  }
  const off = before!.run.calls[before!.alight]!;
  return end!.members.has(off.stop) ? off.arrival : 'to another stop';
}

/** Dated trips by trip and by day since 1970. */
const byName = new WeakMap<NaiveNetwork['runs'], Map<string, NaiveNetwork['runs'][number]>>();

function findRide(feed: NaiveNetwork['feed'], runs: NaiveNetwork['runs'], ride: OtpRide) {
  const named = byName.get(runs) ?? new Map(runs.map((run) => [`${run.name} ${run.day}`, run]));
  byName.set(runs, named);
  const run = named.get(`${ride.tripId} ${Date.parse(ride.serviceDate) / (DAY * 1000)}`);
  if (!run) return null;
  const [from, to] = [ride.fromStop, ride.toStop].map((id) => feed.stopAt.get(id));
  const board = run.calls.findIndex(({ stop, departure }) => stop === from && departure === ride.departure);
  const alight = run.calls.findIndex(({ stop, arrival }, at) => at > board && stop === to && arrival === ride.arrival);
  if (board < 0 || alight < 0 || !run.calls[board]!.mayBoard || !run.calls[alight]!.mayAlight) return null;
  return { run, board, alight };
}
