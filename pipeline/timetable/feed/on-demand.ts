import type { Duckdb } from '../../effects/duckdb.ts';

/** On-demand service of one route, usable or not. */
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
 */
export async function describeOnDemand(db: Duckdb): Promise<OnDemandService[]> {
  const rows = await db.query(`
    select
      coalesce(route_short_name, route_long_name, route_id) as line,
      count(distinct trip_index)::int as trips,
      count(*)::int as calls,
      list(distinct place_id order by place_id) as ids,
      list(distinct struct_pack(id := place_id, name := place_name)) filter (place_name is not null) as named,
      min(phone_number) as phone,
      min(url) as url
    from on_demand_mentions join routes using (route_index)
    group by route_index, line order by line, route_index limit ${MAX_SERVICES}`);
  return rows.map(({ line, trips, calls, ids, named, phone, url }) => {
    const names = new Map(listNamed(named));
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
