import type { Pairs } from '../features/build-features.ts';
import type { RunTable } from '../features/run-table.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import { CALIBRATION_DAYS } from './calibrate.ts';

/** A window in which nothing can be learnt or forecast; the message says what is missing. */
export class UnfitWindowError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnfitWindowError';
  }
}

/** Days of a window that only warm the statistics. */
export const WARM_DAYS = 10;
/** Pairs that are learnt from and judged by; more make it no better, and take longer. */
const LEARN_PAIRS = 440_000;
const JUDGE_PAIRS = 120_000;
/** So many of one day at most, because pairs of a day are alike; a short record is learnt from in seconds. */
const PAIRS_A_DAY = 25_000;

/** What a pair is there for. */
export const UNUSED = 0;
export const LEARN = 1;
export const JUDGE = 2;
export const TEST = 3;

/** First days, days since 1970: of learning, of the days that judge the learning, and of the test; and its last day. */
export interface DayShares {
  readonly learnFrom: number;
  readonly judgeFrom: number;
  readonly testFrom: number;
  readonly testTo: number;
}

/**
 * Shares the days before a test out: the first ten warm the statistics, the last seven say when to stop learning and
 * calibrate the intervals of the first day of the test, those between are learnt from. Short windows judge by a third.
 * @throws UnfitWindowError when no day is left to learn from
 */
export function shareOutDays(from: number, testFrom: number, testTo: number): DayShares {
  const learnFrom = from + WARM_DAYS;
  const days = testFrom - learnFrom;
  if (days < 2 || testTo < testFrom) {
    throw new UnfitWindowError(`a test needs ${WARM_DAYS + 2} days before it and a last day not before its first`);
  }
  return { learnFrom, judgeFrom: testFrom - Math.min(CALIBRATION_DAYS, Math.ceil(days / 3)), testFrom, testTo };
}

/** What each pair is there for; of the days to learn and judge a sample that is the same every time. */
export function giveRoles(table: RunTable, pairs: Pairs, days: DayShares, seed: number): Uint8Array {
  const roles = new Uint8Array(pairs.count);
  const counts = [0, 0, 0, 0];
  for (let pair = 0; pair < pairs.count; pair++) {
    const day = table.serviceDay[pairs.run[pair]!]!;
    const role =
      day < days.learnFrom || day > days.testTo
        ? UNUSED
        : day < days.judgeFrom
          ? LEARN
          : day < days.testFrom
            ? JUDGE
            : TEST;
    roles[pair] = role;
    counts[role] = counts[role]! + 1;
  }
  const random = seededRandom(seed);
  const learnt = Math.min(LEARN_PAIRS, PAIRS_A_DAY * (days.judgeFrom - days.learnFrom));
  const judged = Math.min(JUDGE_PAIRS, PAIRS_A_DAY * (days.testFrom - days.judgeFrom));
  const kept = [0, learnt / counts[LEARN]!, judged / counts[JUDGE]!, 1];
  for (let pair = 0; pair < pairs.count; pair++) if (random() >= kept[roles[pair]!]!) roles[pair] = UNUSED;
  return roles;
}

/** Places of the pairs with a role. */
export function listPlaces(roles: Uint8Array, role: number): Int32Array {
  const places: number[] = [];
  for (let place = 0; place < roles.length; place++) if (roles[place] === role) places.push(place);
  return Int32Array.from(places);
}
