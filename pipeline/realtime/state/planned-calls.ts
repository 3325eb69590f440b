import type { CallEvent } from '../../model/observation.ts';
import { rememberDays } from '../../model/zone-days.ts';
import { findJoinedEnds } from '../../snapshots/find-continuations.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import { findTripByKey, getTimeRow } from '../../snapshots/timetable-lookups.ts';
import { openTripPaths, type TripPaths } from '../passages/trip-paths.ts';

/** Scheduled times of a dated trip: instants, 0 when none is planned. */
export interface TripPlan {
  readonly callCount: number;
  /** The vehicle continues as another trip, or came from one. */
  readonly continues: boolean;
  readonly isContinuation: boolean;
  at(position: number, event: CallEvent): number;
}

/** Reads the trips of the timetable. */
export interface PlannedCalls {
  readonly tables: TimetableTables;
  readonly paths: TripPaths;
  /** @returns row of the trip of this key on a service day; null when the timetable holds none */
  findTrip(key: bigint, day: number): number | null;
  callCount(trip: number): number;
  /** Row of the timetable's stops. */
  stop(trip: number, position: number): number;
  /** The one stop of the same station with this platform code, as published, else merged; -1 when none or several have it. */
  findPlatform(stop: number, platformCode: string): number;
  /** Start of a service day in the zone of the trip. */
  dayStart(trip: number, day: number): number;
  arrival(trip: number, day: number, position: number): number;
  departure(trip: number, day: number, position: number): number;
  /** The plan of a dated trip, for reading many of its times. */
  plan(trip: number, day: number): TripPlan;
}

export function openPlannedCalls(tables: TimetableTables): PlannedCalls {
  const { trips, patterns, patternCalls, routes, times, zones } = tables;
  const days = Array.from({ length: zones.name.length }, (_, zone) => rememberDays(zones.name.get(zone)));
  const dayStart = (trip: number, day: number) =>
    days[routes.zone[patterns.route[trips.pattern[trip]!]!]!]!.startOf(day);
  const plan = (trip: number, day: number) => {
    const pattern = trips.pattern[trip]!;
    const callCount = patterns.callCount[pattern]!;
    const firstTime = getTimeRow(tables, pattern, trip);
    const start = dayStart(trip, day);
    return {
      callCount,
      ...findJoinedEnds(tables, trip, day),
      at: (position: number, event: CallEvent) => start + times[event][firstTime + position]!,
    };
  };
  return {
    tables,
    paths: openTripPaths(tables),
    findTrip: (key, day) => findTripByKey(tables, key, day),
    callCount: (trip) => patterns.callCount[trips.pattern[trip]!]!,
    stop: (trip, position) => patternCalls.stop[patterns.firstCall[trips.pattern[trip]!]! + position]!,
    findPlatform: openPlatforms(tables),
    dayStart,
    arrival: (trip, day, position) => plan(trip, day).at(position, 'arrival'),
    departure: (trip, day, position) => plan(trip, day).at(position, 'departure'),
    plan,
  };
}

const SEVERAL = -2;

/** Stops by station and platform code; built at the first platform change, as many sources announce none. */
function openPlatforms({ stops }: TimetableTables): PlannedCalls['findPlatform'] {
  let byName: Map<string, number> | null = null;
  const nameOf = (kind: string, station: number, code: string) => `${kind} ${station} ${code}`;
  const readAll = () => {
    const found = new Map<string, number>();
    for (let stop = 0; stop < stops.station.length; stop++) {
      const code = stops.platformCode.get(stop);
      if (code === '') continue;
      const [published, merged] = [stops.publishedStation[stop]!, stops.station[stop]!];
      for (const name of new Set([nameOf('published', published, code), nameOf('merged', merged, code)])) {
        found.set(name, found.has(name) ? SEVERAL : stop);
      }
    }
    return found;
  };
  return (stop, code) => {
    byName ??= readAll();
    const published = byName.get(nameOf('published', stops.publishedStation[stop]!, code));
    return Math.max(-1, published ?? byName.get(nameOf('merged', stops.station[stop]!, code)) ?? -1);
  };
}

/** Scheduled arrival at the last call. */
export function endOfPlan(plan: TripPlan): number {
  return plan.at(plan.callCount - 1, 'arrival');
}
