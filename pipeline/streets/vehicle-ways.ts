import { walkSeconds } from '../model/walking.ts';
import { MAX_VEHICLE_MATRIX_PLACES } from './engine-config.ts';
import { decodePolyline, ON_THE_STREET_METERS, readSteps } from './find-path.ts';
import type { ParkAndRide } from './published-streets.ts';
import type { StreetEngine } from './street-engine.ts';
import { findOnStreets, type MatrixAnswer, requestMatrix, requestRoute, vehicleCosting } from './street-requests.ts';
import {
  MAX_RIDE_METERS,
  type StreetVehicle,
  type VehicleMode,
  type VehicleRouter,
  type VehicleWay,
} from './vehicle-router.ts';
import { crowMeters, type Point, sumWay, usualSpeedKmh, type WalkLanguage, type WalkPath } from './walk-router.ts';

/** Modes and car parks of a street graph: plain data, shared with other threads. */
export interface VehicleFacts {
  readonly modes: readonly VehicleMode[];
  readonly parkAndRide: readonly ParkAndRide[];
}

export function createVehicleRouter(engine: StreetEngine, { modes, parkAndRide }: VehicleFacts): VehicleRouter {
  return {
    modes,
    parkAndRide,
    measure: (vehicle, direction, place, others) => measureWays(engine, { vehicle, direction, place }, others),
    findPath: (vehicle, from, to, language) => findVehiclePath(engine, vehicle, from, to, language),
  };
}

/** One place, and the vehicle and direction of the ways between it and others. */
interface Hub {
  readonly vehicle: StreetVehicle;
  readonly direction: 'from' | 'to';
  readonly place: Point;
}

/** See `VehicleRouter.measure`. */
async function measureWays(engine: StreetEngine, hub: Hub, others: readonly Point[]): Promise<(VehicleWay | null)[]> {
  const ways: (VehicleWay | null)[] = [];
  for (let at = 0; at < others.length; at += MAX_VEHICLE_MATRIX_PLACES) {
    ways.push(...(await measureBatch(engine, hub, others.slice(at, at + MAX_VEHICLE_MATRIX_PLACES))));
  }
  const longest = MAX_RIDE_METERS[hub.vehicle.mode];
  return ways.map((way) => (way !== null && way.meters <= longest ? way : null));
}

/** The engine serves all places or none: if it refuses, places away from streets are separated. */
async function measureBatch(engine: StreetEngine, hub: Hub, others: readonly Point[]): Promise<(VehicleWay | null)[]> {
  const measured = await requestWays(engine, hub, others);
  if (measured !== 'offStreets') return measured;
  const [isHubOnStreet, ...isOnStreet] = await findOnStreets(
    engine,
    [hub.place, ...others],
    vehicleCosting(hub.vehicle),
  );
  const known = others.filter((_, i) => isOnStreet[i]);
  const ways = isHubOnStreet && known.length > 0 ? await requestWays(engine, hub, known) : 'offStreets';
  let rank = 0;
  return others.map((_, i) => (isOnStreet[i] && ways !== 'offStreets' ? ways[rank++]! : null));
}

async function requestWays(
  engine: StreetEngine,
  { vehicle, direction, place }: Hub,
  others: readonly Point[],
): Promise<(VehicleWay | null)[] | 'offStreets'> {
  const isFrom = direction === 'from';
  const [sources, targets] = isFrom ? [[place], others] : [others, [place]];
  const answer = await requestMatrix(engine, sources, targets, vehicleCosting(vehicle));
  if (answer === 'offStreets') return answer;
  if (answer === 'noWay') return others.map(() => null);
  const [here, there] = isFrom ? [answer.sources, answer.targets] : [answer.targets, answer.sources];
  return others.map((other, i) => {
    const streets = readCell(answer, isFrom, i);
    if (streets === null) return null;
    return addFootways(streets, crowMeters(place, here[0]!), crowMeters(there[i]!, other));
  });
}

/** Kilometres and seconds along streets. */
interface StreetCell {
  readonly distance: number;
  readonly time: number;
}

function readCell({ sources_to_targets: rows }: MatrixAnswer, isFrom: boolean, i: number): StreetCell | null {
  const { distance, time } = isFrom ? rows[0]![i]! : rows[i]![0]!;
  return distance === null || time === null ? null : { distance, time };
}

/** Adds the ways on foot to the first street and from the last one. */
function addFootways({ distance, time }: StreetCell, before: number, after: number): VehicleWay {
  const meters = sumWay({ before, between: distance * 1000, after });
  return { meters, seconds: Math.ceil(time) + walkSeconds(before + after, usualSpeedKmh.foot) };
}

/** See `VehicleRouter.findPath`. */
async function findVehiclePath(
  engine: StreetEngine,
  vehicle: StreetVehicle,
  from: Point,
  to: Point,
  language: WalkLanguage,
): Promise<WalkPath | null> {
  const longest = MAX_RIDE_METERS[vehicle.mode];
  if (crowMeters(from, to) > longest) return null;
  const answer = await requestRoute(engine, [from, to], vehicleCosting(vehicle), language);
  if (typeof answer === 'string') return null;
  const { legs, summary } = answer.trip;
  const onStreets = decodePolyline(legs[0].shape);
  const [before, after] = [crowMeters(from, onStreets[0]!), crowMeters(onStreets.at(-1)!, to)];
  const { meters, seconds } = addFootways({ distance: summary.length, time: summary.time }, before, after);
  if (meters > longest) return null;
  const head = before > ON_THE_STREET_METERS ? [from] : [];
  const points = [...head, ...onStreets, ...(after > ON_THE_STREET_METERS ? [to] : [])];
  const steps = readSteps(legs[0].maneuvers, head.length, points.length - 1);
  return { distanceMeters: meters, durationSeconds: seconds, points, steps };
}
