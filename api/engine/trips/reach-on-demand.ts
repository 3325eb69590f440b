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
  findEarliestPickup,
  findRideSeconds,
  listOpenTimes,
  listPairsFrom,
  listPairsTo,
  type TimedPair,
} from '../read/on-demand-rides.ts';
import type { MeetingWalk, OpenTime } from '../read/open-times.ts';
import type { Timetable } from '../read/timetable.ts';
import { listChanges, listSpots, type MeetingTravel, type OnDemandSpot } from './meeting-points.ts';
import { locateStop, type Places, type RequestedPlace, type Walking } from './places.ts';

/** The requirements of a request on on-demand rides. */
interface OnDemandRequest extends MeetingTravel {
  /** For driving times; `null` to estimate them from the straight line. */
  readonly streets: VehicleRouter | null;
  /** Period in which relevant rides begin. */
  readonly period: { readonly from: number; readonly to: number };
  /** Now: rides whose booking is closed are left out. `null` to include them: the traveller may have booked. */
  readonly now: Instant | null;
  /** Bits as in `stops.productClasses`; `null` for all. */
  readonly products: number | null;
  readonly avoid: Avoidance | null;
  readonly wheelchair: boolean;
  readonly bikeOnBoard: boolean;
}

/** The instant of booking, `null` to ignore booking deadlines, and the time around which rides begin. */
export interface OnDemandTimes {
  readonly now: Instant | null;
  /** Time of the page. */
  readonly around: Instant;
}

/** Search period on either side of the page: its span plus the longest journey. */
const PERIOD_SECONDS = 3 * 86_400;

type OnDemandWishes = Pick<PlanQuery, 'walkSpeedKmh' | 'maxWalkMeters'> &
  Partial<Pick<PlanQuery, 'products' | 'avoid' | 'wheelchair' | 'bikeOnBoard'>>;

export function openOnDemandRequest(
  places: Places,
  wishes: OnDemandWishes,
  walks: WalkRouter | null,
  { now, around }: OnDemandTimes,
): OnDemandRequest {
  const { products = null, avoid = null, wheelchair = false, bikeOnBoard = false, walkSpeedKmh } = wishes;
  const walking: Walking = { profile: wheelchair ? 'wheelchair' : 'foot', maxMeters: wishes.maxWalkMeters, walks };
  const period = { from: around - PERIOD_SECONDS, to: around + PERIOD_SECONDS };
  const streets = walks?.vehicles ?? null;
  return { places, walking, walkSpeedKmh, streets, period, now, products, avoid, wheelchair, bikeOnBoard };
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
  const { timetable } = request.places;
  const areas = timetable.onDemand;
  if (areas === null || further.length > 0 || !from || !to) return [];
  const [begins, ends] = await Promise.all([listSpots(request, from), listSpots(request, to)]);
  const arriving = ends.map((end) => new Set(listPairsTo(areas, timetable, end).map(({ dropOff }) => dropOff)));
  const isNew = openFilter(request);
  const ways = begins.map(async (begin) => {
    const pairs = listPairsFrom(areas, timetable, begin);
    const rides = ends
      .map((end, i) => ({ end, pairs: pairs.filter(({ dropOff }) => arriving[i]!.has(dropOff)) }))
      .filter(({ end }) => end.stop < 0 || end.stop !== begin.stop)
      .map(({ end, pairs: possible }) => ({ end, pairs: possible.filter(isNew) }))
      .filter((ride) => ride.pairs.length > 0);
    const points = rides.map(({ end }) => end.point);
    const measured = await measure(request, 'from', begin.point, points);
    return rides.flatMap((ride, i) => {
      const ends = { walkBefore: begin.walk, walkAfter: ride.end.walk };
      return measured[i] ? listUses(request, ride.pairs, measured[i], ends) : [];
    });
  });
  return (await Promise.all(ways)).flat().sort((a, b) => a.onDemand.seconds - b.onDemand.seconds);
}

/** Passes each pair of calls of a wanted line once. */
function openFilter(request: OnDemandRequest): (pair: CallPair) => boolean {
  const known = new Set<string>();
  return ({ trip, pickup, dropOff }) => {
    const key = `${trip} ${pickup} ${dropOff}`;
    if (known.has(key) || !isWanted(request, trip)) return false;
    known.add(key);
    return true;
  };
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

/**
 * On-demand rides between a place and stops with scheduled service, with walks to and from the stops of the rides.
 * @param members stops of the place itself, which need no ride
 * @param onlyStop `undefined` for all stops
 */
export async function reachOnDemand(
  request: OnDemandRequest,
  end: 'access' | 'egress',
  place: RequestedPlace,
  members: readonly number[],
  onlyStop?: number,
): Promise<WalkableStop[]> {
  const { timetable } = request.places;
  const areas = timetable.onDemand;
  if (areas === null) return [];
  const isNew = openFilter(request);
  const listPairs = end === 'access' ? listPairsFrom : listPairsTo;
  const isOther = (stop: number) => !members.includes(stop) && (onlyStop === undefined || stop === onlyStop);
  const ways = (await listSpots(request, place)).map(async (spot) => {
    const pairs = listPairs(areas, timetable, spot).filter(isNew);
    const targets = listTargets(request, pairs, end === 'access' ? 'dropOff' : 'pickup');
    const wanted = targets.filter((target) => isOther(target.stop) && target.rideStop !== spot.stop);
    return rideToTargets(request, end, spot, findNearest(timetable, spot.point, wanted));
  });
  return (await Promise.all(ways)).flat();
}

async function rideToTargets(
  request: OnDemandRequest,
  end: 'access' | 'egress',
  { point, walk }: OnDemandSpot,
  targets: readonly Target[],
): Promise<WalkableStop[]> {
  const { timetable } = request.places;
  const points = targets.map(({ rideStop }) => locateStop(timetable, rideStop));
  const ways = await measure(request, end === 'access' ? 'from' : 'to', point, points);
  return targets.flatMap((target, i) => {
    const ends =
      end === 'access'
        ? { walkBefore: walk, walkAfter: target.walk, spareAfter: TRANSFER_SECONDS }
        : { walkBefore: target.walk, walkAfter: walk, spareBefore: TRANSFER_SECONDS };
    const uses = ways[i] ? listUses(request, target.pairs, ways[i], ends) : [];
    return uses.map((use) => ({ stop: target.stop, ...use }));
  });
}

/** A stop with scheduled service, and the stop at or near it where on-demand rides end or begin. */
interface Target {
  readonly stop: number;
  readonly rideStop: number;
  readonly walk: MeetingWalk | null;
  readonly pairs: CallPair[];
}

function listTargets(request: OnDemandRequest, pairs: readonly CallPair[], side: 'pickup' | 'dropOff'): Target[] {
  const { tables, onDemand } = request.places.timetable;
  const byRideStop = new Map<number, CallPair[]>();
  for (const pair of pairs) {
    const zone = tables.onDemandCalls.zone[pair[side]]!;
    const stops = zone < 0 ? listStops(tables, pair[side]) : onDemand!.listStopsInZone(zone);
    for (const stop of stops) {
      const known = byRideStop.get(stop);
      if (known) known.push(pair);
      else byRideStop.set(stop, [pair]);
    }
  }
  // Nobody walks to a stop where the vehicle comes, too.
  const isWalkedTo = (stop: number, rideStop: number) => stop === rideStop || !byRideStop.has(stop);
  return [...byRideStop].flatMap(([rideStop, own]) =>
    listChanges(request, rideStop)
      .filter(({ stop }) => isWalkedTo(stop, rideStop))
      .map((change) => ({ ...change, rideStop, pairs: own })),
  );
}

function findNearest(timetable: Timetable, point: Point, targets: readonly Target[]): Target[] {
  return targets
    .map((target) => ({ target, meters: crowMeters(point, locateStop(timetable, target.rideStop)) }))
    .filter(({ meters }) => meters <= MAX_RIDE_METERS.car)
    .sort((a, b) => a.meters - b.meters || a.target.stop - b.target.stop)
    .slice(0, MAX_STOPS)
    .map(({ target }) => target);
}

function isWanted(request: OnDemandRequest, trip: number): boolean {
  const { wheelchair, bikeOnBoard } = request;
  const { timetable } = request.places;
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

/** Walks and transfer times before and after a ride; absent: none. */
interface RideEnds {
  readonly walkBefore: MeetingWalk | null;
  readonly walkAfter: MeetingWalk | null;
  readonly spareBefore?: number;
  readonly spareAfter?: number;
}

/** The rides of some pairs of calls, grouped by duration. */
function listUses(
  { places: { timetable }, period, now }: OnDemandRequest,
  pairs: readonly CallPair[],
  way: VehicleWay,
  { walkBefore, walkAfter, spareBefore = 0, spareAfter = 0 }: RideEnds,
): OnDemandWay[] {
  const bySeconds = new Map<number, TimedPair[]>();
  for (const pair of pairs) {
    const seconds = findRideSeconds(timetable, pair.trip, way.seconds);
    for (const timed of listOpenTimes(timetable, pair, seconds, period, now)) {
      const known = bySeconds.get(timed.seconds);
      if (known) known.push(timed);
      else bySeconds.set(timed.seconds, [timed]);
    }
  }
  const before = spareBefore + (walkBefore?.seconds ?? 0);
  const after = spareAfter + (walkAfter?.seconds ?? 0);
  const meters = way.meters + (walkBefore?.meters ?? 0) + (walkAfter?.meters ?? 0);
  const walks = { ...(walkBefore ? { walkBefore } : {}), ...(walkAfter ? { walkAfter } : {}) };
  return [...bySeconds]
    .sort(([a], [b]) => a - b)
    .map(([seconds, rides]) => ({
      meters,
      onDemand: {
        seconds: before + seconds + after,
        spareSeconds: spareBefore + spareAfter,
        ...walks,
        open: rides.map((ride) => shiftRide(ride, -before)).sort((a, b) => a.from - b.from || a.until - b.until),
      },
    }));
}

function shiftRide({ seconds: _, from, until, ...ride }: TimedPair, seconds: number): OpenTime {
  return { ...ride, from: (from + seconds) as Instant, until: (until + seconds) as Instant };
}

/** A place without on-demand rides that can no longer be booked. */
export function keepBookable(
  timetable: Timetable,
  place: PlanPlace,
  end: 'access' | 'egress',
  now: Instant,
): PlanPlace {
  const reach = place.reach.flatMap((way) => {
    if (!way.onDemand) return [way];
    const { spareSeconds, walkBefore, open } = way.onDemand;
    const beforeSeconds = (end === 'access' ? 0 : spareSeconds) + (walkBefore?.seconds ?? 0);
    const bookable = open.flatMap((time) => {
      const from = Math.max(time.from, findEarliestPickup(timetable, time, time.day, now) - beforeSeconds) as Instant;
      return from <= time.until ? [{ ...time, from }] : [];
    });
    return bookable.length > 0 ? [{ ...way, onDemand: { ...way.onDemand, open: bookable } }] : [];
  });
  return { ...place, reach };
}
