import { fromEpochDay } from '../../../pipeline/model/service-time.ts';
import { type DatedTripTable, splitMinutes } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../../pipeline/predictions/features/instant-rows.ts';
import { makeFeatures } from '../../../pipeline/predictions/learning/make-features.ts';
import { AdaptiveForecasts } from '../../../pipeline/predictions/model/adaptive-forecasts.ts';
import { type DelayModel, takeRows, trainDelayModel } from '../../../pipeline/predictions/model/delay-model.ts';
import { LEARN, listPlaces, UnfitWindowError, VALIDATION } from '../../../pipeline/predictions/model/share-out-days.ts';
import { type Prior, type ProductGroup, priorOf } from '../../../pipeline/predictions/prior/read-priors.ts';
import { cutTrips } from './cut-trips.ts';
import { addDay, emptyDay, type LivedDay, liveThrough } from './live-through.ts';

/** Days of history that are evaluated. */
export const historyDays = [0, 1, 2, 4, 6, 12] as const;

/** A record of which any days can be taken. */
export interface DaysOfRecord {
  /** Dated trips of some days since 1970, both included. */
  load(from: number, to: number): Promise<DatedTripTable>;
  readonly firstDay: number;
}

/** Errors on one day after some days of history. */
export interface FirstDays {
  readonly days: number;
  readonly hasOwn: boolean;
  readonly result: LivedDay;
}

/**
 * Evaluates a source on some days, as if it had begun a number of days before each.
 * @param testDays days since 1970
 */
export async function evaluateFirstDays(
  record: DaysOfRecord,
  {
    prior,
    group,
    testDays,
    histories,
  }: { prior: Prior; group: ProductGroup; testDays: readonly number[]; histories: readonly number[] },
  onStep: (days: number) => void,
): Promise<FirstDays[]> {
  const results: FirstDays[] = [];
  for (const days of histories) {
    onStep(days);
    const sum = emptyDay();
    let hasOwn = false;
    for (const testFrom of testDays) {
      if (testFrom - days < record.firstDay) continue;
      const reported = await record.load(testFrom - days, testFrom);
      const own = trainOwn(reported, testFrom - days, testFrom);
      if (own) hasOwn = true;
      const table = own?.gridSeconds === 60 ? splitMinutes(reported) : reported;
      const forecasts = new AdaptiveForecasts(own !== null, priorOf[group].weight, prior.misses);
      const from = Math.max(testFrom - days, testFrom - 1);
      addDay(sum, liveThrough(table, { prior: prior.model, own, forecasts, from, testFrom, maxPairsADay: 60_000 }));
    }
    if (sum.pairs > 0) results.push({ days, hasOwn, result: sum });
  }
  return results;
}

/** The model that the night before the test would have trained; null where the days do not suffice. */
function trainOwn(reported: DatedTripTable, from: number, testFrom: number): DelayModel | null {
  const table = cutTrips(reported, from, testFrom - 1);
  const recorded = Array.from({ length: testFrom - from }, (_, day) => ({
    serviceDate: fromEpochDay((from + day) as never),
    calls: 1,
    rowsHash: '',
  }));
  try {
    const forecasts = { isForecast: new Uint8Array(table.stop.length), weight: 1 };
    const set = makeFeatures(table, recorded, forecasts);
    const rowsOf = (role: number) => takeRows(set, listPlaces(set.roles, role));
    return trainDelayModel(featureColumns, rowsOf(LEARN), rowsOf(VALIDATION), set.table.gridSeconds);
  } catch (error) {
    if (error instanceof UnfitWindowError) return null;
    throw error;
  }
}
