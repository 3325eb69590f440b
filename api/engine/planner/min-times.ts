import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { RunningTimes } from './running-times.ts';
import type { Memory } from './shared-tables.ts';
import { NO_TRANSFER } from './transfer-seconds.ts';

/** By call of the timetable's patterns, the minimum over all trips: seconds to the next call, and seconds of dwell. */
export interface MinTimes {
  readonly ride: Int32Array;
  readonly dwell: Int32Array;
}

export function findMinTimes(
  { patterns, patternCalls }: TimetableTables,
  { tripRows, arrival, departure }: RunningTimes,
  memory: Memory,
): MinTimes {
  const calls = patternCalls.stop.length;
  const [ride, dwell] = [memory.int32(calls).fill(NO_TRANSFER), memory.int32(calls).fill(NO_TRANSFER)];
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const callCount = patterns.callCount[pattern]!;
    const first = patterns.firstCall[pattern]!;
    const firstTrip = patterns.firstTrip[pattern]!;
    for (const firstRow of new Set(tripRows.subarray(firstTrip, firstTrip + patterns.tripCount[pattern]!))) {
      for (let call = first, row = firstRow; call < first + callCount; call++, row++) {
        const [arrives, leaves] = [arrival[row]!, departure[row]!];
        if (leaves - arrives < dwell[call]!) dwell[call] = leaves - arrives;
        if (call === first + callCount - 1) continue;
        const rides = arrival[row + 1]! - leaves;
        if (rides < ride[call]!) ride[call] = rides;
      }
    }
  }
  return { ride, dwell };
}
