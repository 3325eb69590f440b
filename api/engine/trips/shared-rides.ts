import { createRecentMaps, type RecentMap } from '../../../pipeline/model/recent-map.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { straightWalkMeters, walkSeconds } from '../../../pipeline/model/walking.ts';
import type { StreetVehicle, VehicleRouter, VehicleWay } from '../../../pipeline/streets/vehicle-router.ts';
import { crowMeters, type Point } from '../../../pipeline/streets/walk-router.ts';
import type { SharedRide, WalkableStop } from '../planner/itinerary.ts';
import type { Sharing, SharingPlace } from '../sharing/open-sharing.ts';
import { measureWalks, type Walking } from './places.ts';
import type { Station } from './stations.ts';

/** Maximum number of places near an end of the trip where a bicycle is rented or returned; each costs one matrix. */
const MAX_NEAR = 4;

/** Maximum number of places near stops at the other end of the ride: one matrix has them all. */
const MAX_FAR = 200;

/** Longest walk between a station of public transport and the place where the bicycle is returned or rented. */
const MAX_STATION_WALK_METERS = 300;

/** Time to rent a bicycle, and to return it. */
const RENT_SECONDS = 60;
const RETURN_SECONDS = 60;

/** Conditions of a shared bicycle as access, egress or direct leg. */
export interface SharedTravel {
  readonly sharing: Sharing;
  readonly streets: VehicleRouter;
  readonly vehicle: StreetVehicle;
  readonly maxRideMeters: number;
  readonly walking: Walking;
  readonly walkSpeedKmh: number;
  /** Instant for which the stock is read: now. */
  readonly instant: Instant;
}

/** A place with the walk between it and the end of the trip, or a station. */
interface Walked {
  readonly place: SharingPlace;
  readonly meters: number;
}

// ---- To stations -----------------------------------------------------------------------------------------------------

/** Rides to or from stations: the fastest one for each. */
export async function reachBySharing(
  travel: SharedTravel,
  end: 'access' | 'egress',
  point: Point,
  stations: readonly Station[],
): Promise<WalkableStop[]> {
  const near = end === 'access' ? await findTaken(travel, point) : await findLeft(travel, point);
  if (near.length === 0) return [];
  const around = stations.map((station) => ({ station, far: listFar(travel, end, station.point, near) }));
  const measured = await Promise.all(
    near.map((one) =>
      measureRides(
        travel,
        end,
        one,
        around.flatMap(({ far }) => far),
      ),
    ),
  );
  return around.flatMap(({ station, far }) => {
    const shared = findFastest(travel, end, near, far, measured);
    return shared === null ? [] : station.stops.map((stop) => toWay(travel, stop, shared));
  });
}

/** Cycling time and distance by place; places at the same point share an entry. */
type MeasuredRides = ReadonlyMap<string, VehicleWay>;

/** @param measured one for each place of `near` */
function findFastest(
  travel: SharedTravel,
  end: 'access' | 'egress',
  near: readonly Walked[],
  far: readonly Walked[],
  measured: readonly MeasuredRides[],
): SharedRide | null {
  let best: SharedRide | null = null;
  for (const [i, one] of near.entries()) {
    for (const other of far) {
      const way = isPair(travel, end, one.place, other.place) ? measured[i]!.get(placeKey(other.place)) : undefined;
      if (way === undefined || way.meters > travel.maxRideMeters) continue;
      const ride = end === 'access' ? toRide(travel, one, other, way) : toRide(travel, other, one, way);
      if (best === null || ride.seconds < best.seconds) best = ride;
    }
  }
  return best;
}

function placeKey({ point }: SharingPlace): string {
  return `${point.lat},${point.lon}`;
}

async function measureRides(
  travel: SharedTravel,
  end: 'access' | 'egress',
  { place }: Walked,
  far: readonly Walked[],
): Promise<MeasuredRides> {
  const wanted = new Map<string, Point>();
  for (const other of far) {
    if (wanted.size >= MAX_FAR) break;
    if (isPair(travel, end, place, other.place)) wanted.set(placeKey(other.place), other.place.point);
  }
  const direction = end === 'access' ? 'from' : 'to';
  const remembered = place.station === null ? null : openRemembered(travel, direction, place);
  const ways = new Map([...wanted.keys()].map((key) => [key, remembered?.get(key)]));
  const missing = [...wanted].filter(([key]) => ways.get(key) === undefined);
  if (missing.length > 0) {
    const points = missing.map(([, point]) => point);
    const measured = await travel.streets.measure(travel.vehicle, direction, place.point, points);
    for (const [i, [key]] of missing.entries()) {
      const way = measured[i] ?? null;
      ways.set(key, way);
      remembered?.set(key, way);
    }
  }
  return new Map([...ways].flatMap(([key, way]) => (way ? [[key, way] as const] : [])));
}

/** Maximum number of ways in the cache, about 20 MB: those between sharing stations, which rarely move. */
const MAX_REMEMBERED = 100_000;
/** Ways that were measured before; null where streets do not connect both places. */
const rememberedWays = createRecentMaps<VehicleRouter, string, VehicleWay | null>(MAX_REMEMBERED);

/** The cached ways between a sharing station and other places, by the keys of those places. */
function openRemembered(
  { streets, vehicle }: SharedTravel,
  direction: 'from' | 'to',
  place: SharingPlace,
): RecentMap<string, VehicleWay | null> {
  const ways = rememberedWays(streets);
  const speed = vehicle.mode === 'bike' ? vehicle.speedKmh : 0;
  const prefix = `${speed} ${direction} ${placeKey(place)} `;
  return { get: (key) => ways.get(prefix + key), set: (key, way) => ways.set(prefix + key, way) };
}

function toWay({ vehicle }: SharedTravel, stop: number, shared: SharedRide): WalkableStop {
  return { stop, meters: sumMeters(shared), vehicle: { vehicle, seconds: shared.seconds, shared } };
}

/** Total distance on foot and by bicycle. */
export function sumMeters({ toBike, ride, fromBike }: SharedRide): number {
  return toBike.meters + ride.meters + fromBike.meters;
}

/** Where to return or rent a bicycle for a station of public transport: the nearest place of each system. */
function listFar(travel: SharedTravel, end: 'access' | 'egress', point: Point, near: readonly Walked[]): Walked[] {
  const { sharing, instant } = travel;
  const find = end === 'access' ? sharing.findDocks : sharing.findBikes;
  const found = find(point, MAX_STATION_WALK_METERS, MAX_NEAR, instant)
    .map((place) => ({ place, meters: straightMeters(point, place.point) }))
    .filter(({ meters }) => meters <= MAX_STATION_WALK_METERS);
  const anywhere = end === 'access' ? near.flatMap(({ place }) => leaveAnywhere(travel, place, point)) : [];
  return [...firstOfSystems(found), ...firstOfSystems(anywhere.map((place) => ({ place, meters: 0 })))];
}

function firstOfSystems(found: readonly Walked[]): Walked[] {
  return found.filter(({ place }, i) => found.findIndex((one) => one.place.system === place.system) === i);
}

/** Whether a bicycle rented at one place may be returned at the other: same system, and allowed outside of stations. */
function isPair(travel: SharedTravel, end: 'access' | 'egress', near: SharingPlace, far: SharingPlace): boolean {
  const [taken, left] = end === 'access' ? [near, far] : [far, near];
  if (taken.system !== left.system) return false;
  if (left.station !== null) return left.station.id !== taken.station?.id;
  return taken.freeType !== undefined && mayLeave(travel, taken, left.point);
}

function mayLeave({ sharing, instant }: SharedTravel, { system, freeType }: SharingPlace, point: Point): boolean {
  return freeType !== undefined && sharing.mayLeave(system, freeType, point, instant);
}

function leaveAnywhere(travel: SharedTravel, taken: SharingPlace, point: Point): SharingPlace[] {
  if (!mayLeave(travel, taken, point)) return [];
  return [{ system: taken.system, point, station: null, available: null, url: null }];
}

function toRide(
  { walkSpeedKmh, sharing }: SharedTravel,
  { place: from, meters: toBikeMeters }: Walked,
  { place: to, meters: fromBikeMeters }: Walked,
  way: VehicleWay,
): SharedRide {
  const toBike = { meters: toBikeMeters, seconds: walkSeconds(toBikeMeters, walkSpeedKmh) };
  const fromBike = { meters: fromBikeMeters, seconds: walkSeconds(fromBikeMeters, walkSpeedKmh) };
  const ride = { meters: way.meters, seconds: RENT_SECONDS + way.seconds + RETURN_SECONDS };
  const { name, url } = sharing.systems[from.system]!;
  const seconds = toBike.seconds + ride.seconds + fromBike.seconds;
  return { system: { name, url }, from, to, toBike, ride, fromBike, seconds };
}

// ---- Around a place --------------------------------------------------------------------------------------------------

/** Where a bicycle can be rented within the longest walk from a place. */
async function findTaken(travel: SharedTravel, point: Point): Promise<Walked[]> {
  const { sharing, walking, instant } = travel;
  return walkTo(travel, point, sharing.findBikes(point, walking.maxMeters, MAX_NEAR, instant));
}

/** Where a bicycle can be returned within the longest walk to a place; outside of stations, at the place itself. */
async function findLeft(travel: SharedTravel, point: Point): Promise<Walked[]> {
  const { sharing, walking, instant } = travel;
  const docks = await walkTo(travel, point, sharing.findDocks(point, walking.maxMeters, MAX_NEAR, instant));
  // Whether a bicycle may be returned here depends on the bicycle, see `isPair`.
  const here = sharing.systems.map((_, system) => ({ system, point, station: null, available: null, url: null }));
  return [...docks, ...here.map((place) => ({ place, meters: 0 }))];
}

async function walkTo({ walking }: SharedTravel, point: Point, places: readonly SharingPlace[]): Promise<Walked[]> {
  const points = places.map((place) => place.point);
  const measured = await measureWalks(walking, point, points);
  return places.flatMap((place, i) => {
    const meters = measured[i] ?? null;
    return meters === null ? [] : { place, meters };
  });
}

function straightMeters(from: Point, to: Point): number {
  return straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
}

// ---- All the way -----------------------------------------------------------------------------------------------------

/** The fastest ride from one place to another; null if there is none. */
export async function rideAllTheWay(travel: SharedTravel, from: Point, to: Point): Promise<SharedRide | null> {
  if (crowMeters(from, to) > travel.maxRideMeters) return null;
  const [taken, left] = await Promise.all([findTaken(travel, from), findLeft(travel, to)]);
  const measured = await Promise.all(taken.map((one) => measureRides(travel, 'access', one, left)));
  return findFastest(travel, 'access', taken, left, measured);
}
