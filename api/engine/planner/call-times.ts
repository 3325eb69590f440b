import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { NO_CHANGE } from './change-seconds.ts';
import type { Memory } from './shared-tables.ts';

/** Begin of trips, and maximum and minimum seconds from there to each call. */
export interface CallOffsets {
  /** By trip: departure from its first call, service time. */
  readonly tripBegins: Int32Array;
  /** By call of the timetable's patterns, over all trips: seconds from their begin to the latest departure. */
  readonly maxDeparture: Int32Array;
  /** The same to the earliest arrival; negative at a first call with a dwell. */
  readonly minArrival: Int32Array;
}

/** Minimum seconds over all trips, by call of the timetable's patterns: to the next call, and dwelling there. */
export interface MinTimes {
  readonly ride: Int32Array;
  readonly stand: Int32Array;
}

interface CallTimes {
  readonly offsets: CallOffsets;
  readonly least: MinTimes;
}

/** Reads all times of the timetable once. */
export function computeCallTimes({ patterns, patternCalls, trips, times }: TimetableTables, memory: Memory): CallTimes {
  const calls = patternCalls.stop.length;
  const tripBegins = memory.int32(trips.service.length);
  const maxDeparture = memory.int32(calls).fill(-NO_CHANGE);
  const [minArrival, ride, stand] = [memory.int32(calls), memory.int32(calls), memory.int32(calls)];
  for (const least of [minArrival, ride, stand]) least.fill(NO_CHANGE);
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
        if (leaves - arrives < stand[call]!) stand[call] = leaves - arrives;
        if (call === first + callCount - 1) continue;
        const rides = times.arrival[row + 1]! - leaves;
        if (rides < ride[call]!) ride[call] = rides;
      }
    }
  }
  return { offsets: { tripBegins, maxDeparture, minArrival }, least: { ride, stand } };
}
