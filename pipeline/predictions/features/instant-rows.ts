import type { DatedTripTable } from './dated-trip-table.ts';
import { type HistoryWeights, historyColumns, PastTrips } from './history-features.ts';
import { LegWalk, legColumns } from './leg-features.ts';
import { OffsetVotes, type PlanIndex } from './plan-index.ts';
import type { RunningStatistics } from './running-statistics.ts';
import { TrafficWalk, trafficColumns } from './traffic-features.ts';

/** From the plan and the trip itself at an instant. */
const currentColumns = [
  'current_delay',
  'arrival_delay_here',
  'departure_delay_1_back',
  'departure_delay_2_back',
  'departure_delay_4_back',
  'delay_gained_here',
  'highest_delay_so_far',
  'planned_stand_here',
  'is_standing',
] as const;

const planColumns = [
  'steps',
  'planned_seconds',
  'planned_stands',
  'longest_planned_stand',
  'position',
  'calls_after',
  'planned_seconds_of_run',
  'hour',
  'weekday',
] as const;

/** A delay of the current trip where it was known at `at`; else NaN. */
function seen(delays: Float64Array, times: Float64Array, call: number, at: number): number {
  return times[call]! <= at ? delays[call]! : Number.NaN;
}

/**
 * Writes the columns of `currentColumns`; reads the trip up to `call` and nothing after it.
 * @param isStanding the vehicle has not departed yet: its departure is the assumed one
 */
function writeCurrent(
  table: DatedTripTable,
  datedTrip: number,
  call: number,
  at: number,
  isStanding: boolean,
  row: Float32Array,
): void {
  const first = table.callStart[datedTrip]!;
  const departureBack = (steps: number) =>
    call - steps < first ? Number.NaN : seen(table.departureDelay, table.departureTime, call - steps, at);
  const delay = table.departureDelay[call]!;
  const arrival = call === first ? Number.NaN : seen(table.arrivalDelay, table.arrivalTime, call, at);
  let highest = delay;
  for (let past = first; past < call; past++) {
    const before = seen(table.departureDelay, table.departureTime, past, at);
    if (before > highest) highest = before;
  }
  row[0] = delay;
  row[1] = arrival;
  row[2] = departureBack(1);
  row[3] = departureBack(2);
  row[4] = departureBack(4);
  row[5] = delay - arrival;
  row[6] = highest;
  row[8] = isStanding ? 1 : 0;
  row[7] = call === first ? Number.NaN : table.scheduledDeparture[call]! - table.scheduledArrival[call]!;
}

/** The planned way from a call onwards, walked only as far as requested; reads only the plan. */
class PlanWalk {
  readonly #table: DatedTripTable;
  #datedTrip = 0;
  #from = 0;
  /** The calls before this one are counted. */
  #next = 0;
  #stands = 0;
  #longest = 0;

  constructor(table: DatedTripTable) {
    this.#table = table;
  }

  start(datedTrip: number, from: number): void {
    this.#datedTrip = datedTrip;
    this.#from = from;
    this.#next = from + 1;
    this.#stands = 0;
    this.#longest = 0;
  }

  /** Writes the columns of `planColumns`; later calls must be passed in order. */
  write(to: number, row: Float32Array, column: number): void {
    const { callStart, serviceDay, dayStart, scheduledArrival, scheduledDeparture } = this.#table;
    const from = this.#from;
    for (; this.#next < to; this.#next++) {
      const stand = scheduledDeparture[this.#next]! - scheduledArrival[this.#next]!;
      this.#stands += stand;
      if (stand > this.#longest) this.#longest = stand;
    }
    const first = callStart[this.#datedTrip]!;
    const last = callStart[this.#datedTrip + 1]! - 1;
    const day = serviceDay[this.#datedTrip]!;
    row[column] = to - from;
    row[column + 1] = scheduledArrival[to]! - scheduledDeparture[from]!;
    row[column + 2] = this.#stands;
    row[column + 3] = this.#longest;
    row[column + 4] = from - first;
    row[column + 5] = last - to;
    row[column + 6] = scheduledArrival[last]! - scheduledDeparture[first]!;
    row[column + 7] = (scheduledDeparture[from]! - dayStart[this.#datedTrip]!) / 3600;
    // Day 0 was a Thursday; Monday is 0.
    row[column + 8] = (day + 3) % 7;
  }
}

/** Groups of columns, in the order of a row; an ablation drops one group at a time. */
export const featureGroups = {
  current: currentColumns,
  plan: planColumns,
  train: historyColumns.map((name) => `train_${name}`),
  pattern: historyColumns.map((name) => `pattern_${name}`),
  legs: legColumns,
  traffic: trafficColumns,
} as const satisfies Record<string, readonly string[]>;

export type FeatureGroup = keyof typeof featureGroups;

/** Raise with every change of the meaning of a feature: models of other rules are not used. */
export const FEATURE_RULES_VERSION = 8;

export const featureColumns: readonly string[] = Object.values(featureGroups).flat();

/** First column of each group but the first. */
const PLAN = currentColumns.length;
const TRAIN = PLAN + planColumns.length;
const PATTERN = TRAIN + historyColumns.length;
const LEGS = PATTERN + historyColumns.length;
const TRAFFIC = LEGS + legColumns.length;

const sameTrain: HistoryWeights = {
  days: 30,
  timeOfDay: Number.POSITIVE_INFINITY,
  isSameDayTaken: false,
  otherPlan: 0,
  delay: 60,
  delayShare: 0.3,
};
const samePattern: HistoryWeights = {
  days: 15,
  timeOfDay: 5400,
  isSameDayTaken: true,
  otherPlan: 0.2,
  delay: 60,
  delayShare: 0.3,
};

/** Vote weight of other trains of the pattern where the train itself has a history. */
const PATTERN_VOTE = 0.05;
/** Vote weight of the sum over the legs. */
const LEG_VOTE = 0.05;

/**
 * Feature rows of the arrivals after an instant. Training and forecasting use the same code, so that a model is asked
 * about the data it has learnt from. It reads the statistics as they are, and of the current trip nothing after the
 * instant's call but the plan.
 */
export class InstantRows {
  readonly #table: DatedTripTable;
  readonly #index: PlanIndex;
  readonly #statistics: RunningStatistics;
  readonly #planWalk: PlanWalk;
  readonly #legWalk: LegWalk;
  readonly #trafficWalk: TrafficWalk;
  readonly #train: PastTrips;
  readonly #pattern: PastTrips;
  readonly #votes = new OffsetVotes();
  /** The columns that are the same for all later calls. */
  readonly #current = new Float32Array(currentColumns.length);
  #call = 0;
  #isStanding = false;

  constructor(table: DatedTripTable, index: PlanIndex, statistics: RunningStatistics) {
    this.#table = table;
    this.#index = index;
    this.#statistics = statistics;
    this.#planWalk = new PlanWalk(table);
    this.#legWalk = new LegWalk(table, index, statistics);
    this.#trafficWalk = new TrafficWalk(table, statistics.traffic);
    this.#train = new PastTrips(table, index, sameTrain);
    this.#pattern = new PastTrips(table, index, samePattern);
  }

  /**
   * Starts at the departure of a call; where the vehicle is still at the stop, at the assumed departure, which the
   * table then holds in place of the observed one.
   * @param at UTC seconds
   * @param trainDays past days of the train that may be used
   */
  start(
    datedTrip: number,
    call: number,
    at: number,
    isStanding: boolean,
    trainDays: number = Number.POSITIVE_INFINITY,
  ): void {
    const { trainTrips, patternTrips } = this.#statistics;
    this.#call = call;
    this.#isStanding = isStanding;
    writeCurrent(this.#table, datedTrip, call, at, isStanding, this.#current);
    this.#planWalk.start(datedTrip, call);
    this.#legWalk.start(call, isStanding);
    this.#trafficWalk.start(datedTrip, call, at);
    this.#train.start(trainTrips, this.#table.train[datedTrip]!, datedTrip, call, trainDays);
    this.#pattern.start(patternTrips, this.#index.pattern[datedTrip]!, datedTrip, call);
  }

  /** Whether there are past data for the calls from here; valid until the first row is written. */
  hasPast(): boolean {
    return this.#train.size + this.#pattern.size > 0 || this.#legWalk.isNextKnown();
  }

  /**
   * Writes the row of the arrival at a later call; the calls of one instant must be passed in order.
   * @param rows rows of features, of which the one from `first` on is written
   * @returns seconds that the arrival is expected to have beyond its whole minute, where delays are on that grid
   */
  write(to: number, rows: Float32Array, first = 0): number {
    this.#legWalk.walkTo(to);
    this.#trafficWalk.walkTo(to);
    for (let column = 0; column < PLAN; column++) rows[first + column] = this.#current[column]!;
    this.#planWalk.write(to, rows, first + PLAN);
    this.#train.write(to, rows, first + TRAIN);
    this.#pattern.write(to, rows, first + PATTERN);
    this.#legWalk.writeLegs(rows, first + LEGS);
    this.#trafficWalk.write(rows, first + TRAFFIC);
    return this.#voteOffset();
  }

  /** Of the arrival that was written last. */
  #voteOffset(): number {
    // There is nothing beyond a grid of seconds.
    if (this.#table.gridSeconds === 1) return 0;
    this.#votes.clear();
    // The departure of a vehicle at the stop is only assumed: its seconds are unknown.
    const offsets = this.#isStanding ? this.#table.arrivalOffset : this.#table.departureOffset;
    this.#train.voteOffset(offsets, this.#votes, 1);
    this.#pattern.voteOffset(offsets, this.#votes, PATTERN_VOTE);
    this.#legWalk.voteOffset(this.#votes, LEG_VOTE);
    return this.#votes.winner(offsets[this.#call]!);
  }
}
