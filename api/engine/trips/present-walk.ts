import type { WalkPath } from '../../../pipeline/streets/walk-router.ts';
import type { Coord, Leg, LegStop } from '../../contract/definitions.ts';
import { presentCoord } from '../present.ts';
import type { Timetable } from '../timetable.ts';
import { type Happening, presentHappening } from './happening.ts';
import { describeCall, describeStop, type LegPlace } from './leg-stops.ts';
import type { AskedPlace } from './places.ts';
import { getAlighting, getBoarding } from './run.ts';
import type { PlannedWalk, TimedPart, TimedWalk } from './timeline.ts';
import { assessTransfer } from './transfer-risk.ts';
import type { WalkPaths } from './walk-paths.ts';

export interface WalkContext {
  readonly timetable: Timetable;
  /** What walks mean by the number of a place. */
  readonly places: readonly AskedPlace[];
  readonly paths: WalkPaths;
}

/** What a walk lies between. */
export interface Neighbours {
  readonly before: TimedPart | undefined;
  readonly after: TimedPart | undefined;
}

/** A leg on foot: a `transfer` between two rides at one stop or station, else a `walk`. */
export async function presentWalk(context: WalkContext, part: TimedWalk, beside: Neighbours): Promise<Leg> {
  const { walk, begin, end, transfer } = part;
  const { from, to } = describeEnds(context, walk, beside);
  const path = walk.meters > 0 && from.coord && to.coord ? await context.paths.find(from.coord, to.coord) : null;
  // The router too draws a line where it knows no street.
  const isDrawn = path?.steps.every(({ maneuver }) => maneuver !== 'straightLine') ?? false;
  const isStraight = walk.meters > 0 && !isDrawn;
  return {
    mode: isTransfer(context.timetable, walk) ? 'transfer' : 'walk',
    ...spanLeg(from, begin, to, end),
    distanceMeters: path?.distanceMeters ?? walk.meters,
    cancellation: { fullyCancelled: false, partiallyCancelled: false },
    notices: [],
    ...(transfer && { transferRisk: assessTransfer({ ...transfer, isGuaranteed: walk.isGuaranteed }) }),
    attributes: isStraight ? ['walk:straightLine'] : [],
    ...(path ? drawPath(path) : { polyline: drawLine(from, to), steps: [] }),
  };
}

/** Time to be spent at one place until the next leg begins. */
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
  return role === 'change' && station[fromStop] === station[toStop];
}

/** Beside a ride it is the platform that the vehicle really uses. */
function describeEnds({ timetable, places }: WalkContext, walk: PlannedWalk, { before, after }: Neighbours) {
  const describe = (stop: number, place: number) => (stop >= 0 ? describeStop(timetable, stop) : places[place]!.shown);
  return {
    from:
      before?.kind === 'ride'
        ? describeCall(timetable, getAlighting(before.run))
        : describe(walk.fromStop, walk.fromPlace),
    to: after?.kind === 'ride' ? describeCall(timetable, getBoarding(after.run)) : describe(walk.toStop, walk.toPlace),
  };
}

function spanLeg(from: LegPlace, begin: Happening, to: LegPlace, end: Happening) {
  return {
    origin: placeAt(from, { departure: presentHappening(begin) }),
    destination: placeAt(to, { arrival: presentHappening(end) }),
    intermediateStops: [],
  };
}

function placeAt(
  { platform, cancellation, ...named }: LegPlace,
  times: Pick<LegStop, 'arrival' | 'departure'>,
): LegStop {
  return { ...named, ...times, platform, cancellation };
}

function drawPath({ points, steps }: WalkPath): Pick<Leg, 'polyline' | 'steps'> {
  return {
    polyline: points.map(({ lat, lon }) => presentCoord(lat, lon)),
    steps: steps.map(({ instruction, maneuver, from, to }) => ({ instruction, maneuver, polyFrom: from, polyTo: to })),
  };
}

/** From place to place as the crow flies; one point where both are the same. */
function drawLine({ coord: from }: LegPlace, { coord: to }: LegPlace): Coord[] {
  const known = [from, to].flatMap((coord) => coord ?? []);
  return known.length === 2 && from!.lat === to!.lat && from!.lon === to!.lon ? [from!] : known;
}
