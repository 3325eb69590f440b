import type { DatedTripTable } from './dated-trip-table.ts';
import type { PlanIndex } from './plan-index.ts';
import type { SweepHandlers } from './sweep.ts';

/**
 * The last values of many series, also kept sorted, so that a quantile is a look-up. Series are numbers from 0; a
 * number beyond the expected ones enlarges the storage.
 */
export class RecentValues {
  readonly #capacity: number;
  /** In order of arrival, as a ring; and sorted. */
  #ring: Float32Array;
  #sorted: Float32Array;
  #count: Int32Array;
  #next: Int32Array;

  constructor(seriesCount: number, capacity: number) {
    this.#capacity = capacity;
    this.#ring = new Float32Array(seriesCount * capacity);
    this.#sorted = new Float32Array(seriesCount * capacity);
    this.#count = new Int32Array(seriesCount);
    this.#next = new Int32Array(seriesCount);
  }

  add(series: number, given: number): void {
    if (series >= this.#count.length) this.#grow(series + 1);
    // Compared as they are stored.
    const value = Math.fround(given);
    const base = series * this.#capacity;
    const sorted = this.#sorted;
    let count = this.#count[series]!;
    const slot = base + this.#next[series]!;
    if (count === this.#capacity) {
      const oldest = this.#ring[slot]!;
      let place = base;
      while (sorted[place] !== oldest) place++;
      sorted.copyWithin(place, place + 1, base + count);
      count--;
    }
    let place = base + count;
    for (; place > base && sorted[place - 1]! > value; place--) sorted[place] = sorted[place - 1]!;
    sorted[place] = value;
    this.#ring[slot] = value;
    this.#count[series] = count + 1;
    this.#next[series] = (this.#next[series]! + 1) % this.#capacity;
  }

  count(series: number): number {
    return this.#count[series] ?? 0;
  }

  /** @returns NaN for an empty series */
  quantile(series: number, share: number): number {
    const count = this.count(series);
    if (count === 0) return Number.NaN;
    return this.#sorted[series * this.#capacity + Math.floor(share * (count - 1) + 0.5)]!;
  }

  /** @returns the most frequent value, the lowest of equals; NaN for an empty series */
  mostOften(series: number): number {
    const base = series * this.#capacity;
    let best = Number.NaN;
    let most = 0;
    for (let place = 0, times = 0; place < this.count(series); place++) {
      const value = this.#sorted[base + place]!;
      times = place > 0 && this.#sorted[base + place - 1] === value ? times + 1 : 1;
      if (times > most) {
        most = times;
        best = value;
      }
    }
    return best;
  }

  #grow(least: number): void {
    const seriesCount = Math.max(least, 2 * this.#count.length);
    this.#ring = withRoom(this.#ring, new Float32Array(seriesCount * this.#capacity));
    this.#sorted = withRoom(this.#sorted, new Float32Array(seriesCount * this.#capacity));
    this.#count = withRoom(this.#count, new Int32Array(seriesCount));
    this.#next = withRoom(this.#next, new Int32Array(seriesCount));
  }
}

function withRoom<Column extends Float32Array | Int32Array>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}

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
}

export function emptyStatistics(table: DatedTripTable, index: PlanIndex): RunningStatistics {
  return {
    trainTrips: new RecentTrips(table.trainCount, TRAIN_DAYS),
    patternTrips: new RecentTrips(index.patternCount, PATTERN_RUNS),
    plannedLegs: new RecentValues(index.plannedLegCount, LEG_VALUES),
    legs: new RecentValues(index.legCount, LEG_VALUES),
    stands: new RecentValues(index.standCount, LEG_VALUES),
    legOffsets: new RecentValues(index.plannedLegCount, OFFSET_VALUES),
    standOffsets: new RecentValues(index.plannedStandCount, OFFSET_VALUES),
  };
}

/** Adds the events of a sweep to the statistics; an event reads its own trip up to itself, and nothing else. */
export function takeEvents(
  table: DatedTripTable,
  index: PlanIndex,
  statistics: RunningStatistics,
): Pick<SweepHandlers, 'onArrival' | 'onDeparture' | 'onTripEnd'> {
  const { arrivalDelay, departureDelay, scheduledArrival, scheduledDeparture } = table;
  return {
    onArrival: (call, datedTrip) => {
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
