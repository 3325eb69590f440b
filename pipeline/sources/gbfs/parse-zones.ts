import { emptyUpdate, type SourceUpdate } from '../../model/realtime.ts';
import type { SharingZone, ZoneRing, ZoneRule } from '../../model/sharing.ts';
import { getObject, type JsonObject, listItems, listTexts } from '../json-answer.ts';
import { type Envelope, listObjects, type ReadContext, readFlag, readInstant } from './read-envelope.ts';

/** Maximum number of points of all zones of a system; they are written to every snapshot. */
const MAX_POINTS = 20_000;

/**
 * Reads where rides may start and end. The rules of a zone that cannot be read apply everywhere, because it may be
 * anywhere.
 */
export function parseZones({ data, major }: Envelope, { report }: ReadContext): SourceUpdate {
  const items = listObjects(getObject(data, 'geofencing_zones'), 'features');
  const zones: SharingZone[] = [];
  let pointCount = 0;
  for (const [index, item] of items.entries()) {
    const properties = getObject(item ?? {}, 'properties');
    const rules = readRules(properties, 'rules');
    const polygons = readPolygons(getObject(item ?? {}, 'geometry'));
    pointCount += (polygons ?? []).flat().reduce((sum, ring) => sum + ring.length / 2, 0);
    if (rules.length === 0) continue;
    const [from, until] = [readInstant(properties.start), readInstant(properties.end)];
    const isTooLarge = pointCount > MAX_POINTS;
    if (polygons === null || isTooLarge) {
      report(isTooLarge ? 'zones_too_large' : 'bad_zone', String(index), 'its rules apply everywhere');
      zones.push({ polygons: [], isEverywhere: true, from, until, rules });
      continue;
    }
    const isUnclear = major === 2 && rules.some(isForbidding) && polygons.some(([outer]) => isCounterclockwise(outer!));
    if (isUnclear) report('unclear_zone', String(index), 'counterclockwise: its rules apply inside and outside');
    zones.push({ polygons, isEverywhere: isUnclear, from, until, rules });
  }
  const rules = readRules(data, 'global_rules');
  return { ...emptyUpdate, sharing: { kind: 'zones', zones, rules }, recordCount: items.length };
}

function isForbidding({ mayStart, mayEnd }: ZoneRule): boolean {
  return !mayStart || !mayEnd;
}

/** `ride_allowed` of version 2 covers start and end. A rule without these members allows nothing. */
function readRules(object: JsonObject, name: string): ZoneRule[] {
  return listObjects(object, name).flatMap((rule) => {
    if (rule === null) return [];
    const both = readFlag(rule, 'ride_allowed');
    const typeIds = [...listTexts(rule, 'vehicle_type_ids'), ...listTexts(rule, 'vehicle_type_id')];
    const mayEnd = readFlag(rule, 'ride_end_allowed') ?? both ?? false;
    return {
      typeIds: typeIds.length === 0 ? null : typeIds,
      mayStart: readFlag(rule, 'ride_start_allowed') ?? both ?? false,
      mayEnd: mayEnd && readFlag(rule, 'station_parking') !== true,
    };
  });
}

/** @returns `null` unless it is a Polygon or MultiPolygon */
function readPolygons(geometry: JsonObject): ZoneRing[][] | null {
  const coordinates = listItems(geometry, 'coordinates');
  const polygons = geometry.type === 'Polygon' ? [coordinates] : geometry.type === 'MultiPolygon' ? coordinates : [];
  const read = polygons.map((polygon) => (Array.isArray(polygon) ? polygon.map(readRing) : []));
  const isWhole = read.length > 0 && read.every((rings) => rings.length > 0 && rings.every((ring) => ring !== null));
  return isWhole ? (read as ZoneRing[][]) : null;
}

const MIN_RING_POINTS = 3;

function readRing(ring: unknown): ZoneRing | null {
  if (!Array.isArray(ring) || ring.length < MIN_RING_POINTS) return null;
  const flat: number[] = [];
  for (const point of ring) {
    if (!Array.isArray(point) || !Number.isFinite(point[0]) || !Number.isFinite(point[1])) return null;
    // Five decimals are about a metre.
    flat.push(Math.round(point[0] * 1e5) / 1e5, Math.round(point[1] * 1e5) / 1e5);
  }
  return flat;
}

function isCounterclockwise(ring: ZoneRing): boolean {
  let doubleArea = 0;
  for (let i = 0; i < ring.length; i += 2) {
    const next = (i + 2) % ring.length;
    doubleArea += ring[i]! * ring[next + 1]! - ring[next]! * ring[i + 1]!;
  }
  return doubleArea > 0;
}
