import type { DatedTripTable } from './dated-trip-table.ts';
import type { OffsetVotes, PlanIndex } from './plan-index.ts';
import type { RunningStatistics } from './running-statistics.ts';
import { ENOUGH_VALUES } from './typical-excess.ts';

/** Usual durations of legs and dwells between a departure and a later arrival, and the delay that results from them. */
export const legColumns = [
  'change_typical_legs',
  'change_fast_legs',
  'typical_lag_of_legs',
  'spare_seconds_of_legs',
  'least_known_leg',
] as const;

/**
 * Walks leg by leg from a departure onwards, only as far as requested, so that the targets of one instant share the
 * work. A departure is never before its plan.
 */
export class LegWalk {
  readonly #table: DatedTripTable;
  readonly #index: PlanIndex;
  readonly #statistics: RunningStatistics;
  #start = 0;
  #call = 0;
  #typicalDelay = 0;
  #fastDelay = 0;
  #startDelay = 0;
  #lag = 0;
  #spare = 0;
  #leastKnown = 0;
  #offset = 0;

  constructor(table: DatedTripTable, index: PlanIndex, statistics: RunningStatistics) {
    this.#table = table;
    this.#index = index;
    this.#statistics = statistics;
  }

  /** Starts at the departure of a call: an observed one, or the assumed one of a vehicle still at the stop. */
  start(call: number, isStanding: boolean): void {
    this.#start = call;
    this.#call = call;
    this.#startDelay = this.#table.departureDelay[call]!;
    this.#typicalDelay = this.#startDelay;
    this.#fastDelay = this.#startDelay;
    this.#lag = 0;
    this.#spare = 0;
    this.#leastKnown = Number.POSITIVE_INFINITY;
    const { arrivalOffset, departureOffset } = this.#table;
    const stand = this.#index.plannedStand[call]!;
    this.#offset = isStanding
      ? arrivalOffset[call]! + this.#statistics.standOffsets.mostOften(stand)
      : departureOffset[call]!;
  }

  /** Continues to the arrival at a later call. */
  walkTo(call: number): void {
    while (this.#call < call) {
      // The dwell at an earlier target counts too, so that the row of an arrival does not depend on other targets.
      if (this.#call > this.#start) this.#stand(this.#call);
      this.#ride(this.#call + 1);
    }
  }

  /** Whether there are enough values for the next leg. */
  isNextKnown(): boolean {
    const { plannedLegs, legs } = this.#statistics;
    const next = this.#call + 1;
    return (
      Math.max(plannedLegs.count(this.#index.plannedLeg[next]!), legs.count(this.#index.leg[next]!)) >= ENOUGH_VALUES
    );
  }

  /** Votes for the seconds of the arrival beyond its whole minute, if all legs and dwells up to it are known. */
  voteOffset(votes: OffsetVotes, weight: number): void {
    if (!Number.isNaN(this.#offset)) votes.add(this.#offset % 60, weight);
  }

  /** @param column where the first of `legColumns` goes */
  writeLegs(row: Float32Array, column = 0): void {
    row[column] = this.#typicalDelay - this.#startDelay;
    row[column + 1] = this.#fastDelay - this.#startDelay;
    row[column + 2] = this.#lag;
    row[column + 3] = this.#spare;
    row[column + 4] = this.#leastKnown;
  }

  #ride(call: number): void {
    const { plannedLegs, legs } = this.#statistics;
    const planned = this.#index.plannedLeg[call]!;
    const leg = this.#index.leg[call]!;
    const isKnown = plannedLegs.count(planned) >= ENOUGH_VALUES;
    const series = isKnown ? planned : leg;
    const values = isKnown ? plannedLegs : legs;
    const typical = orZero(values.quantile(series, 0.5));
    const fast = orZero(values.quantile(series, 0.1));
    this.#offset += this.#statistics.legOffsets.mostOften(planned);
    this.#typicalDelay += typical;
    this.#fastDelay += fast;
    this.#lag += typical;
    this.#spare -= fast;
    this.#leastKnown = Math.min(this.#leastKnown, values.count(series));
    this.#call = call;
  }

  #stand(call: number): void {
    const { scheduledArrival, scheduledDeparture } = this.#table;
    const planned = scheduledDeparture[call]! - scheduledArrival[call]!;
    const stand = this.#index.stand[call]!;
    const { stands } = this.#statistics;
    const isKnown = stands.count(stand) >= ENOUGH_VALUES;
    const typical = isKnown ? Math.min(stands.quantile(stand, 0.25), planned) : planned;
    const fast = isKnown ? Math.min(stands.quantile(stand, 0.05), planned) : Math.min(planned, 30);
    this.#offset += this.#statistics.standOffsets.mostOften(this.#index.plannedStand[call]!);
    this.#spare += planned - fast;
    this.#typicalDelay = leaveAfter(this.#typicalDelay, typical - planned);
    this.#fastDelay = leaveAfter(this.#fastDelay, fast - planned);
  }
}

/** Delay of a departure when the dwell is `change` longer than planned: never before the plan. */
function leaveAfter(arrivalDelay: number, change: number): number {
  return Math.max(0, arrivalDelay + change);
}

function orZero(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}
