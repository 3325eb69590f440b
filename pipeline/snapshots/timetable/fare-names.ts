import type { Duckdb } from '../../effects/duckdb.ts';

/** Where zones, areas, networks, timeframes, leg groups and products are named; rules name no others. */
const namingColumns = [
  ['zone', 'zone_id', 'fare_stops'],
  ['area', 'area_id', 'stop_areas'],
  ['area', 'from_area_id', 'fare_leg_rules'],
  ['area', 'to_area_id', 'fare_leg_rules'],
  ['network', 'network_id', 'fare_routes'],
  ['network', 'network_id', 'fare_leg_rules'],
  ['network', 'from_network_id', 'fare_leg_join_rules'],
  ['network', 'to_network_id', 'fare_leg_join_rules'],
  ['timeframe', 'timeframe_group_id', 'timeframes'],
  ['group', 'leg_group_id', 'fare_leg_rules'],
  ['product', 'fare_product_id', 'fare_products'],
] as const;

export type NameKind = (typeof namingColumns)[number][0];

/** Zones and areas are facts of stops, which versions of a source share; all else is the version's own. */
export function ownerOf(kind: NameKind): 'source_index' | 'feed_index' {
  return kind === 'zone' || kind === 'area' ? 'source_index' : 'feed_index';
}

/** Numbers them all, feed by feed. */
export async function createFareNames(db: Duckdb): Promise<void> {
  const named = namingColumns.map(
    ([kind, column, table]) =>
      `select '${kind}' as kind, ${ownerOf(kind)} as owner_index, ${column} as id from all_${table} where ${column} is not null`,
  );
  await db.run(`
    create temp table fare_names as
    select kind, owner_index, id, (row_number() over (order by kind, owner_index, id) - 1)::int as name_index
    from (${named.join(' union ')})`);
}

/** A join that gives the number of a name as `<alias>.name_index`. */
export function joinName(kind: NameKind, column: string, alias: string): string {
  return `left join fare_names as ${alias}
    on ${alias}.kind = '${kind}' and ${alias}.owner_index = fares.${ownerOf(kind)} and ${alias}.id = fares.${column}`;
}

/** Number of a name that was joined so; -1 where there is none. */
export const numberOf = (alias: string) => `coalesce(${alias}.name_index, -1)`;

/** @param from the rest of a query, from `from` on */
export async function countRows(db: Duckdb, from: string): Promise<number> {
  const [count] = await db.query(`select count(*)::int as n ${from}`);
  return Number(count?.n);
}

/** Where each run of rows begins, when they follow one another. */
export function findStarts(counts: Int32Array): Int32Array {
  let start = 0;
  return counts.map((count) => {
    start += count;
    return start - count;
  });
}
