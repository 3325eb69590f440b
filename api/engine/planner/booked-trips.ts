import { lowerBound } from '../../../pipeline/model/binary-search.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { getTimeRow } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { computeDeadline, hasDeadline } from '../read/bookings.ts';
import { getZone, type Timetable } from '../read/timetable.ts';
import { CAN_ALIGHT, CAN_BOARD } from './call-service.ts';
import type { RaptorRoutes } from './raptor-routes.ts';

/** A dated trip of the routes with rides that must be booked before a deadline. */
interface BookedTrip {
  readonly route: number;
  readonly entry: number;
  /** The earliest and the latest deadline. */
  readonly first: number;
  readonly last: number;
  /** After the last deadline nobody can use it any more. */
  readonly isGoneThen: boolean;
  /** By booked use: the call, the use and its deadline. */
  readonly position: Uint16Array;
  /** `CAN_BOARD` or `CAN_ALIGHT`. */
  readonly use: Uint8Array;
  readonly deadline: Float64Array;
}

/** A dated trip with calls that can no longer be booked. */
export interface ClosedTrip {
  readonly route: number;
  readonly entry: number;
  /** By call: bits of the closed uses; null if the whole trip is closed. */
  readonly closed: Uint8Array | null;
}

/** Finds the trips that are closed, in whole or in part, and the last instant at which this holds. */
export type FindClosed = (now: Instant) => { readonly trips: readonly ClosedTrip[]; readonly validUntil: number };

/** @returns null for a timetable without deadlines */
export function openBookedTrips(timetable: Timetable, raptorRoutes: RaptorRoutes): FindClosed | null {
  const booked = listBookedTrips(timetable, raptorRoutes);
  if (booked.length === 0) return null;
  const { patterns } = timetable.tables;
  return (now) => {
    const trips: ClosedTrip[] = [];
    let validUntil = Number.POSITIVE_INFINITY;
    for (const trip of booked) {
      const { route, entry, first, last, isGoneThen } = trip;
      const next = now <= first ? first : now <= last ? findNext(trip, now) : Number.POSITIVE_INFINITY;
      validUntil = Math.min(validUntil, next);
      if (now <= first) continue;
      const callCount = patterns.callCount[raptorRoutes.pattern[route]!]!;
      trips.push({ route, entry, closed: isGoneThen && now > last ? null : markClosed(trip, callCount, now) });
    }
    return { trips, validUntil };
  };
}

function findNext({ deadline }: BookedTrip, now: Instant): number {
  return deadline.reduce((next, each) => (each >= now ? Math.min(next, each) : next), Number.POSITIVE_INFINITY);
}

function markClosed({ position, use, deadline }: BookedTrip, callCount: number, now: Instant): Uint8Array {
  const closed = new Uint8Array(callCount);
  for (let i = 0; i < deadline.length; i++) if (deadline[i]! < now) closed[position[i]!]! |= use[i]!;
  return closed;
}

/** A use of a call of a pattern whose booking has a deadline. */
interface BookedUse {
  readonly position: number;
  readonly use: number;
  readonly rule: number;
}

function listBookedTrips(timetable: Timetable, raptorRoutes: RaptorRoutes): BookedTrip[] {
  const { bookedCalls, continuations } = timetable.tables;
  if (bookedCalls.call.length === 0) return [];
  const continuing = new Set([...continuations.fromTrip, ...continuations.toTrip]);
  const found: BookedTrip[] = [];
  for (let route = 0; route < raptorRoutes.count; route++) {
    const uses = listUses(timetable, raptorRoutes.pattern[route]!);
    if (uses.length === 0) continue;
    const isWhole = closesWhole(timetable, raptorRoutes.pattern[route]!, uses);
    for (let entry = raptorRoutes.first[route]!; entry < raptorRoutes.end[route]!; entry++) {
      // Passengers who stay on board neither alight from the one trip nor board the other.
      const isGoneThen = isWhole && !continuing.has(raptorRoutes.trips[entry]!);
      found.push(openBookedTrip(timetable, raptorRoutes, { route, entry, isGoneThen }, uses));
    }
  }
  return found;
}

function listUses(timetable: Timetable, pattern: number): BookedUse[] {
  const { patterns, bookedCalls } = timetable.tables;
  const first = patterns.firstCall[pattern]!;
  const end = first + patterns.callCount[pattern]!;
  const uses: BookedUse[] = [];
  for (let row = lowerBound(bookedCalls.call, first); bookedCalls.call[row]! < end; row++) {
    const position = bookedCalls.call[row]! - first;
    const [pickup, dropOff] = [bookedCalls.pickup[row]!, bookedCalls.dropOff[row]!];
    if (pickup >= 0 && hasDeadline(timetable, pickup)) uses.push({ position, use: CAN_BOARD, rule: pickup });
    if (dropOff >= 0 && hasDeadline(timetable, dropOff)) uses.push({ position, use: CAN_ALIGHT, rule: dropOff });
  }
  return uses;
}

/** Whether nobody can board, or nobody can alight, after all deadlines. */
function closesWhole({ tables }: Timetable, pattern: number, uses: readonly BookedUse[]): boolean {
  const { patterns, patternCalls } = tables;
  const first = patterns.firstCall[pattern]!;
  const countOpen = (places: Int32Array) =>
    places.subarray(first, first + patterns.callCount[pattern]!).reduce((sum, place) => sum + Number(place >= 0), 0);
  const countUses = (wanted: number, places: Int32Array) =>
    uses.filter(({ use, position }) => use === wanted && places[first + position]! >= 0).length;
  const { boardAt, alightAt } = patternCalls;
  return (
    countUses(CAN_BOARD, boardAt) === countOpen(boardAt) || countUses(CAN_ALIGHT, alightAt) === countOpen(alightAt)
  );
}

function openBookedTrip(
  timetable: Timetable,
  raptorRoutes: RaptorRoutes,
  place: Pick<BookedTrip, 'route' | 'entry' | 'isGoneThen'>,
  uses: readonly BookedUse[],
): BookedTrip {
  const { tables } = timetable;
  const pattern = raptorRoutes.pattern[place.route]!;
  const [zone, day] = [getZone(timetable, pattern), raptorRoutes.firstDay + raptorRoutes.days[place.entry]!];
  const row = getTimeRow(tables, pattern, raptorRoutes.trips[place.entry]!);
  const deadline = Float64Array.from(uses, ({ position, use, rule }) => {
    const seconds = tables.times.departure[use === CAN_BOARD ? row + position : row]!;
    return computeDeadline(timetable, rule, zone, day, seconds)!;
  });
  return {
    ...place,
    first: Math.min(...deadline),
    last: Math.max(...deadline),
    position: Uint16Array.from(uses, ({ position }) => position),
    use: Uint8Array.from(uses, ({ use }) => use),
    deadline,
  };
}
