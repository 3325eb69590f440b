import type { StreetVehicle } from '../../../pipeline/streets/vehicle-router.ts';
import type { Point, WalkPath, WalkProfile, WalkRouter } from '../../../pipeline/streets/walk-router.ts';

/** Street paths, each looked up once, since the trips of a response share places of transfer. */
export interface WalkPaths {
  /** @returns `null` without a street graph, and where no path connects the points */
  find(from: Point, to: Point): Promise<WalkPath | null>;
  /** @returns `null` without streets for this vehicle, and where no path connects the points */
  findRide(vehicle: StreetVehicle, from: Point, to: Point): Promise<WalkPath | null>;
}

/** @param walks `null` without a street graph */
export function rememberPaths(walks: WalkRouter | null, profile: WalkProfile): WalkPaths {
  const known = new Map<string, Promise<WalkPath | null>>();
  const remember = (mode: string, from: Point, to: Point, find: () => Promise<WalkPath | null>) => {
    const name = `${mode} ${from.lat},${from.lon} ${to.lat},${to.lon}`;
    const path = known.get(name) ?? find();
    known.set(name, path);
    return path;
  };
  return {
    async find(from, to) {
      return walks ? remember('walk', from, to, () => walks.findPath(from, to, profile, 'de')) : null;
    },
    async findRide(vehicle, from, to) {
      const vehicles = walks?.vehicles;
      return vehicles ? remember(vehicle.mode, from, to, () => vehicles.findPath(vehicle, from, to, 'de')) : null;
    },
  };
}
