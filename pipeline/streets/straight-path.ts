import { distanceMeters } from '../model/geo.ts';
import { straightWalkMeters, walkSeconds } from '../model/walking.ts';
import { usualSpeedKmh } from './walk-limits.ts';
import type { Point, WalkLanguage, WalkPath, WalkProfile } from './walk-router.ts';

const RADIANS_PER_DEGREE = Math.PI / 180;

/** Compass directions, clockwise from north. */
const directions: Readonly<Record<WalkLanguage, readonly string[]>> = {
  de: ['Norden', 'Nordosten', 'Osten', 'Südosten', 'Süden', 'Südwesten', 'Westen', 'Nordwesten'],
  en: ['north', 'northeast', 'east', 'southeast', 'south', 'southwest', 'west', 'northwest'],
};

/** Where no street is known: one step, marked `straightLine`, a little longer than the crow flies. */
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

/** At least one step: nobody is told to walk 0 m. */
function roundTo(meters: number, step: number): number {
  return Math.max(1, Math.round(meters / step)) * step;
}
