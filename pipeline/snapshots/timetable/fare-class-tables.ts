import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { TextColumn } from '../column.ts';
import type { TimetableTables } from '../contract.ts';
import { countRows, findStarts, joinName, numberOf } from './fare-names.ts';
import type { RowCounts } from './feed-views.ts';

type ClassTables = Pick<TimetableTables, 'fareClasses' | 'fareRules' | 'fareRuleZones'>;

/** Fares v1: fare classes and their rules. */
export async function readClassTables(db: Duckdb, rows: RowCounts): Promise<ClassTables> {
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

/** Rows that differ in nothing but the zone travelled through are one rule: all of these zones. */
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
