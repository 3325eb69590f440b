import { isInRing } from '../../../pipeline/model/geo.ts';
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

function isInside({ isEverywhere, polygons }: SharingZone, { lat, lon }: Point): boolean {
  const isIn = (ring: ZoneRing) => isInRing([lon, lat], ring.length / 2, (i) => [ring[2 * i]!, ring[2 * i + 1]!]);
  return isEverywhere || polygons.some(([outer, ...holes]) => outer !== undefined && isIn(outer) && !holes.some(isIn));
}
