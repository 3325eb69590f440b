import { rememberDays } from '../model/zone-days.ts';
import type { TimetableTables } from '../snapshots/contract.ts';

/** The timetable's word on dated trips: instants of calls, and names for sightings. */
export interface PlannedCalls {
  readonly tables: TimetableTables;
  callCount(trip: number): number;
  /** Row of the timetable's stops. */
  stop(trip: number, position: number): number;
  /** Start of a service day in the zone of the trip. */
  dayStart(trip: number, day: number): number;
  arrival(trip: number, day: number, position: number): number;
  departure(trip: number, day: number, position: number): number;
}

export function openPlannedCalls(tables: TimetableTables): PlannedCalls {
  const { trips, patterns, patternCalls, routes, times, zones } = tables;
  const days = Array.from({ length: zones.name.length }, (_, zone) => rememberDays(zones.name.get(zone)));
  const dayStart = (trip: number, day: number) =>
    days[routes.zone[patterns.route[trips.pattern[trip]!]!]!]!.startOf(day);
  const timeRow = (trip: number, position: number) => {
    const pattern = trips.pattern[trip]!;
    const run = trip - patterns.firstTrip[pattern]!;
    return patterns.firstTime[pattern]! + run * patterns.callCount[pattern]! + position;
  };
  return {
    tables,
    callCount: (trip) => patterns.callCount[trips.pattern[trip]!]!,
    stop: (trip, position) => patternCalls.stop[patterns.firstCall[trips.pattern[trip]!]! + position]!,
    dayStart,
    arrival: (trip, day, position) => dayStart(trip, day) + times.arrival[timeRow(trip, position)]!,
    departure: (trip, day, position) => dayStart(trip, day) + times.departure[timeRow(trip, position)]!,
  };
}
