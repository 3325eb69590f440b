import type { Instant } from '../../pipeline/model/service-time.ts';
import { type OtpService, startOtp, toOtpTime } from '../interop/services/otp.ts';
import { otpRules } from '../interop/services/otp-rules.ts';
import type { PeersInput } from './child-tasks.ts';
import { quantile } from './metric.ts';
import { listQuestionsAt, type TripQuestion } from './planner-questions.ts';
import { openPlannerDesk, openPlannerWorld, type PlannerWorld } from './planner-world.ts';

/** Milliseconds. */
export interface PeerQuantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Questions that both planners answer, and the options of each planner. */
interface PeerSet {
  readonly name: string;
  /** Of the random pairs of stations. */
  readonly seed: number;
  readonly pageLimit: number;
  /** Of OpenTripPlanner, which returns all options that depart within it; `null`: its default. */
  readonly windowSeconds: number | null;
}

const sets: readonly PeerSet[] = [
  { name: 'set A, page of 6, OTP 2 h', seed: 11, pageLimit: 6, windowSeconds: 7200 },
  { name: 'set B, page of 6, OTP 2 h', seed: 71, pageLimit: 6, windowSeconds: 7200 },
  { name: 'page of 4, OTP default window', seed: 11, pageLimit: 4, windowSeconds: null },
];

/** Times of one set. */
export interface PeerTimes {
  readonly name: string;
  readonly questions: number;
  /** Questions that OpenTripPlanner answered before its time was up, and those without an itinerary. */
  readonly otpQuestions: number;
  readonly unanswered: number;
  /** All options of OpenTripPlanner, by HTTP; a page as JSON. */
  readonly otp: PeerQuantiles;
  readonly ours: PeerQuantiles;
}

export interface PlannerPeers {
  readonly version: string;
  readonly startSeconds: number;
  readonly times: readonly PeerTimes[];
}

const CLOCK_SECONDS = 8 * 3600;
/** The graph of a large city. */
const HEAP = '4g';
const READY_SECONDS = 1800;
/** A virtual machine that compiles as it runs needs more of them than ours. */
const WARM_UP_QUESTIONS = 60;
/** Time of OpenTripPlanner per set, so that the whole comparison ends within a quarter of an hour. */
const OTP_SECONDS = 100;

/**
 * Starts OpenTripPlanner with a feed, and has both planners answer the same questions, one at a time and in turns, until
 * the time of OpenTripPlanner is up; ours answers the remaining ones alone.
 */
export async function measurePeers(input: PeersInput): Promise<PlannerPeers> {
  const { dataDir, zip, date } = input;
  const world = await openPlannerWorld(dataDir);
  const period = [date, date] as const;
  const otp = await startOtp({ zip, period, ...otpRules, heap: HEAP, readySeconds: READY_SECONDS });
  try {
    const times: PeerTimes[] = [];
    for (const set of sets) times.push(await measureSet(world, otp, input, set));
    return { version: otp.version, startSeconds: otp.startSeconds, times };
  } finally {
    await otp.stop();
  }
}

async function measureSet(
  world: PlannerWorld,
  otp: OtpService,
  { date, dayStart, questions: count }: PeersInput,
  { name, seed, pageLimit, windowSeconds }: PeerSet,
): Promise<PeerTimes> {
  const desk = openPlannerDesk(world, null, null);
  const questions = listQuestionsAt(world.planner.timetable, (dayStart + CLOCK_SECONDS) as Instant, count, seed);
  const queryOtp = async ({ from, to, time }: TripQuestion) => {
    const ends = { from: toGtfsId(from), to: toGtfsId(to) };
    const at = { date, time: toOtpTime(time - dayStart), searchWindowSeconds: windowSeconds };
    return (await otp.plan({ ...ends, ...at })).itineraries.length;
  };
  const queryOurs = async (question: TripQuestion) => void (await desk.answerPage(question, pageLimit));
  for (const question of questions.slice(-WARM_UP_QUESTIONS)) {
    await queryOtp(question);
    await queryOurs(question);
  }
  const times = { otp: [] as number[], ours: [] as number[] };
  let unanswered = 0;
  let otpMilliseconds = 0;
  for (const question of questions) {
    if (otpMilliseconds < OTP_SECONDS * 1000) {
      const milliseconds = await timeOne(async () => {
        if ((await queryOtp(question)) === 0) unanswered++;
      });
      otpMilliseconds += milliseconds;
      times.otp.push(milliseconds);
    }
    times.ours.push(await timeOne(() => queryOurs(question)));
  }
  const quantiles = { otp: toPeerQuantiles(times.otp), ours: toPeerQuantiles(times.ours) };
  return { name, questions: questions.length, otpQuestions: times.otp.length, unanswered, ...quantiles };
}

async function timeOne(answer: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await answer();
  return performance.now() - started;
}

/** The stop id without our source. */
function toGtfsId(stopId: string): string {
  return stopId.slice(stopId.indexOf(':') + 1);
}

function toPeerQuantiles(milliseconds: readonly number[]): PeerQuantiles {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) };
}
