import { STEPS } from '../features/build-features.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { featureColumns } from '../features/instant-rows.ts';
import { takeEntries, takeValues } from '../features/take-values.ts';
import type { StoredModel } from '../learning/model-store.ts';
import {
  AdaptiveForecasts,
  type AdaptiveRows,
  type ExpertRows,
  expectChanges,
  takeExpertRows,
} from '../model/adaptive-forecasts.ts';
import type { QuantileColumns } from '../model/calibrate.ts';
import type { DelayModel } from '../model/delay-model.ts';
import { type DelayPriors, findProductGroup, type ProductGroup, priorOf } from '../prior/read-priors.ts';
import type { Progress } from './live-trips.ts';
import type { PredictionRows, RowForecaster } from './prediction-rows.ts';

/** A forecast whose outcome is not known yet. */
interface OpenForecast {
  readonly to: number;
  readonly group: ProductGroup;
  /** Rows of one trip, of which this is one. */
  readonly rows: ExpertRows;
  readonly row: number;
}

/** Limit of forecasts of one trip without an outcome; the oldest are dropped. */
const MAX_OPEN = 24;
/** Limit of trips with such forecasts; those without an observation for the longest time are dropped. */
const MAX_OPEN_TRIPS = 50_000;
/** A source reports no seconds if at least this share of its arrivals is at whole minutes. */
const WHOLE_SHARE = 0.98;
/** Arrivals needed to decide that. */
const MIN_ARRIVALS = 50;

/** Forecasts a source with little or no history, and learns from the outcomes of its forecasts. */
export class AdaptiveForecaster implements RowForecaster {
  readonly needsPast = false;
  readonly modelId: string;
  readonly #own: DelayModel | null;
  readonly #priors: DelayPriors;
  readonly #byGroup = new Map<ProductGroup, AdaptiveForecasts>();
  /** By row of the table of trips. */
  readonly #open = new Map<number, OpenForecast[]>();
  #arrivals = 0;
  #wholeMinutes = 0;

  constructor(own: StoredModel | null, priors: DelayPriors) {
    this.modelId = own?.manifest.id ?? priors.id;
    this.#own = own?.model ?? null;
    this.#priors = priors;
  }

  get gridSeconds(): number {
    return this.#own?.gridSeconds ?? 1;
  }

  forecast(rows: PredictionRows, table: DatedTripTable): QuantileColumns {
    const count = rows.current.length;
    const settled = { low: new Float32Array(count), median: new Float32Array(count), high: new Float32Array(count) };
    const groups = this.#groupRows(rows);
    for (const [group, places] of groups) {
      const expected = this.#expect(group, groups.size === 1 ? rows : takeRows(rows, places.rows));
      const forecasts = this.#forecastsOf(group);
      const grid = this.#gridOf((row) => table.scheduledArrival[places.calls[row]!]!);
      for (let row = 0; row < expected.count; row++) {
        const place = places.rows[row]!;
        forecasts.settleInto(settled, place, expected, row, grid);
        const offset = rows.offsets[place]!;
        if (offset === 0) continue;
        settled.low[place] = settled.low[place]! + offset;
        settled.median[place] = settled.median[place]! + offset;
        settled.high[place] = settled.high[place]! + offset;
      }
      this.#awaitOutcomes(group, expected, places);
    }
    return settled;
  }

  observe({ datedTrip, call, isOver }: Progress, table: DatedTripTable): void {
    const open = this.#open.get(datedTrip);
    if (!open) return;
    this.#open.delete(datedTrip);
    const left: OpenForecast[] = [];
    for (const one of open) {
      if (one.to > call) left.push(one);
      else this.#learn(one.group, one.rows, one.row, one.to, table);
    }
    // The trip that was observed last is the last of the map.
    if (!isOver && left.length > 0) this.#open.set(datedTrip, left);
  }

  /**
   * Learns from the outcomes of past trips of one group of products, in the order in which they became known.
   * @param calls the predicted call of each row
   */
  replay(group: ProductGroup, rows: AdaptiveRows, calls: Int32Array, table: DatedTripTable): void {
    const expected = this.#expect(group, rows);
    const order = Int32Array.from(calls.keys());
    order.sort((a, b) => table.arrivalTime[calls[a]!]! - table.arrivalTime[calls[b]!]! || a - b);
    for (const row of order) this.#learn(group, expected, row, calls[row]!, table);
  }

  #learn(group: ProductGroup, rows: ExpertRows, row: number, call: number, table: DatedTripTable): void {
    const truth = table.arrivalDelay[call]!;
    if (Number.isNaN(truth)) return;
    const grid = this.#gridOf(() => table.scheduledArrival[call]!);
    this.#forecastsOf(group).learn(rows, row, truth, grid);
    this.#arrivals++;
    if (table.arrivalTime[call]! % 60 === 0) this.#wholeMinutes++;
  }

  #expect(group: ProductGroup, rows: AdaptiveRows): ExpertRows {
    return expectChanges(this.#priors.byName.get(priorOf[group].name)!.model, this.#own, rows);
  }

  #forecastsOf(group: ProductGroup): AdaptiveForecasts {
    const known = this.#byGroup.get(group);
    if (known) return known;
    const { name, weight } = priorOf[group];
    const forecasts = new AdaptiveForecasts(this.#own !== null, weight, this.#priors.byName.get(name)!.misses);
    this.#byGroup.set(group, forecasts);
    return forecasts;
  }

  /**
   * The grid of forecast delays: that of the own model. Without one, for a source that reports no seconds, the delays
   * with which arrivals are at whole minutes of the clock.
   */
  #gridOf(scheduledArrival: (row: number) => number) {
    if (this.gridSeconds > 1) return { seconds: this.gridSeconds, offsetOf: () => 0 };
    const isWhole = this.#arrivals >= MIN_ARRIVALS && this.#wholeMinutes >= WHOLE_SHARE * this.#arrivals;
    if (!isWhole) return { seconds: 1, offsetOf: () => 0 };
    return { seconds: 60, offsetOf: (row: number) => (60 - (scheduledArrival(row) % 60)) % 60 };
  }

  #groupRows({ trips }: PredictionRows): Map<ProductGroup, RowsOfGroup> {
    const groups = new Map<ProductGroup, RowsOfGroup>();
    let row = 0;
    for (const { observed, datedTrip, call, targets } of trips) {
      const group = findProductGroup(observed.product);
      const places = groups.get(group) ?? { rows: [], calls: [], trips: [], from: [] };
      groups.set(group, places);
      for (let target = 1; target <= targets; target++) {
        places.rows.push(row++);
        places.calls.push(call + target);
        places.from.push(call);
        places.trips.push(datedTrip);
      }
    }
    return groups;
  }

  #awaitOutcomes(group: ProductGroup, expected: ExpertRows, { calls, trips, from }: RowsOfGroup): void {
    for (let first = 0, end = 0; first < trips.length; first = end) {
      const trip = trips[first]!;
      const kept: number[] = [];
      for (end = first; end < trips.length && trips[end] === trip; end++) {
        if (STEPS.includes(calls[end]! - from[end]!)) kept.push(end);
      }
      const rows = takeExpertRows(expected, kept);
      const open = this.#open.get(trip) ?? [];
      kept.forEach((place, row) => {
        if (open.length >= MAX_OPEN) open.shift();
        open.push({ to: calls[place]!, group, rows, row });
      });
      if (open.length > 0) this.#open.set(trip, open);
    }
    for (const trip of this.#open.keys()) {
      if (this.#open.size <= MAX_OPEN_TRIPS) break;
      this.#open.delete(trip);
    }
  }
}

/** Rows of one group of products. */
interface RowsOfGroup {
  /** Their places among all rows. */
  readonly rows: number[];
  /** The predicted calls, and the last observed ones. */
  readonly calls: number[];
  readonly from: number[];
  /** Rows of the table of trips. */
  readonly trips: number[];
}

function takeRows(rows: PredictionRows, places: readonly number[]): AdaptiveRows {
  return {
    values: takeValues(rows.values, places, featureColumns.length),
    current: takeEntries(rows.current, places),
    horizonSeconds: takeEntries(rows.horizonSeconds, places),
  };
}
