import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { IntList } from './int-list.ts';
import type { Memory } from './shared-tables.ts';

/**
 * The times of all trips, in seconds from their first departure. Trips of a pattern that take equally long from call to
 * call share their rows. These are few: a twentieth of the times of a large city, which fit into a processor's cache.
 */
export interface RunningTimes {
  /** By trip: departure from its first call, service time. */
  readonly tripBegins: Int32Array;
  /** By trip: row of its first call, which those of its further calls follow. */
  readonly tripRows: Int32Array;
  /** By row. */
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
}

export function findRunningTimes({ patterns, trips, times }: TimetableTables, memory: Memory): RunningTimes {
  const tripBegins = memory.int32(trips.service.length);
  const tripRows = memory.int32(trips.service.length);
  const rows = new RunningRows(times);
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const callCount = patterns.callCount[pattern]!;
    const first = patterns.firstTrip[pattern]!;
    rows.openPattern(callCount);
    for (let i = 0; i < patterns.tripCount[pattern]!; i++) {
      const row = patterns.firstTime[pattern]! + i * callCount;
      tripBegins[first + i] = times.departure[row]!;
      tripRows[first + i] = rows.find(row);
    }
  }
  return { tripBegins, tripRows, ...rows.copyTo(memory) };
}

/** The rows found so far, and those of the present pattern by their hash. */
class RunningRows {
  private readonly times: TimetableTables['times'];
  private readonly arrival = new IntList();
  private readonly departure = new IntList();
  private callCount = 0;
  private readonly known = new Map<number, number[]>();

  constructor(times: TimetableTables['times']) {
    this.times = times;
  }

  openPattern(callCount: number): void {
    this.callCount = callCount;
    this.known.clear();
  }

  /** Returns the row for the trip whose times begin at a row of the timetable; adds it if there is none. */
  find(timesRow: number): number {
    const hash = this.hash(timesRow);
    const equal = this.known.get(hash)?.find((row) => this.isEqual(row, timesRow));
    if (equal !== undefined) return equal;
    const row = this.add(timesRow);
    this.known.set(hash, [...(this.known.get(hash) ?? []), row]);
    return row;
  }

  copyTo(memory: Memory): Pick<RunningTimes, 'arrival' | 'departure'> {
    const copy = ({ items, length }: IntList) => {
      const copied = memory.int32(length);
      copied.set(items.subarray(0, length));
      return copied;
    };
    return { arrival: copy(this.arrival), departure: copy(this.departure) };
  }

  private hash(timesRow: number): number {
    const { arrival, departure } = this.times;
    const begin = departure[timesRow]!;
    let hash = 0;
    for (let row = timesRow; row < timesRow + this.callCount; row++) {
      hash = Math.imul(hash ^ (arrival[row]! - begin), HASH_FACTOR);
      hash = Math.imul(hash ^ (departure[row]! - begin), HASH_FACTOR);
    }
    return hash;
  }

  private isEqual(row: number, timesRow: number): boolean {
    const { arrival, departure } = this.times;
    const begin = departure[timesRow]!;
    for (let k = 0; k < this.callCount; k++) {
      if (this.arrival.items[row + k] !== arrival[timesRow + k]! - begin) return false;
      if (this.departure.items[row + k] !== departure[timesRow + k]! - begin) return false;
    }
    return true;
  }

  private add(timesRow: number): number {
    const { arrival, departure } = this.times;
    const begin = departure[timesRow]!;
    const row = this.arrival.length;
    for (let at = timesRow; at < timesRow + this.callCount; at++) {
      this.arrival.push(arrival[at]! - begin);
      this.departure.push(departure[at]! - begin);
    }
    return row;
  }
}

/** The prime of FNV-1a. */
const HASH_FACTOR = 0x01000193;
