import type { Instant } from '../../pipeline/model/service-time.ts';
import { findAddedPlatform, getAddedPlan, getAddedStopName } from './added-trips.ts';
import { findLiveTime, type LiveCall, readAddedCall, readLiveCall } from './live-calls.ts';
import { getTimeRow } from './present.ts';
import { findText, type Published } from './realtime.ts';
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
export function listPlannedCalls(published: Published, trip: number, day: number, liveTrip: number): JourneyCall[] {
  const { timetable, realtime } = published;
  const { trips, patterns, patternCalls, times, stops } = timetable.tables;
  const pattern = trips.pattern[trip]!;
  const start = getZone(timetable, pattern).startOf(day);
  const row = getTimeRow(timetable.tables, pattern, trip);
  const first = patterns.firstCall[pattern]!;
  const firstLive = realtime && liveTrip >= 0 ? realtime.tables.trips.firstCall[liveTrip]! : -1;
  return Array.from({ length: patterns.callCount[pattern]! }, (_, k) => {
    const stop = patternCalls.stop[first + k]!;
    const live = realtime && firstLive >= 0 ? readLiveCall(realtime, firstLive + k) : null;
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
export function listAddedCalls(published: Published, addedTrip: number): JourneyCall[] {
  const realtime = published.realtime!;
  const { addedTrips, addedCalls } = realtime.tables;
  return Array.from({ length: addedTrips.callCount[addedTrip]! }, (_, k) => {
    const row = addedTrips.firstCall[addedTrip]! + k;
    const live = readAddedCall(realtime, row);
    return {
      stop: addedCalls.stop[row]!,
      stopName: getAddedStopName(published, row),
      ...getAddedPlan(realtime, row),
      platform: findAddedPlatform(published, row),
      announcedPlatform: findText(realtime, live.platform),
      live,
    };
  });
}

/** When a vehicle arrives and leaves, as far as anybody knows at a moment. */
export function getExpected({ arrival, departure, live }: JourneyCall, moment: Instant) {
  return {
    arrival: findLiveTime(live, 'arrival', moment) ?? arrival,
    departure: findLiveTime(live, 'departure', moment) ?? departure,
  };
}

/**
 * Which call the vehicle is at or heads to.
 * @param vehiclePosition by its own word; null where nobody has it
 * @returns -1 before it is to leave and after it has arrived
 */
export function findCurrentCall(
  calls: readonly JourneyCall[],
  moment: Instant,
  vehiclePosition: number | null,
): number {
  if (vehiclePosition !== null) return vehiclePosition;
  const served = calls.flatMap((call, position) =>
    call.live?.isCancelled ? [] : { position, plan: call, ...getExpected(call, moment) },
  );
  const [first, last] = [served[0], served.at(-1)];
  if (!first || !last) return -1;
  // One that is late to leave stands at its first stop, or comes there: from its planned time on that is where it is.
  const begin = Math.min(first.arrival, first.departure, first.plan.arrival, first.plan.departure);
  if (moment < begin || moment > Math.max(last.arrival, last.departure)) return -1;
  return (served.find(({ departure }) => moment <= departure) ?? last).position;
}
