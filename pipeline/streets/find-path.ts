import { walkSeconds } from '../model/walking.ts';
import type { StreetEngine } from './street-engine.ts';
import type { StreetStep } from './street-path.ts';
import { findOnStreets, type RouteAnswer, type RouteManeuver, requestRoute, walkCosting } from './street-requests.ts';
import {
  crowMeters,
  isDetour,
  MAX_WALK_METERS,
  type Point,
  straightPath,
  sumWay,
  usualSpeedKmh,
  type WalkLanguage,
  type WalkPath,
  type WalkProfile,
} from './walk-router.ts';

/** The street engine encodes coordinates with six decimals. */
const UNITS_PER_DEGREE = 1e6;

/**
 * Decodes an encoded polyline: differences, zigzag, five bits a character, lowest first.
 * @see Google, "Encoded Polyline Algorithm Format", with another precision
 */
export function decodePolyline(text: string): Point[] {
  const points: Point[] = [];
  let at = 0;
  const readDifference = () => {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const bits = text.charCodeAt(at++) - 63;
      value |= (bits & 31) << shift;
      if (!(bits & 32)) return value & 1 ? ~(value >> 1) : value >> 1;
    }
  };
  let [lat, lon] = [0, 0];
  while (at < text.length) {
    lat += readDifference();
    lon += readDifference();
    points.push({ lat: lat / UNITS_PER_DEGREE, lon: lon / UNITS_PER_DEGREE });
  }
  return points;
}

/**
 * Kinds of manoeuvre by the number of the street engine.
 * @see Valhalla, "Turn-by-turn routing API", table of maneuver types
 */
const maneuvers: Readonly<Record<number, string>> = {
  1: 'start',
  2: 'startRight',
  3: 'startLeft',
  4: 'destination',
  5: 'destinationRight',
  6: 'destinationLeft',
  7: 'nameChange',
  8: 'continue',
  9: 'turnSlightRight',
  10: 'turnRight',
  11: 'turnSharpRight',
  12: 'uTurnRight',
  13: 'uTurnLeft',
  14: 'turnSharpLeft',
  15: 'turnLeft',
  16: 'turnSlightLeft',
  17: 'rampStraight',
  18: 'rampRight',
  19: 'rampLeft',
  20: 'exitRight',
  21: 'exitLeft',
  22: 'keepStraight',
  23: 'keepRight',
  24: 'keepLeft',
  25: 'merge',
  26: 'roundaboutEnter',
  27: 'roundaboutExit',
  28: 'ferryEnter',
  29: 'ferryExit',
  37: 'mergeRight',
  38: 'mergeLeft',
  39: 'elevator',
  40: 'stairs',
  41: 'escalator',
  42: 'buildingEnter',
  43: 'buildingExit',
};

/** @returns `continue` for unknown kinds */
export function nameManeuver(type: number): string {
  return maneuvers[type] ?? 'continue';
}

/** A place this close to a street counts as on it: drawing the connection would only add a hook. */
export const ON_THE_STREET_METERS = 1;

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
  const answer = await requestRoute(engine, [from, to], walkCosting(profile), language);
  if (answer === 'offStreets') {
    const isOnStreets = await findOnStreets(engine, [from, to], walkCosting(profile));
    return isOnStreets.includes(true) ? null : refuseLong(straightPath(from, to, profile, language));
  }
  if (answer === 'noWay') return null;
  return refuseLong(readRoute(answer, from, to, profile) ?? straightPath(from, to, profile, language));
}

function refuseLong(path: WalkPath): WalkPath | null {
  return path.distanceMeters > MAX_WALK_METERS ? null : path;
}

/** @returns null if the walk along streets would be a detour */
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
export function readSteps(maneuvers: readonly RouteManeuver[], shift: number, end: number): StreetStep[] {
  return maneuvers.map((maneuver, i) => ({
    instruction: readInstruction(maneuver),
    maneuver: nameManeuver(maneuver.type),
    from: i === 0 ? 0 : maneuver.begin_shape_index + shift,
    to: i === maneuvers.length - 1 ? end : maneuver.end_shape_index + shift,
  }));
}

/** The engine joins all names of a street, as in "Zollstrasse/16"; pedestrians need the first. */
function readInstruction({ instruction, street_names = [], begin_street_names = [] }: RouteManeuver): string {
  let text = instruction;
  for (const names of [street_names, begin_street_names]) {
    for (let count = names.length; count > 1; count--) {
      text = text.replaceAll(names.slice(0, count).join('/'), () => names[0]!);
    }
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}
