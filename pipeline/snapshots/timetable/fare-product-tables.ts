import type { Duckdb } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { TextColumn } from '../column.ts';
import { namedAs, type TimetableTables } from '../contract.ts';
import { countRows, joinName, numberOf } from './fare-names.ts';
import type { RowCounts } from './feed-views.ts';

type ProductTables = Pick<
  TimetableTables,
  'fareTimeframes' | 'fareProducts' | 'fareLegRules' | 'fareJoinRules' | 'fareTransferRules'
>;

/** Fares v2: products, and the rules by which they are bought. */
export async function readProductTables(db: Duckdb, rows: RowCounts): Promise<ProductTables> {
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
