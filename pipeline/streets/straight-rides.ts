import { straightWalkMeters } from '../model/walking.ts';
import { MAX_RIDE_METERS, type StreetVehicle, type VehicleRouter } from './vehicle-router.ts';
import { crowMeters, type Point } from './walk-router.ts';

/**
 * Rides without a street graph, estimated like walks: 1.3 times the straight line. Its paths are unknown. It has no
 * modes: only short rides, such as those on shared bicycles, can be estimated in this way.
 */
export const straightRides: VehicleRouter = {
  modes: [],
  parkAndRide: [],
  measure: async (vehicle, _direction, place, others) => others.map((other) => measureStraight(vehicle, place, other)),
  findPath: async () => null,
};

function measureStraight(vehicle: StreetVehicle, from: Point, to: Point) {
  if (vehicle.mode !== 'bike' || crowMeters(from, to) > MAX_RIDE_METERS.bike) return null;
  const meters = straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
  return { meters, seconds: Math.ceil((meters * 3.6) / vehicle.speedKmh) };
}
