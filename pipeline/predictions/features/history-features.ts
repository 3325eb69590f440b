import type { DatedTripTable } from './dated-trip-table.ts';
import type { OffsetVotes, PlanIndex } from './plan-index.ts';
import type { RecentTrips } from './running-statistics.ts';

/** Columns computed from past trips; stored with the prefix `train_` or `pattern_`. */
export const historyColumns = [
  'runs',
  'change_median',
  'change_similar',
  'change_similar_mean',
  'change_low',
  'change_high',
  'change_newest',
  'change_newest_3',
  'arrival_median',
  'arrival_low',
  'arrival_high',
  'beyond_usual_delay',
  'likeness',
] as const;

const MAX_TRIPS = 40;
/** Factors on the vote of a past trip: with a different planned time, and per trip that it is older. */
const UNLIKE_PLAN = 0.1;
const OLDER_RUN = 0.9;

/** How past trips are weighted. */
export interface HistoryWeights {
  /** Service days after which the weight of a trip is 1/e. */
  readonly days: number;
  /** Difference of departure time of day at which the weight is 1/e; infinite where all trips are the same train. */
  readonly timeOfDay: number;
  /** Whether finished trips of the same service day count; otherwise only those of earlier days. */
  readonly isSameDayTaken: boolean;
  /** Weight of a trip with a different planned time between the two calls; 0 excludes it. */
  readonly otherPlan: number;
  /** Difference of delays at which the weight is 1/e: a constant part, and a share of the current delay. */
  readonly delay: number;
  readonly delayShare: number;
}

/**
 * Past trips over the same stops, as seen from one instant: how the delay changed from the departure to a later
 * arrival. The history holds only trips that were finished at the instant.
 */
export class PastTrips {
  readonly #table: DatedTripTable;
  readonly #index: PlanIndex;
  readonly #weights: HistoryWeights;
  /** Past trips that departed from the same stop: trip, its call there, its delay there, its weight. */
  readonly #datedTrip = new Int32Array(MAX_TRIPS);
  readonly #call = new Int32Array(MAX_TRIPS);
  readonly #delay = new Float64Array(MAX_TRIPS);
  readonly #weight = new Float64Array(MAX_TRIPS);
  #count = 0;
  #currentRun = 0;
  #from = 0;
  #usualDelay = Number.NaN;
  /** Of one target: changes of delay and arrivals, sorted, with their weights. */
  readonly #changes = new Float64Array(MAX_TRIPS);
  readonly #changeWeights = new Float64Array(MAX_TRIPS);
  readonly #arrivals = new Float64Array(MAX_TRIPS);
  readonly #ones = new Float64Array(MAX_TRIPS).fill(1);

  constructor(table: DatedTripTable, index: PlanIndex, weights: HistoryWeights) {
    this.#table = table;
    this.#index = index;
    this.#weights = weights;
  }

  /**
   * Selects the trips of a series for the departure of `call`.
   * @param maxRuns uses only that many of the newest trips of earlier service days
   */
  start(history: RecentTrips, series: number, datedTrip: number, call: number, maxTrips: number = MAX_TRIPS): void {
    this.#currentRun = datedTrip;
    this.#from = call;
    this.#count = 0;
    const { serviceDay, departureDelay } = this.#table;
    const size = history.size(series);
    const beforeDay = serviceDay[datedTrip]! + (this.#weights.isSameDayTaken ? 1 : 0);
    for (let age = 0; age < size && this.#count < maxTrips; age++) {
      const past = history.get(series, age);
      if (serviceDay[past]! >= beforeDay) continue;
      const there = this.#findCall(past, call);
      if (there < 0 || Number.isNaN(departureDelay[there])) continue;
      const place = this.#count++;
      this.#datedTrip[place] = past;
      this.#call[place] = there;
      this.#delay[place] = departureDelay[there]!;
      this.#weight[place] = this.#weigh(past, there);
      insertSorted(this.#arrivals, this.#ones, place, departureDelay[there]!, 1);
    }
    this.#usualDelay = this.#count === 0 ? Number.NaN : this.#arrivals[this.#count >> 1]!;
  }

  /** Number of past trips that departed from the same stop. */
  get size(): number {
    return this.#count;
  }

  /** Writes the columns of `historyColumns` for the arrival at a later call. */
  write(to: number, row: Float32Array): void {
    const current = this.#table.departureDelay[this.#from]!;
    let count = 0;
    let mean = 0;
    let likeness = 0;
    let newest = Number.NaN;
    let newestThree = 0;
    for (let place = 0; place < this.#count; place++) {
      const there = this.#findCall(this.#datedTrip[place]!, to);
      const arrival = there > this.#call[place]! ? this.#table.arrivalDelay[there]! : Number.NaN;
      if (Number.isNaN(arrival)) continue;
      const trust = this.#isSamePlan(place, there, to) ? 1 : this.#weights.otherPlan;
      if (trust === 0) continue;
      const change = arrival - this.#delay[place]!;
      const weight = this.#weight[place]! * trust;
      if (count === 0) newest = change;
      if (count < 3) newestThree += change;
      insertSorted(this.#changes, this.#changeWeights, count, change, weight);
      insertSorted(this.#arrivals, this.#ones, count, arrival, 1);
      mean += weight * change;
      likeness += weight;
      count++;
    }
    row[0] = count;
    row[1] = rank(this.#changes, count, 0.5);
    row[2] = weightedQuantile(this.#changes, this.#changeWeights, count, likeness, 0.5);
    row[3] = mean / likeness;
    row[4] = weightedQuantile(this.#changes, this.#changeWeights, count, likeness, 0.2);
    row[5] = weightedQuantile(this.#changes, this.#changeWeights, count, likeness, 0.8);
    row[6] = newest;
    row[7] = newestThree / Math.min(3, count);
    row[8] = rank(this.#arrivals, count, 0.5);
    row[9] = rank(this.#arrivals, count, 0.2);
    row[10] = rank(this.#arrivals, count, 0.8);
    row[11] = current - this.#usualDelay;
    row[12] = likeness;
  }

  /**
   * Votes for the seconds of the arrival at a later call beyond its whole minute. Past trips with the same seconds at
   * the event of the instant and the same planned time in between had the same plan.
   * @param offsets of the last observed event: `departureOffset`, or `arrivalOffset` of a vehicle at the stop
   */
  voteOffset(to: number, offsets: Uint8Array, votes: OffsetVotes, weight: number): void {
    const { arrivalOffset } = this.#table;
    for (let place = 0; place < this.#count; place++) {
      const before = this.#call[place]!;
      const there = this.#findCall(this.#datedTrip[place]!, to);
      if (there <= before || Number.isNaN(this.#table.arrivalDelay[there])) continue;
      const isSamePlan = this.#isSamePlan(place, there, to);
      const isSameOffset = offsets[before] === offsets[this.#from];
      const trust = (isSamePlan ? 1 : UNLIKE_PLAN) * (isSameOffset ? 1 : UNLIKE_PLAN) * OLDER_RUN ** place;
      votes.add(arrivalOffset[there]!, weight * trust);
    }
  }

  /** The call of a past trip at the stop of a call of the current one; -1 where it does not call there. */
  #findCall(past: number, call: number): number {
    const { callStart, stop } = this.#table;
    const start = callStart[past]!;
    const place = call - callStart[this.#currentRun]!;
    if (this.#index.pattern[past] === this.#index.pattern[this.#currentRun]) return start + place;
    const wanted = stop[call]!;
    const end = callStart[past + 1]!;
    if (start + place < end && stop[start + place] === wanted) return start + place;
    for (let there = start; there < end; there++) if (stop[there] === wanted) return there;
    return -1;
  }

  /** Whether the planned time from the instant's call to `there` equals that of the current trip to `to`. */
  #isSamePlan(place: number, there: number, to: number): boolean {
    const { scheduledArrival, scheduledDeparture } = this.#table;
    const before = scheduledArrival[there]! - scheduledDeparture[this.#call[place]!]!;
    return before === scheduledArrival[to]! - scheduledDeparture[this.#from]!;
  }

  #weigh(past: number, there: number): number {
    const { serviceDay, scheduledDeparture, departureDelay } = this.#table;
    const { days, timeOfDay, delay, delayShare } = this.#weights;
    const age = serviceDay[this.#currentRun]! - serviceDay[past]!;
    const current = departureDelay[this.#from]!;
    const apart = Math.abs(scheduledDeparture[this.#from]! - scheduledDeparture[there]! - age * 86_400) / timeOfDay;
    const unlike = Math.abs(current - departureDelay[there]!) / (delay + delayShare * Math.abs(current));
    return Math.exp(-age / days - apart - unlike) + 1e-9;
  }
}

/** Inserts a value and its weight into the first `count` entries, which are sorted. */
function insertSorted(values: Float64Array, weights: Float64Array, count: number, value: number, weight: number): void {
  let place = count;
  for (; place > 0 && values[place - 1]! > value; place--) {
    values[place] = values[place - 1]!;
    weights[place] = weights[place - 1]!;
  }
  values[place] = value;
  weights[place] = weight;
}

/** @returns NaN without values */
function rank(sorted: Float64Array, count: number, share: number): number {
  return count === 0 ? Number.NaN : sorted[Math.floor(share * (count - 1) + 0.5)]!;
}

/** The first value at which the cumulated weight reaches the share of the total; NaN without values. */
function weightedQuantile(
  sorted: Float64Array,
  weights: Float64Array,
  count: number,
  sum: number,
  share: number,
): number {
  let reached = 0;
  for (let place = 0; place < count; place++) {
    reached += weights[place]!;
    if (reached >= share * sum) return sorted[place]!;
  }
  return count === 0 ? Number.NaN : sorted[count - 1]!;
}
