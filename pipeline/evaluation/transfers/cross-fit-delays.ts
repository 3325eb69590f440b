import { buildFeatures, choosePairs, pickPairs } from '../../predictions/features/build-features.ts';
import type { DatedTripTable } from '../../predictions/features/dated-trip-table.ts';
import { type DelayModel, describePairs, takeRows, trainDelayModel } from '../../predictions/model/delay-model.ts';
import { forgetHistory } from '../../predictions/model/forget-history.ts';
import {
  type DayShares,
  giveRoles,
  LEARN,
  UnfitWindowError,
  VALIDATION,
} from '../../predictions/model/share-out-days.ts';

const SEED = 20250324;

/** Delay models by the service day that they forecast. */
export type DelayModelOf = (day: number) => DelayModel;

/**
 * Trains three delay models: of the even days and of the odd days before the test, each of which forecasts the other
 * days, and of all of them, which forecasts the test. A model that has seen a day forecasts it too well, and whoever
 * learns from such forecasts trusts later ones too much.
 */
export function crossFitDelays(table: DatedTripTable, days: DayShares): DelayModelOf {
  const all = choosePairs(table);
  const allRoles = giveRoles(table, all, days, SEED);
  const kept = listWhere(allRoles, (role) => role === LEARN || role === VALIDATION);
  const pairs = pickPairs(all, kept);
  const roles = Uint8Array.from(kept, (place) => allRoles[place]!);
  const features = buildFeatures(table, pairs, forgetHistory(table, pairs, roles, SEED));
  const set = { pairs, roles, features, ...describePairs(table, pairs) };
  const train = (isWanted: (day: number) => boolean) => {
    const rowsOf = (wanted: number) =>
      takeRows(
        set,
        listWhere(roles, (role, place) => role === wanted && isWanted(table.serviceDay[pairs.datedTrip[place]!]!)),
      );
    const [learn, validation] = [rowsOf(LEARN), rowsOf(VALIDATION)];
    if (learn.truth.length === 0 || validation.truth.length === 0) {
      throw new UnfitWindowError('too few trips on the days to learn from');
    }
    return trainDelayModel(features.columns, learn, validation, table.gridSeconds);
  };
  const ofEven = train((day) => day % 2 === 0);
  const ofOdd = train((day) => day % 2 === 1);
  const ofAll = train(() => true);
  return (day) => (day >= days.testFrom ? ofAll : day % 2 === 0 ? ofOdd : ofEven);
}

function listWhere(roles: Uint8Array, isWanted: (role: number, place: number) => boolean): Int32Array {
  return Int32Array.from(Array.from(roles.keys()).filter((place) => isWanted(roles[place]!, place)));
}
