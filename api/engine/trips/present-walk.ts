import type { Instant } from '../../../pipeline/model/service-time.ts';
import { SAME_STOP_CHANGE_SECONDS } from '../../../pipeline/model/walking.ts';
import type { Leg, LegStop } from '../../contract/definitions.ts';
import type { VehicleUse } from '../planner/itinerary.ts';
import { type EventTime, presentEventTime } from '../read/event-times.ts';
import type { Timetable } from '../read/timetable.ts';
import { drawWay } from './draw-way.ts';
import { describeCall, describeStop, type LegPlace } from './leg-stops.ts';
import type { RequestedPlace } from './places.ts';
import { presentOnDemand } from './present-on-demand.ts';
import { getAlighting, getBoarding } from './run.ts';
import type { PlannedWalk, TimedPart, TimedWalk, Transfer } from './timeline.ts';
import type { WalkPaths } from './walk-paths.ts';

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

export interface WalkContext {
  readonly timetable: Timetable;
  /** The places that walks refer to by number. */
  readonly places: readonly RequestedPlace[];
  readonly paths: WalkPaths;
  /** Now: decides which bookings are closed. */
  readonly instant: Instant;
  readonly wheelchair: boolean;
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
  if (walk.onDemand) return presentOnDemand(context, part, walk.onDemand, { from, to });
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
    ...drawWay(path, from, to),
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
  const drawn = drawWay(path, from, to);
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
    ...drawWay(null, place, place),
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
