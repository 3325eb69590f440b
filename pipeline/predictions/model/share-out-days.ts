import type { Pairs } from '../features/build-features.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import { CALIBRATION_DAYS } from './calibrate.ts';

/** A window that does not suffice for learning or forecasting; the message names what is missing. */
export class UnfitWindowError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnfitWindowError';
  }
}

/** Days of a window that only warm up the statistics. */
export const WARM_DAYS = 10;
/** Limits of pairs for training and for validation; more do not improve the model, and take longer. */
const LEARN_PAIRS = 440_000;
const VALIDATION_PAIRS = 120_000;
/** Limit per day, because pairs of a day are alike; a short record is learnt from in seconds. */
const PAIRS_A_DAY = 25_000;

/** Role of a pair. */
export const UNUSED = 0;
export const LEARN = 1;
export const VALIDATION = 2;
export const TEST = 3;

/** First days of training, of validation and of the test, and the last day of the test; days since 1970. */
export interface DayShares {
  readonly learnFrom: number;
  readonly validationFrom: number;
  readonly testFrom: number;
  readonly testTo: number;
}

/**
 * Splits the days before a test: the first ten warm up the statistics, the last seven are for validation and calibrate
 * the intervals of the first day of the test, those between are for training. Short windows validate on a third.
 * @throws UnfitWindowError when no day is left to learn from
 */
export function shareOutDays(from: number, testFrom: number, testTo: number): DayShares {
  const learnFrom = from + WARM_DAYS;
  const days = testFrom - learnFrom;
  if (days < 2 || testTo < testFrom) {
    throw new UnfitWindowError(`a test needs ${WARM_DAYS + 2} days before it and a last day not before its first`);
  }
  return { learnFrom, validationFrom: testFrom - Math.min(CALIBRATION_DAYS, Math.ceil(days / 3)), testFrom, testTo };
}

/** Role of each pair; training and validation use a sample of their days that is the same every time. */
export function giveRoles(table: DatedTripTable, pairs: Pairs, days: DayShares, seed: number): Uint8Array {
  const roles = new Uint8Array(pairs.count);
  const counts = [0, 0, 0, 0];
  for (let pair = 0; pair < pairs.count; pair++) {
    const day = table.serviceDay[pairs.datedTrip[pair]!]!;
    const role =
      day < days.learnFrom || day > days.testTo
        ? UNUSED
        : day < days.validationFrom
          ? LEARN
          : day < days.testFrom
            ? VALIDATION
            : TEST;
    roles[pair] = role;
    counts[role] = counts[role]! + 1;
  }
  const random = seededRandom(seed);
  const learnt = Math.min(LEARN_PAIRS, PAIRS_A_DAY * (days.validationFrom - days.learnFrom));
  const validated = Math.min(VALIDATION_PAIRS, PAIRS_A_DAY * (days.testFrom - days.validationFrom));
  const kept = [0, learnt / counts[LEARN]!, validated / counts[VALIDATION]!, 1];
  for (let pair = 0; pair < pairs.count; pair++) if (random() >= kept[roles[pair]!]!) roles[pair] = UNUSED;
  return roles;
}

/** Places of the pairs with a role. */
export function listPlaces(roles: Uint8Array, role: number): Int32Array {
  const places: number[] = [];
  for (let place = 0; place < roles.length; place++) if (roles[place] === role) places.push(place);
  return Int32Array.from(places);
}
