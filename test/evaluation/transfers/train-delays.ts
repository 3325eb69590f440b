import { buildFeatures, choosePairs, pickPairs } from '../../../pipeline/predictions/features/build-features.ts';
import {
  type DatedTripTable,
  findGrid,
  splitMinutes,
} from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { MIN_DAYS_OF_BOTH } from '../../../pipeline/predictions/learning/train-source.ts';
import { findShifts } from '../../../pipeline/predictions/model/calibrate.ts';
import {
  describePairs,
  KIND_COUNT,
  kindOfPair,
  type ModelRows,
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
import type { CalibratedModel, DatedModel } from '../../../pipeline/predictions/past-transfers/predict-sides.ts';

const SEED = 20250324;

/** As the nightly job trains them: the model that is published, and one that has not learnt the newer days. */
interface TrainedDelays {
  readonly newest: CalibratedModel;
  readonly older: DatedModel | null;
}

/**
 * Trains delay models on the days before a test as the nightly job does, with their intervals calibrated on the last
 * ones.
 * @throws UnfitWindowError
 */
export function trainDelays(reported: DatedTripTable, days: DayShares): TrainedDelays {
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
  const facts = {
    day: validated.map((place) => table.serviceDay[pairs.datedTrip[place]!]!),
    kind: Uint16Array.from(validated, (place) =>
      kindOfPair(set.horizonSeconds[place]!, set.current[place]!, pairs.isStanding[place] === 1),
    ),
    requestedAt: Float64Array.from(validated, (place) => requestedAt(table, pairs, place)),
    knownAt: Float64Array.from(validated, (place) => table.arrivalTime[pairs.to[place]!]!),
    truth: validation.truth,
  };
  const train = (rows: ModelRows): CalibratedModel => {
    const model = trainDelayModel(features.columns, rows, validation, gridSeconds);
    const shiftOf = findShifts(facts, predictDelays(model, validation), Array.from(validated.keys()), gridSeconds);
    return { model, shifts: Array.from({ length: KIND_COUNT }, (_, kind) => shiftOf(kind)) };
  };
  const half = Math.floor((days.learnFrom + days.validationFrom) / 2);
  const isOlder = (place: number) => table.serviceDay[pairs.datedTrip[place]!]! < half;
  const hasBoth = days.validationFrom - days.learnFrom >= MIN_DAYS_OF_BOTH;
  const older = hasBoth ? train(takeRows(set, listPlaces(roles, LEARN).filter(isOlder))) : null;
  return { newest: train(learn), older: older && { from: half, delays: older } };
}
