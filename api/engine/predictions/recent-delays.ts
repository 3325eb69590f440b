import { type CallEvent, PREDICTED, UNKNOWN } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { type EventTime, readPlannedEvent } from '../read/event-times.ts';
import { findLiveTrip, type Published, type Realtime } from '../read/realtime.ts';
import { getZone, type Timetable } from '../read/timetable.ts';
import type { ExpectedCallEvent } from './transfer-estimates.ts';

/** An arrival or a departure, and where its expected time comes from. */
export type ReportedEvent = ExpectedCallEvent & Pick<EventTime, 'prognosis'>;

/**
 * Share of recent cases in which a transfer would have been made: each recent delay of the line of the one vehicle with
 * each of the other; null where no source has reported any of either line.
 */
type FindRecentShare = (arrival: ReportedEvent, departure: ReportedEvent, neededSeconds: number) => number | null;

const RECENT_SECONDS = 30 * 60;
/** Fewer delays describe no line. */
const MIN_DELAYS = 5;
/** Delays of a vehicle that is reported now vary less, the nearer its event is; by half at this distance. */
const HALF_CERTAIN_SECONDS = 40 * 60;

/** @param instant end of the 30 minutes */
export function openRecentShares(published: Published, instant: Instant): FindRecentShare {
  const { timetable, realtime } = published;
  if (!realtime) return () => null;
  const known = new Map<string, readonly number[]>();
  let tripsOf: ReadonlyMap<number, readonly number[]> | null = null;
  const find = (route: number, event: CallEvent) => {
    const name = `${route} ${event}`;
    tripsOf ??= groupByRoute(timetable, realtime);
    const delays = known.get(name) ?? listDelays(timetable, realtime, tripsOf.get(route) ?? [], { event, instant });
    known.set(name, delays);
    return delays;
  };
  const listed = new Map<ReportedEvent, readonly number[] | null>();
  // Searches compare many transfers between the same vehicles.
  const timesOf = (event: ReportedEvent, name: CallEvent) => {
    const before = listed.get(event);
    if (before !== undefined) return before;
    const times = listTimes(timetable, event, name, instant, find);
    listed.set(event, times);
    return times;
  };
  return (arrival, departure, neededSeconds) => {
    const [arrives, leaves] = [timesOf(arrival, 'arrival'), timesOf(departure, 'departure')];
    if (!arrives && !leaves) return null;
    return shareInTime(arrives ?? [arrival.expected], leaves ?? [departure.expected], neededSeconds);
  };
}

/** Times at which an event may take place, each equally likely, sorted; null where the line has no recent delays. */
function listTimes(
  { tables }: Timetable,
  { scheduled, expected, prognosis, at }: ReportedEvent,
  event: CallEvent,
  instant: Instant,
  find: (route: number, event: CallEvent) => readonly number[],
): readonly number[] | null {
  const delays = at ? find(tables.patterns.route[tables.trips.pattern[at.trip]!]!, event) : [];
  if (delays.length < MIN_DELAYS) return null;
  if (prognosis === null) return delays.map((delay) => scheduled + delay);
  if (prognosis === 'observed_actual') return [expected];
  const ahead = Math.max(0, expected - instant);
  const share = ahead / (ahead + HALF_CERTAIN_SECONDS);
  const middle = delays[delays.length >> 1]!;
  return delays.map((delay) => expected + share * (delay - middle));
}

/** @param leaves sorted, as `arrives` */
function shareInTime(arrives: readonly number[], leaves: readonly number[], neededSeconds: number): number {
  let made = 0;
  let inTime = 0;
  for (const departure of leaves) {
    while (inTime < arrives.length && arrives[inTime]! + neededSeconds <= departure) inTime++;
    made += inTime;
  }
  return made / (arrives.length * leaves.length);
}

/** Where the expected time of a call of a trip of the timetable comes from; null: from the plan. */
export function findPrognosis(
  published: Published,
  { trip, day, position }: { readonly trip: number; readonly day: number; readonly position: number },
  event: CallEvent,
  instant: Instant,
): EventTime['prognosis'] {
  const { realtime } = published;
  const live = realtime && trip >= 0 ? findLiveTrip(realtime, trip, day) : -1;
  if (!realtime || live < 0) return null;
  const time = 0 as Instant;
  return readPlannedEvent({ ...published, realtime }, live, { trip, day, position, time }, event, instant).prognosis;
}

// ---- Reports of a line -------------------------------------------------------------------------

/** Rows of the trips that sources report, by route. */
function groupByRoute({ tables: { trips, patterns } }: Timetable, { tables }: Realtime): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (let live = 0; live < tables.trips.trip.length; live++) {
    const route = patterns.route[trips.pattern[tables.trips.trip[live]!]!]!;
    const ofRoute = rows.get(route);
    if (ofRoute) ofRoute.push(live);
    else rows.set(route, [live]);
  }
  return rows;
}

interface LineEvents {
  readonly event: CallEvent;
  readonly instant: Instant;
}

/** Delays that sources reported of the events of a line within 30 minutes; sorted. */
function listDelays(
  timetable: Timetable,
  { tables }: Realtime,
  tripRows: readonly number[],
  { event, instant }: LineEvents,
): number[] {
  const { trips, patterns, times } = timetable.tables;
  const { trips: liveTrips, calls } = tables;
  const [time, prognosis] = [calls[event], calls[`${event}Prognosis`]];
  const delays: number[] = [];
  for (const live of tripRows) {
    const trip = liveTrips.trip[live]!;
    const pattern = trips.pattern[trip]!;
    const start = getZone(timetable, pattern).startOf(liveTrips.day[live]!);
    const row = getTimeRow(timetable.tables, pattern, trip);
    for (let position = 0; position < patterns.callCount[pattern]!; position++) {
      const call = liveTrips.firstCall[live]! + position;
      if (!isReported(prognosis[call]!)) continue;
      const reported = time[call]!;
      if (reported > instant || reported < instant - RECENT_SECONDS) continue;
      delays.push(reported - start - times[event][row + position]!);
    }
  }
  return delays.sort((a, b) => a - b);
}

function isReported(prognosis: number): boolean {
  return prognosis !== UNKNOWN && prognosis !== PREDICTED;
}
