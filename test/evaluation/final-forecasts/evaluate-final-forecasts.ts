import { renderTable, type TextColumn } from '../../../jobs/job/text-table.ts';
import type { Effects } from '../../../pipeline/effects/effects.ts';
import type { ObservedTrip } from '../../../pipeline/model/prediction.ts';
import {
  buildFeatures,
  choosePairs,
  type Pairs,
  pickPairs,
} from '../../../pipeline/predictions/features/build-features.ts';
import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { limitForecasts, weighForecasts } from '../../../pipeline/predictions/learning/final-forecasts.ts';
import { describePairs, type ModelRows, predictMedian } from '../../../pipeline/predictions/model/delay-model.ts';
import { LEARN } from '../../../pipeline/predictions/model/share-out-days.ts';
import { readKingstonTrips, toTripTable } from '../cold-start/kingston-record.ts';
import { trainPrior } from '../cold-start/train-prior.ts';
import { readFinalForecasts } from './kingston-forecasts.ts';

/** Trips are dealt out into parts; each is predicted by a model of the others. */
const PARTS = 5;
const SEED = 20261128;
/** Shares of the trips whose observed times are kept for learning. */
const OBSERVED_SHARES = [1, 0.2, 0.05] as const;

/** Errors with and without final forecasts among the labels; seconds. */
interface ForecastGain {
  /** Share of the trips with observed times to learn from. */
  readonly observedShare: number;
  /** Pairs that are learnt from, mean of all parts. */
  readonly learntPairs: { readonly without: number; readonly with: number };
  readonly testPairs: number;
  readonly persistence: number;
  readonly without: number;
  readonly with: number;
}

interface FinalForecastEvaluation {
  /** Calls with both, and the median absolute difference in seconds. */
  readonly noise: { readonly pairs: number; readonly medianSeconds: number };
  /** Weight of final forecasts that follows from it. */
  readonly weight: number;
  readonly gains: readonly ForecastGain[];
}

/**
 * Evaluates final forecasts as labels on the recording of Kingston: models that learn from observed times alone, and such
 * that learn from final forecasts of other calls, too. Both are measured by the observed times of trips that they have
 * not learnt.
 * @param folder of the recording
 */
export async function evaluateFinalForecasts(folder: string, effects: Effects): Promise<FinalForecastEvaluation> {
  const { trips, timetable } = await readKingstonTrips(folder, effects);
  const forecasts = await readFinalForecasts(folder, trips, timetable);
  const noise = measureNoise(trips, forecasts);
  const weight = weighForecasts(noise);
  const gains = OBSERVED_SHARES.map((share) => measureGain(trips, forecasts, weight, share));
  return { noise, weight, gains };
}

function measureNoise(trips: readonly ObservedTrip[], forecasts: readonly Float64Array[]) {
  const errors = trips
    .flatMap(({ arrival }, trip) => Array.from(arrival, (time, at) => Math.abs(time - forecasts[trip]![at]!)))
    .filter((error) => !Number.isNaN(error))
    .sort((a, b) => a - b);
  return { pairs: errors.length, medianSeconds: errors[Math.floor(errors.length / 2)] ?? 0 };
}

function measureGain(
  trips: readonly ObservedTrip[],
  forecasts: readonly Float64Array[],
  weight: number,
  observedShare: number,
): ForecastGain {
  const random = seededRandom(SEED);
  const part = trips.map(() => Math.floor(random() * PARTS));
  const isObserved = trips.map(() => random() < observedShare);
  const sums = { testPairs: 0, persistence: 0, errors: [0, 0], learnt: [0, 0] };
  for (let left = 0; left < PARTS; left++) {
    [false, true].forEach((usesForecasts, variant) => {
      const labelled = trips.map((trip, i) => {
        if (part[i] === left) return { trip, isForecast: new Uint8Array(trip.stopIds.length) };
        return label(isObserved[i] ? trip : withoutTimes(trip), usesForecasts ? forecasts[i]! : null);
      });
      const table = toTripTable(labelled.map(({ trip }) => trip));
      const isForecast = Uint8Array.from(labelled.flatMap((one) => Array.from(one.isForecast)));
      const all = choosePairs(table);
      const isTest = (pair: number) => part[all.datedTrip[pair]!] === left;
      const roles = limitForecasts(all, new Uint8Array(all.count).fill(LEARN), { isForecast, weight }, SEED);
      const learn = takeRows(table, all, (pair) => !isTest(pair) && roles[pair] === LEARN);
      const test = takeRows(table, all, isTest);
      const median = predictMedian(trainPrior(learn, null).median, test, 1);
      sums.learnt[variant]! += learn.truth.length / PARTS;
      sums.errors[variant]! += sumErrors(median, test.truth);
      if (variant === 1) return;
      sums.testPairs += test.truth.length;
      sums.persistence += sumErrors(test.current, test.truth);
    });
  }
  const mean = (sum: number) => sum / sums.testPairs;
  return {
    observedShare,
    learntPairs: { without: Math.round(sums.learnt[0]!), with: Math.round(sums.learnt[1]!) },
    testPairs: sums.testPairs,
    persistence: mean(sums.persistence),
    without: mean(sums.errors[0]!),
    with: mean(sums.errors[1]!),
  };
}

function withoutTimes(trip: ObservedTrip): ObservedTrip {
  const unknown = () => new Float64Array(trip.stopIds.length).fill(Number.NaN);
  return { ...trip, arrival: unknown(), departure: unknown() };
}

/** Final forecasts stand in for arrivals that were not observed. */
function label(trip: ObservedTrip, forecasts: Float64Array | null): { trip: ObservedTrip; isForecast: Uint8Array } {
  const isForecast = Uint8Array.from(trip.arrival, (time, at) =>
    forecasts && Number.isNaN(time) && !Number.isNaN(forecasts[at]!) ? 1 : 0,
  );
  const arrival = trip.arrival.map((time, at) => (isForecast[at] === 1 ? forecasts![at]! : time));
  return { trip: { ...trip, arrival }, isForecast };
}

function takeRows(table: DatedTripTable, all: Pairs, isWanted: (pair: number) => boolean): ModelRows {
  const pairs = pickPairs(all, Int32Array.from(Array.from(all.from.keys()).filter(isWanted)));
  const { truth, current } = describePairs(table, pairs);
  return { values: buildFeatures(table, pairs).values, truth, current };
}

function sumErrors(forecast: Float32Array, truth: Float32Array): number {
  return forecast.reduce((sum, delay, row) => sum + Math.abs(delay - truth[row]!), 0);
}

const number = (title: string): TextColumn => ({ title, align: 'end' });

/** The gains as a table for a terminal. */
export function renderFinalForecasts({ noise, weight, gains }: FinalForecastEvaluation): string[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    `${noise.pairs} calls with both times, median difference ${noise.medianSeconds} s: weight ${weight.toFixed(2)}`,
    '',
    ...renderTable(
      ['trips observed', 'pairs learnt', 'with forecasts', 'test pairs', 'persistence', 'without', 'with', 'gain'].map(
        number,
      ),
      gains.map(({ observedShare, learntPairs, testPairs, persistence, without, with: withForecasts }) => [
        percent(observedShare),
        String(learntPairs.without),
        String(learntPairs.with),
        String(testPairs),
        persistence.toFixed(1),
        without.toFixed(1),
        withForecasts.toFixed(1),
        percent(1 - withForecasts / without),
      ]),
    ),
  ];
}
