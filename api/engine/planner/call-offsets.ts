import type { TimetableTables } from '../../../pipeline/snapshots/contract.ts';

/** When trips begin, and how long they take from there to each call at most and at least. */
export interface CallOffsets {
  /** By trip: departure from its first call, service time. */
  readonly tripBegins: Int32Array;
  /** By call of the timetable's patterns, over all trips: seconds from their begin to the latest departure. */
  readonly mostDeparture: Int32Array;
  /** The same to the earliest arrival; negative at a first call that stands. */
  readonly leastArrival: Int32Array;
}

export function measureCallOffsets({ patterns, patternCalls, trips, times }: TimetableTables): CallOffsets {
  const calls = patternCalls.stop.length;
  const tripBegins = new Int32Array(trips.service.length);
  const mostDeparture = new Int32Array(calls).fill(-0x3fffffff);
  const leastArrival = new Int32Array(calls).fill(0x3fffffff);
  for (let pattern = 0; pattern < patterns.route.length; pattern++) {
    const callCount = patterns.callCount[pattern]!;
    const first = patterns.firstCall[pattern]!;
    let row = patterns.firstTime[pattern]!;
    for (let i = 0; i < patterns.tripCount[pattern]!; i++) {
      const begin = times.departure[row]!;
      tripBegins[patterns.firstTrip[pattern]! + i] = begin;
      for (let k = 0; k < callCount; k++, row++) {
        const [arrives, leaves] = [times.arrival[row]! - begin, times.departure[row]! - begin];
        if (leaves > mostDeparture[first + k]!) mostDeparture[first + k] = leaves;
        if (arrives < leastArrival[first + k]!) leastArrival[first + k] = arrives;
      }
    }
  }
  return { tripBegins, mostDeparture, leastArrival };
}
