import type { WalkPath } from '../../../pipeline/streets/walk-router.ts';
import type { Coord, Leg } from '../../contract/definitions.ts';
import { presentCoord } from '../read/present.ts';
import type { LegPlace } from './leg-stops.ts';

/** Line and directions of a way: along streets, else the straight line; one point where both places are the same. */
export function drawWay(path: WalkPath | null, from: LegPlace, to: LegPlace): Pick<Leg, 'polyline' | 'steps'> {
  return path ? drawPath(path) : { polyline: drawLine(from, to), steps: [] };
}

function drawPath({ points, steps }: WalkPath): Pick<Leg, 'polyline' | 'steps'> {
  return {
    polyline: points.map(({ lat, lon }) => presentCoord(lat, lon)),
    steps: steps.map(({ instruction, maneuver, from, to }) => ({ instruction, maneuver, polyFrom: from, polyTo: to })),
  };
}

function drawLine({ coord: from }: LegPlace, { coord: to }: LegPlace): Coord[] {
  const known = [from, to].flatMap((coord) => coord ?? []);
  return known.length === 2 && from!.lat === to!.lat && from!.lon === to!.lon ? [from!] : known;
}
