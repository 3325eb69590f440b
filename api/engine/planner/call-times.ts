import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { RunningTimes } from './running-times.ts';
import type { Memory } from './shared-tables.ts';
import { NO_TRANSFER } from './transfer-seconds.ts';

/** The longest and shortest time from the first departure of a trip to each of its calls. */
export interface CallOffsets {
  /**
   * By call of the timetable's patterns: the most seconds that any trip takes from its first departure to this
   * departure.
   */
  readonly maxDeparture: Int32Array;
  /** The fewest seconds that any trip takes to the arrival; negative at a first call with a dwell. */
  readonly minArrival: Int32Array;
}

/** By call of the timetable's patterns, the minimum over all trips: seconds to the next call, and seconds of dwell. */
export interface MinTimes {
  readonly ride: Int32Array;
  readonly dwell: Int32Array;
}

interface CallTimes {
  readonly offsets: CallOffsets;
  readonly least: MinTimes;
}

/** Computes both tables in one pass over the running times of all trips. */
export function computeCallTimes(
  { patterns, patternCalls }: TimetableTables,
  { tripRows, arrival, departure }: RunningTimes,
  memory: Memory,
): CallTimes {
  const calls = patternCalls.stop.length;
  const maxDeparture = memory.int32(calls).fill(-NO_TRANSFER);
  const [minArrival, ride, dwell] = [memory.int32(calls), memory.int32(calls), memory.int32(calls)];
  for (const least of [minArrival, ride, dwell]) least.fill(NO_TRANSFER);
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const callCount = patterns.callCount[pattern]!;
    const first = patterns.firstCall[pattern]!;
    const firstTrip = patterns.firstTrip[pattern]!;
    for (const firstRow of new Set(tripRows.subarray(firstTrip, firstTrip + patterns.tripCount[pattern]!))) {
      for (let call = first, row = firstRow; call < first + callCount; call++, row++) {
        const [arrives, leaves] = [arrival[row]!, departure[row]!];
        if (leaves > maxDeparture[call]!) maxDeparture[call] = leaves;
        if (arrives < minArrival[call]!) minArrival[call] = arrives;
        if (leaves - arrives < dwell[call]!) dwell[call] = leaves - arrives;
        if (call === first + callCount - 1) continue;
        const rides = arrival[row + 1]! - leaves;
        if (rides < ride[call]!) ride[call] = rides;
      }
    }
  }
  return { offsets: { maxDeparture, minArrival }, least: { ride, dwell } };
}
