import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { SharingZone, SharingZones, ZoneRing, ZoneRule } from '../../../pipeline/model/sharing.ts';
import type { Point } from '../../../pipeline/streets/street-path.ts';

/** A place and time at which a vehicle is taken or left. */
interface ZoneQuestion {
  readonly point: Point;
  /** null: of a type that is not published. */
  readonly typeId: string | null;
  readonly instant: Instant;
}

/**
 * Returns the rule for a vehicle outside of stations: that of the first zone around the place which has one for its type,
 * else the rule outside of zones. Without any, everything is allowed.
 * @returns null: no rule
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

/** A vehicle of unknown type is bound by the rules of all types. */
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

/** By the number of sides that a line from the point to the east crosses. */
function isInRing(ring: ZoneRing, { lat, lon }: Point): boolean {
  let isIn = false;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
    const [lonA, latA, lonB, latB] = [ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!];
    if (latA > lat !== latB > lat && lon < ((lonB - lonA) * (lat - latA)) / (latB - latA) + lonA) isIn = !isIn;
  }
  return isIn;
}
