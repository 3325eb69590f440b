import { type Duckdb, sqlText } from '../../effects/duckdb.ts';
import { isCoordinate } from '../../model/geo.ts';

/** A closed line of coordinates as in GeoJSON: longitude, then latitude. */
type Ring = readonly (readonly [lon: number, lat: number])[];

/** Maximum number of rows of one INSERT. */
const INSERTED_AT_ONCE = 200;

/**
 * Creates the table `zones` from the features of `locations.geojson`: one row per valid feature, numbered by id, with
 * its rings as JSON. The number of rings around a point decides whether it is within a zone, so holes, several polygons
 * and rings that cross themselves need no special rule.
 */
export async function stageZones(db: Duckdb): Promise<void> {
  const rows = await db.query('select row_number, surplus, location_id, stop_name, geometry from text_locations');
  const known = new Set<string>();
  const zones: { id: string; name: string; rings: string }[] = [];
  const refused: string[] = [];
  for (const { row_number: row, surplus, location_id: id, stop_name: name, geometry } of rows) {
    const rings = parseRings(geometry);
    const refusal = findRefusal(surplus, id, known, rings);
    if (refusal !== null)
      refused.push(`('locations', ${Number(row)}, ${sqlText(refusal)}, ${sqlText(String(id ?? ''))})`);
    else zones.push({ id: String(id), name: name === null ? '' : String(name), rings: JSON.stringify(rings) });
    known.add(String(id));
  }
  zones.sort((a, b) => (a.id < b.id ? -1 : 1));
  await db.run(
    'create or replace temp table zones (zone_index int, zone_id varchar, zone_name varchar, rings varchar)',
  );
  await insert(db, 'refused', refused);
  await insert(
    db,
    'zones',
    zones.map(({ id, name, rings }, index) => {
      return `(${index}, ${sqlText(id)}, nullif(${sqlText(name)}, ''), ${sqlText(rings)})`;
    }),
  );
}

async function insert(db: Duckdb, table: string, rows: readonly string[]): Promise<void> {
  for (let from = 0; from < rows.length; from += INSERTED_AT_ONCE) {
    await db.run(`insert into ${table} values ${rows.slice(from, from + INSERTED_AT_ONCE).join(', ')}`);
  }
}

function findRefusal(
  surplus: unknown,
  id: unknown,
  known: ReadonlySet<string>,
  rings: readonly Ring[] | null,
): string | null {
  if (surplus !== null) return 'too_many_values';
  if (id === null) return 'missing_id';
  if (known.has(String(id))) return 'duplicate_id';
  return rings === null ? 'bad_geometry' : null;
}

/** @returns `null` for a geometry that is not a Polygon or MultiPolygon with an area */
function parseRings(geometry: unknown): readonly Ring[] | null {
  if (typeof geometry !== 'string') return null;
  const { type, coordinates } = JSON.parse(geometry) as { readonly type?: unknown; readonly coordinates?: unknown };
  if (!Array.isArray(coordinates)) return null;
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : [];
  const rings = polygons.flatMap((polygon) => (Array.isArray(polygon) ? polygon : [null]));
  return rings.length > 0 && rings.every(isRing)
    ? rings.map(([...ring]) => ring.map(([lon, lat]) => [lon, lat]))
    : null;
}

/** At least a triangle. GeoJSON requires the last point to repeat the first; rings without that are accepted. */
function isRing(ring: unknown): ring is Ring {
  if (!Array.isArray(ring) || !ring.every(isPoint)) return false;
  const points = ring as Ring;
  return new Set(points.map((point) => point.join())).size >= 3 && measureArea(points) !== 0;
}

function isPoint(point: unknown): boolean {
  return (
    Array.isArray(point) && point.slice(0, 2).every(Number.isFinite) && isCoordinate(Number(point[1]), Number(point[0]))
  );
}

/** Sum of absolute areas, so that parts of opposite direction do not cancel out; 0 if all points are on one line. */
function measureArea(ring: Ring): number {
  const [lon, lat] = ring[0]!;
  let area = 0;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    area += Math.abs((a[0] - lon) * (b[1] - lat) - (b[0] - lon) * (a[1] - lat));
  }
  return area;
}
