import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { TextColumn } from '../../model/column.ts';
import { isTimeZone } from '../../model/service-time.ts';
import { namedAs } from '../../snapshots/fare-tables.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { RowCounts } from './feed-views.ts';

/** Columns that define zones, areas, networks, timeframes, leg groups and products; rules refer to no others. */
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

type NameKind = (typeof namingColumns)[number][0];

/** Zones and areas belong to stops, which versions of a source share; all others belong to one version. */
function ownerOf(kind: NameKind): 'source_index' | 'feed_index' {
  return kind === 'zone' || kind === 'area' ? 'source_index' : 'feed_index';
}

/** Numbers all names, feed by feed. */
async function createFareNames(db: Duckdb): Promise<void> {
  const named = namingColumns.map(
    ([kind, column, table]) =>
      `select '${kind}' as kind, ${ownerOf(kind)} as owner_index, ${column} as id from all_${table} where ${column} is not null`,
  );
  await db.run(`
    create temp table fare_names as
    select kind, owner_index, id, (row_number() over (order by kind, owner_index, id) - 1)::int as name_index
    from (${named.join(' union ')})`);
}

/** A join that yields the number of a name as `<alias>.name_index`. */
function joinName(kind: NameKind, column: string, alias: string): string {
  return `left join fare_names as ${alias}
    on ${alias}.kind = '${kind}' and ${alias}.owner_index = fares.${ownerOf(kind)} and ${alias}.id = fares.${column}`;
}

/** Number of a joined name; -1 without one. */
const numberOf = (alias: string) => `coalesce(${alias}.name_index, -1)`;

/** @param from the rest of a query, from `from` on */
async function countRows(db: Duckdb, from: string): Promise<number> {
  const [count] = await db.query(`select count(*)::int as n ${from}`);
  return Number(count?.n);
}

/** First row of each group, for groups stored one after the other. */
function findStarts(counts: Int32Array): Int32Array {
  let start = 0;
  return counts.map((count) => {
    start += count;
    return start - count;
  });
}

type ClassTables = Pick<TimetableTables, 'fareClasses' | 'fareRules' | 'fareRuleZones'>;

/** Fares v1: fare classes and their rules. */
async function readClassTables(db: Duckdb, rows: RowCounts): Promise<ClassTables> {
  const { fareId, currency, ...classes } = await readColumns(
    db,
    {
      feed: ['u16', 'feed_index'],
      fareId: ['text', 'fare_id'],
      amountCents: ['f64', 'amount_cents'],
      currency: ['text', 'currency'],
      transfers: ['i32', 'coalesce(transfers, -1)'],
      transferSeconds: ['i32', 'coalesce(transfer_seconds, -1)'],
      agency: ['i32', 'coalesce(agency_index, -1)'],
      hasRules: ['u8', 'has_rules::int'],
    },
    'from all_fare_attributes order by fare_index',
    rows.fare_attributes,
  );
  return {
    fareClasses: {
      ...classes,
      fareId: TextColumn.from(fareId),
      currency: TextColumn.from(currency),
      transfers: Int16Array.from(classes.transfers),
    },
    ...(await readRules(db)),
  };
}

/** Rows that differ only in the zone travelled through are one rule for all of these zones. */
async function readRules(db: Duckdb): Promise<Pick<ClassTables, 'fareRules' | 'fareRuleZones'>> {
  await db.run(`
    create temp table fare_rule_zones as
    select
      fares.feed_index, coalesce(fares.route_index, -1) as route, ${numberOf('origin')} as origin,
      ${numberOf('destination')} as destination, fares.fare_index, ${numberOf('contained')} as contained
    from all_fare_rules as fares
    ${joinName('zone', 'origin_id', 'origin')}
    ${joinName('zone', 'destination_id', 'destination')}
    ${joinName('zone', 'contains_id', 'contained')}`);
  const rules = `
    select
      feed_index, route, origin, destination, fare_index, contained = -1 as is_open,
      count(*) filter (where contained >= 0) as zone_count
    from fare_rule_zones group by all`;
  const order = 'feed_index, route, origin, destination, fare_index, is_open';
  const { zoneCount, ...columns } = await readColumns(
    db,
    {
      feed: ['u16', 'feed_index'],
      route: ['i32', 'route'],
      origin: ['i32', 'origin'],
      destination: ['i32', 'destination'],
      fareClass: ['i32', 'fare_index'],
      zoneCount: ['i32', 'zone_count'],
    },
    `from (${rules}) order by ${order}`,
    await countRows(db, `from (${rules})`),
  );
  const zones = 'from (select *, contained = -1 as is_open from fare_rule_zones where contained >= 0)';
  const rows = await countRows(db, zones);
  return {
    fareRules: { ...columns, zoneCount, firstZone: findStarts(zoneCount) },
    fareRuleZones: await readColumns(db, { zone: ['i32', 'contained'] }, `${zones} order by ${order}, contained`, rows),
  };
}

type PlaceTables = Pick<TimetableTables, 'fareStops' | 'fareStopAreas' | 'fareTimeZones' | 'fareRoutes'>;

/** Fare attributes of stops and routes: zones, areas, time zones and networks. */
async function readPlaceTables(db: Duckdb, rows: RowCounts): Promise<PlaceTables> {
  const { stops, routes } = rows;
  const zones = await readColumns(
    db,
    {
      zone: ['i32', numberOf('zones')],
      timeZone: ['text', 'time_zone'],
    },
    `from all_stops left join all_fare_stops as fares using (stop_index) ${joinName('zone', 'zone_id', 'zones')}
     order by stop_index`,
    stops,
  );
  const areas = await readAreas(db, stops);
  const network = await readColumns(
    db,
    {
      network: ['i32', numberOf('networks')],
      isNamed: ['u8', `(${numberOf('networks')} in (${listNamed('network', 'network_id')}))::int`],
    },
    `from all_routes left join all_fare_routes as fares using (route_index)
     ${joinName('network', 'network_id', 'networks')} order by route_index`,
    routes,
  );
  const timeZones = [...new Set(zones.timeZone)].filter((zone) => zone !== '' && isTimeZone(zone)).sort();
  return {
    fareStops: {
      zone: zones.zone,
      firstArea: findStarts(areas.areaCount),
      areaCount: areas.areaCount,
      timeZone: Int16Array.from(zones.timeZone, (zone) => timeZones.indexOf(zone)),
    },
    fareStopAreas: { area: areas.area, named: areas.named },
    fareTimeZones: { name: TextColumn.from(timeZones) },
    fareRoutes: network,
  };
}

/** Numbers of the names in a column of leg rules. */
function listNamed(kind: NameKind, column: string): string {
  return `select name_index from all_fare_leg_rules as rules
    join fare_names on kind = '${kind}' and owner_index = rules.${ownerOf(kind)} and id = rules.${column}`;
}

/** A station's areas also apply to its platforms, except those with their own areas. */
async function readAreas(db: Duckdb, stopCount: number) {
  const from = `
    from all_stops as stops
    join all_stop_areas as fares
      on fares.stop_index = case
        when stops.stop_index in (select stop_index from all_stop_areas) then stops.stop_index
        else stops.station_index
      end
    ${joinName('area', 'area_id', 'areas')}`;
  const isNamed = (column: string) => `(${numberOf('areas')} in (${listNamed('area', column)}))::int`;
  const { stop, ...areas } = await readColumns(
    db,
    {
      stop: ['i32', 'stops.stop_index'],
      area: ['i32', numberOf('areas')],
      named: ['u8', `${namedAs.from} * ${isNamed('from_area_id')} + ${namedAs.to} * ${isNamed('to_area_id')}`],
    },
    `${from} order by stops.stop_index, areas.name_index`,
    await countRows(db, from),
  );
  const areaCount = new Int32Array(stopCount);
  for (const row of stop) areaCount[row]!++;
  return { ...areas, areaCount };
}

type ProductTables = Pick<
  TimetableTables,
  'fareTimeframes' | 'fareProducts' | 'fareLegRules' | 'fareJoinRules' | 'fareTransferRules'
>;

/** Fares v2: products, and the rules by which they apply. */
async function readProductTables(db: Duckdb, rows: RowCounts): Promise<ProductTables> {
  return {
    fareTimeframes: await readColumns(
      db,
      {
        timeframe: ['i32', numberOf('names')],
        service: ['i32', 'service_index'],
        start: ['i32', 'start_seconds'],
        end: ['i32', 'end_seconds'],
      },
      `from all_timeframes as fares ${joinName('timeframe', 'timeframe_group_id', 'names')} order by all`,
      rows.timeframes,
    ),
    fareProducts: await readProducts(db),
    fareLegRules: await readLegRules(db, rows.fare_leg_rules),
    fareJoinRules: await readJoinRules(db, rows.fare_leg_join_rules),
    fareTransferRules: await readTransferRules(db, rows.fare_transfer_rules),
  };
}

async function readProducts(db: Duckdb): Promise<ProductTables['fareProducts']> {
  const cheapest = `
    from (
      select name_index as product, currency, min(amount_cents) as amount_cents,
        arg_min(fare_product_name, {'a': amount_cents, 'b': fare_product_name}) as name
      from all_fare_products as fares ${joinName('product', 'fare_product_id', 'names')}
      where is_default
      group by all
    )`;
  const { product, name, amountCents, currency } = await readColumns(
    db,
    {
      product: ['i32', 'product'],
      name: ['text', 'name'],
      amountCents: ['f64', 'amount_cents'],
      currency: ['text', 'currency'],
    },
    `${cheapest} order by product, currency`,
    await countRows(db, cheapest),
  );
  return { product, name: TextColumn.from(name), amountCents, currency: TextColumn.from(currency) };
}

function readLegRules(db: Duckdb, rows: number): Promise<ProductTables['fareLegRules']> {
  const isNamed = (column: string) => `exists (
    select 1 from all_fare_transfer_rules as transfers
    where transfers.feed_index = fares.feed_index and transfers.${column} = fares.leg_group_id)::int`;
  return readColumns(
    db,
    {
      feed: ['u16', 'fares.feed_index'],
      network: ['i32', numberOf('network')],
      fromArea: ['i32', numberOf('from_area')],
      toArea: ['i32', numberOf('to_area')],
      fromTimeframe: ['i32', numberOf('from_timeframe')],
      toTimeframe: ['i32', numberOf('to_timeframe')],
      legGroup: ['i32', numberOf('leg_group')],
      groupNamed: [
        'u8',
        `${namedAs.from} * ${isNamed('from_leg_group_id')} + ${namedAs.to} * ${isNamed('to_leg_group_id')}`,
      ],
      product: ['i32', numberOf('product')],
      priority: ['i32', 'coalesce(fares.rule_priority, -1)'],
    },
    `from all_fare_leg_rules as fares
     ${joinName('network', 'network_id', 'network')}
     ${joinName('area', 'from_area_id', 'from_area')}
     ${joinName('area', 'to_area_id', 'to_area')}
     ${joinName('timeframe', 'from_timeframe_group_id', 'from_timeframe')}
     ${joinName('timeframe', 'to_timeframe_group_id', 'to_timeframe')}
     ${joinName('group', 'leg_group_id', 'leg_group')}
     ${joinName('product', 'fare_product_id', 'product')}
     order by all`,
    rows,
  );
}

function readJoinRules(db: Duckdb, rows: number): Promise<ProductTables['fareJoinRules']> {
  return readColumns(
    db,
    {
      feed: ['u16', 'fares.feed_index'],
      fromNetwork: ['i32', numberOf('from_network')],
      toNetwork: ['i32', numberOf('to_network')],
      fromStop: ['i32', 'coalesce(from_stop_index, -1)'],
      toStop: ['i32', 'coalesce(to_stop_index, -1)'],
    },
    `from all_fare_leg_join_rules as fares
     ${joinName('network', 'from_network_id', 'from_network')}
     ${joinName('network', 'to_network_id', 'to_network')}
     order by all`,
    rows,
  );
}

function readTransferRules(db: Duckdb, rows: number): Promise<ProductTables['fareTransferRules']> {
  return readColumns(
    db,
    {
      feed: ['u16', 'fares.feed_index'],
      fromGroup: ['i32', numberOf('from_group')],
      toGroup: ['i32', numberOf('to_group')],
      transferCount: ['i32', 'coalesce(transfer_count, -1)'],
      durationSeconds: ['i32', 'coalesce(duration_seconds, -1)'],
      durationType: ['u8', 'coalesce(duration_type, 0)'],
      transferType: ['u8', 'transfer_type'],
      product: ['i32', numberOf('product')],
    },
    `from all_fare_transfer_rules as fares
     ${joinName('group', 'from_leg_group_id', 'from_group')}
     ${joinName('group', 'to_leg_group_id', 'to_group')}
     ${joinName('product', 'fare_product_id', 'product')}
     order by all`,
    rows,
  );
}

/** Reads Fares v1 and v2 from the views of `feed-views.ts`, as tables of the snapshot. */
export async function readFareTables(db: Duckdb, rows: RowCounts) {
  await createFareNames(db);
  return {
    ...(await readClassTables(db, rows)),
    ...(await readPlaceTables(db, rows)),
    ...(await readProductTables(db, rows)),
  };
}
