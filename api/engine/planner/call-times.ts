import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { Memory } from './shared-tables.ts';
import { NO_TRANSFER } from './transfer-seconds.ts';

/** Departure of each trip, and the longest and shortest time from there to each of its calls. */
export interface CallOffsets {
  /** By trip: departure from its first call, service time. */
  readonly tripBegins: Int32Array;
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

/** Computes both tables in one pass over the times of the timetable. */
export function computeCallTimes({ patterns, patternCalls, trips, times }: TimetableTables, memory: Memory): CallTimes {
  const calls = patternCalls.stop.length;
  const tripBegins = memory.int32(trips.service.length);
  const maxDeparture = memory.int32(calls).fill(-NO_TRANSFER);
  const [minArrival, ride, dwell] = [memory.int32(calls), memory.int32(calls), memory.int32(calls)];
  for (const least of [minArrival, ride, dwell]) least.fill(NO_TRANSFER);
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const callCount = patterns.callCount[pattern]!;
    const first = patterns.firstCall[pattern]!;
    let row = patterns.firstTime[pattern]!;
    for (let i = 0; i < patterns.tripCount[pattern]!; i++) {
      const begin = times.departure[row]!;
      tripBegins[patterns.firstTrip[pattern]! + i] = begin;
      for (let call = first; call < first + callCount; call++, row++) {
        const [arrives, leaves] = [times.arrival[row]!, times.departure[row]!];
        if (leaves - begin > maxDeparture[call]!) maxDeparture[call] = leaves - begin;
        if (arrives - begin < minArrival[call]!) minArrival[call] = arrives - begin;
        if (leaves - arrives < dwell[call]!) dwell[call] = leaves - arrives;
        if (call === first + callCount - 1) continue;
        const rides = times.arrival[row + 1]! - leaves;
        if (rides < ride[call]!) ride[call] = rides;
      }
    }
  }
  return { offsets: { tripBegins, maxDeparture, minArrival }, least: { ride, dwell } };
}
