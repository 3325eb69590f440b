import type { Instant } from '../../../pipeline/model/service-time.ts';
import { isClosed, listTripBookings } from '../read/bookings.ts';
import type { DatedTrip } from '../read/dated-trip.ts';
import type { Realtime } from '../read/realtime.ts';
import type { Timetable } from '../read/timetable.ts';
import { type FindClosed, openBookedTrips } from './booked-trips.ts';
import { buildLiveRoutes, type LiveRoutes } from './live-routes.ts';
import { findPlace } from './live-trips.ts';
import type { RaptorRoutes } from './raptor-routes.ts';

/**
 * Returns the realtime changes of routes; `null` without realtime, in a timetable without deadlines of booking.
 * @param booked trips that stay open for the traveller who has booked them; absent: none
 */
export type GetLiveRoutes = (
  raptorRoutes: RaptorRoutes,
  realtime: Realtime | null,
  now: Instant,
  booked?: readonly DatedTrip[],
) => LiveRoutes | null;

interface CachedRoutes {
  readonly realtime: Realtime | null;
  /** Entries of the trips that are open for this traveller alone. */
  readonly open: readonly number[];
  readonly live: LiveRoutes;
}

/** With realtime, without, and with realtime for a traveller who has booked. */
const MAX_CACHED = 3;

export function cacheLiveRoutes(timetable: Timetable): GetLiveRoutes {
  const finders = new WeakMap<RaptorRoutes, FindClosed | null>();
  /** The most recently used first. */
  const known = new WeakMap<RaptorRoutes, readonly CachedRoutes[]>();
  const getFinder = (raptorRoutes: RaptorRoutes): FindClosed | null => {
    const before = finders.get(raptorRoutes);
    if (before !== undefined) return before;
    const findClosed = openBookedTrips(timetable, raptorRoutes);
    finders.set(raptorRoutes, findClosed);
    return findClosed;
  };
  return (raptorRoutes, realtime, now, booked = []) => {
    const findClosed = getFinder(raptorRoutes);
    if (!realtime && !findClosed) return null;
    const open = listOpen(timetable, raptorRoutes, booked, now);
    const cached = known.get(raptorRoutes) ?? [];
    const found = cached.find((one) => isValid(one, realtime, open, now));
    const live = found?.live ?? buildLiveRoutes(timetable, raptorRoutes, realtime, now, keepOpen(findClosed, open));
    const others = cached.filter((one) => one !== found && isCurrent(one, realtime, now));
    known.set(raptorRoutes, [{ realtime, open, live }, ...others].slice(0, MAX_CACHED));
    return live;
  };
}

function isValid(cached: CachedRoutes, realtime: Realtime | null, open: readonly number[], now: Instant): boolean {
  const { live } = cached;
  const isSame = cached.realtime === realtime && cached.open.join() === open.join();
  return isSame && live.builtAt <= now && now <= live.validUntil;
}

/** Routes of an earlier realtime snapshot are dropped, so that its memory is freed. */
function isCurrent({ realtime: before, live }: CachedRoutes, realtime: Realtime | null, now: Instant): boolean {
  return live.validUntil >= now && (before === null || realtime === null || before === realtime);
}

/** Entries of the booked trips that are closed for others. */
function listOpen(
  timetable: Timetable,
  raptorRoutes: RaptorRoutes,
  booked: readonly DatedTrip[],
  now: Instant,
): number[] {
  return booked
    .filter((dated) => isClosed(listTripBookings(timetable, dated), now))
    .flatMap(({ trip, day }) => findPlace(timetable, raptorRoutes, trip, day)?.entry ?? []);
}

function keepOpen(findClosed: FindClosed | null, open: readonly number[]): FindClosed | null {
  if (!findClosed || open.length === 0) return findClosed;
  return (now) => {
    const closed = findClosed(now);
    return { ...closed, trips: closed.trips.filter(({ entry }) => !open.includes(entry)) };
  };
}
