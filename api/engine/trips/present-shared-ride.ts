import type { StreetVehicle } from '../../../pipeline/streets/vehicle-router.ts';
import type { Point, WalkPath } from '../../../pipeline/streets/walk-router.ts';
import type { Leg } from '../../contract/definitions.ts';
import type { SharedRide } from '../planner/itinerary.ts';
import { type EventTime, shift } from '../read/event-times.ts';
import type { SharingPlace } from '../sharing/open-sharing.ts';
import { drawWay } from './draw-way.ts';
import { describePoint, type LegPlace } from './leg-stops.ts';
import { describeEnds, type Neighbours, spanLeg, type WalkContext } from './present-walk.ts';
import type { TimedWalk } from './timeline.ts';

/** Places and times at which a leg begins and ends. */
interface Span {
  readonly from: LegPlace;
  readonly begin: EventTime;
  readonly to: LegPlace;
  readonly end: EventTime;
}

/** The legs of a ride on a shared bicycle: walk, ride, walk. Walks of zero length are left out. */
export async function presentSharedRide(
  context: WalkContext,
  { walk, begin, end }: TimedWalk,
  { vehicle, shared }: { readonly vehicle: StreetVehicle; readonly shared: SharedRide },
  beside: Neighbours,
): Promise<Leg[]> {
  const ends = describeEnds(context, walk, beside);
  const { toBike, fromBike } = shared;
  const taken = toBike.meters > 0 ? describePlace(shared.from) : ends.from;
  const left = fromBike.meters > 0 ? describePlace(shared.to) : ends.to;
  const [rent, giveBack] = [shift(begin, toBike.seconds), shift(end, -fromBike.seconds)];
  const legs: Leg[] = [];
  if (toBike.meters > 0) {
    legs.push(await presentWalked(context, { from: ends.from, begin, to: taken, end: rent }, toBike.meters));
  }
  const ridden = { from: taken, begin: rent, to: left, end: giveBack };
  legs.push(await presentRidden(context, ridden, vehicle, shared));
  if (fromBike.meters > 0) {
    legs.push(await presentWalked(context, { from: left, begin: giveBack, to: ends.to, end }, fromBike.meters));
  }
  return legs;
}

function describePlace({ point, station }: SharingPlace): LegPlace {
  return describePoint({ coord: point, ...(station === null ? {} : { name: station.name }) });
}

/** A walk as part of a longer leg. */
export async function presentWalked(context: WalkContext, span: Span, meters: number): Promise<Leg> {
  const path = await findBetween(span, (from, to) => context.paths.find(from, to));
  const isDrawn = path?.steps.every(({ maneuver }) => maneuver !== 'straightLine') ?? false;
  return presentLeg('walk', span, path?.distanceMeters ?? meters, isDrawn ? [] : ['walk:straightLine'], path);
}

async function presentRidden(
  context: WalkContext,
  span: Span,
  vehicle: StreetVehicle,
  shared: SharedRide,
): Promise<Leg> {
  const path = await context.paths.findRide(vehicle, shared.from.point, shared.to.point);
  const attributes = [...listRental(shared), ...(path ? [] : ['bike:straightLine'])];
  return presentLeg('bike', span, shared.ride.meters, attributes, path);
}

/** Attributes: system, stock at the time of the request, stations, and the address for renting. */
function listRental({ from, to, system }: SharedRide): string[] {
  const url = from.url ?? system.url;
  return [
    `rental:${system.name}`,
    `availability:${from.available ?? 1}`,
    ...(from.station === null ? [] : [`station:${from.station.name}`]),
    ...(to.station === null ? [] : [`returnStation:${to.station.name}`]),
    ...(url === null ? [] : [`url:${url}`]),
  ];
}

function presentLeg(
  mode: 'walk' | 'bike',
  span: Span,
  distanceMeters: number,
  attributes: string[],
  path: WalkPath | null,
): Leg {
  const { from, begin, to, end } = span;
  return {
    mode,
    ...spanLeg(from, begin, to, end),
    distanceMeters,
    cancellation: { fullyCancelled: false, partiallyCancelled: false },
    notices: [],
    attributes,
    ...drawWay(path, from, to),
  };
}

async function findBetween(
  { from, to }: Span,
  find: (from: Point, to: Point) => Promise<WalkPath | null>,
): Promise<WalkPath | null> {
  return from.coord && to.coord ? find(from.coord, to.coord) : null;
}
