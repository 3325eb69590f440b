import type { PlanIndex } from './plan-index.ts';
import type { RunTable } from './run-table.ts';
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
 * The newest runs of many series (a train, a pattern); the oldest is dropped first. Series are numbers from 0; a number
 * beyond the expected ones enlarges the storage.
 */
export class RunHistory {
  readonly #capacity: number;
  #runs: Int32Array;
  #count: Int32Array;

  constructor(seriesCount: number, capacity: number) {
    this.#capacity = capacity;
    this.#runs = new Int32Array(seriesCount * capacity);
    this.#count = new Int32Array(seriesCount);
  }

  add(series: number, run: number): void {
    if (series >= this.#count.length) this.#grow(series + 1);
    this.#runs[series * this.#capacity + (this.#count[series]! % this.#capacity)] = run;
    this.#count[series]!++;
  }

  /** How many are held. */
  size(series: number): number {
    return Math.min(this.#count[series] ?? 0, this.#capacity);
  }

  /** @param age 0 is the newest */
  get(series: number, age: number): number {
    return this.#runs[series * this.#capacity + ((this.#count[series]! - 1 - age) % this.#capacity)]!;
  }

  #grow(least: number): void {
    const seriesCount = Math.max(least, 2 * this.#count.length);
    const [runs, count] = [this.#runs, this.#count];
    this.#runs = new Int32Array(seriesCount * this.#capacity);
    this.#count = new Int32Array(seriesCount);
    this.#runs.set(runs);
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
  /** Finished runs of each train and of each pattern, up to now. */
  readonly trainRuns: RunHistory;
  readonly patternRuns: RunHistory;
  /** Running time minus planned running time: by planned leg, and by leg whatever was planned. */
  readonly plannedLegs: RecentValues;
  readonly legs: RecentValues;
  /** Dwell seconds, by stand. */
  readonly stands: RecentValues;
  /** Seconds gained beyond whole minutes, the last time; by planned leg and planned stand. */
  readonly legOffsets: RecentValues;
  readonly standOffsets: RecentValues;
}

export function emptyStatistics(table: RunTable, index: PlanIndex): RunningStatistics {
  return {
    trainRuns: new RunHistory(table.trainCount, TRAIN_DAYS),
    patternRuns: new RunHistory(index.patternCount, PATTERN_RUNS),
    plannedLegs: new RecentValues(index.plannedLegCount, LEG_VALUES),
    legs: new RecentValues(index.legCount, LEG_VALUES),
    stands: new RecentValues(index.standCount, LEG_VALUES),
    legOffsets: new RecentValues(index.plannedLegCount, OFFSET_VALUES),
    standOffsets: new RecentValues(index.plannedStandCount, OFFSET_VALUES),
  };
}

/** Adds the events of a sweep to the statistics; an event reads its own run up to itself, and nothing else. */
export function takeEvents(
  table: RunTable,
  index: PlanIndex,
  statistics: RunningStatistics,
): Pick<SweepHandlers, 'onArrival' | 'onDeparture' | 'onRunEnd'> {
  const { arrivalDelay, departureDelay, scheduledArrival, scheduledDeparture } = table;
  return {
    onArrival: (call, run) => {
      const arrival = arrivalDelay[call]!;
      if (call === table.callStart[run]) return;
      const longer = arrival - departureDelay[call - 1]!;
      if (Number.isNaN(longer)) return;
      statistics.plannedLegs.add(index.plannedLeg[call]!, longer);
      statistics.legOffsets.add(
        index.plannedLeg[call]!,
        between(table.departureOffset[call - 1]!, table.arrivalOffset[call]!),
      );
      statistics.legs.add(index.leg[call]!, longer);
    },
    onDeparture: (call, run) => {
      if (call === table.callStart[run] || call === table.callStart[run + 1]! - 1) return;
      const stood = scheduledDeparture[call]! + departureDelay[call]! - (scheduledArrival[call]! + arrivalDelay[call]!);
      if (Number.isNaN(stood)) return;
      statistics.stands.add(index.stand[call]!, stood);
      const gained = between(table.arrivalOffset[call]!, table.departureOffset[call]!);
      statistics.standOffsets.add(index.plannedStand[call]!, gained);
    },
    onRunEnd: (run) => {
      statistics.trainRuns.add(table.train[run]!, run);
      statistics.patternRuns.add(index.pattern[run]!, run);
    },
  };
}

/** Seconds from one second of a minute to the next occurrence of another. */
function between(from: number, to: number): number {
  return (to - from + 60) % 60;
}
