import type { Instant } from '../../pipeline/model/service-time.ts';
import { getTimeRow } from './present.ts';
import { findText, type LiveCall, type Published, readAddedCall, readLiveCall } from './realtime.ts';
import { getZone } from './timetable.ts';

/** One call of a dated trip, as planned and as it runs. */
export interface JourneyCall {
  /** Row of the timetable's stops, or -1. */
  readonly stop: number;
  readonly stopName: string;
  /** Scheduled. */
  readonly arrival: Instant;
  readonly departure: Instant;
  /** Platform of the timetable, and as announced; null where nobody says. */
  readonly platform: string | null;
  readonly announcedPlatform: string | null;
  readonly live: LiveCall | null;
}

/** @param liveTrip row of the realtime snapshot's trips, or -1 */
export function listPlannedCalls(
  { timetable, realtime }: Published,
  trip: number,
  day: number,
  liveTrip: number,
  moment: Instant,
): JourneyCall[] {
  const { trips, patterns, patternCalls, times, stops } = timetable.tables;
  const pattern = trips.pattern[trip]!;
  const start = getZone(timetable, pattern).startOf(day);
  const row = getTimeRow(timetable.tables, pattern, trip);
  const first = patterns.firstCall[pattern]!;
  return Array.from({ length: patterns.callCount[pattern]! }, (_, k) => {
    const stop = patternCalls.stop[first + k]!;
    const live =
      realtime && liveTrip >= 0 ? readLiveCall(realtime, realtime.tables.trips.firstCall[liveTrip]! + k, moment) : null;
    return {
      stop,
      stopName: stops.name.get(stop),
      arrival: (start + times.arrival[row + k]!) as Instant,
      departure: (start + times.departure[row + k]!) as Instant,
      platform: stops.platformCode.get(stop) || null,
      announcedPlatform: live && realtime ? findText(realtime, live.platform) : null,
      live,
    };
  });
}

/** Calls of a trip that the timetable does not hold. @param addedTrip row of the realtime snapshot's added trips */
export function listAddedCalls({ timetable, realtime }: Published, addedTrip: number, moment: Instant): JourneyCall[] {
  const { addedTrips, addedCalls } = realtime!.tables;
  const { stops } = timetable.tables;
  const first = addedTrips.firstCall[addedTrip]!;
  return Array.from({ length: addedTrips.callCount[addedTrip]! }, (_, k) => {
    const row = first + k;
    const stop = addedCalls.stop[row]!;
    const live = readAddedCall(realtime!, row, moment);
    const arrival = addedCalls.scheduledArrival[row]! || addedCalls.arrival[row]!;
    const departure = addedCalls.scheduledDeparture[row]! || addedCalls.departure[row]!;
    const code = stop >= 0 ? stops.platformCode.get(stop) || null : null;
    return {
      stop,
      stopName: stop >= 0 ? stops.name.get(stop) : (findText(realtime!, addedCalls.stopName[row]!) ?? ''),
      arrival: (arrival || departure) as Instant,
      departure: (departure || arrival) as Instant,
      platform: findText(realtime!, addedCalls.scheduledPlatform[row]!) ?? code,
      announcedPlatform: findText(realtime!, live.platform),
      live,
    };
  });
}

/**
 * Which call the vehicle is at or heads to.
 * @param vehiclePosition by its own word; null where nobody has it
 * @returns -1 before it leaves and after it has arrived
 */
export function findCurrentCall(
  calls: readonly JourneyCall[],
  moment: Instant,
  vehiclePosition: number | null,
): number {
  if (vehiclePosition !== null) return vehiclePosition;
  const served = calls.flatMap((call, k) => (call.live?.isCancelled ? [] : k));
  const [first, last] = [served[0], served.at(-1)];
  if (first === undefined || last === undefined) return -1;
  const arrival = (k: number) => calls[k]!.live?.arrival ?? calls[k]!.arrival;
  const departure = (k: number) => calls[k]!.live?.departure ?? calls[k]!.departure;
  if (moment < Math.min(arrival(first), departure(first)) || moment > Math.max(arrival(last), departure(last)))
    return -1;
  return served.find((k) => moment <= departure(k)) ?? last;
}
