import { fromEpochDay, type Instant, localDate, type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import type { SampleLine, SampleLookups } from '../feed/lookups.ts';
import { listAlerts } from './alerts.ts';
import type { FindBreakdown } from './breakdowns.ts';
import { buildNetwork } from './network.ts';
import { buildPastDay, type PastDay } from './past-day.ts';
import { type PlannedTrip, plannedEnd } from './planned-trip.ts';
import { reportCancelledTrip, reportTrip } from './report-trip.ts';
import { planServiceDay, SAMPLE_ZONE, type ServiceDay } from './service-day.ts';
import type { SimulatedState, SimulatedTrip } from './simulated-state.ts';
import type { TripHistory } from './trip-history.ts';

export interface Simulator {
  /** The made-up country at a moment; independent of earlier calls, and equal after a restart. */
  stateAt(now: Instant): SimulatedState;
  /** The record of a finished service day on these lines. */
  pastDay(date: ServiceDate, isOnRecord: (line: SampleLine) => boolean): PastDay;
}

/** Period around a trip in which it is reported, before its begin and after its end, in seconds. */
const REPORTED_AHEAD_SECONDS = 2 * 3600;
const REPORTED_AFTER_SECONDS = 900;
/** Upper limit of the delay of any trip, a detour at its end included. */
const LATEST_SECONDS = 4 * 3600;
/** The four days that a moment needs, and a few more for callers that move back and forth. */
const CACHED_DAYS = 6;

export interface SimulatorOptions {
  readonly seed?: number;
  /** Seed of the sample feed whose timetable is operated; absent: `seed`. */
  readonly timetableSeed?: number;
  /** Besides what the seed brings. Before its breakdown a trip, and all trips that it does not hold up, are the same. */
  readonly findBreakdown?: FindBreakdown;
}

/**
 * A day in the made-up country as seen by its control rooms: trips, vehicles and alerts of the timetable in the sample
 * feed of the same lookups and seed. Lines without times and the nasty cases are left out: no upstream reports them.
 */
export function createSimulator(
  lookups: SampleLookups,
  { seed = 1, timetableSeed = seed, findBreakdown = () => null }: SimulatorOptions = {},
): Simulator {
  const network = buildNetwork(lookups, timetableSeed);
  // Caching is safe: a planned day never changes.
  const days = new Map<ServiceDate, ServiceDay>();
  const getDay = (date: ServiceDate): ServiceDay => {
    const day = days.get(date) ?? planServiceDay(network, date, seed, findBreakdown);
    days.delete(date);
    days.set(date, day);
    if (days.size > CACHED_DAYS) days.delete(days.keys().next().value!);
    return day;
  };
  return {
    stateAt(now) {
      const today = toEpochDay(localDate(now, SAMPLE_ZONE));
      // The longest trip ends on the third day; the first trips near midnight may be of tomorrow.
      const near = [-2, -1, 0, 1].map((offset) => getDay(fromEpochDay(today + offset)));
      const trips = near.flatMap((day, i) => listTrips(day, { now, isToday: i === 2, seed }));
      return { now, trips, alerts: listAlerts({ network, days: near, trips, now, seed }) };
    },
    pastDay: (date, isOnRecord) =>
      buildPastDay(getDay(date), { seed, lookBackSeconds: REPORTED_AFTER_SECONDS, isOnRecord }),
  };
}

interface Moment {
  readonly now: Instant;
  /** Whether the service day is the current calendar day. */
  readonly isToday: boolean;
  readonly seed: number;
}

function listTrips(day: ServiceDay, moment: Moment): SimulatedTrip[] {
  const now = moment.now - day.start;
  const context = { now, outages: day.outages, seed: moment.seed };
  const trips: SimulatedTrip[] = [];
  for (const line of day.lines) {
    const isNear = line.firstSeconds <= now + REPORTED_AHEAD_SECONDS && now <= line.lastSeconds + LATEST_SECONDS;
    // Beyond that, only the cancelled trips of today are reported, which have no history.
    if (!isNear && !moment.isToday) continue;
    const histories = isNear ? line.getHistories() : null;
    for (const [i, datedTrip] of line.datedTrips.entries()) {
      const history = histories?.[i] ?? null;
      if (!isReported(datedTrip, history, now, moment.isToday)) continue;
      trips.push(history ? reportTrip(datedTrip, history, context) : reportCancelledTrip(datedTrip, context));
    }
  }
  return trips;
}

function isReported(datedTrip: PlannedTrip, history: TripHistory | null, now: number, isToday: boolean): boolean {
  if (isToday && datedTrip.cancelledAt !== null && datedTrip.cancelledAt <= now) return true;
  const end = history ? history.arrivals.at(-1)! : plannedEnd(datedTrip);
  return datedTrip.startSeconds <= now + REPORTED_AHEAD_SECONDS && now <= end + REPORTED_AFTER_SECONDS;
}
