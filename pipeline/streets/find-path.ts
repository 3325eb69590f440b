import { walkSeconds } from '../model/walking.ts';
import { decodePolyline } from './decode-polyline.ts';
import { nameManeuver } from './maneuvers.ts';
import { crowMeters, straightPath } from './straight-path.ts';
import type { StreetEngine } from './street-engine.ts';
import { askRoute, findOnStreets, type RouteAnswer, type RouteManeuver } from './street-questions.ts';
import { isDetour, sumWay } from './street-way.ts';
import { MAX_WALK_METERS, usualSpeedKmh } from './walk-limits.ts';
import type { Point, WalkLanguage, WalkPath, WalkProfile, WalkStep } from './walk-router.ts';

/** Who stands this close to a street stands on it: drawing the way there would only make a hook. */
const ON_THE_STREET_METERS = 1;

/** See `WalkRouter.findPath`. */
export async function findPath(
  engine: StreetEngine,
  from: Point,
  to: Point,
  profile: WalkProfile,
  language: WalkLanguage,
): Promise<WalkPath | null> {
  const crow = crowMeters(from, to);
  if (crow > MAX_WALK_METERS) return null;
  if (crow === 0) return straightPath(from, to, profile, language);
  const answer = await askRoute(engine, [from, to], profile, language);
  if (answer === 'offStreets') {
    const isOnStreets = await findOnStreets(engine, [from, to], profile);
    return isOnStreets.includes(true) ? null : refuseLong(straightPath(from, to, profile, language));
  }
  if (answer === 'noWay') return null;
  return refuseLong(readRoute(answer, from, to, profile) ?? straightPath(from, to, profile, language));
}

function refuseLong(path: WalkPath): WalkPath | null {
  return path.distanceMeters > MAX_WALK_METERS ? null : path;
}

/** @returns null where going to the street and back would be a detour */
function readRoute({ trip }: RouteAnswer, from: Point, to: Point, profile: WalkProfile): WalkPath | null {
  const { shape, maneuvers } = trip.legs[0];
  const onStreets = decodePolyline(shape);
  const before = crowMeters(from, onStreets[0]!);
  const after = crowMeters(onStreets.at(-1)!, to);
  const way = { before, between: trip.summary.length * 1000, after };
  if (isDetour(way, from, to)) return null;
  const head = before > ON_THE_STREET_METERS ? [from] : [];
  const tail = after > ON_THE_STREET_METERS ? [to] : [];
  const points = [...head, ...onStreets, ...tail];
  const meters = sumWay(way);
  return {
    distanceMeters: meters,
    durationSeconds: walkSeconds(meters, usualSpeedKmh[profile]),
    points,
    steps: readSteps(maneuvers, head.length, points.length - 1),
  };
}

/** @param shift points before those of the streets; the first step begins there, the last one ends at `end` */
function readSteps(maneuvers: readonly RouteManeuver[], shift: number, end: number): WalkStep[] {
  return maneuvers.map((maneuver, i) => ({
    instruction: readInstruction(maneuver),
    maneuver: nameManeuver(maneuver.type),
    from: i === 0 ? 0 : maneuver.begin_shape_index + shift,
    to: i === maneuvers.length - 1 ? end : maneuver.end_shape_index + shift,
  }));
}

/** The engine names a street by all of its names, as in "Zollstrasse/16"; walkers look for the first one. */
function readInstruction({ instruction, street_names = [], begin_street_names = [] }: RouteManeuver): string {
  let text = instruction;
  for (const names of [street_names, begin_street_names]) {
    for (let count = names.length; count > 1; count--) {
      text = text.replaceAll(names.slice(0, count).join('/'), () => names[0]!);
    }
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}
