import { buildFeatures, choosePairs, pickPairs } from '../../../pipeline/predictions/features/build-features.ts';
import {
  type DatedTripTable,
  findGrid,
  splitMinutes,
} from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { findShifts } from '../../../pipeline/predictions/model/calibrate.ts';
import {
  describePairs,
  KIND_COUNT,
  kindOfPair,
  predictDelays,
  requestedAt,
  takeRows,
  trainDelayModel,
} from '../../../pipeline/predictions/model/delay-model.ts';
import { forgetHistory } from '../../../pipeline/predictions/model/forget-history.ts';
import {
  type DayShares,
  giveRoles,
  LEARN,
  listPlaces,
  UNUSED,
  UnfitWindowError,
  VALIDATION,
} from '../../../pipeline/predictions/model/share-out-days.ts';
import type { CalibratedModel } from '../../../pipeline/predictions/past-transfers/predict-sides.ts';

const SEED = 20250324;

/**
 * Trains a delay model on the days before a test as the nightly job does, with its intervals calibrated on the last
 * ones.
 * @throws UnfitWindowError
 */
export function trainDelays(reported: DatedTripTable, days: DayShares): CalibratedModel {
  const gridSeconds = findGrid(reported, days.testFrom);
  const table = gridSeconds === 60 ? splitMinutes(reported) : reported;
  const all = choosePairs(table);
  const allRoles = giveRoles(table, all, days, SEED);
  const kept = listPlaces(
    allRoles.map((role) => (role === LEARN || role === VALIDATION ? 1 : UNUSED)),
    1,
  );
  const pairs = pickPairs(all, kept);
  const roles = Uint8Array.from(kept, (place) => allRoles[place]!);
  const features = buildFeatures(table, pairs, forgetHistory(table, pairs, roles, SEED));
  const set = { pairs, roles, features, ...describePairs(table, pairs) };
  const validated = listPlaces(roles, VALIDATION);
  const [learn, validation] = [takeRows(set, listPlaces(roles, LEARN)), takeRows(set, validated)];
  if (learn.truth.length === 0 || validation.truth.length === 0) {
    throw new UnfitWindowError('too few trips on the days to learn from');
  }
  const model = trainDelayModel(features.columns, learn, validation, gridSeconds);
  const facts = {
    day: validated.map((place) => table.serviceDay[pairs.datedTrip[place]!]!),
    kind: Uint16Array.from(validated, (place) =>
      kindOfPair(set.horizonSeconds[place]!, set.current[place]!, pairs.isStanding[place] === 1),
    ),
    requestedAt: Float64Array.from(validated, (place) => requestedAt(table, pairs, place)),
    knownAt: Float64Array.from(validated, (place) => table.arrivalTime[pairs.to[place]!]!),
    truth: validation.truth,
  };
  const shiftOf = findShifts(facts, predictDelays(model, validation), Array.from(validated.keys()), gridSeconds);
  return { model, shifts: Array.from({ length: KIND_COUNT }, (_, kind) => shiftOf(kind)) };
}
