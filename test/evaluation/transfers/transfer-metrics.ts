import { isLiveCase, type TransferCases } from '../../../pipeline/predictions/past-transfers/transfer-cases.ts';
import type { ProbabilitySource } from '../../../pipeline/snapshots/transfer-model/transfer-facts.ts';

/** One bin of forecasts. */
interface CalibrationBin {
  readonly from: number;
  readonly pairs: number;
  /** Mean forecast and share held. */
  readonly forecast: number;
  readonly held: number;
}

/** How good the probabilities of some cases are. */
interface ProbabilityMetrics {
  readonly brier: number;
  readonly logLoss: number;
  /** Bins of `MIN_BIN_PAIRS` pairs and more. */
  readonly bins: readonly CalibrationBin[];
  /** Largest difference between forecast and share held in these bins; 0 without any. */
  readonly maxDeviation: number;
}

const BINS = 10;
const MIN_BIN_PAIRS = 300;
/** A forecast counts as at least this far from impossible and from certain, so that the log loss is finite. */
const MIN_CHANCE = 0.001;

/**
 * Measures forecasts against outcomes.
 * @param held 1 or 0, by forecast
 */
export function measureProbabilities(probability: Float32Array, held: Uint8Array): ProbabilityMetrics {
  const count = probability.length;
  let brier = 0;
  let logLoss = 0;
  for (let i = 0; i < count; i++) {
    brier += (probability[i]! - held[i]!) ** 2;
    const chance = Math.max(MIN_CHANCE, Math.min(1 - MIN_CHANCE, probability[i]!));
    logLoss -= Math.log(held[i] === 1 ? chance : 1 - chance);
  }
  const bins = fillBins(probability, held).filter(({ pairs }) => pairs >= MIN_BIN_PAIRS);
  const maxDeviation = bins.reduce((most, bin) => Math.max(most, Math.abs(bin.forecast - bin.held)), 0);
  return { brier: brier / count, logLoss: logLoss / count, bins, maxDeviation };
}

function fillBins(probability: Float32Array, held: Uint8Array): CalibrationBin[] {
  const pairs = new Int32Array(BINS);
  const forecast = new Float64Array(BINS);
  const heldPairs = new Int32Array(BINS);
  for (let i = 0; i < probability.length; i++) {
    const bin = Math.min(BINS - 1, Math.floor(probability[i]! * BINS));
    pairs[bin]!++;
    forecast[bin] = forecast[bin]! + probability[i]!;
    heldPairs[bin] = heldPairs[bin]! + held[i]!;
  }
  return Array.from(pairs, (count, bin) => ({
    from: bin / BINS,
    pairs: count,
    forecast: forecast[bin]! / count,
    held: heldPairs[bin]! / count,
  }));
}

/** A method and its forecasts, one per case. */
export interface ChanceForecaster {
  readonly name: string;
  readonly probability: Float32Array;
}

/** The metrics of the changes of one instant. */
export interface TransferSlice {
  readonly minutes: number;
  readonly slice: 'all' | '8 min or less' | ProbabilitySource;
  readonly pairs: number;
  /** Share that held. */
  readonly held: number;
  /** Share of which an event of either train was known. */
  readonly observed: number;
  readonly forecasters: readonly ForecasterMetrics[];
}

export interface ForecasterMetrics extends ProbabilityMetrics {
  readonly name: string;
  /** Brier score divided by that of the table. */
  readonly ofTable: number;
}

const SHORT_SECONDS = 480;

/** Measures the forecasts of one instant: of all changes, of the short ones, and by the source of the probability. */
export function measureInstant(
  cases: TransferCases,
  minutes: number,
  requested: Int32Array,
  forecasters: readonly ChanceForecaster[],
): TransferSlice[] {
  const all = Array.from(requested.keys());
  const short = all.filter((row) => cases.plannedSeconds[requested[row]!]! <= SHORT_SECONDS);
  const isLive = (row: number) => isLiveCase(cases, requested[row]!);
  const slices = [
    ['all', all],
    ['8 min or less', short],
    ['live', all.filter(isLive)],
    ['history', all.filter((row) => !isLive(row))],
  ] as const;
  return slices
    .filter(([, rows]) => rows.length > 0)
    .map(([slice, rows]) => ({ minutes, slice, ...measureSlice(cases, requested, forecasters, rows) }));
}

function measureSlice(
  { leftSeconds, arrival, departure }: TransferCases,
  requested: Int32Array,
  forecasters: readonly ChanceForecaster[],
  rows: readonly number[],
): Omit<TransferSlice, 'minutes' | 'slice'> {
  const held = Uint8Array.from(rows, (row) => (leftSeconds[requested[row]!]! >= 0 ? 1 : 0));
  const isObserved = (row: number) => arrival.call[requested[row]!]! >= 0 || departure.call[requested[row]!]! >= 0;
  const measured = forecasters.map(({ name, probability }) => ({
    name,
    ...measureProbabilities(
      Float32Array.from(rows, (row) => probability[row]!),
      held,
    ),
  }));
  const table = measured.find(({ name }) => name === TABLE)?.brier ?? Number.NaN;
  return {
    pairs: rows.length,
    held: held.reduce((sum, one) => sum + one, 0) / rows.length,
    observed: rows.filter(isObserved).length / rows.length,
    forecasters: measured.map((metrics) => ({ ...metrics, ofTable: metrics.brier / table })),
  };
}

/** Name of the method that the others are compared with. */
export const TABLE = 'table';
