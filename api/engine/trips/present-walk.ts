import { SAME_STOP_CHANGE_SECONDS } from '../../../pipeline/model/walking.ts';
import type { StreetVehicle } from '../../../pipeline/streets/vehicle-router.ts';
import type { Point, WalkPath, WalkProfile, WalkRouter } from '../../../pipeline/streets/walk-router.ts';
import type { Coord, Leg, LegStop } from '../../contract/definitions.ts';
import type { VehicleUse } from '../planner/itinerary.ts';
import { type EventTime, presentEventTime } from '../read/event-times.ts';
import { presentCoord } from '../read/present.ts';
import type { Timetable } from '../read/timetable.ts';
import { describeCall, describeStop, type LegPlace } from './leg-stops.ts';
import type { RequestedPlace } from './places.ts';
import { getAlighting, getBoarding } from './run.ts';
import type { PlannedWalk, TimedPart, TimedWalk, Transfer } from './timeline.ts';

type TransferRisk = NonNullable<Leg['transferRisk']>;

/** What decides the risk of a transfer. */
type TransferFacts = Pick<Transfer, 'spareSeconds' | 'requiredSlackSeconds' | 'chance'> & {
  /** The next vehicle waits, according to the publisher. */
  readonly isGuaranteed: boolean;
};

/** Probability below which a transfer is tight. */
const MIN_CHANCE = 0.9;

/**
 * `missed`: the walk does not fit. `tight`: it fits but the published minimum does not, or the probability is low; where
 * nothing is known of either ride, it leaves less than the planner adds to a walk.
 */
export function assessTransfer(facts: TransferFacts): TransferRisk {
  const { spareSeconds, requiredSlackSeconds, isGuaranteed, chance } = facts;
  if (isGuaranteed) return 'guaranteed';
  if (spareSeconds < 0) return 'missed';
  const isLikely = chance === null ? spareSeconds >= SAME_STOP_CHANGE_SECONDS : chance >= MIN_CHANCE;
  return isLikely && requiredSlackSeconds >= 0 ? 'ok' : 'tight';
}

/** Paths over streets, each looked up once: the trips of an answer change at the same places. */
export interface WalkPaths {
  /** @returns null where there is no way, or no street graph */
  find(from: Point, to: Point): Promise<WalkPath | null>;
  /** @returns null where there is no way, or no streets for the vehicle */
  findRide(vehicle: StreetVehicle, from: Point, to: Point): Promise<WalkPath | null>;
}

/** @param walks null where there is no street graph */
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

export interface WalkContext {
  readonly timetable: Timetable;
  /** The places that walks refer to by number. */
  readonly places: readonly RequestedPlace[];
  readonly paths: WalkPaths;
}

/** The parts before and after a walk. */
export interface Neighbours {
  readonly before: TimedPart | undefined;
  readonly after: TimedPart | undefined;
}

/** A leg on foot: a `transfer` between two rides at one stop or station, else a `walk`. */
export async function presentWalk(context: WalkContext, part: TimedWalk, beside: Neighbours): Promise<Leg> {
  const { walk, begin, end, transfer } = part;
  if (walk.vehicle) return presentVehicle(context, part, walk.vehicle, beside);
  const { from, to } = describeEnds(context, walk, beside);
  const path = walk.meters > 0 && from.coord && to.coord ? await context.paths.find(from.coord, to.coord) : null;
  // The router, too, draws a straight line where it has no street.
  const isDrawn = path?.steps.every(({ maneuver }) => maneuver !== 'straightLine') ?? false;
  const isStraight = walk.meters > 0 && !isDrawn;
  return {
    mode: isTransfer(context.timetable, walk) ? 'transfer' : 'walk',
    ...spanLeg(from, begin, to, end),
    distanceMeters: path?.distanceMeters ?? walk.meters,
    cancellation: { fullyCancelled: false, partiallyCancelled: false },
    notices: [],
    ...(transfer && { transferRisk: assessTransfer({ ...transfer, isGuaranteed: walk.isGuaranteed }) }),
    attributes: [...(isStraight ? ['walk:straightLine'] : []), ...(transfer ? listTransferAttributes(transfer) : [])],
    ...(path ? drawPath(path) : { polyline: drawLine(from, to), steps: [] }),
  };
}

/** A leg by bicycle or car; a walk from the car park to the stop is its last part. */
async function presentVehicle(
  context: WalkContext,
  { walk, begin, end }: TimedWalk,
  use: VehicleUse,
  beside: Neighbours,
): Promise<Leg> {
  const { vehicle, parked } = use;
  const { from, to } = describeEnds(context, walk, beside);
  const carPark = typeof parked === 'object' ? parked : null;
  const goal = carPark ?? to.coord;
  const path = from.coord && goal ? await context.paths.findRide(vehicle, from.coord, goal) : null;
  const drawn = path ? drawPath(path) : { polyline: drawLine(from, to), steps: [] };
  const last = path && carPark && to.coord ? [to.coord] : [];
  return {
    mode: vehicle.mode,
    ...spanLeg(from, begin, to, end),
    distanceMeters: walk.meters,
    cancellation: { fullyCancelled: false, partiallyCancelled: false },
    notices: [],
    attributes: [...listParking(walk, use), ...(path ? [] : [`${vehicle.mode}:straightLine`])],
    ...drawn,
    polyline: [...drawn.polyline, ...last],
  };
}

function listParking({ role }: PlannedWalk, { vehicle, parked }: VehicleUse): string[] {
  if (parked !== undefined) return [typeof parked === 'object' ? 'parking:parkAndRide' : 'parking:station'];
  if (role === 'direct') return [];
  return [vehicle.mode === 'bike' ? 'bike:onBoard' : role === 'access' ? 'car:dropOff' : 'car:pickUp'];
}

function listTransferAttributes({ transferSeconds, minTransferSeconds, walkSeconds, estimate }: Transfer): string[] {
  return [
    `transferSeconds:${transferSeconds}`,
    `minTransferSeconds:${minTransferSeconds}`,
    `walkSeconds:${walkSeconds}`,
    ...(estimate ? [`probabilityFrom:${estimate.from}`] : []),
  ];
}

/** Waiting at one place until the next leg begins. */
export function presentWait(context: WalkContext, before: TimedPart, next: TimedPart): Leg {
  const place =
    next.kind === 'ride'
      ? describeCall(context.timetable, getBoarding(next.run))
      : describeEnds(context, next.walk, { before, after: undefined }).from;
  return {
    mode: 'wait',
    ...spanLeg(place, before.end, place, next.begin),
    cancellation: { fullyCancelled: false, partiallyCancelled: false },
    notices: [],
    attributes: [],
    polyline: drawLine(place, place),
    steps: [],
  };
}

function isTransfer({ tables }: Timetable, { role, fromStop, toStop }: PlannedWalk): boolean {
  const { station } = tables.stops;
  return role === 'transfer' && station[fromStop] === station[toStop];
}

/** Next to a ride it is the actual platform of the vehicle. */
export function describeEnds({ timetable, places }: WalkContext, walk: PlannedWalk, { before, after }: Neighbours) {
  const describe = (stop: number, place: number) => (stop >= 0 ? describeStop(timetable, stop) : places[place]!.shown);
  return {
    from:
      before?.kind === 'ride'
        ? describeCall(timetable, getAlighting(before.run))
        : describe(walk.fromStop, walk.fromPlace),
    to: after?.kind === 'ride' ? describeCall(timetable, getBoarding(after.run)) : describe(walk.toStop, walk.toPlace),
  };
}

export function spanLeg(from: LegPlace, begin: EventTime, to: LegPlace, end: EventTime) {
  return {
    origin: placeAt(from, { departure: presentEventTime(begin) }),
    destination: placeAt(to, { arrival: presentEventTime(end) }),
    intermediateStops: [],
  };
}

function placeAt(
  { platform, cancellation, ...named }: LegPlace,
  times: Pick<LegStop, 'arrival' | 'departure'>,
): LegStop {
  return { ...named, ...times, platform, cancellation };
}

export function drawPath({ points, steps }: WalkPath): Pick<Leg, 'polyline' | 'steps'> {
  return {
    polyline: points.map(({ lat, lon }) => presentCoord(lat, lon)),
    steps: steps.map(({ instruction, maneuver, from, to }) => ({ instruction, maneuver, polyFrom: from, polyTo: to })),
  };
}

/** The straight line; one point where both places are the same. */
export function drawLine({ coord: from }: LegPlace, { coord: to }: LegPlace): Coord[] {
  const known = [from, to].flatMap((coord) => coord ?? []);
  return known.length === 2 && from!.lat === to!.lat && from!.lon === to!.lon ? [from!] : known;
}
