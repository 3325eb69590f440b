import { type CallEvent, PREDICTED, UNKNOWN } from '../../../pipeline/model/observation.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { EventTime } from '../read/event-times.ts';
import { getTimeRow } from '../read/present.ts';
import type { Published, Realtime } from '../read/realtime.ts';
import { getZone, type Timetable } from '../read/timetable.ts';
import type { ExpectedCallEvent } from './transfer-estimates.ts';

/** An arrival or a departure, and where its expected time comes from. */
export type ReportedEvent = ExpectedCallEvent & Pick<EventTime, 'prognosis'>;

/**
 * Share of recent cases in which a transfer would have been made: each recent delay of the line of the one vehicle with
 * each of the other; null where no source has reported any of either line.
 */
export type FindRecentShare = (
  arrival: ReportedEvent,
  departure: ReportedEvent,
  neededSeconds: number,
) => number | null;

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
  const find = (route: number, event: CallEvent) => {
    const name = `${route} ${event}`;
    const delays = known.get(name) ?? listDelays(timetable, realtime, { route, event, instant });
    known.set(name, delays);
    return delays;
  };
  return (arrival, departure, neededSeconds) => {
    const arrives = listTimes(timetable, arrival, 'arrival', instant, find);
    const leaves = listTimes(timetable, departure, 'departure', instant, find);
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

// ---- Reports of a line -------------------------------------------------------------------------

interface LineEvents {
  readonly route: number;
  readonly event: CallEvent;
  readonly instant: Instant;
}

/** Delays that sources reported of the events of a line within 30 minutes; sorted. */
function listDelays(timetable: Timetable, { tables }: Realtime, { route, event, instant }: LineEvents): number[] {
  const { trips, patterns, times } = timetable.tables;
  const { trips: liveTrips, calls } = tables;
  const [time, prognosis] = [calls[event], calls[`${event}Prognosis`]];
  const delays: number[] = [];
  for (let live = 0; live < liveTrips.trip.length; live++) {
    const trip = liveTrips.trip[live]!;
    const pattern = trips.pattern[trip]!;
    if (patterns.route[pattern] !== route) continue;
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
