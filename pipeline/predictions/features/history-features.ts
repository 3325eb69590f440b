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
const olderTrust = Float64Array.from({ length: MAX_TRIPS }, (_, place) => OLDER_RUN ** place);

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
  readonly #departures = new Float64Array(MAX_TRIPS);
  #count = 0;
  #currentRun = 0;
  #from = 0;
  #usualDelay = Number.NaN;
  /**
   * Of one target, by past trip: the call there (-1 without an arrival), whether its plan is equal, the change of delay,
   * the delay of the arrival, and the weight; what is not known counts as infinite.
   */
  readonly #there = new Int32Array(MAX_TRIPS);
  readonly #isSamePlan = new Uint8Array(MAX_TRIPS);
  readonly #change = new Float64Array(MAX_TRIPS);
  readonly #arrival = new Float64Array(MAX_TRIPS);
  readonly #changeWeight = new Float64Array(MAX_TRIPS);
  /** Past trips sorted by change and by arrival. The order changes little from one target to the next. */
  readonly #byChange = new Int32Array(MAX_TRIPS);
  readonly #byArrival = new Int32Array(MAX_TRIPS);

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
      insertSorted(this.#departures, place, departureDelay[there]!);
      this.#byChange[place] = place;
      this.#byArrival[place] = place;
    }
    this.#usualDelay = this.#count === 0 ? Number.NaN : this.#departures[this.#count >> 1]!;
  }

  /** Number of past trips that departed from the same stop. */
  get size(): number {
    return this.#count;
  }

  /**
   * Writes the columns of `historyColumns` for the arrival at a later call.
   * @param column where the first of them goes
   */
  write(to: number, row: Float32Array, column = 0): void {
    this.#findArrivals(to);
    let count = 0;
    let mean = 0;
    let likeness = 0;
    let newest = Number.NaN;
    let newestThree = 0;
    for (let place = 0; place < this.#count; place++) {
      const change = this.#change[place]!;
      if (change === Number.POSITIVE_INFINITY) continue;
      if (count === 0) newest = change;
      if (count < 3) newestThree += change;
      mean += this.#changeWeight[place]! * change;
      likeness += this.#changeWeight[place]!;
      count++;
    }
    sortPlaces(this.#byChange, this.#change, this.#count);
    sortPlaces(this.#byArrival, this.#arrival, this.#count);
    row[column] = count;
    row[column + 1] = rank(this.#byChange, this.#change, count, 0.5);
    row[column + 2] = this.#weightedQuantile(count, likeness, 0.5);
    row[column + 3] = mean / likeness;
    row[column + 4] = this.#weightedQuantile(count, likeness, 0.2);
    row[column + 5] = this.#weightedQuantile(count, likeness, 0.8);
    row[column + 6] = newest;
    row[column + 7] = newestThree / Math.min(3, count);
    row[column + 8] = rank(this.#byArrival, this.#arrival, count, 0.5);
    row[column + 9] = rank(this.#byArrival, this.#arrival, count, 0.2);
    row[column + 10] = rank(this.#byArrival, this.#arrival, count, 0.8);
    row[column + 11] = this.#table.departureDelay[this.#from]! - this.#usualDelay;
    row[column + 12] = likeness;
  }

  /** Sets the columns of one target. */
  #findArrivals(to: number): void {
    const { arrivalDelay, scheduledArrival, scheduledDeparture } = this.#table;
    const planned = scheduledArrival[to]! - scheduledDeparture[this.#from]!;
    for (let place = 0; place < this.#count; place++) {
      const before = this.#call[place]!;
      const there = this.#findCall(this.#datedTrip[place]!, to);
      const arrival = there > before ? arrivalDelay[there]! : Number.NaN;
      const isKnown = !Number.isNaN(arrival);
      const isSamePlan = isKnown && scheduledArrival[there]! - scheduledDeparture[before]! === planned;
      const trust = isSamePlan ? 1 : this.#weights.otherPlan;
      const isUsed = isKnown && trust !== 0;
      this.#there[place] = isKnown ? there : -1;
      this.#isSamePlan[place] = isSamePlan ? 1 : 0;
      this.#change[place] = isUsed ? arrival - this.#delay[place]! : Number.POSITIVE_INFINITY;
      this.#arrival[place] = isUsed ? arrival : Number.POSITIVE_INFINITY;
      this.#changeWeight[place] = this.#weight[place]! * trust;
    }
  }

  /**
   * Votes for the seconds of the arrival that was written last beyond its whole minute. Past trips with the same seconds
   * at the event of the instant and the same planned time in between had the same plan.
   * @param offsets of the last observed event: `departureOffset`, or `arrivalOffset` of a vehicle at the stop
   */
  voteOffset(offsets: Uint8Array, votes: OffsetVotes, weight: number): void {
    const { arrivalOffset } = this.#table;
    for (let place = 0; place < this.#count; place++) {
      const there = this.#there[place]!;
      if (there < 0) continue;
      const isSameOffset = offsets[this.#call[place]!] === offsets[this.#from];
      const trust =
        (this.#isSamePlan[place] === 1 ? 1 : UNLIKE_PLAN) * (isSameOffset ? 1 : UNLIKE_PLAN) * olderTrust[place]!;
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

  /** The first change at which the cumulated weight reaches the share of the sum; NaN without values. */
  #weightedQuantile(count: number, sum: number, share: number): number {
    let reached = 0;
    for (let i = 0; i < count; i++) {
      const place = this.#byChange[i]!;
      reached += this.#changeWeight[place]!;
      if (reached >= share * sum) return this.#change[place]!;
    }
    return count === 0 ? Number.NaN : this.#change[this.#byChange[count - 1]!]!;
  }

  #weigh(past: number, there: number): number {
    const { serviceDay, dayStart, scheduledDeparture, departureDelay } = this.#table;
    const { days, timeOfDay, delay, delayShare } = this.#weights;
    const age = serviceDay[this.#currentRun]! - serviceDay[past]!;
    const current = departureDelay[this.#from]!;
    const leaves = scheduledDeparture[this.#from]! - dayStart[this.#currentRun]!;
    const apart = Math.abs(leaves - (scheduledDeparture[there]! - dayStart[past]!)) / timeOfDay;
    const unlike = Math.abs(current - departureDelay[there]!) / (delay + delayShare * Math.abs(current));
    return Math.exp(-age / days - apart - unlike) + 1e-9;
  }
}

/** Inserts a value into the first `count` entries, which are sorted. */
function insertSorted(values: Float64Array, count: number, value: number): void {
  let place = count;
  for (; place > 0 && values[place - 1]! > value; place--) values[place] = values[place - 1]!;
  values[place] = value;
}

/** Sorts the first `count` places by their values, and equal ones by themselves; fast where they are almost sorted. */
function sortPlaces(places: Int32Array, values: Float64Array, count: number): void {
  for (let i = 1; i < count; i++) {
    const place = places[i]!;
    const value = values[place]!;
    let to = i;
    for (; to > 0; to--) {
      const before = places[to - 1]!;
      if (!(values[before]! > value || (values[before] === value && before > place))) break;
      places[to] = before;
    }
    places[to] = place;
  }
}

/** @returns NaN without values */
function rank(sorted: Int32Array, values: Float64Array, count: number, share: number): number {
  return count === 0 ? Number.NaN : values[sorted[Math.floor(share * (count - 1) + 0.5)]!]!;
}
