import { fitBetaCurve } from './beta-curve.ts';
import { toChance } from './to-chance.ts';

/** Past cases with similar forecasts. */
interface CalibrationCell {
  /** Mean forecast, share that held, and number of cases. */
  readonly forecast: number;
  readonly held: number;
  readonly cases: number;
}

/** Calibration of the forecasts of one band of the time to the arrival. */
interface CalibrationBand {
  /** They rise in both forecast and share held. */
  readonly cells: readonly CalibrationCell[];
  /** Log odds that are added last: whether the last days were better or worse than those of the cells. */
  readonly shift: number;
}

/** By time to the arrival, as `arrivalBands`: of cases with both vehicles observed, then of the others. */
export type TransferCalibration = readonly CalibrationBand[];

/** Forecasts with known outcomes; one entry per case. */
export interface PredictionOutcomes {
  readonly forecast: Float32Array;
  /** 1 or 0. */
  readonly held: Uint8Array;
  readonly secondsToArrival: Float32Array;
  /** 1 where both vehicles were observed; 0 where one is known from past days alone. */
  readonly isLive: Uint8Array;
}

/** What a forecast is calibrated by. */
interface CalibratedBy {
  readonly secondsToArrival: number;
  readonly isLive: boolean;
}

/** Limits between bands of the time to the arrival, seconds. Forecasts of long ago err in other ways. */
const arrivalBands = [600, 1350, 2700];
/** Inner limits between cells: finer towards certainty, where most transfers are. */
const cellLimits = [
  0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.78, 0.84, 0.88, 0.91, 0.94, 0.96, 0.975, 0.985, 0.993, 0.997,
];
/** Fewer cases than this are joined with those of the next cell. */
const MIN_CELL_CASES = 200;

const ARRIVAL_BANDS = arrivalBands.length + 1;
const BANDS = 2 * ARRIVAL_BANDS;

function findBand({ secondsToArrival, isLive }: CalibratedBy): number {
  const band = arrivalBands.findIndex((limit) => secondsToArrival < limit);
  return (band < 0 ? arrivalBands.length : band) + (isLive ? 0 : ARRIVAL_BANDS);
}

function readCase({ secondsToArrival, isLive }: PredictionOutcomes, i: number): CalibratedBy {
  return { secondsToArrival: secondsToArrival[i]!, isLive: isLive[i] === 1 };
}

/** Finds for each band how often transfers were made that were forecast alike; smoothed long before the arrival. */
export function calibrateTransfers(outcomes: PredictionOutcomes): TransferCalibration {
  const { forecast, held } = outcomes;
  const width = cellLimits.length + 1;
  const sums = Array.from({ length: BANDS * width }, () => ({ forecast: 0, held: 0, cases: 0 }));
  for (let i = 0; i < forecast.length; i++) {
    const cell = cellLimits.findIndex((limit) => forecast[i]! < limit);
    const sum = sums[findBand(readCase(outcomes, i)) * width + (cell < 0 ? width - 1 : cell)]!;
    sum.forecast += forecast[i]!;
    sum.held += held[i]!;
    sum.cases++;
  }
  return Array.from({ length: BANDS }, (_, band) => {
    const ofBand = sums.slice(band * width, (band + 1) * width);
    const cells = joinCells(ofBand);
    const isSmoothed = band % ARRIVAL_BANDS >= FIRST_SMOOTHED && cells.length >= MIN_SMOOTHED_CELLS;
    return { cells: isSmoothed ? smoothCells(cells, ofBand) : cells, shift: 0 };
  });
}

/** Long before the arrival, forecasts lie close together, and the share held of one cell depends on few bad days. */
const FIRST_SMOOTHED = 2;
/** Fewer cells are no curve. */
const MIN_SMOOTHED_CELLS = 4;

/** Moves each cell half way to a curve through all of its band. */
function smoothCells(cells: readonly CalibrationCell[], sums: readonly CellSum[]): readonly CalibrationCell[] {
  const curve = fitBetaCurve(sums);
  if (!curve) return cells;
  return cells.map((cell) => ({ ...cell, held: (cell.held + curve(cell.forecast)) / 2 }));
}

/** Number of previous days that the shift is found on: as many as models are calibrated on. */
export const SHIFT_DAYS = 21;
/** As many cases as forecast are added, so that few outcomes shift little. */
const SHIFT_PRIOR = 50;

/** Shifts each band so that the forecasts of the last days are as high as the share of them that held. */
export function shiftCalibration(calibration: TransferCalibration, recent: PredictionOutcomes): TransferCalibration {
  const chances = calibration.map((): number[] => []);
  const held = calibration.map(() => 0);
  recent.forecast.forEach((forecast, i) => {
    const by = readCase(recent, i);
    const band = findBand(by);
    const chance = calibrateChance(calibration, by, forecast)?.probability;
    if (chance === undefined) return;
    chances[band]!.push(chance);
    held[band] = held[band]! + recent.held[i]!;
  });
  return calibration.map(({ cells, shift }, band) => ({
    cells,
    shift: shift + findShift(chances[band]!, held[band]!),
  }));
}

/** By bisection: the mean of shifted chances rises with the shift. */
function findShift(chances: readonly number[], held: number): number {
  if (chances.length === 0) return 0;
  const prior = (SHIFT_PRIOR * chances.reduce((sum, chance) => sum + chance, 0)) / chances.length;
  let low = -MAX_SHIFT;
  let high = MAX_SHIFT;
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    const sum = chances.reduce((total, chance) => total + shiftChance(chance, middle), 0);
    if (sum * (1 + SHIFT_PRIOR / chances.length) < held + prior) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const MAX_SHIFT = 1.5;

function shiftChance(chance: number, shift: number): number {
  return shift === 0 ? chance : toChance(Math.log(chance / (1 - chance)) + shift);
}

type CellSum = { readonly forecast: number; readonly held: number; readonly cases: number };

/** Joins small cells, and neighbours whose shares fall where forecasts rise. */
function joinCells(sums: readonly CellSum[]): CalibrationCell[] {
  const joined: CellSum[] = [];
  for (const sum of joinSmall(sums)) {
    let last = sum;
    for (let before = joined.at(-1); before && findShare(before) >= findShare(last); before = joined.at(-1)) {
      joined.pop();
      last = addSums(before, last);
    }
    joined.push(last);
  }
  return joined.map((sum) => ({ forecast: sum.forecast / sum.cases, held: findShare(sum), cases: sum.cases }));
}

/** Cells of `MIN_CELL_CASES` and more; one smaller cell where there are fewer in all. */
function joinSmall(sums: readonly CellSum[]): CellSum[] {
  const large: CellSum[] = [];
  let open: CellSum = { forecast: 0, held: 0, cases: 0 };
  for (const sum of sums) {
    open = addSums(open, sum);
    if (open.cases < MIN_CELL_CASES) continue;
    large.push(open);
    open = { forecast: 0, held: 0, cases: 0 };
  }
  const last = large.pop();
  if (last) large.push(addSums(last, open));
  else if (open.cases > 0) large.push(open);
  return large;
}

function addSums(one: CellSum, other: CellSum): CellSum {
  return {
    forecast: one.forecast + other.forecast,
    held: one.held + other.held,
    cases: one.cases + other.cases,
  };
}

/** With one case more of either outcome: no cell is certain. */
function findShare({ held, cases }: CellSum): number {
  return (held + 1) / (cases + 2);
}

/** A calibrated forecast, and the number of past cases in its cell. */
export interface CalibratedChance {
  readonly probability: number;
  readonly sampleSize: number;
}

/**
 * Calibrates a forecast: interpolated between the cells of its band, or, where that has no cases, of that of the same
 * time to the arrival; null where neither has.
 */
export function calibrateChance(
  calibration: TransferCalibration,
  by: CalibratedBy,
  forecast: number,
): CalibratedChance | null {
  const own = calibration[findBand(by)]!;
  const { cells, shift } = own.cells.length > 0 ? own : calibration[findBand({ ...by, isLive: !by.isLive })]!;
  const above = cells.findIndex((cell) => cell.forecast >= forecast);
  const after = cells[above < 0 ? cells.length - 1 : above];
  const before = cells[above - 1];
  if (!after) return null;
  if (above < 0 || !before) return { probability: shiftChance(after.held, shift), sampleSize: after.cases };
  const way = (forecast - before.forecast) / (after.forecast - before.forecast);
  return {
    probability: shiftChance(before.held + way * (after.held - before.held), shift),
    sampleSize: way < 0.5 ? before.cases : after.cases,
  };
}
