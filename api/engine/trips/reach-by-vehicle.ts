import { straightWalkMeters, walkSeconds } from '../../../pipeline/model/walking.ts';
import {
  MAX_RIDE_METERS,
  type StreetVehicle,
  type VehicleRouter,
  type VehicleWay,
} from '../../../pipeline/streets/vehicle-router.ts';
import { crowMeters, type Point, usualSpeedKmh } from '../../../pipeline/streets/walk-router.ts';
import type { DirectWay, VehicleUse, WalkableStop } from '../planner/itinerary.ts';
import { getWaySeconds } from '../planner/places.ts';
import type { Places } from './places.ts';
import { listStations, MAX_STATIONS, type Station } from './stations.ts';
import type { EndModes } from './street-modes.ts';

/** Locking a bicycle, and parking a car. */
const PARK_SECONDS = { bike: 60, car: 180 } as const;

/** Distance between a car park and the stations that it serves, as the crow flies. */
const CAR_PARK_METERS = 500;

/** No drive is faster on average. */
const MAX_CAR_METERS_PER_SECOND = 36;

/** The end of a trip whose stops are looked for. */
export interface VehicleEnd {
  readonly point: Point;
  readonly end: 'access' | 'egress';
  /** Stops of the place itself. */
  readonly members: readonly number[];
  /** Only ways to the station of this stop are wanted; absent: all. */
  readonly onlyStop?: number;
}

/**
 * Finds the ways to stops within reach of a place on wheels, in the order of the modes. Each station is measured once,
 * and its ways are those of all of its stops.
 */
export async function reachByVehicle(
  places: Places,
  tripEnd: VehicleEnd,
  modes: EndModes,
  streets: VehicleRouter,
): Promise<WalkableStop[]> {
  const found = await Promise.all(
    modes.vehicles.map((vehicle) =>
      vehicle.mode === 'car' && modes.parking === 'parkAndRide'
        ? reachByCarPark(places, tripEnd, modes, streets)
        : reachDirectly(places, tripEnd, modes, vehicle, streets),
    ),
  );
  return found.flat().filter(({ stop }) => !tripEnd.members.includes(stop));
}

/** Returns the fastest way to each stop, the first of equal ones. */
export function keepFastest(ways: readonly WalkableStop[], walkSpeedKmh: number): WalkableStop[] {
  const byStop = new Map<number, WalkableStop>();
  for (const way of ways) {
    const known = byStop.get(way.stop);
    if (!known || getWaySeconds(way, walkSpeedKmh) < getWaySeconds(known, walkSpeedKmh)) byStop.set(way.stop, way);
  }
  return [...byStop.values()];
}

/** As the crow flies. */
export function findRadius({ maxBikeMeters, maxCarSeconds }: EndModes, { mode }: StreetVehicle): number {
  const meters = mode === 'bike' ? maxBikeMeters : maxCarSeconds * MAX_CAR_METERS_PER_SECOND;
  return Math.min(meters, MAX_RIDE_METERS[mode]);
}

function isWithin(modes: EndModes, { mode }: StreetVehicle, way: VehicleWay): boolean {
  return mode === 'bike' ? way.meters <= modes.maxBikeMeters : way.seconds <= modes.maxCarSeconds;
}

/** The nearest stations, nearest first; only that of the wanted stop if there is one. */
export function listWantedStations(
  places: Places,
  { point, onlyStop }: VehicleEnd,
  radiusMeters: number,
): readonly Station[] {
  const stations = listStations(places, point, radiusMeters);
  return onlyStop === undefined ? stations : stations.filter(({ stops }) => stops.includes(onlyStop));
}

/** To each station, with parking there if the vehicle stays. */
async function reachDirectly(
  places: Places,
  tripEnd: VehicleEnd,
  modes: EndModes,
  vehicle: StreetVehicle,
  streets: VehicleRouter,
): Promise<WalkableStop[]> {
  const { point, end } = tripEnd;
  const stations = listWantedStations(places, tripEnd, findRadius(modes, vehicle));
  const direction = end === 'access' ? 'from' : 'to';
  const ways = await measure(streets, vehicle, direction, point, stations);
  const stays = vehicle.mode === 'bike' ? modes.bikeStays : modes.parking === 'anyStation';
  return stations.flatMap(({ stops }, i) => {
    const way = ways[i] ?? null;
    if (way === null || !isWithin(modes, vehicle, way)) return [];
    const seconds = way.seconds + (stays ? PARK_SECONDS[vehicle.mode] : 0);
    const use: VehicleUse = { vehicle, seconds, ...(stays ? { parked: 'atStop' as const } : {}) };
    return stops.map((stop) => ({ stop, meters: way.meters, vehicle: use }));
  });
}

async function measure(
  streets: VehicleRouter,
  vehicle: StreetVehicle,
  direction: 'from' | 'to',
  point: Point,
  others: readonly { readonly point: Point }[],
): Promise<(VehicleWay | null)[]> {
  if (others.length === 0) return [];
  return streets.measure(
    vehicle,
    direction,
    point,
    others.map((other) => other.point),
  );
}

/** By car to a car park, and on foot from there to the stations that it serves. */
async function reachByCarPark(
  places: Places,
  { point }: VehicleEnd,
  modes: EndModes,
  streets: VehicleRouter,
): Promise<WalkableStop[]> {
  const vehicle: StreetVehicle = { mode: 'car' };
  const radius = findRadius(modes, vehicle);
  const carParks = streets.parkAndRide
    .map(({ lat, lon }) => ({ point: { lat, lon }, meters: crowMeters(point, { lat, lon }) }))
    .filter(({ meters }) => meters <= radius)
    .sort((a, b) => a.meters - b.meters)
    .slice(0, MAX_STATIONS);
  const ways = await measure(streets, vehicle, 'from', point, carParks);
  return carParks.flatMap(({ point: carPark }, i) => {
    const way = ways[i] ?? null;
    return way !== null && isWithin(modes, vehicle, way) ? walkFromCarPark(places, carPark, way, vehicle) : [];
  });
}

function walkFromCarPark(places: Places, carPark: Point, way: VehicleWay, vehicle: StreetVehicle): WalkableStop[] {
  return listStations(places, carPark, CAR_PARK_METERS).flatMap(({ point, stops }) => {
    const walk = straightWalkMeters(carPark.lat, carPark.lon, point.lat, point.lon);
    const seconds = way.seconds + PARK_SECONDS.car + walkSeconds(walk, usualSpeedKmh.foot);
    const use: VehicleUse = { vehicle, seconds, parked: carPark };
    return stops.map((stop) => ({ stop, meters: way.meters + walk, vehicle: use }));
  });
}

/** Direct ways past all places, the simpler vehicle first; without those that are too long. */
export async function measureDirect(
  points: readonly (Point | null)[],
  modes: EndModes,
  streets: VehicleRouter,
): Promise<DirectWay[]> {
  const ways = await Promise.all(
    modes.vehicles.map(async (vehicle) => {
      const stretches = await Promise.all(
        points.slice(1).map((to, i) => measureStretch(points[i]!, to, modes, vehicle, streets)),
      );
      const known = stretches.filter((stretch) => stretch !== null);
      return known.length === stretches.length ? [{ vehicle, stretches: known }] : [];
    }),
  );
  return ways.flat();
}

async function measureStretch(
  from: Point | null,
  to: Point | null,
  modes: EndModes,
  vehicle: StreetVehicle,
  streets: VehicleRouter,
): Promise<VehicleWay | null> {
  if (from === null || to === null || crowMeters(from, to) > findRadius(modes, vehicle)) return null;
  const [way = null] = await streets.measure(vehicle, 'from', from, [to]);
  return way !== null && isWithin(modes, vehicle, way) ? way : null;
}
