import { straightWalkMeters } from '../../../../pipeline/model/walking.ts';
import type { StreetVehicle, VehicleMode, VehicleRouter } from '../../../../pipeline/streets/vehicle-router.ts';
import type { Point, WalkRouter } from '../../../../pipeline/streets/walk-router.ts';

const CAR_KMH = 48;

/** Streets on which every path is the straight line times 1.3; records each matrix request. */
export function openStreets(modes: readonly VehicleMode[], parkAndRide: readonly Point[] = []) {
  const requests: string[] = [];
  const secondsOf = (vehicle: StreetVehicle, meters: number) =>
    Math.ceil((meters * 3.6) / (vehicle.mode === 'bike' ? vehicle.speedKmh : CAR_KMH));
  const vehicles: VehicleRouter = {
    modes,
    parkAndRide,
    async measure(vehicle, direction, place, others) {
      requests.push(`${vehicle.mode} ${direction} ${others.length}`);
      return others.map(({ lat, lon }) => {
        const meters = straightWalkMeters(place.lat, place.lon, lat, lon);
        return { meters, seconds: secondsOf(vehicle, meters) };
      });
    },
    async findPath(vehicle, from, to) {
      const meters = straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
      const step = { instruction: `Mit ${vehicle.mode} los.`, maneuver: 'start', from: 0, to: 1 };
      return { distanceMeters: meters, durationSeconds: secondsOf(vehicle, meters), points: [from, to], steps: [step] };
    },
  };
  const walks: WalkRouter = {
    id: 'straight',
    vehicles,
    measure: async (from, to, _profile, maxMeters) =>
      to.map(({ lat, lon }) => {
        const meters = straightWalkMeters(from.lat, from.lon, lat, lon);
        return meters <= maxMeters ? meters : null;
      }),
    findPath: async () => null,
  };
  return { walks, requests };
}
