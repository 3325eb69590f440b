import { toEpochDay } from '../../model/service-time.ts';
import { buildFeatures, choosePairs, pickPairs } from '../features/build-features.ts';
import { type DatedTripTable, findGrid, splitMinutes } from '../features/dated-trip-table.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import { describePairs, type PairSet } from '../model/delay-model.ts';
import { forgetHistory } from '../model/forget-history.ts';
import {
  type DayShares,
  giveRoles,
  LEARN,
  TEST,
  UNUSED,
  UnfitWindowError,
  VALIDATION,
} from '../model/share-out-days.ts';
import { type FinalForecasts, limitForecasts } from './final-forecasts.ts';
import { type LearningDay, shareOutLearningDays } from './learning-days.ts';

const SEED = 20261122;
/** Pairs of each of the last days, for comparing models; training and validation have separate limits. */
const MAX_COMPARED_A_DAY = 40_000;

/** The pairs of a source's record: what was known at their instants, and the outcome. */
export interface LearningSet extends PairSet {
  readonly table: DatedTripTable;
  readonly days: DayShares;
}

/**
 * Builds the features of a record.
 * @param forecasts delays of the table that are final forecasts
 * @throws UnfitWindowError when it has too few days, or too few observations on them
 */
export function makeFeatures(
  reported: DatedTripTable,
  recorded: readonly LearningDay[],
  forecasts: FinalForecasts,
): LearningSet {
  const days = shareOutLearningDays(recorded);
  const gridSeconds = findGrid(reported, toEpochDay(recorded.at(-1)!.serviceDate));
  const table = gridSeconds === 60 ? splitMinutes(reported) : reported;
  const all = choosePairs(table);
  const maxCompared = MAX_COMPARED_A_DAY * (days.testTo - days.testFrom + 1);
  const given = limitForecasts(all, giveRoles(table, all, days, SEED), forecasts, SEED + 2);
  const allRoles = limitCompared(given, maxCompared);
  const kept = listUsed(allRoles);
  const pairs = pickPairs(all, kept);
  const roles = Uint8Array.from(kept, (place) => allRoles[place]!);
  if (![LEARN, VALIDATION, TEST].every((role) => roles.includes(role))) {
    throw new UnfitWindowError('too few calls in a row were observed on the days to learn from');
  }
  const features = buildFeatures(table, pairs, forgetHistory(table, pairs, roles, SEED));
  return { table, days, pairs, roles, features, ...describePairs(table, pairs) };
}

function limitCompared(roles: Uint8Array, maxCompared: number): Uint8Array {
  let compared = 0;
  for (const role of roles) if (role === TEST) compared++;
  const random = seededRandom(SEED + 1);
  const share = maxCompared / compared;
  return roles.map((role) => (role === TEST && random() >= share ? UNUSED : role));
}

function listUsed(roles: Uint8Array): Int32Array {
  const places: number[] = [];
  roles.forEach((role, place) => {
    if (role !== UNUSED) places.push(place);
  });
  return Int32Array.from(places);
}
