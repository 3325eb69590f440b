import type { WalkPath } from '../../../pipeline/streets/walk-router.ts';
import type { Coord, Leg } from '../../contract/definitions.ts';
import { presentCoord } from '../read/present.ts';
import type { LegPlace } from './leg-stops.ts';

/** Polyline and steps of a leg: along streets, else a straight line; a single point if both places are the same. */
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
