import type { Instant } from '../../pipeline/model/service-time.ts';
import { startOtp, toOtpTime } from '../interop/services/otp.ts';
import { otpRules } from '../interop/services/otp-rules.ts';
import type { PeersInput } from './child-tasks.ts';
import { quantile } from './metric.ts';
import { listQuestionsAt, type TripQuestion } from './planner-questions.ts';
import { openPlannerDesk, openPlannerWorld } from './planner-world.ts';

/** Milliseconds. */
export interface PeerQuantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Times of the same questions, answered by both in turns. */
export interface PlannerPeers {
  readonly version: string;
  readonly startSeconds: number;
  readonly questions: number;
  /** Questions without an itinerary by OpenTripPlanner within two hours. */
  readonly unanswered: number;
  /** All options of OpenTripPlanner that depart within two hours, by HTTP; a page of 6 as JSON. */
  readonly otp: PeerQuantiles;
  readonly ours: PeerQuantiles;
}

const CLOCK_SECONDS = 8 * 3600;
const PAGE_LIMIT = 6;
const WINDOW_SECONDS = 7200;
/** The graph of a large city. */
const HEAP = '4g';
const READY_SECONDS = 1800;
/** A virtual machine that compiles as it runs needs more of them than ours. */
const WARM_UP_QUESTIONS = 60;

/** Starts OpenTripPlanner with a feed, and has both planners answer the same questions, one at a time and in turns. */
export async function measurePeers(input: PeersInput): Promise<PlannerPeers> {
  const { dataDir, zip, date, dayStart, questions: count } = input;
  const world = await openPlannerWorld(dataDir);
  const desk = openPlannerDesk(world, null, null);
  const questions = listQuestionsAt(world.planner.timetable, (dayStart + CLOCK_SECONDS) as Instant, count);
  const period = [date, date] as const;
  const otp = await startOtp({ zip, period, ...otpRules, heap: HEAP, readySeconds: READY_SECONDS });
  let unanswered = 0;
  const queryOtp = async ({ from, to, time }: TripQuestion) => {
    const ends = { from: toGtfsId(from), to: toGtfsId(to) };
    const at = { date, time: toOtpTime(time - dayStart), searchWindowSeconds: WINDOW_SECONDS };
    const { itineraries } = await otp.plan({ ...ends, ...at });
    if (itineraries.length === 0) unanswered++;
  };
  const queryOurs = async (question: TripQuestion) => void (await desk.answerPage(question, PAGE_LIMIT));
  const times = { otp: [] as number[], ours: [] as number[] };
  try {
    for (const question of questions.slice(-WARM_UP_QUESTIONS)) {
      await queryOtp(question);
      await queryOurs(question);
    }
    unanswered = 0;
    for (const question of questions) {
      times.otp.push(await timeOne(() => queryOtp(question)));
      times.ours.push(await timeOne(() => queryOurs(question)));
    }
  } finally {
    await otp.stop();
  }
  const { version, startSeconds } = otp;
  const quantiles = { otp: toPeerQuantiles(times.otp), ours: toPeerQuantiles(times.ours) };
  return { version, startSeconds, questions: count, unanswered, ...quantiles };
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
