import { WITHHELD_WIDTH_SECONDS } from '../../model/prediction.ts';
import { featureColumns } from '../features/instant-rows.ts';
import { RecentValues } from '../features/running-statistics.ts';
import { type DelayModel, type ModelRows, predictDelays } from './delay-model.ts';
import { OnlineBlend } from './online-blend.ts';

/** Limits of the horizon, and of the width of the interval before calibration; seconds. */
const HORIZONS = [300, 900, 1800, 3600];
const WIDTHS = [120, 300];
const HORIZON_GROUPS = HORIZONS.length + 1;
/** Number of groups of intervals, by horizon and width. */
export const INTERVAL_GROUPS = HORIZON_GROUPS * (WIDTHS.length + 1);

/** Past runs count in full where there are many more than this. */
const SHRINK_RUNS = 3;
/** The same for passages over the least known leg. */
const SHRINK_PASSAGES = 2;

/** Outcomes by which each group of intervals is calibrated, the newest ones. */
const CALIBRATION_OUTCOMES = 1500;
/** Share of outcomes that may lie beyond each end. */
const BEYOND = 0.08;
/** Before so many outcomes of a source, no interval is narrow enough to be published. */
const MIN_OUTCOMES = 50;

const places = {
  legsChange: featureColumns.indexOf('change_typical_legs'),
  leastKnownLeg: featureColumns.indexOf('least_known_leg'),
  patternRuns: featureColumns.indexOf('pattern_runs'),
  patternChange: featureColumns.indexOf('pattern_change_median'),
  trainRuns: featureColumns.indexOf('train_runs'),
  trainChange: featureColumns.indexOf('train_change_median'),
};

/** Sources of an expected change of delay; `own` is last, because it may be missing. */
const experts = ['prior', 'legs', 'pattern', 'train', 'own'] as const;

/** Misses of intervals on an archive: how far outcomes lay beyond each end, by group; seconds. */
export interface KnownMisses {
  readonly below: readonly (readonly number[])[];
  readonly above: readonly (readonly number[])[];
}

/** Rows to forecast. */
export interface AdaptiveRows extends Pick<ModelRows, 'values' | 'current'> {
  readonly horizonSeconds: Float32Array;
}

/** What the experts expect of some rows, whatever is learnt from outcomes. */
export interface ExpertRows {
  readonly count: number;
  readonly current: Float32Array;
  readonly horizonGroup: Uint8Array;
  /** Changes of delay by row and expert; seconds. */
  readonly changes: Float32Array;
  /** From the median to p10 and to p90, before calibration; seconds. */
  readonly down: Float32Array;
  readonly up: Float32Array;
}

/** Delays that can occur: multiples of `seconds`, plus the offset of the row. */
interface DelayGrid {
  readonly seconds: number;
  readonly offsetOf: (row: number) => number;
}

/** A forecast; seconds of delay. */
interface SettledDelay {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/**
 * Expectations of all experts.
 * @param prior learnt on archives of other sources
 * @param own learnt from the record of the source; null while there is none
 */
export function expectChanges(prior: DelayModel, own: DelayModel | null, rows: AdaptiveRows): ExpertRows {
  const count = rows.current.length;
  const width = own ? experts.length : experts.length - 1;
  const byPrior = predictDelays(prior, rows);
  const byOwn = own && predictDelays(own, rows);
  const main = byOwn ?? byPrior;
  const changes = new Float32Array(count * width);
  for (let row = 0; row < count; row++) {
    const values = rows.values.subarray(row * featureColumns.length, (row + 1) * featureColumns.length);
    const to = row * width;
    changes[to] = byPrior.median[row]! - rows.current[row]!;
    changes[to + 1] = shrink(values[places.legsChange]!, values[places.leastKnownLeg]!, SHRINK_PASSAGES);
    changes[to + 2] = shrink(values[places.patternChange]!, values[places.patternRuns]!, SHRINK_RUNS);
    changes[to + 3] = shrink(values[places.trainChange]!, values[places.trainRuns]!, SHRINK_RUNS);
    if (byOwn) changes[to + 4] = byOwn.median[row]! - rows.current[row]!;
  }
  return {
    count,
    current: rows.current,
    horizonGroup: Uint8Array.from(rows.horizonSeconds, (seconds) => placeAmong(HORIZONS, seconds)),
    changes,
    down: main.median.map((median, row) => median - main.low[row]!),
    up: main.high.map((high, row) => high - main.median[row]!),
  };
}

/** One of the rows, to be kept until its outcome is known. */
export function takeExpertRow(rows: ExpertRows, row: number): ExpertRows {
  const width = widthOf(rows);
  return {
    count: 1,
    current: rows.current.slice(row, row + 1),
    horizonGroup: rows.horizonGroup.slice(row, row + 1),
    changes: rows.changes.slice(row * width, (row + 1) * width),
    down: rows.down.slice(row, row + 1),
    up: rows.up.slice(row, row + 1),
  };
}

/** A mean of few values, drawn towards 0; 0 where it is unknown. */
function shrink(value: number, count: number, by: number): number {
  return Number.isNaN(value) || !(count > 0) ? 0 : (value * count) / (count + by);
}

function placeAmong(limits: readonly number[], value: number): number {
  const place = limits.findIndex((limit) => value < limit);
  return place < 0 ? limits.length : place;
}

/**
 * Forecasts of a source with little history. It mixes a model that was learnt elsewhere, the usual times of legs, past
 * runs, and the source's own model, by how well each has served so far, and calibrates the intervals by past outcomes.
 * Both are learnt from the outcomes of earlier forecasts, one after another.
 */
export class AdaptiveForecasts {
  readonly #blend: OnlineBlend;
  /** How far outcomes lay beyond the ends before calibration, by group; negative inside. */
  readonly #below = new RecentValues(INTERVAL_GROUPS, CALIBRATION_OUTCOMES);
  readonly #above = new RecentValues(INTERVAL_GROUPS, CALIBRATION_OUTCOMES);
  #outcomes = 0;

  /**
   * @param priorWeight how much the prior is trusted at first; the rest is persistence
   * @param known misses on archives, until there are own ones
   */
  constructor(hasOwn: boolean, priorWeight: number, known: KnownMisses) {
    this.#blend = new OnlineBlend(HORIZON_GROUPS, hasOwn ? [priorWeight / 2, 0, 0, 0, 0.5] : [priorWeight, 0, 0, 0]);
    for (let group = 0; group < INTERVAL_GROUPS; group++) {
      for (const miss of known.below[group] ?? []) this.#below.add(group, miss);
      for (const miss of known.above[group] ?? []) this.#above.add(group, miss);
    }
  }

  /** Outcomes so far. */
  get outcomes(): number {
    return this.#outcomes;
  }

  settle(rows: ExpertRows, row: number, grid: DelayGrid): SettledDelay {
    const offset = grid.offsetOf(row);
    const snap = (seconds: number) => Math.round((seconds - offset) / grid.seconds) * grid.seconds + offset;
    const middle = this.#mix(rows, row);
    const group = intervalGroup(rows, row);
    const median = snap(middle);
    const low = Math.min(median, snap(middle - rows.down[row]! - this.#shift(this.#below, group)));
    const high = Math.max(median, snap(middle + rows.up[row]! + this.#shift(this.#above, group)));
    if (this.#outcomes >= MIN_OUTCOMES || high - low >= WITHHELD_WIDTH_SECONDS) return { low, median, high };
    const missing = (WITHHELD_WIDTH_SECONDS - (high - low)) / 2;
    return { low: low - Math.ceil(missing), median, high: high + Math.ceil(missing) };
  }

  /** Learns from the delay that was observed. */
  learn(rows: ExpertRows, row: number, truth: number): void {
    const middle = this.#mix(rows, row);
    const group = intervalGroup(rows, row);
    this.#below.add(group, middle - rows.down[row]! - truth);
    this.#above.add(group, truth - middle - rows.up[row]!);
    this.#blend.learn(rows.horizonGroup[row]!, rows.changes, row * widthOf(rows), truth - rows.current[row]!);
    this.#outcomes++;
  }

  #mix(rows: ExpertRows, row: number): number {
    return rows.current[row]! + this.#blend.mix(rows.horizonGroup[row]!, rows.changes, row * widthOf(rows));
  }

  #shift(misses: RecentValues, group: number): number {
    const shift = misses.quantile(group, 1 - BEYOND);
    return Number.isNaN(shift) ? 0 : shift;
  }
}

function widthOf({ changes, count }: ExpertRows): number {
  return changes.length / count;
}

/** Group of the interval of a row, below `INTERVAL_GROUPS`. */
export function intervalGroup({ horizonGroup, down, up }: ExpertRows, row: number): number {
  return horizonGroup[row]! * (WIDTHS.length + 1) + placeAmong(WIDTHS, down[row]! + up[row]!);
}
