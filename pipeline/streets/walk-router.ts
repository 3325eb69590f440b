import { distanceMeters, RADIANS_PER_DEGREE } from '../model/geo.ts';
import { straightWalkMeters, walkSeconds } from '../model/walking.ts';
import type { Point, WalkLanguage, WalkPath } from './street-path.ts';
import type { VehicleRouter } from './vehicle-router.ts';

export type { Point, WalkLanguage, WalkPath };

export type WalkProfile = 'foot' | 'wheelchair';

/** Ways on foot over a street graph, and by the vehicles that it was built for. */
export interface WalkRouter {
  /** Id of the graph: measurements of different graphs are not mixed. */
  readonly id: string;
  /** Absent where the streets were built for walking only. */
  readonly vehicles?: VehicleRouter;
  /**
   * @returns whole metres to each of the others; null without a walk of at most `maxMeters` and 5 km. If no streets are
   *   known around both places, the straight-line distance with its detour allowance
   */
  measure(from: Point, to: readonly Point[], profile: WalkProfile, maxMeters: number): Promise<(number | null)[]>;
  /** @returns null without a walk of at most 50 km; its length equals the measured one up to a few metres */
  findPath(from: Point, to: Point, profile: WalkProfile, language: WalkLanguage): Promise<WalkPath | null>;
}

/** Longest walk of any itinerary, along streets or in a straight line. */
export const MAX_WALK_METERS = 50_000;

/** Limit for walks to many places at once: the longest walk to a stop that a request may allow. */
export const MAX_MEASURED_METERS = 5000;

/**
 * A place further away from all streets is outside the graph. Places in parks, on forecourts and on unmapped platforms
 * are within it, and are connected to the nearest street by a straight line.
 */
export const MAX_METERS_TO_STREET = 300;

/** Taktgeber's walking speed; in a wheelchair, that of the street engine. */
export const usualSpeedKmh: Readonly<Record<WalkProfile, number>> = { foot: 4.7, wheelchair: 4 };

/** Compass directions, clockwise from north. */
const directions: Readonly<Record<WalkLanguage, readonly string[]>> = {
  de: ['Norden', 'Nordosten', 'Osten', 'Südosten', 'Süden', 'Südwesten', 'Westen', 'Nordwesten'],
  en: ['north', 'northeast', 'east', 'southeast', 'south', 'southwest', 'west', 'northwest'],
};

/** A path without streets: one step, marked `straightLine`, somewhat longer than the straight line. */
export function straightPath(from: Point, to: Point, profile: WalkProfile, language: WalkLanguage): WalkPath {
  const meters = straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
  return {
    distanceMeters: meters,
    durationSeconds: walkSeconds(meters, usualSpeedKmh[profile]),
    points: [from, to],
    steps: [{ instruction: describe(from, to, meters, language), maneuver: 'straightLine', from: 0, to: 1 }],
  };
}

/** As the crow flies. */
export function crowMeters(from: Point, to: Point): number {
  return distanceMeters(from.lat, from.lon, to.lat, to.lon);
}

function describe(from: Point, to: Point, meters: number, language: WalkLanguage): string {
  if (meters === 0) return language === 'de' ? 'Ziel erreicht.' : 'You have arrived.';
  const direction = directions[language][findOctant(from, to)]!;
  const about = meters < 1000 ? `${roundTo(meters, 10)} m` : `${formatKilometers(meters, language)} km`;
  return language === 'de'
    ? `Etwa ${about} Richtung ${direction} gehen. Der genaue Weg ist nicht bekannt.`
    : `Walk about ${about} to the ${direction}. The exact way is not known.`;
}

/** @returns 0 north, 1 northeast … 7 northwest; good enough up to a few dozen kilometres */
function findOctant(from: Point, to: Point): number {
  const north = to.lat - from.lat;
  const east = (to.lon - from.lon) * Math.cos(((from.lat + to.lat) / 2) * RADIANS_PER_DEGREE);
  return (Math.round(Math.atan2(east, north) / (45 * RADIANS_PER_DEGREE)) + 8) % 8;
}

function formatKilometers(meters: number, language: WalkLanguage): string {
  const text = (roundTo(meters, 100) / 1000).toFixed(1);
  return language === 'de' ? text.replace('.', ',') : text;
}

/** At least 1, so that no instruction says 0 m. */
function roundTo(meters: number, step: number): number {
  return Math.max(1, Math.round(meters / step)) * step;
}

/** A walk along streets, with the parts before the first and after the last street. Metres, not rounded. */
interface StreetWay {
  readonly before: number;
  readonly between: number;
  readonly after: number;
}

export function sumWay({ before, between, after }: StreetWay): number {
  return Math.round(before + between + after);
}

/**
 * Whether to walk straight to a place that is closer than the streets, as across a park. If the streets themselves make
 * a detour, there is an obstacle such as a river or a railway.
 */
export function isDetour(way: StreetWay, from: Point, to: Point): boolean {
  const crow = crowMeters(from, to);
  const straight = straightWalkMeters(from.lat, from.lon, to.lat, to.lon);
  return crow <= way.before + way.after && way.between <= straight && straight < sumWay(way);
}
