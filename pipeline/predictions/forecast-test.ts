import { calibrateIntervals, type QuantileForecasts } from './calibrate.ts';
import { type DelayModel, forecastDelays } from './delay-model.ts';
import { kindOfPair } from './pair-kinds.ts';
import { type PairSet, takeRows } from './pair-set.ts';
import type { RunTable } from './run-table.ts';
import { type DayShares, JUDGE, listPlaces, TEST } from './share-out-days.ts';

/** Forecasts of the pairs of the test, in their order, as told: seconds of delay. */
export function forecastTest(table: RunTable, set: PairSet, model: DelayModel, days: DayShares): QuantileForecasts {
  const places = listPlaces(
    set.roles.map((role) => (role === TEST || role === JUDGE ? 1 : 0)),
    1,
  );
  const forecasts = forecastDelays(model, takeRows(set, places));
  const asked = {
    day: places.map((place) => table.serviceDay[set.pairs.run[place]!]!),
    kind: Uint16Array.from(places, (place) => kindOfPair(set.horizonSeconds[place]!, set.current[place]!, false)),
    askedAt: Float64Array.from(places, (place) => table.departureTime[set.pairs.from[place]!]!),
    knownAt: Float64Array.from(places, (place) => table.arrivalTime[set.pairs.to[place]!]!),
    truth: Float32Array.from(places, (place) => set.truth[place]!),
  };
  const testDays = Array.from({ length: days.testTo - days.testFrom + 1 }, (_, one) => days.testFrom + one);
  const gridded = calibrateIntervals(asked, forecasts, testDays, model.gridSeconds);
  // Only now the seconds that the grid left out: they move the whole forecast.
  const isTest = places.map((place) => (set.roles[place] === TEST ? 1 : 0));
  const tell = (quantile: Float32Array) =>
    Float32Array.from(
      listPlaces(Uint8Array.from(isTest), 1),
      (row) => quantile[row]! + set.features.offsets[places[row]!]!,
    );
  return { low: tell(gridded.low), median: tell(gridded.median), high: tell(gridded.high) };
}
