import { readFile, stat } from 'node:fs/promises';
import type { Duckdb } from '../../effects/duckdb.ts';
import type { Log } from '../../effects/log.ts';

/** On-demand service of one route, which is neither on boards nor in searches. */
export interface OnDemandService {
  /** Label of the route. */
  readonly line: string;
  readonly trips: number;
  readonly calls: number;
  /** Names, or else ids, of the first few zones, groups of stops and stops. */
  readonly places: readonly string[];
  readonly placeCount: number;
  readonly phone: string | null;
  readonly url: string | null;
}

/** Limits per service and per feed. */
const MAX_PLACES = 10;
const MAX_SERVICES = 200;

/**
 * Describes the on-demand service of the staged feed, by route.
 * @param zoneNames by id, as `readZoneNames` returns them
 */
export async function describeOnDemand(db: Duckdb, zoneNames: ReadonlyMap<string, string>): Promise<OnDemandService[]> {
  const rows = await db.query(`
    select
      coalesce(route_short_name, route_long_name, route_id) as line,
      count(distinct trip_index)::int as trips,
      count(*)::int as calls,
      list(distinct place_id order by place_id) as ids,
      list(distinct struct_pack(id := place_id, name := place_name)) filter (place_name is not null) as named,
      min(phone_number) as phone,
      min(url) as url
    from on_demand_calls join routes using (route_index)
    group by route_index, line order by line, route_index limit ${MAX_SERVICES}`);
  return rows.map(({ line, trips, calls, ids, named, phone, url }) => {
    const names = new Map([...zoneNames, ...listNamed(named)]);
    const places = (ids as unknown as { items: readonly string[] }).items.map((id) => names.get(id) ?? id);
    return {
      line: String(line),
      trips: Number(trips),
      calls: Number(calls),
      places: places.slice(0, MAX_PLACES),
      placeCount: places.length,
      phone: phone === null ? null : String(phone),
      url: url === null ? null : String(url),
    };
  });
}

function listNamed(named: unknown): (readonly [id: string, name: string])[] {
  const items = (named as { items: readonly { entries: { id: string; name: string } }[] } | null)?.items ?? [];
  return items.map(({ entries: { id, name } }) => [id, name]);
}

/** Polygons of a country take some megabytes; larger files are not read. */
const MAX_ZONE_BYTES = 64 << 20;

/**
 * Reads the names of zones, by id.
 * @param file `locations.geojson`; null: the feed has none
 * @returns empty, with a warning, for a file that is not GeoJSON
 */
export async function readZoneNames(file: string | null, log: Log): Promise<ReadonlyMap<string, string>> {
  if (file === null || (await stat(file)).size > MAX_ZONE_BYTES) return new Map();
  try {
    const { features } = JSON.parse(await readFile(file, 'utf8')) as { features: readonly Feature[] };
    return new Map(features.flatMap(({ id, properties }) => toEntry(id, properties?.stop_name)));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    log.warn('locations.geojson is not GeoJSON: zones are listed by their ids');
    return new Map();
  }
}

interface Feature {
  readonly id?: unknown;
  readonly properties?: { readonly stop_name?: unknown } | null;
}

function toEntry(id: unknown, name: unknown): [id: string, name: string][] {
  return typeof id === 'string' && typeof name === 'string' && name !== '' ? [[id, name]] : [];
}
