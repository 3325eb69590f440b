import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { SharingZone, SharingZones, ZoneRing, ZoneRule } from '../../../pipeline/model/sharing.ts';
import type { Point } from '../../../pipeline/streets/street-path.ts';

/** A place and time at which a vehicle is rented or returned. */
interface ZoneQuestion {
  readonly point: Point;
  /** `null` if its type is not published. */
  readonly typeId: string | null;
  readonly instant: Instant;
}

/**
 * Returns the rule for a vehicle outside of stations: that of the first zone around the place with a rule for its type,
 * else the rule outside of zones.
 * @returns `null` if no rule applies, so everything is allowed
 */
export function findZoneRule({ zones, rules }: SharingZones, question: ZoneQuestion): ZoneRule | null {
  for (const zone of zones) {
    const rule = isActive(zone, question.instant) ? findOfType(zone.rules, question.typeId) : null;
    if (rule && isInside(zone, question.point)) return rule;
  }
  return findOfType(rules, question.typeId);
}

function isActive({ from, until }: SharingZone, instant: Instant): boolean {
  return (from === null || from <= instant) && (until === null || instant < until);
}

/** The rules of all types apply to a vehicle of unknown type. */
function findOfType(rules: readonly ZoneRule[], typeId: string | null): ZoneRule | null {
  return rules.find(({ typeIds }) => typeIds === null || typeId === null || typeIds.includes(typeId)) ?? null;
}

function isInside({ isEverywhere, polygons }: SharingZone, point: Point): boolean {
  return (
    isEverywhere ||
    polygons.some(([outer, ...holes]) => {
      return outer !== undefined && isInRing(outer, point) && !holes.some((hole) => isInRing(hole, point));
    })
  );
}

/** Even-odd rule: counts the edges that a ray to the east crosses. */
function isInRing(ring: ZoneRing, { lat, lon }: Point): boolean {
  let isIn = false;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
    const [lonA, latA, lonB, latB] = [ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!];
    if (latA > lat !== latB > lat && lon < ((lonB - lonA) * (lat - latA)) / (latB - latA) + lonA) isIn = !isIn;
  }
  return isIn;
}
