import { WITHHELD_WIDTH_SECONDS } from '../../model/prediction.ts';
import { featureColumns } from '../features/instant-rows.ts';
import { RecentValues } from '../features/recent-values.ts';
import { takeEntries, takeValues } from '../features/take-values.ts';
import { coveredBefore, MAX_ABOVE, OUTSIDE } from './calibrate.ts';
import { type DelayModel, type ModelRows, placeAmong, predictDelays } from './delay-model.ts';
import { OnlineBlend } from './online-blend.ts';

/** Limits of the groups by horizon, and by width of the interval before calibration; seconds. */
const HORIZONS = [300, 900, 1800, 3600];
const WIDTHS = [120, 300];
const HORIZON_GROUPS = HORIZONS.length + 1;
/** Number of groups of intervals, by horizon and width. */
export const INTERVAL_GROUPS = HORIZON_GROUPS * (WIDTHS.length + 1);

/** Number of past trips at which their typical change of delay counts half. */
const SHRINK_RUNS = 3;
/** Number of passages over the least known leg at which the usual times of the legs count half. */
const SHRINK_PASSAGES = 2;

/** Newest outcomes by which each group of intervals is calibrated. */
const CALIBRATION_OUTCOMES = 1500;
/**
 * Shares of outcomes beyond each end that are aimed at follow the shares that were beyond it, by so much with each
 * outcome, up to a limit: many outcomes may equal the median, and days differ.
 * @see Gibbs, Candès: Adaptive conformal inference under distribution shift, NeurIPS 2021
 */
const BEYOND_STEP = 0.002;
const [MIN_BEYOND, MAX_BEYOND] = [0.03, 0.3];
/** Share of the newest outcome in the mean of those below an interval. */
const NEWEST_SHARE = 0.002;
/** Before the first so many outcomes, intervals are widened so that no confidence is published. */
const MIN_OUTCOMES = 50;

const places = {
  legsChange: featureColumns.indexOf('change_typical_legs'),
  leastKnownLeg: featureColumns.indexOf('least_known_leg'),
  patternRuns: featureColumns.indexOf('pattern_runs'),
  patternChange: featureColumns.indexOf('pattern_change_median'),
  trainRuns: featureColumns.indexOf('train_runs'),
  trainChange: featureColumns.indexOf('train_change_median'),
};

/** Estimators of the change of delay until a later call. `own` is last, because it may be missing. */
const experts = ['prior', 'legs', 'pattern', 'train', 'own'] as const;

/** How far outcomes of an archive lay beyond the ends of their intervals; by group, negative inside, seconds. */
export interface KnownMisses {
  readonly below: readonly (readonly number[])[];
  readonly above: readonly (readonly number[])[];
}

/** Feature rows to forecast. */
export interface AdaptiveRows extends Pick<ModelRows, 'values' | 'current'> {
  readonly horizonSeconds: Float32Array;
}

/** Estimates of the experts for some rows; no outcome changes them. */
export interface ExpertRows {
  readonly count: number;
  readonly current: Float32Array;
  readonly horizonGroup: Uint8Array;
  /** Estimated changes of delay by row and expert; seconds. */
  readonly changes: Float32Array;
  /** From the median to p10 and to p90, before calibration; seconds. */
  readonly down: Float32Array;
  readonly up: Float32Array;
}

/** Possible delays of a row: multiples of `seconds` plus its offset. */
interface DelayGrid {
  readonly seconds: number;
  readonly offsetOf: (row: number) => number;
}

/** A forecast of delay: p10, p50 and p90; seconds. */
interface SettledDelay {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Columns of forecasts: p10, p50 and p90; seconds. */
interface SettledColumns {
  readonly low: Float32Array | Float64Array;
  readonly median: Float32Array | Float64Array;
  readonly high: Float32Array | Float64Array;
}

/**
 * Estimates of all experts.
 * @param prior trained on archives of other sources
 * @param own trained on the record of the source; null while there is none
 */
export function expectChanges(prior: DelayModel, own: DelayModel | null, rows: AdaptiveRows): ExpertRows {
  const count = rows.current.length;
  const width = own ? experts.length : experts.length - 1;
  const byPrior = predictDelays(prior, rows);
  const byOwn = own && predictDelays(own, rows);
  const main = byOwn ?? byPrior;
  const { values, current } = rows;
  const [down, up] = [new Float32Array(count), new Float32Array(count)];
  const horizonGroup = new Uint8Array(count);
  const changes = new Float32Array(count * width);
  for (let row = 0; row < count; row++) {
    const from = row * featureColumns.length;
    const to = row * width;
    changes[to] = byPrior.median[row]! - current[row]!;
    changes[to + 1] = shrink(values[from + places.legsChange]!, values[from + places.leastKnownLeg]!, SHRINK_PASSAGES);
    changes[to + 2] = shrink(values[from + places.patternChange]!, values[from + places.patternRuns]!, SHRINK_RUNS);
    changes[to + 3] = shrink(values[from + places.trainChange]!, values[from + places.trainRuns]!, SHRINK_RUNS);
    if (byOwn) changes[to + 4] = byOwn.median[row]! - current[row]!;
    horizonGroup[row] = placeAmong(HORIZONS, rows.horizonSeconds[row]!);
    down[row] = main.median[row]! - main.low[row]!;
    up[row] = main.high[row]! - main.median[row]!;
  }
  return { count, current, horizonGroup, changes, down, up };
}

/** Copies some rows, which are kept until their outcomes are known; the others are not. */
export function takeExpertRows(rows: ExpertRows, kept: readonly number[]): ExpertRows {
  return {
    count: kept.length,
    current: takeEntries(rows.current, kept),
    horizonGroup: Uint8Array.from(kept, (row) => rows.horizonGroup[row]!),
    changes: takeValues(rows.changes, kept, widthOf(rows)),
    down: takeEntries(rows.down, kept),
    up: takeEntries(rows.up, kept),
  };
}

/** Shrinks a mean of few values towards 0; 0 where it is unknown. */
function shrink(value: number, count: number, by: number): number {
  return Number.isNaN(value) || !(count > 0) ? 0 : (value * count) / (count + by);
}

/**
 * Forecasts of a source with little history: the weighted mean of a prior, the usual times of legs, past trips and the
 * source's own model, and an interval around it. Each outcome of an earlier forecast updates the weights and the
 * calibration of the intervals.
 */
export class AdaptiveForecasts {
  readonly #blend: OnlineBlend;
  /** How far outcomes lay beyond the ends of intervals before calibration; by group, negative inside. */
  readonly #below = new RecentValues(INTERVAL_GROUPS, CALIBRATION_OUTCOMES);
  readonly #above = new RecentValues(INTERVAL_GROUPS, CALIBRATION_OUTCOMES);
  /** Shares of outcomes beyond each end that are aimed at, and mean share below; by group. */
  readonly #beyondLow = new Float64Array(INTERVAL_GROUPS).fill(OUTSIDE / 2);
  readonly #beyondHigh = new Float64Array(INTERVAL_GROUPS).fill(OUTSIDE / 2);
  readonly #missedLow = new Float64Array(INTERVAL_GROUPS).fill(OUTSIDE / 2);
  #outcomes = 0;
  /** The interval that was calibrated last. */
  #low = 0;
  #median = 0;
  #high = 0;

  /**
   * @param priorWeight initial weight of the prior, half of it beside an own model; persistence has the rest
   * @param known misses on archives, by which intervals are calibrated at first
   */
  constructor(hasOwn: boolean, priorWeight: number, known: KnownMisses) {
    this.#blend = new OnlineBlend(HORIZON_GROUPS, hasOwn ? [priorWeight / 2, 0, 0, 0, 0.5] : [priorWeight, 0, 0, 0]);
    for (let group = 0; group < INTERVAL_GROUPS; group++) {
      for (const miss of known.below[group] ?? []) this.#below.add(group, miss);
      for (const miss of known.above[group] ?? []) this.#above.add(group, miss);
    }
  }

  /** The forecast of a row on the grid, with a calibrated interval. */
  settle(rows: ExpertRows, row: number, grid: DelayGrid): SettledDelay {
    const settled = { low: new Float64Array(1), median: new Float64Array(1), high: new Float64Array(1) };
    this.settleInto(settled, 0, rows, row, grid);
    return { low: settled.low[0]!, median: settled.median[0]!, high: settled.high[0]! };
  }

  /** Writes the same at a place of columns. */
  settleInto(columns: SettledColumns, place: number, rows: ExpertRows, row: number, grid: DelayGrid): void {
    this.#calibrate(rows, row, grid);
    let [low, high] = [this.#low, this.#high];
    if (this.#outcomes < MIN_OUTCOMES && high - low < WITHHELD_WIDTH_SECONDS) {
      const missing = Math.ceil((WITHHELD_WIDTH_SECONDS - (high - low)) / 2);
      low -= missing;
      high += missing;
    }
    columns.low[place] = low;
    columns.median[place] = this.#median;
    columns.high[place] = high;
  }

  /** Updates weights and calibration by the observed delay of a row. */
  learn(rows: ExpertRows, row: number, truth: number, grid: DelayGrid): void {
    const middle = this.#mix(rows, row);
    const group = intervalGroup(rows, row);
    this.#calibrate(rows, row, grid);
    this.#followMisses(group, truth);
    this.#below.add(group, middle - rows.down[row]! - truth);
    this.#above.add(group, truth - middle - rows.up[row]!);
    this.#blend.learn(rows.horizonGroup[row]!, rows.changes, row * widthOf(rows), truth - rows.current[row]!);
    this.#outcomes++;
  }

  /** Sets the calibrated interval of a row. */
  #calibrate(rows: ExpertRows, row: number, grid: DelayGrid): void {
    const { seconds } = grid;
    const offset = grid.offsetOf(row);
    const middle = this.#mix(rows, row);
    const group = intervalGroup(rows, row);
    const inside = coveredBefore(seconds);
    const down = rows.down[row]! + shiftOf(this.#below, group, this.#beyondLow[group]!) - inside;
    const up = rows.up[row]! + shiftOf(this.#above, group, this.#beyondHigh[group]!) - inside;
    this.#median = toGrid(middle, seconds, offset);
    this.#low = Math.min(this.#median, toGrid(middle - down, seconds, offset));
    this.#high = Math.max(this.#median, toGrid(middle + up, seconds, offset));
  }

  #followMisses(group: number, truth: number): void {
    const follow = (beyond: Float64Array, target: number, isMissed: boolean) => {
      const aim = beyond[group]! + BEYOND_STEP * (target - (isMissed ? 1 : 0));
      beyond[group] = Math.max(MIN_BEYOND, Math.min(MAX_BEYOND, aim));
    };
    const isBelow = truth < this.#low;
    const missed = this.#missedLow[group]!;
    follow(this.#beyondLow, OUTSIDE / 2, isBelow);
    // Where outcomes are seldom below, more may be above.
    follow(this.#beyondHigh, Math.min(MAX_ABOVE, Math.max(OUTSIDE / 2, OUTSIDE - missed)), truth > this.#high);
    this.#missedLow[group] = missed + NEWEST_SHARE * ((isBelow ? 1 : 0) - missed);
  }

  #mix(rows: ExpertRows, row: number): number {
    return rows.current[row]! + this.#blend.mix(rows.horizonGroup[row]!, rows.changes, row * widthOf(rows));
  }
}

/** The nearest multiple of the grid plus the offset. */
function toGrid(delay: number, gridSeconds: number, offset: number): number {
  return Math.round((delay - offset) / gridSeconds) * gridSeconds + offset;
}

/** How far an end moves outwards so that a share of the outcomes is beyond it. */
function shiftOf(misses: RecentValues, group: number, beyond: number): number {
  const shift = misses.quantile(group, 1 - beyond);
  return Number.isNaN(shift) ? 0 : shift;
}

function widthOf({ changes, count }: ExpertRows): number {
  return changes.length / count;
}

/** Group of the interval of a row, below `INTERVAL_GROUPS`. */
export function intervalGroup({ horizonGroup, down, up }: ExpertRows, row: number): number {
  return horizonGroup[row]! * (WIDTHS.length + 1) + placeAmong(WIDTHS, down[row]! + up[row]!);
}
