import { type Duckdb, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { versionPartition } from '../../lake/paths.ts';
import { timetableColumns } from '../feed/lake-columns.ts';
import type { ServedSource, ServedVersion } from '../feed/version-days.ts';

/** Columns of a typed table that hold row numbers of another table, and so are offset when feeds are combined. */
const tables = {
  agencies: { agency_index: 'agencies' },
  stops: { stop_index: 'stops', station_index: 'stops' },
  stop_translations: { stop_index: 'stops' },
  routes: { route_index: 'routes', agency_index: 'agencies' },
  services: { service_index: 'services' },
  service_dates: { service_index: 'services' },
  shapes: {},
  trips: { trip_index: 'trips', route_index: 'routes', service_index: 'services' },
  calls: { trip_index: 'trips', stop_index: 'stops' },
  booking_rules: { booking_index: 'booking_rules', service_index: 'services' },
  call_bookings: {
    trip_index: 'trips',
    pickup_booking_index: 'booking_rules',
    drop_off_booking_index: 'booking_rules',
  },
  zones: { zone_index: 'zones' },
  location_groups: { group_index: 'location_groups' },
  location_group_stops: { group_index: 'location_groups', stop_index: 'stops' },
  on_demand_trips: { on_demand_index: 'on_demand_trips', route_index: 'routes', service_index: 'services' },
  on_demand_calls: {
    on_demand_index: 'on_demand_trips',
    zone_index: 'zones',
    group_index: 'location_groups',
    stop_index: 'stops',
    pickup_booking_index: 'booking_rules',
    drop_off_booking_index: 'booking_rules',
  },
  frequencies: { trip_index: 'trips' },
  transfers: {
    from_stop_index: 'stops',
    to_stop_index: 'stops',
    from_route_index: 'routes',
    to_route_index: 'routes',
    from_trip_index: 'trips',
    to_trip_index: 'trips',
  },
  pathways: { from_stop_index: 'stops', to_stop_index: 'stops' },
  fare_attributes: { fare_index: 'fare_attributes', agency_index: 'agencies' },
  fare_rules: { fare_index: 'fare_attributes', route_index: 'routes' },
  fare_stops: { stop_index: 'stops' },
  fare_routes: { route_index: 'routes' },
  stop_areas: { stop_index: 'stops' },
  timeframes: { service_index: 'services' },
  fare_products: {},
  fare_leg_rules: {},
  fare_leg_join_rules: { from_stop_index: 'stops', to_stop_index: 'stops' },
  fare_transfer_rules: {},
} as const satisfies Record<string, Record<string, string>>;

type Table = keyof typeof tables;

/** A feed version of a snapshot, with the row of its source. */
export interface SnapshotFeed extends ServedVersion {
  readonly source: number;
}

/** Row counts of the views, by table of the lake. */
export type RowCounts = Readonly<Record<Table, number>>;

/** All feeds of a snapshot: source by source, and of each the version in force first. */
export function listFeeds(sources: readonly ServedSource[]): SnapshotFeed[] {
  return sources.flatMap(({ versions, inForce }, source) =>
    [inForce, ...versions.filter((version) => version !== inForce)].map((version) => ({ ...version, source })),
  );
}

/**
 * Creates one view per typed table over all feeds: rows of the first feed, then of the second and so on, with their
 * indexes offset to number the rows of the view, plus `source_index` and `feed_index`. Shapes are numbered by
 * `shape_key`, which is unique over all feeds but has gaps; calls by `call_index`, their position in the view. Versions
 * of one source share its stops: a stop that the version in force also has is that stop, and other facts of stops alone
 * (zones, areas, transfer rules that name no route and no trip) come from the version in force. All other tables are
 * per version, and its services run on its days only.
 * @returns the row counts of the views
 */
export async function createFeedViews(db: Duckdb, dataDir: string, feeds: readonly SnapshotFeed[]): Promise<RowCounts> {
  const placed: PlacedFeed[] = [];
  for (const [index, feed] of feeds.entries()) placed.push(await placeFeed(db, dataDir, feed, index, placed));
  for (const table of Object.keys(tables) as Table[]) {
    const parts = placed.flatMap((feed) => listSelects(feed, table));
    await db.run(`create view all_${table} as ${parts.join(' union all ')}`);
  }
  // One below the other: side by side, the engine would look for the best order to join them, which takes longer than
  // to count.
  const counts = (Object.keys(tables) as Table[]).map(
    (table) => `select '${table}' as name, count(*)::int as row_count from all_${table}`,
  );
  const rows = await db.query(counts.join(' union all '));
  return Object.fromEntries(rows.map((row) => [row.name, row.row_count])) as RowCounts;
}

/** A feed, and the offsets of its rows in the views. */
interface PlacedFeed extends SnapshotFeed {
  readonly index: number;
  readonly dataDir: string;
  readonly firstRow: Readonly<Record<Table, number>>;
  readonly ownRows: Readonly<Record<Table, number>>;
  /** Whether another version of its source precedes it, so that some of its stops already exist. */
  readonly isFurther: boolean;
  /** False if its zones or areas differ from those of the version in force, whose fares would then be wrong. */
  readonly hasFares: boolean;
}

async function placeFeed(
  db: Duckdb,
  dataDir: string,
  feed: SnapshotFeed,
  index: number,
  before: readonly PlacedFeed[],
): Promise<PlacedFeed> {
  const last = before.at(-1);
  const firstRow = mapTables((table) => (last ? last.firstRow[table] + last.ownRows[table] : 0));
  const siblings = before.filter(({ source }) => source === feed.source);
  const ownRows = mapTables((table) => feed.manifest.typedRows[table] ?? 0);
  // A restricted service exists twice: limited to the version's days, and as published for timeframes of fares and
  // days of booking.
  const services = ownRows.services * (isCut(feed) ? 2 : 1);
  const placed = { ...feed, index, dataDir, firstRow, isFurther: siblings.length > 0, hasFares: true };
  if (siblings.length === 0) return { ...placed, ownRows: { ...ownRows, services } };
  const stops = await numberStops(db, placed, siblings);
  const further = { ...placed, ownRows: { ...ownRows, services, stops } };
  if (await hasSameFarePlaces(db, further, siblings)) return further;
  return { ...further, hasFares: false, ownRows: { ...further.ownRows, fare_attributes: 0 } };
}

function mapTables(value: (table: Table) => number): Record<Table, number> {
  return Object.fromEntries((Object.keys(tables) as Table[]).map((table) => [table, value(table)])) as Record<
    Table,
    number
  >;
}

function isCut({ from, until }: ServedVersion): boolean {
  return from !== null || until !== null;
}

/**
 * Numbers the stops of a further version in the views, as lists by the version's own numbers: `stops_<feed>`, and
 * `is_new_<feed>` for those that no version before it has. Lists, because joins would reorder millions of calls.
 * @returns number of new stops
 */
async function numberStops(
  db: Duckdb,
  feed: Omit<PlacedFeed, 'ownRows'>,
  siblings: readonly PlacedFeed[],
): Promise<number> {
  const known = siblings.map((sibling) => `(${selectFrom(sibling, 'stops')})`).join(' union all by name ');
  await db.run(`
    create or replace temp table numbered as
    with known as (${known})
    select
      own.stop_index as own_index, known.stop_index is null as is_new,
      coalesce(
        known.stop_index,
        ${feed.firstRow.stops} - 1 + row_number() over (partition by known.stop_index is null order by own.stop_index)
      )::int as stop_index
    from ${readTable(feed, 'stops')} as own left join known using (stop_id);
    create or replace table stop_numbers_${feed.index} as
    select list(stop_index order by own_index) as stops, list(is_new order by own_index) as is_new from numbered;`);
  await setStopNumbers(db, feed);
  const [count] = await db.query('select count(*)::int as n from numbered where is_new');
  return Number(count?.n);
}

/** Makes the numbers known to a connection, in which statements evaluate the views. */
async function setStopNumbers(db: Duckdb, { index }: { readonly index: number }): Promise<void> {
  await db.run(`
    set variable stops_${index} = (select stops from stop_numbers_${index});
    set variable is_new_${index} = (select is_new from stop_numbers_${index});`);
}

/** Opens a second connection for statements on the views, see `createFeedViews`. */
export async function openViewsBeside(db: Duckdb, feeds: readonly SnapshotFeed[]): Promise<Duckdb> {
  const beside = await db.openBeside();
  for (const [index, { source }] of feeds.entries()) {
    const isFurther = feeds.findIndex((feed) => feed.source === source) < index;
    if (isFurther) await setStopNumbers(beside, { index });
  }
  return beside;
}

/** Whether the shared stops have the zones and areas of the version in force, as its fares require. */
async function hasSameFarePlaces(db: Duckdb, feed: PlacedFeed, siblings: readonly PlacedFeed[]): Promise<boolean> {
  const shared = `(select stop_index from numbered where not is_new)`;
  for (const [table, facts] of [
    ['fare_stops', 'stop_index, zone_id, time_zone'],
    ['stop_areas', 'stop_index, area_id'],
    ['fare_leg_rules', 'from_area_id, to_area_id'],
  ] as const) {
    const isShared = table === 'fare_leg_rules' ? 'true' : `stop_index in ${shared}`;
    const select = (one: PlacedFeed) => `select distinct ${facts} from (${selectAll(one, table)}) where ${isShared}`;
    const theirs = siblings.map(select).join(' union ');
    const [count] = await db.query(`
      with own as (${select(feed)}), theirs as (${theirs})
      select (select count(*) from (from own except from theirs)) + (select count(*) from (from theirs except from own))
        as differing`);
    if (Number(count?.differing) > 0) return false;
  }
  return true;
}

/** Tables that the version in force provides for all versions of its source with the same stops. */
const stopConditions: Partial<Record<Table, (isNew: (column: string) => string) => string>> = {
  stops: (isNew) => isNew('stop_index'),
  stop_translations: (isNew) => isNew('stop_index'),
  fare_stops: (isNew) => isNew('stop_index'),
  stop_areas: (isNew) => isNew('stop_index'),
  transfers: (isNew) => `
    coalesce(from_route_index, to_route_index, from_trip_index, to_trip_index) is not null
    or ${isNew('from_stop_index')} or ${isNew('to_stop_index')}`,
};

const fareTables: ReadonlySet<Table> = new Set([
  ...(['fare_attributes', 'fare_rules', 'fare_products'] as const),
  ...(['fare_leg_rules', 'fare_leg_join_rules', 'fare_transfer_rules'] as const),
]);

/** The selects of a feed in the view of a table. */
function listSelects(feed: PlacedFeed, table: Table): string[] {
  if (fareTables.has(table) && !feed.hasFares) return [`${selectAll(feed, table)} where false`];
  if (!isCut(feed) || (table !== 'service_dates' && table !== 'services')) return [selectFrom(feed, table)];
  const asPublished = `
    select * replace (service_index + ${feed.manifest.typedRows.services!} as service_index) from (${selectAll(feed, table)})`;
  return [selectFrom(feed, table), asPublished];
}

function selectFrom(feed: PlacedFeed | Omit<PlacedFeed, 'ownRows'>, table: Table): string {
  const conditions: string[] = [];
  const condition = stopConditions[table];
  if (feed.isFurther && condition)
    conditions.push(condition((column) => `getvariable('is_new_${feed.index}')[${column} + 1]`));
  if (table === 'service_dates') {
    if (feed.from !== null) conditions.push(`service_date >= ${sqlText(feed.from)}::date`);
    if (feed.until !== null) conditions.push(`service_date <= ${sqlText(feed.until)}::date`);
  }
  const where = conditions.length > 0 ? ` where ${conditions.map((each) => `(${each})`).join(' and ')}` : '';
  return `${selectAll(feed, table)}${where}`;
}

function selectAll(feed: Omit<PlacedFeed, 'ownRows'>, table: Table): string {
  const isServedTwice = (table === 'timeframes' || table === 'booking_rules') && isCut(feed);
  const moved = Object.entries(tables[table]).map(([column, of]: [string, Table]) => {
    const shift = isServedTwice && of === 'services' ? feed.manifest.typedRows.services! : 0;
    return `${moveIndex(feed, sqlName(column), of, shift)} as ${sqlName(column)}`;
  });
  const columns = [
    `* exclude (file_row_number)${moved.length > 0 ? ` replace (${moved.join(', ')})` : ''}`,
    `${feed.source} as source_index`,
    `${feed.index} as feed_index`,
    ...(table === 'shapes' || table === 'trips' ? [`shape_index + ${feed.index * 2 ** 32}::bigint as shape_key`] : []),
    ...(table === 'calls' ? [`(file_row_number + ${feed.firstRow.calls})::int as call_index`] : []),
  ];
  return `select ${columns.join(', ')} from ${readTable(feed, table)}`;
}

function moveIndex(feed: Omit<PlacedFeed, 'ownRows'>, column: string, of: Table, shift: number): string {
  if (of === 'stops' && feed.isFurther) return `getvariable('stops_${feed.index}')[${column} + 1]`;
  return `${column} + ${feed.firstRow[of] + shift}`;
}

function readTable({ dataDir, manifest }: Pick<PlacedFeed, 'dataDir' | 'manifest'>, table: Table): string {
  // A version that was staged by older rules lacks tables that were added since.
  if (manifest.typedRows[table] === undefined) return emptyTable(table);
  const partition = versionPartition(dataDir, 'timetable', table, manifest.sourceId, manifest.feedVersion);
  const file = sqlPath(`${partition}/part-0.parquet`);
  return `read_parquet(${file}, hive_partitioning = false, file_row_number = true)`;
}

function emptyTable(table: Table): string {
  const columns = Object.entries(timetableColumns[table]).map(([name, [type]]) => `null::${type} as ${sqlName(name)}`);
  return `(select ${columns.join(', ')}, 0::bigint as file_row_number where false)`;
}
