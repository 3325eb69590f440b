import type {
  Itinerary,
  PlanCursor,
  PlanPage,
  PlanPlace,
  PlanQuery,
  Ride,
} from '../../../api/engine/planner/itinerary.ts';
import type { Planner } from '../../../api/engine/planner/open-planner.ts';
import { findItineraries } from '../../../api/engine/planner/planner.ts';
import { findText, type Realtime } from '../../../api/engine/read/realtime.ts';
import { findStop } from '../../../api/engine/read/stop-ids.ts';
import { getMembers, type Timetable } from '../../../api/engine/read/timetable.ts';
import { keepFastest } from '../../../api/engine/trips/reach-by-vehicle.ts';
import { type Product, products } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { straightWalkMeters } from '../../../pipeline/model/walking.ts';
import type { StreetVehicle } from '../../../pipeline/streets/vehicle-router.ts';
import type { NaivePageQuery } from './naive-plan-pages.ts';
import type { NaiveEnd, NaiveModes, NaivePlace, NaivePlanQuery } from './naive-plan-places.ts';

/** A query of the planner, on a timetable of one source, `at`. */
export interface PlannerQuestion extends NaivePlanQuery, NaivePageQuery {
  /** Decides which realtime is fresh. */
  readonly instant: number;
  /** Whether folded options are shown as well; by default they are not. */
  readonly all?: boolean;
}

/** A planner, and the realtime state of its timetable. */
export interface PlanWorld {
  readonly planner: Planner;
  readonly realtime: Realtime | null;
}

/** The first page, or the one that a cursor leads to. */
export function queryPlanner(
  world: PlanWorld,
  requested: PlannerQuestion,
  cursor: PlanCursor | null = null,
  isSpent: (share: number) => boolean = () => false,
): PlanPage {
  const { planner, realtime } = world;
  const { timetable } = planner;
  return findItineraries({
    planner,
    published: { timetable, realtime },
    instant: requested.instant as Instant,
    query: toQuery(timetable, requested),
    cursor,
    isSpent,
  });
}

/** A query with resolved places and straight-line walks. */
export function toQuery(timetable: Timetable, requested: PlannerQuestion): PlanQuery {
  const { from, via, to, time, timeMode, limit, maxTransfers, minTransferSeconds, products: named } = requested;
  const { walkSpeedKmh, maxWalkMeters, wheelchair } = requested;
  const places = [from, ...via, to];
  const resolve = (place: NaivePlace) => resolvePlace(timetable, place, maxWalkMeters);
  const stretchMeters = places.slice(1).map((place, i) => {
    const meters = metersBetween(coordinateOf(timetable, places[i]!), coordinateOf(timetable, place));
    return meters <= maxWalkMeters ? meters : null;
  });
  return {
    from: withWheels(timetable, resolve(from), requested.modes?.access ?? null, walkSpeedKmh),
    to: withWheels(timetable, resolve(to), requested.modes?.egress ?? null, walkSpeedKmh),
    via: via.map(resolve),
    ...(requested.viaStaySeconds ? { viaStaySeconds: requested.viaStaySeconds } : {}),
    stretchMeters,
    time: time as Instant,
    timeMode,
    limit,
    maxTransfers,
    minTransferSeconds,
    products: toBits(named),
    walkSpeedKmh,
    maxWalkMeters,
    wheelchair,
    ...toDirect(requested.modes ?? null, places.length - 1),
    all: requested.all ?? false,
  };
}

const vehicles: Readonly<Record<'bike' | 'car', StreetVehicle>> = {
  bike: { mode: 'bike', speedKmh: 16 },
  car: { mode: 'car' },
};

/** A place whose stops are also reached by the ways of a table. */
function withWheels(timetable: Timetable, place: PlanPlace, end: NaiveEnd | null, walkSpeedKmh: number): PlanPlace {
  if (end === null) return place;
  const { members, reach } = place;
  const { stopCallCount } = timetable.tables.stops;
  const ridden = end.rows
    .map(({ stopId, mode, seconds }) => ({ stop: findStopRow(timetable, stopId), meters: 1000, mode, seconds }))
    .filter(({ stop }) => stopCallCount[stop]! > 0 && !members.includes(stop))
    .map(({ stop, meters, mode, seconds }) => ({ stop, meters, vehicle: { vehicle: vehicles[mode], seconds } }));
  const onDemand = (end.onDemand ?? [])
    .map(({ stopId, seconds, open }) => ({ stop: findStopRow(timetable, stopId), meters: 1000, seconds, open }))
    .filter(({ stop }) => stopCallCount[stop]! > 0 && !members.includes(stop))
    .map(({ stop, meters, seconds, open }) => {
      const ride = { trip: -1, day: 0, pickup: -1, dropOff: -1 };
      const times = open.map(([from, until]) => ({ ...ride, from: from as Instant, until: until as Instant }));
      return { stop, meters, onDemand: { seconds, spareSeconds: 0, open: times } };
    });
  return { members, reach: [...keepFastest([...(end.onFoot ? reach : []), ...ridden], walkSpeedKmh), ...onDemand] };
}

function toDirect(modes: NaiveModes | null, stretchCount: number): Partial<PlanQuery> {
  if (modes === null) return {};
  const { direct, bikeOnBoard } = modes;
  const directWays = (['bike', 'car'] as const).flatMap((mode) =>
    (direct?.ways ?? [])
      .filter((way) => way.mode === mode)
      .map((way) => ({
        vehicle: vehicles[mode],
        stretches: way.seconds.slice(0, stretchCount).map((seconds) => ({ meters: seconds, seconds })),
      })),
  );
  return { bikeOnBoard, directWays, withoutDirectWalk: direct?.onFoot === false };
}

function toBits(named: readonly string[] | null): number | null {
  if (named === null) return null;
  return named.reduce((bits, product) => bits | (1 << products.indexOf(product as Product)), 0);
}

interface Coordinate {
  readonly lat: number;
  readonly lon: number;
}

function resolvePlace(timetable: Timetable, place: NaivePlace, maxWalkMeters: number): PlanPlace {
  const { tables } = timetable;
  const members = 'stopId' in place ? [...getMembers(tables, findStopRow(timetable, place.stopId))] : [];
  const center = coordinateOf(timetable, place);
  const reach = Array.from(tables.stops.lat, (lat, stop) => ({
    stop,
    meters: metersBetween(center, { lat, lon: tables.stops.lon[stop]! }),
  }));
  return {
    members,
    reach: reach.filter(
      ({ stop, meters }) => meters <= maxWalkMeters && tables.stops.stopCallCount[stop]! > 0 && !members.includes(stop),
    ),
  };
}

function coordinateOf(timetable: Timetable, place: NaivePlace): Coordinate {
  if (!('stopId' in place)) return place;
  const { stops } = timetable.tables;
  const stop = findStopRow(timetable, place.stopId);
  return { lat: stops.lat[stop]!, lon: stops.lon[stop]! };
}

function metersBetween(a: Coordinate, b: Coordinate): number {
  return straightWalkMeters(a.lat, a.lon, b.lat, b.lon);
}

function findStopRow(timetable: Timetable, stopId: string): number {
  const stop = findStop(timetable, `at:${stopId}`);
  if (stop === null) throw new Error(`no stop ${stopId}`);
  return stop;
}

// ---- As text -----------------------------------------------------------------------------------

/** The naive planner's name of a ridden trip: `t1`, `t1@28800` of a run, the shown name of an added trip. */
export function nameRide({ planner, realtime }: PlanWorld, { trip, addedTrip }: Ride): string {
  if (trip < 0) return findText(realtime!, realtime!.tables.addedTrips.headsign[addedTrip]!)!;
  const { trips } = planner.timetable.tables;
  const start = trips.frequencyStart[trip]!;
  return start < 0 ? trips.tripId.get(trip) : `${trips.tripId.get(trip)}@${start}`;
}

export function isWalk({ parts }: Itinerary): boolean {
  return parts.every(({ kind }) => kind === 'walk');
}
