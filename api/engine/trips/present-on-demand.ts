import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Leg, LegStop } from '../../contract/definitions.ts';
import { listRideNotices } from '../alerts/on-demand-notices.ts';
import { listBookingAttributes } from '../read/bookings.ts';
import { type EventTime, presentEventTime, shift } from '../read/event-times.ts';
import { getRideZone, listRideBookings } from '../read/on-demand-rides.ts';
import { findOpenTime, type OnDemandUse, type OpenTime } from '../read/open-times.ts';
import { presentTimestamp } from '../read/present.ts';
import type { Timetable } from '../read/timetable.ts';
import { drawWay } from './draw-way.ts';
import type { LegPlace } from './leg-stops.ts';
import type { PlannedWalk, TimedWalk } from './timeline.ts';
import type { WalkPaths } from './walk-paths.ts';

interface OnDemandContext {
  readonly timetable: Timetable;
  readonly paths: WalkPaths;
  /** Now: decides which bookings are closed. */
  readonly instant: Instant;
  readonly wheelchair: boolean;
}

/** The ride that begins at a time; the first ride if realtime has moved the time out of all windows. */
export function getRide({ open }: OnDemandUse, begin: number): OpenTime {
  return findOpenTime(open, begin) ?? open[0]!;
}

/** The leg of an on-demand ride; its times are estimates from the street network. */
export async function presentOnDemand(
  context: OnDemandContext,
  { walk, begin, end }: TimedWalk,
  use: OnDemandUse,
  { from, to }: { readonly from: LegPlace; readonly to: LegPlace },
): Promise<Leg> {
  const { timetable, instant } = context;
  const ride = getRide(use, begin.expected);
  const { pickup, dropOff } = spanRide(walk, use, begin, end);
  const bookings = listRideBookings(timetable, ride, pickup.scheduled as Instant);
  const path = from.coord && to.coord ? await context.paths.findRide({ mode: 'car' }, from.coord, to.coord) : null;
  return {
    mode: 'transit',
    line: timetable.lines.get(timetable.tables.onDemandTrips.route[ride.trip]!),
    direction: timetable.tables.onDemandTrips.headsign.get(ride.trip) || to.name,
    origin: placeAt(from, { departure: presentEventTime(pickup) }),
    destination: placeAt(to, { arrival: presentEventTime(dropOff) }),
    intermediateStops: [],
    distanceMeters: walk.meters - (use.walkBefore?.meters ?? 0) - (use.walkAfter?.meters ?? 0),
    cancellation: { fullyCancelled: false, partiallyCancelled: false },
    notices: listRideNotices(timetable, ride.trip, ride.day, bookings, instant),
    attributes: [...listRideAttributes(context, ride), ...listBookings(timetable, bookings, instant)],
    polyline: drawWay(path, from, to).polyline,
    steps: [],
  };
}

/** Pickup and drop-off: the leg without walks and without the time reserved for the transfer. */
export function spanRide(
  { role }: PlannedWalk,
  { spareSeconds, walkBefore, walkAfter }: OnDemandUse,
  begin: EventTime,
  end: EventTime,
) {
  const [spareBefore, spareAfter] = role === 'access' ? [0, spareSeconds] : [spareSeconds, 0];
  return {
    pickup: shift(begin, spareBefore + (walkBefore?.seconds ?? 0)),
    dropOff: shift(end, -spareAfter - (walkAfter?.seconds ?? 0)),
  };
}

/** `onDemand:yes` even without a booking rule: the vehicle comes only if it is booked. */
function listBookings(timetable: Timetable, bookings: ReturnType<typeof listRideBookings>, instant: Instant) {
  return bookings.length === 0 ? ['onDemand:yes'] : listBookingAttributes(timetable, bookings, instant);
}

const boardingRules: Readonly<Record<number, string>> = { 2: 'phone', 3: 'driver' };

/** Pickup window (`window:<Timestamp>/<Timestamp>`), accessibility, and whom to call before boarding and alighting. */
function listRideAttributes(
  { timetable, wheelchair }: OnDemandContext,
  { trip, day, pickup, dropOff }: OpenTime,
): string[] {
  const { onDemandCalls, onDemandTrips } = timetable.tables;
  const start = getRideZone(timetable, trip).startOf(day);
  const [from, until] = [onDemandCalls.windowStart[pickup]!, onDemandCalls.windowEnd[pickup]!];
  const [boarding, alighting] = [
    boardingRules[onDemandCalls.pickupType[pickup]!],
    boardingRules[onDemandCalls.dropOffType[dropOff]!],
  ];
  const isAccessible = onDemandTrips.wheelchairAccessible[trip]!;
  return [
    `window:${presentTimestamp((start + from) as Instant)}/${presentTimestamp((start + until) as Instant)}`,
    ...(isAccessible === 1 ? ['wheelchair:yes'] : []),
    ...(isAccessible === 0 && wheelchair ? ['wheelchair:unknown'] : []),
    ...(boarding ? [`pickup:${boarding}`] : []),
    ...(alighting ? [`dropOff:${alighting}`] : []),
  ];
}

function placeAt(
  { platform, cancellation, ...named }: LegPlace,
  times: Pick<LegStop, 'arrival' | 'departure'>,
): LegStop {
  return { ...named, ...times, platform, cancellation };
}
