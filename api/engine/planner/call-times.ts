import type { TimetableTables } from '../../../pipeline/timetable/snapshot/contract.ts';
import { NO_CHANGE } from './change-seconds.ts';
import type { Memory } from './shared-tables.ts';

/** When trips begin, and how long they take from there to each call at most and at least. */
export interface CallOffsets {
  /** By trip: departure from its first call, service time. */
  readonly tripBegins: Int32Array;
  /** By call of the timetable's patterns, over all trips: seconds from their begin to the latest departure. */
  readonly mostDeparture: Int32Array;
  /** The same to the earliest arrival; negative at a first call that stands. */
  readonly leastArrival: Int32Array;
}

/** The least seconds that any trip takes, by call of the timetable's patterns: on to the next call, and standing there. */
export interface LeastTimes {
  readonly ride: Int32Array;
  readonly stand: Int32Array;
}

interface CallTimes {
  readonly offsets: CallOffsets;
  readonly least: LeastTimes;
}

/** Goes through all times of the timetable once. */
export function measureCallTimes({ patterns, patternCalls, trips, times }: TimetableTables, memory: Memory): CallTimes {
  const calls = patternCalls.stop.length;
  const tripBegins = memory.int32(trips.service.length);
  const mostDeparture = memory.int32(calls).fill(-NO_CHANGE);
  const [leastArrival, ride, stand] = [memory.int32(calls), memory.int32(calls), memory.int32(calls)];
  for (const least of [leastArrival, ride, stand]) least.fill(NO_CHANGE);
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const callCount = patterns.callCount[pattern]!;
    const first = patterns.firstCall[pattern]!;
    let row = patterns.firstTime[pattern]!;
    for (let i = 0; i < patterns.tripCount[pattern]!; i++) {
      const begin = times.departure[row]!;
      tripBegins[patterns.firstTrip[pattern]! + i] = begin;
      for (let call = first; call < first + callCount; call++, row++) {
        const [arrives, leaves] = [times.arrival[row]!, times.departure[row]!];
        if (leaves - begin > mostDeparture[call]!) mostDeparture[call] = leaves - begin;
        if (arrives - begin < leastArrival[call]!) leastArrival[call] = arrives - begin;
        if (leaves - arrives < stand[call]!) stand[call] = leaves - arrives;
        if (call === first + callCount - 1) continue;
        const rides = times.arrival[row + 1]! - leaves;
        if (rides < ride[call]!) ride[call] = rides;
      }
    }
  }
  return { offsets: { tripBegins, mostDeparture, leastArrival }, least: { ride, stand } };
}
