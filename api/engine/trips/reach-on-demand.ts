import type { Instant } from '../../../pipeline/model/service-time.ts';
import { straightWalkMeters } from '../../../pipeline/model/walking.ts';
import type { VehicleRouter, VehicleWay } from '../../../pipeline/streets/vehicle-router.ts';
import { MAX_RIDE_METERS } from '../../../pipeline/streets/vehicle-router.ts';
import { crowMeters, type Point, type WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import type { Avoidance, OnDemandWay, PlanPlace, PlanQuery, WalkableStop } from '../planner/itinerary.ts';
import { isLineWanted } from '../planner/wanted-routes.ts';
import { listStops } from '../read/on-demand.ts';
import {
  type CallPair,
  findRideSeconds,
  listOpenTimes,
  listPairsFrom,
  listPairsTo,
  type TimedPair,
} from '../read/on-demand-rides.ts';
import type { OnDemandUse } from '../read/open-times.ts';
import type { Timetable } from '../read/timetable.ts';
import type { RequestedPlace } from './places.ts';

/** The requirements of a request on on-demand rides. */
interface OnDemandRequest {
  readonly timetable: Timetable;
  /** For driving times; `null` to estimate them from the straight line. */
  readonly streets: VehicleRouter | null;
  /** Period in which relevant rides begin. */
  readonly period: { readonly from: number; readonly to: number };
  /** Now: rides whose booking is closed are left out. */
  readonly now: Instant;
  /** Bits as in `stops.productClasses`; `null` for all. */
  readonly products: number | null;
  readonly avoid: Avoidance | null;
  readonly wheelchair: boolean;
  readonly bikeOnBoard: boolean;
}

/** The instant of booking, and the time around which rides begin. */
export interface OnDemandTimes {
  readonly now: Instant;
  /** Time of the page. */
  readonly around: Instant;
}

/** Search period on either side of the page: its span plus the longest journey. */
const PERIOD_SECONDS = 3 * 86_400;

export function openOnDemandRequest(
  timetable: Timetable,
  { products, avoid, wheelchair, bikeOnBoard = false }: PlanQuery,
  walks: WalkRouter | null,
  { now, around }: OnDemandTimes,
): OnDemandRequest {
  const period = { from: around - PERIOD_SECONDS, to: around + PERIOD_SECONDS };
  const streets = walks?.vehicles ?? null;
  return { timetable, streets, period, now, products, avoid: avoid ?? null, wheelchair, bikeOnBoard };
}

/** Maximum number of stops in one distance matrix; the nearest ones count. */
const MAX_STOPS = 200;

/** Speed where no streets are known: through villages and across country. */
const CAR_KMH = 40;

/** Minimum time for a transfer between an on-demand and a scheduled ride. */
const TRANSFER_SECONDS = 180;

/** On-demand rides from origin to destination, shortest first; none if the request has a `via`. */
export async function findDirectRides(
  request: OnDemandRequest,
  [from, to, ...further]: readonly RequestedPlace[],
): Promise<OnDemandWay[]> {
  const { timetable } = request;
  const areas = timetable.onDemand;
  if (areas === null || further.length > 0 || !from?.point || !to?.point) return [];
  const arriving = new Set(listPairsTo(areas, timetable, to).map(({ dropOff }) => dropOff));
  const pairs = listPairsFrom(areas, timetable, from).filter(({ dropOff }) => arriving.has(dropOff));
  const wanted = pairs.filter(({ trip }) => isWanted(request, trip));
  if (wanted.length === 0) return [];
  const [way = null] = await measure(request, 'from', from.point, [to.point]);
  if (way === null) return [];
  return listUses(request, wanted, way, 0).map((onDemand) => ({ meters: way.meters, onDemand }));
}

/**
 * Adds on-demand access and egress to a query.
 * @returns `null` if on-demand service connects neither the origin nor the destination with scheduled service
 */
export async function addFeeders(
  request: OnDemandRequest,
  query: PlanQuery,
  requested: readonly RequestedPlace[],
): Promise<PlanQuery | null> {
  const [before, after] = await Promise.all([
    reachOnDemand(request, 'access', requested[0]!, query.from.members),
    reachOnDemand(request, 'egress', requested.at(-1)!, query.to.members),
  ]);
  if (before.length + after.length === 0) return null;
  const extend = ({ members, reach }: PlanPlace, ways: PlanPlace['reach']) => ({ members, reach: [...reach, ...ways] });
  return { ...query, from: extend(query.from, before), to: extend(query.to, after) };
}

/** On-demand rides between a place and stops with scheduled service. */
async function reachOnDemand(
  request: OnDemandRequest,
  end: 'access' | 'egress',
  place: RequestedPlace,
  members: readonly number[],
): Promise<WalkableStop[]> {
  const { timetable } = request;
  const areas = timetable.onDemand;
  if (areas === null || place.point === null) return [];
  const pairs = (end === 'access' ? listPairsFrom : listPairsTo)(areas, timetable, place);
  const byStop = groupByStop(request, pairs, end === 'access' ? 'dropOff' : 'pickup');
  for (const stop of members) byStop.delete(stop);
  const stops = findNearest(timetable, place.point, [...byStop.keys()]);
  const points = stops.map((stop) => locate(timetable, stop));
  const ways = await measure(request, end === 'access' ? 'from' : 'to', place.point, points);
  return stops.flatMap((stop, i) => {
    const way = ways[i] ?? null;
    if (way === null) return [];
    const uses = listUses(request, byStop.get(stop)!, way, end === 'access' ? TRANSFER_SECONDS : -TRANSFER_SECONDS);
    return uses.map((onDemand) => ({ stop, meters: way.meters, onDemand }));
  });
}

function groupByStop(
  request: OnDemandRequest,
  pairs: readonly CallPair[],
  side: 'pickup' | 'dropOff',
): Map<number, CallPair[]> {
  const byStop = new Map<number, CallPair[]>();
  const { tables, onDemand } = request.timetable;
  for (const pair of pairs) {
    if (!isWanted(request, pair.trip)) continue;
    const zone = tables.onDemandCalls.zone[pair[side]]!;
    const stops = zone < 0 ? listStops(tables, pair[side]) : onDemand!.listStopsInZone(zone);
    for (const stop of stops) {
      if (tables.stops.stopCallCount[stop] === 0) continue;
      const known = byStop.get(stop);
      if (known) known.push(pair);
      else byStop.set(stop, [pair]);
    }
  }
  return byStop;
}

function findNearest(timetable: Timetable, point: Point, stops: readonly number[]): number[] {
  return stops
    .map((stop) => ({ stop, meters: crowMeters(point, locate(timetable, stop)) }))
    .filter(({ meters }) => meters <= MAX_RIDE_METERS.car)
    .sort((a, b) => a.meters - b.meters || a.stop - b.stop)
    .slice(0, MAX_STOPS)
    .map(({ stop }) => stop);
}

function locate({ tables }: Timetable, stop: number): Point {
  return { lat: tables.stops.lat[stop]!, lon: tables.stops.lon[stop]! };
}

function isWanted(request: OnDemandRequest, trip: number): boolean {
  const { timetable, wheelchair, bikeOnBoard } = request;
  const { onDemandTrips, routes } = timetable.tables;
  const route = onDemandTrips.route[trip]!;
  if (wheelchair && onDemandTrips.wheelchairAccessible[trip] === IMPOSSIBLE) return false;
  if (bikeOnBoard && onDemandTrips.bikesAllowed[trip] === IMPOSSIBLE) return false;
  return isLineWanted(request, routes.product[route]!, () => timetable.lines.get(route));
}

/** GTFS wheelchair_accessible and bikes_allowed. */
const IMPOSSIBLE = 2;

/** Driving times and distances; estimated from the straight line where no streets are known. */
async function measure(
  { streets }: OnDemandRequest,
  direction: 'from' | 'to',
  point: Point,
  others: readonly Point[],
): Promise<(VehicleWay | null)[]> {
  if (others.length === 0) return [];
  if (streets?.modes.includes('car')) return streets.measure({ mode: 'car' }, direction, point, others);
  return others.map((other) => {
    const meters = straightWalkMeters(point.lat, point.lon, other.lat, other.lon);
    return { meters, seconds: Math.ceil((meters * 3.6) / CAR_KMH) };
  });
}

/**
 * The rides of some pairs of calls, grouped by duration.
 * @param transferSeconds after the ride; before it if negative
 */
function listUses(
  { timetable, period, now }: OnDemandRequest,
  pairs: readonly CallPair[],
  way: VehicleWay,
  transferSeconds: number,
): OnDemandUse[] {
  const bySeconds = new Map<number, TimedPair[]>();
  for (const pair of pairs) {
    const seconds = findRideSeconds(timetable, pair.trip, way.seconds);
    for (const timed of listOpenTimes(timetable, pair, seconds, period, now)) {
      const known = bySeconds.get(timed.seconds);
      if (known) known.push(timed);
      else bySeconds.set(timed.seconds, [timed]);
    }
  }
  const before = Math.min(transferSeconds, 0);
  return [...bySeconds]
    .sort(([a], [b]) => a - b)
    .map(([seconds, rides]) => ({
      seconds: seconds + Math.abs(transferSeconds),
      spareSeconds: Math.abs(transferSeconds),
      open: rides
        .map(({ seconds: _, from, until, ...ride }) => ({
          ...ride,
          from: (from + before) as Instant,
          until: (until + before) as Instant,
        }))
        .sort((a, b) => a.from - b.from || a.until - b.until),
    }));
}
