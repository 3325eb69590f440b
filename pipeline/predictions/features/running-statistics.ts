import type { DatedTripTable } from './dated-trip-table.ts';
import type { PlanIndex } from './plan-index.ts';
import { RecentValues } from './recent-values.ts';
import type { SweepHandlers } from './sweep.ts';
import { Traffic } from './traffic.ts';

/**
 * The newest trips of many series (a train, a pattern); the oldest is dropped first. Series are numbers from 0; a
 * number beyond the expected ones enlarges the storage.
 */
export class RecentTrips {
  readonly #capacity: number;
  #datedTrips: Int32Array;
  #count: Int32Array;

  constructor(seriesCount: number, capacity: number) {
    this.#capacity = capacity;
    this.#datedTrips = new Int32Array(seriesCount * capacity);
    this.#count = new Int32Array(seriesCount);
  }

  add(series: number, datedTrip: number): void {
    if (series >= this.#count.length) this.#grow(series + 1);
    this.#datedTrips[series * this.#capacity + (this.#count[series]! % this.#capacity)] = datedTrip;
    this.#count[series]!++;
  }

  /** How many are held. */
  size(series: number): number {
    return Math.min(this.#count[series] ?? 0, this.#capacity);
  }

  /** @param age 0 is the newest */
  get(series: number, age: number): number {
    return this.#datedTrips[series * this.#capacity + ((this.#count[series]! - 1 - age) % this.#capacity)]!;
  }

  #grow(least: number): void {
    const seriesCount = Math.max(least, 2 * this.#count.length);
    const [datedTrips, count] = [this.#datedTrips, this.#count];
    this.#datedTrips = new Int32Array(seriesCount * this.#capacity);
    this.#count = new Int32Array(seriesCount);
    this.#datedTrips.set(datedTrips);
    this.#count.set(count);
  }
}

/** Days of a train that are kept; older ones seldom add anything, and cost time. */
const TRAIN_DAYS = 24;
const PATTERN_RUNS = 40;
const LEG_VALUES = 24;
const OFFSET_VALUES = 3;

/** Statistics of the events before an instant. Delays and times in seconds. */
export interface RunningStatistics {
  /** Finished trips of each train and of each pattern, up to now. */
  readonly trainTrips: RecentTrips;
  readonly patternTrips: RecentTrips;
  /** Running time minus planned running time: by planned leg, and by leg whatever was planned. */
  readonly plannedLegs: RecentValues;
  readonly legs: RecentValues;
  /** Dwell seconds, by stand. */
  readonly stands: RecentValues;
  /** Seconds gained beyond whole minutes, the last time; by planned leg and planned stand. */
  readonly legOffsets: RecentValues;
  readonly standOffsets: RecentValues;
  readonly traffic: Traffic;
}

export function emptyStatistics(table: DatedTripTable, index: PlanIndex): RunningStatistics {
  const plannedLegs = new RecentValues(index.plannedLegCount, LEG_VALUES);
  const legs = new RecentValues(index.legCount, LEG_VALUES);
  return {
    trainTrips: new RecentTrips(table.trainCount, TRAIN_DAYS),
    patternTrips: new RecentTrips(index.patternCount, PATTERN_RUNS),
    plannedLegs,
    legs,
    stands: new RecentValues(index.standCount, LEG_VALUES),
    legOffsets: new RecentValues(index.plannedLegCount, OFFSET_VALUES),
    standOffsets: new RecentValues(index.plannedStandCount, OFFSET_VALUES),
    traffic: new Traffic(table, index, plannedLegs, legs),
  };
}

/**
 * Adds the events of a sweep to the statistics; an event reads its own trip up to itself, and nothing else.
 * @param traffic null for events too old to count as traffic
 */
export function takeEvents(
  table: DatedTripTable,
  index: PlanIndex,
  statistics: RunningStatistics,
  traffic: Traffic | null = statistics.traffic,
): Pick<SweepHandlers, 'onArrival' | 'onDeparture' | 'onTripEnd'> {
  const { arrivalDelay, departureDelay, scheduledArrival, scheduledDeparture } = table;
  return {
    onArrival: (call, datedTrip, at) => {
      traffic?.onArrival(call, datedTrip, at);
      const arrival = arrivalDelay[call]!;
      if (call === table.callStart[datedTrip]) return;
      const longer = arrival - departureDelay[call - 1]!;
      if (Number.isNaN(longer)) return;
      statistics.plannedLegs.add(index.plannedLeg[call]!, longer);
      statistics.legOffsets.add(
        index.plannedLeg[call]!,
        between(table.departureOffset[call - 1]!, table.arrivalOffset[call]!),
      );
      statistics.legs.add(index.leg[call]!, longer);
    },
    onDeparture: (call, datedTrip) => {
      traffic?.onDeparture(call, datedTrip);
      if (call === table.callStart[datedTrip] || call === table.callStart[datedTrip + 1]! - 1) return;
      const stood = scheduledDeparture[call]! + departureDelay[call]! - (scheduledArrival[call]! + arrivalDelay[call]!);
      if (Number.isNaN(stood)) return;
      statistics.stands.add(index.stand[call]!, stood);
      const gained = between(table.arrivalOffset[call]!, table.departureOffset[call]!);
      statistics.standOffsets.add(index.plannedStand[call]!, gained);
    },
    onTripEnd: (datedTrip) => {
      statistics.trainTrips.add(table.train[datedTrip]!, datedTrip);
      statistics.patternTrips.add(index.pattern[datedTrip]!, datedTrip);
    },
  };
}

/** Seconds from one second of a minute to the next occurrence of another. */
function between(from: number, to: number): number {
  return (to - from + 60) % 60;
}
