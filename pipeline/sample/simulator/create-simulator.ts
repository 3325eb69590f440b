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
  /** The made-up country at an instant; independent of earlier calls, and equal after a restart. */
  stateAt(now: Instant): SimulatedState;
  /** The record of a finished service day on these lines. */
  pastDay(date: ServiceDate, isOnRecord: (line: SampleLine) => boolean): PastDay;
}

/** Period around a trip in which it is reported, before its start and after its end, in seconds. */
const REPORTED_AHEAD_SECONDS = 2 * 3600;
const REPORTED_AFTER_SECONDS = 900;
/** Upper limit of the delay of any trip, a detour at its end included. */
const LATEST_SECONDS = 4 * 3600;
/** The four days that an instant needs, and a few more for callers that move back and forth. */
const CACHED_DAYS = 6;

interface SimulatorOptions {
  readonly seed?: number;
  /** Seed of the operated sample feed; default: `seed`. */
  readonly timetableSeed?: number;
  /**
   * Breakdowns beyond the seeded delays. A trip before its breakdown, and all trips that it does not delay, are
   * unchanged.
   */
  readonly findBreakdown?: FindBreakdown;
}

/**
 * A day in the made-up country as known to its control rooms: trips, vehicles and alerts for the sample feed of the
 * same lookups and seed. Lines without times and the nasty cases are left out: no upstream reports them.
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
      // The longest trip ends on the third day; near midnight the first trips of tomorrow may be reported.
      const near = [-2, -1, 0, 1].map((offset) => getDay(fromEpochDay(today + offset)));
      const trips = near.flatMap((day, i) => listTrips(day, { now, isToday: i === 2, seed }));
      return { now, trips, alerts: listAlerts({ network, days: near, trips, now, seed }) };
    },
    pastDay: (date, isOnRecord) =>
      buildPastDay(getDay(date), { seed, lookBackSeconds: REPORTED_AFTER_SECONDS, isOnRecord }),
  };
}

interface DayContext {
  readonly now: Instant;
  /** Whether the service day is the current calendar day. */
  readonly isToday: boolean;
  readonly seed: number;
}

function listTrips(day: ServiceDay, context: DayContext): SimulatedTrip[] {
  const now = context.now - day.start;
  const reporting = { now, outages: day.outages, seed: context.seed };
  const trips: SimulatedTrip[] = [];
  for (const line of day.lines) {
    const isNear = line.firstSeconds <= now + REPORTED_AHEAD_SECONDS && now <= line.lastSeconds + LATEST_SECONDS;
    // Other trips are reported only if cancelled today; they have no history.
    if (!isNear && !context.isToday) continue;
    const histories = isNear ? line.getHistories() : null;
    for (const [i, datedTrip] of line.datedTrips.entries()) {
      const history = histories?.[i] ?? null;
      if (!isReported(datedTrip, history, now, context.isToday)) continue;
      trips.push(history ? reportTrip(datedTrip, history, reporting) : reportCancelledTrip(datedTrip, reporting));
    }
  }
  return trips;
}

function isReported(datedTrip: PlannedTrip, history: TripHistory | null, now: number, isToday: boolean): boolean {
  if (isToday && datedTrip.cancelledAt !== null && datedTrip.cancelledAt <= now) return true;
  const end = history ? history.arrivals.at(-1)! : plannedEnd(datedTrip);
  return datedTrip.startSeconds <= now + REPORTED_AHEAD_SECONDS && now <= end + REPORTED_AFTER_SECONDS;
}
