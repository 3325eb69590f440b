import type { TimetableTables } from '../contract.ts';
import { checkChanges } from './check-changes.ts';
import { checkContinuations } from './check-continuations.ts';
import { checkFares } from './check-fares.ts';
import { isWithin, promise } from './promise.ts';

/**
 * Asserts what everything above relies on, over the snapshot as it was read back from disk.
 * @throws Error naming the first promise that is broken: then we were wrong, and nothing is published
 */
export function checkTimetable(tables: TimetableTables): void {
  const { patterns, patternCalls, trips, times, stops } = tables;
  const stopCount = stops.source.length;
  promise(patterns.route.length > 0, 'there are patterns');
  promise(trips.service.length > 0, 'there are trips');
  promise(isWithin(patternCalls.stop, stopCount), 'every call is at a stop');
  promise(isWithin(patterns.route, tables.routes.source.length), 'every pattern has a route');
  promise(
    patterns.route.every((route, p) => p === 0 || patterns.route[p - 1]! <= route),
    'patterns are sorted by route',
  );
  promise(isWithin(trips.service, tables.services.firstDay.length), 'every trip has a service');
  promise(isWithin(stops.station, stopCount), 'every stop has a station or is one');
  promise(
    stops.station.every((station) => stops.station[station] === station),
    'a station is its own station',
  );
  promise(times.arrival.length === times.departure.length, 'arrivals and departures pair up');
  for (let p = 0; p < patterns.route.length; p++) checkPattern(tables, p);
  promise(tables.stopCalls.pattern.length === patternCalls.stop.length, 'every call is listed at its stop');
  checkFares(tables);
  checkChanges(tables);
  checkContinuations(tables);
}

function checkPattern(tables: TimetableTables, p: number): void {
  const { patterns, trips, times } = tables;
  const callCount = patterns.callCount[p]!;
  const tripCount = patterns.tripCount[p]!;
  const first = patterns.firstTime[p]!;
  promise(callCount >= 2 && tripCount >= 1, 'a pattern has two calls and a trip');
  promise(first + callCount * tripCount <= times.arrival.length, 'times lie within their table');
  promise(trips.pattern[patterns.firstTrip[p]! + tripCount - 1] === p, 'trips know their pattern');
  for (let trip = 0; trip < tripCount; trip++) {
    checkSequences(tables, patterns.firstTrip[p]! + trip, callCount);
    const row = first + trip * callCount;
    for (let k = 0; k < callCount; k++) {
      const at = row + k;
      promise(times.arrival[at]! <= times.departure[at]!, 'no call departs before it arrives');
      if (k > 0) promise(times.departure[at - 1]! <= times.arrival[at]!, 'times rise along a trip');
      if (trip === 0) continue;
      promise(times.arrival[at - callCount]! <= times.arrival[at]!, 'no trip of a pattern overtakes another');
      promise(times.departure[at - callCount]! <= times.departure[at]!, 'no trip of a pattern overtakes another');
    }
  }
}

/** Neighbours mostly share a list, which is looked at once. */
function checkSequences(
  { trips, stopSequences: { sequence } }: TimetableTables,
  trip: number,
  callCount: number,
): void {
  const first = trips.firstSequence[trip]!;
  if (trip > 0 && trips.firstSequence[trip - 1] === first && trips.pattern[trip - 1] === trips.pattern[trip]) return;
  promise(first >= 0 && first + callCount <= sequence.length, 'every call has its sequence');
  for (let k = first + 1; k < first + callCount; k++) {
    promise(sequence[k - 1]! < sequence[k]!, 'sequences rise along a trip');
  }
}
