import type { DatedTripTable } from './dated-trip-table.ts';
import { type HistoryWeights, historyColumns, PastTrips } from './history-features.ts';
import { LegWalk, legColumns } from './leg-features.ts';
import { OffsetVotes, type PlanIndex } from './plan-index.ts';
import type { RunningStatistics } from './running-statistics.ts';

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

/** Writes the columns of `planColumns`; reads only the plan. */
function writePlan(table: DatedTripTable, datedTrip: number, from: number, to: number, row: Float32Array): void {
  const first = table.callStart[datedTrip]!;
  const last = table.callStart[datedTrip + 1]! - 1;
  let stands = 0;
  let longest = 0;
  for (let call = from + 1; call < to; call++) {
    const stand = table.scheduledDeparture[call]! - table.scheduledArrival[call]!;
    stands += stand;
    if (stand > longest) longest = stand;
  }
  row[0] = to - from;
  row[1] = table.scheduledArrival[to]! - table.scheduledDeparture[from]!;
  row[2] = stands;
  row[3] = longest;
  row[4] = from - first;
  row[5] = last - to;
  row[6] = table.scheduledArrival[last]! - table.scheduledDeparture[first]!;
  row[7] = (table.scheduledDeparture[from]! - table.serviceDay[datedTrip]! * 86_400) / 3600;
  // Day 0 was a Thursday; Monday is 0.
  row[8] = (table.serviceDay[datedTrip]! + 3) % 7;
}

/** Groups of columns, in the order of a row; an ablation drops one group at a time. */
export const featureGroups = {
  current: currentColumns,
  plan: planColumns,
  train: historyColumns.map((name) => `train_${name}`),
  pattern: historyColumns.map((name) => `pattern_${name}`),
  legs: legColumns,
} as const satisfies Record<string, readonly string[]>;

export type FeatureGroup = keyof typeof featureGroups;

export const featureColumns: readonly string[] = Object.values(featureGroups).flat();

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
  readonly #legWalk: LegWalk;
  readonly #train: PastTrips;
  readonly #pattern: PastTrips;
  readonly #votes = new OffsetVotes();
  #datedTrip = 0;
  #call = 0;
  #at = 0;
  #isStanding = false;

  constructor(table: DatedTripTable, index: PlanIndex, statistics: RunningStatistics) {
    this.#table = table;
    this.#index = index;
    this.#statistics = statistics;
    this.#legWalk = new LegWalk(table, index, statistics);
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
    this.#datedTrip = datedTrip;
    this.#call = call;
    this.#at = at;
    this.#isStanding = isStanding;
    this.#legWalk.start(call, isStanding);
    this.#train.start(trainTrips, this.#table.train[datedTrip]!, datedTrip, call, trainDays);
    this.#pattern.start(patternTrips, this.#index.pattern[datedTrip]!, datedTrip, call);
  }

  /** Whether there are past data for the calls from here; valid until the first row is written. */
  hasPast(): boolean {
    return this.#train.size + this.#pattern.size > 0 || this.#legWalk.isNextKnown();
  }

  /**
   * Writes the row of the arrival at a later call; the calls of one instant must be passed in order.
   * @returns seconds that the arrival is expected to have beyond its whole minute, where delays are on that grid
   */
  write(to: number, row: Float32Array): number {
    let offset = 0;
    const next = (columns: readonly string[]) => {
      offset += columns.length;
      return row.subarray(offset - columns.length, offset);
    };
    this.#legWalk.walkTo(to);
    writeCurrent(this.#table, this.#datedTrip, this.#call, this.#at, this.#isStanding, next(featureGroups.current));
    writePlan(this.#table, this.#datedTrip, this.#call, to, next(featureGroups.plan));
    this.#train.write(to, next(featureGroups.train));
    this.#pattern.write(to, next(featureGroups.pattern));
    this.#legWalk.writeLegs(next(featureGroups.legs));
    return this.#voteOffset(to);
  }

  #voteOffset(to: number): number {
    this.#votes.clear();
    // The departure of a vehicle at the stop is only assumed: its seconds are unknown.
    const offsets = this.#isStanding ? this.#table.arrivalOffset : this.#table.departureOffset;
    this.#train.voteOffset(to, offsets, this.#votes, 1);
    this.#pattern.voteOffset(to, offsets, this.#votes, PATTERN_VOTE);
    this.#legWalk.voteOffset(this.#votes, LEG_VOTE);
    return this.#votes.winner(offsets[this.#call]!);
  }
}
