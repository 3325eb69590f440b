import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { VehicleRouter } from '../../../pipeline/streets/vehicle-router.ts';
import type { Point } from '../../../pipeline/streets/walk-router.ts';
import type { DirectWay, PlanPlace, WalkableStop } from '../planner/itinerary.ts';
import { openPlace, type Places, type RequestedPlace, type Walking } from './places.ts';
import {
  findRadius,
  keepFastest,
  listWantedStations,
  measureDirect,
  reachByVehicle,
  type VehicleEnd,
} from './reach-by-vehicle.ts';
import { reachBySharing, rideAllTheWay, type SharedTravel, sumMeters } from './shared-rides.ts';
import type { EndModes, StreetModes } from './street-modes.ts';

/** How the places of a request are reached. */
interface Travel {
  readonly walking: Walking;
  readonly walkSpeedKmh: number;
  readonly modes: StreetModes;
  /** Instant for which the stock of shared bicycles is read. */
  readonly instant: Instant;
}

/**
 * The stops around a place of a request, by the modes of its end; a `via` is reached on foot.
 * @param number of the place: 0 is `from`, the last one `to`
 */
export async function openEnd(
  places: Places,
  requested: RequestedPlace,
  number: number,
  count: number,
  travel: Travel,
): Promise<PlanPlace> {
  const { point } = requested;
  const { walking, walkSpeedKmh, modes } = travel;
  const end = number === 0 ? 'access' : 'egress';
  const ofEnd = number === 0 || number === count - 1 ? modes[end] : null;
  const { streets } = modes;
  if (ofEnd === null || streets === null || point === null) return openPlace(places, requested, walking);
  const walked = await openPlace(places, requested, ofEnd.onFoot ? walking : { ...walking, maxMeters: 0 });
  const { members } = walked;
  const [ridden, shared] = await Promise.all([
    reachByVehicle(places, { point, end, members }, ofEnd, streets),
    reachByShared(places, { point, end, members }, ofEnd, streets, travel),
  ]);
  const reach = [...(ofEnd.onFoot ? walked.reach : []), ...ridden, ...shared];
  return { members, reach: keepFastest(reach, walkSpeedKmh) };
}

/** Rides on shared bicycles between a place and stations; none if they are not requested. */
export async function reachByShared(
  places: Places,
  tripEnd: VehicleEnd,
  modes: EndModes,
  streets: VehicleRouter,
  travel: Travel,
): Promise<WalkableStop[]> {
  const shared = openShared(modes, streets, travel);
  if (shared === null) return [];
  const { point, end, members } = tripEnd;
  const radiusMeters = findRadius(modes, shared.vehicle) + travel.walking.maxMeters;
  const stations = listWantedStations(places, tripEnd, radiusMeters);
  const ways = await reachBySharing(shared, end, point, stations);
  return ways.filter(({ stop }) => !members.includes(stop));
}

function openShared(modes: EndModes, streets: VehicleRouter, travel: Travel): SharedTravel | null {
  const { walking, walkSpeedKmh, instant } = travel;
  const { sharing } = travel.modes;
  if (modes.sharedBike === null || sharing === null) return null;
  const maxRideMeters = modes.maxBikeMeters;
  return { sharing, streets, vehicle: modes.sharedBike, maxRideMeters, walking, walkSpeedKmh, instant };
}

/** Direct legs by bicycle and car: the simpler vehicle first, a shared bicycle after the traveller's own. */
export async function findDirectWays(requested: readonly RequestedPlace[], travel: Travel): Promise<DirectWay[]> {
  const { direct, streets } = travel.modes;
  if (direct === null || streets === null) return [];
  const points = requested.map(({ point }) => point);
  const [own, shared] = await Promise.all([
    measureDirect(points, direct, streets),
    rideShared(points, openShared(direct, streets, travel)),
  ]);
  const isBike = ({ vehicle }: DirectWay) => vehicle.mode === 'bike';
  return [...own.filter(isBike), ...shared, ...own.filter((way) => !isBike(way))];
}

async function rideShared(points: readonly (Point | null)[], travel: SharedTravel | null): Promise<DirectWay[]> {
  if (travel === null) return [];
  const rides = await Promise.all(
    points.slice(1).map((to, i) => {
      const from = points[i] ?? null;
      return from === null || to === null ? null : rideAllTheWay(travel, from, to);
    }),
  );
  const stretches = rides.flatMap((shared) =>
    shared === null ? [] : { meters: sumMeters(shared), seconds: shared.seconds, shared },
  );
  return stretches.length === rides.length ? [{ vehicle: travel.vehicle, stretches }] : [];
}
