import { type Duckdb, readSql, type SqlRow, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { type FeedFix, type FeedRepairs, noRepairs } from '../../model/feed-fixes.ts';
import type { TableReport } from '../../model/feed-report.ts';
import { isTimeZone } from '../../model/service-time.ts';
import type { GtfsTable } from './gtfs-tables.ts';
import { stageZones } from './stage-zones.ts';
import { createTextView, type TextTable } from './text-tables.ts';

/** The tables that staging checks row by row, in order of dependency. */
const steps = [
  { sql: 'agencies', checks: ['agency'] },
  { sql: 'stops', checks: ['stops'] },
  { sql: 'stop_translations', checks: ['translations'] },
  { sql: 'routes', checks: ['routes'] },
  { sql: 'services', checks: ['calendar', 'calendar_dates'] },
  { sql: 'shapes', checks: ['shapes'] },
  { sql: 'trips', checks: ['trips'] },
  { sql: 'booking_rules', checks: ['booking_rules'] },
  { sql: 'location_groups', checks: ['location_groups', 'location_group_stops', 'locations'] },
  { sql: 'on_demand', checks: ['stop_times'] },
  { sql: 'calls', checks: [] },
  { sql: 'on_demand_calls', checks: [] },
  { sql: 'call_bookings', checks: [] },
  { sql: 'frequencies', checks: ['frequencies'] },
  { sql: 'transfers', checks: ['transfers'] },
  { sql: 'pathways', checks: ['pathways'] },
  { sql: 'feed_info', checks: ['feed_info'] },
  { sql: 'fares', checks: ['fare_attributes', 'fare_rules'] },
  { sql: 'fares_areas', checks: ['areas', 'stop_areas', 'networks', 'route_networks'] },
  { sql: 'fares_products', checks: ['rider_categories', 'fare_media', 'fare_products'] },
  { sql: 'fares_legs', checks: ['timeframes', 'fare_leg_rules', 'fare_leg_join_rules', 'fare_transfer_rules'] },
] as const satisfies readonly { sql: string; checks: readonly GtfsTable[] }[];

/** The first step that needs stop_times. */
const CALL_STEPS = steps.findIndex(({ sql }) => sql === 'on_demand');

const REQUIRED = ['routes', 'trips', 'stop_times'] as const satisfies readonly GtfsTable[];
const EXAMPLES = 5;

/** Text tables of a feed while they are being read. */
export interface FeedTexts {
  /** All but stop_times. */
  readonly others: Promise<readonly TextTable[]>;
  /** In the order of the feed. */
  readonly all: Promise<readonly TextTable[]>;
}

/**
 * Runs typed staging over the text tables of one feed; creates the typed tables in the database. Tables that do not need
 * stop_times are typed while it is being read, since it is most of a feed. A feed of on-demand service alone has no calls,
 * no trips and possibly no stops.
 * @returns one report per table of the feed, staged or kept as text only
 * @throws ExternalError `feed_unusable`, in one sentence, if the feed offers no service at all; the error of a table that
 *   cannot be read, whatever else is wrong
 */
export async function buildTypedTables(
  db: Duckdb,
  texts: FeedTexts,
  repairs: FeedRepairs = noRepairs,
): Promise<TableReport[]> {
  // This fix is of a view over stop_times.
  const areTogether = repairs.fixes.includes('parent-ids');
  const beginning = beginTyping(db, areTogether ? texts.all : texts.others, repairs);
  const [read, begun] = await Promise.allSettled([texts.all, beginning]);
  if (read.status === 'rejected') throw read.reason;
  const byTable = new Map(read.value.map((text) => [text.table, text]));
  const stopTimes = byTable.get('stop_times') ?? null;
  if (!areTogether) await createTextView(db, 'stop_times', stopTimes);
  const areStopsRequired = !(await namesZones(db));
  for (const table of [...(areStopsRequired ? (['stops'] as const) : []), ...REQUIRED]) {
    if (!byTable.get(table)?.rowsRead) throw new ExternalError('feed_unusable', `the feed has no rows in ${table}.txt`);
  }
  if (begun.status === 'rejected') throw begun.reason;
  if (areStopsRequired) await requireRows(db, 'stops');
  if (!areTogether && stopTimes) await recordText(db, stopTimes);
  for (const step of steps.slice(begun.value)) await runStep(db, step, repairs);
  await separateCopies(db, read.value);
  return reportTables(db, read.value);
}

/**
 * Runs the steps that do not need stop_times.
 * @returns number of steps; the feed may have no stops, and whether it needs any depends on stop_times
 */
async function beginTyping(db: Duckdb, reading: Promise<readonly TextTable[]>, repairs: FeedRepairs): Promise<number> {
  const texts = await reading;
  const byTable = new Map(texts.map((text) => [text.table, text]));
  for (const table of steps.flatMap(({ checks }) => checks))
    await createTextView(db, table, byTable.get(table) ?? null);
  await db.run(`
    create or replace temp table refused (table_name varchar, row_number bigint, code varchar, detail varchar);
    create or replace temp table repaired (table_name varchar, code varchar, row_count bigint);
    create or replace temp table published_columns (table_name varchar, column_name varchar);`);
  for (const text of texts) await recordText(db, text);
  await createKnownZones(db);
  await db.query('set variable source_zone = $zone', { zone: repairs.zone });
  await applyFixes(db, repairs.fixes);
  for (const [index, step] of steps.slice(0, CALL_STEPS).entries()) {
    await runStep(db, step, repairs);
    if (step.sql === 'stops' && !(await hasRows(db, 'stops'))) return index + 1;
  }
  return CALL_STEPS;
}

async function runStep(db: Duckdb, step: (typeof steps)[number], repairs: FeedRepairs): Promise<void> {
  await db.run(await readSql(`pipeline/timetable/feed/sql/${step.sql}.sql`));
  // Whether stops are required is known only when stop_times is.
  const isRequired = step.sql !== 'stops' && (step.sql !== 'agencies' || repairs.zone === null);
  if (isRequired) await requireRows(db, step.sql);
  if (step.sql === 'location_groups') await stageZones(db);
  if (step.sql === 'frequencies') await limitRuns(db);
  if (step.sql === 'calls' && repairs.fixes.includes('border-shapes')) await runFix(db, 'border-shapes');
}

/** Fixes of the text views, in the order in which they build on each other; that of shapes needs checked calls. */
const textFixes: readonly FeedFix[] = ['parent-ids', 'train-numbers', 'train-categories', 'corridor-names'];

async function applyFixes(db: Duckdb, fixes: readonly FeedFix[]): Promise<void> {
  const chosen = textFixes.filter((fix) => fixes.includes(fix));
  if (chosen.some((fix) => fix !== 'parent-ids')) await runFix(db, 'train-names');
  for (const fix of chosen) await runFix(db, fix);
}

async function runFix(db: Duckdb, file: FeedFix | 'train-names'): Promise<void> {
  await db.run(await readSql(`pipeline/timetable/feed/sql/fixes/${file}.sql`));
}

/** Codes of rows that repeat the key of an earlier row. */
const DUPLICATES = ['duplicate_id', 'duplicate_sequence'];

/**
 * Counts refused rows that equal an earlier row in every published column as `duplicate_row`: nothing is lost with them, whereas
 * other duplicates contradict each other.
 */
async function separateCopies(db: Duckdb, texts: readonly TextTable[]): Promise<void> {
  const codes = DUPLICATES.map(sqlText).join(', ');
  for (const { table, parquetFile, columns: published } of texts) {
    const refused = `table_name = ${sqlText(table)} and code in (${codes})`;
    const [found] = await db.query(`select 1 from refused where ${refused} limit 1`);
    if (found === undefined) continue;
    const columns = published.map(sqlName).join(', ');
    await db.run(`
      update refused set code = 'duplicate_row'
      where ${refused} and row_number in (
        select unnest(list_sort(list(file_row_number + 1))[2:])
        from read_parquet(${sqlPath(parquetFile)}, file_row_number = true)
        group by ${columns}
        having count(*) > 1)`);
  }
}

/** Whether there are calls in zones or at groups of stops, which need no stops. */
async function namesZones(db: Duckdb): Promise<boolean> {
  const found = await db.query(
    'select 1 from text_stop_times where location_id is not null or location_group_id is not null limit 1',
  );
  return found.length > 0;
}

async function createKnownZones(db: Duckdb): Promise<void> {
  const named = await db.query(
    'select distinct agency_timezone as zone from text_agency where agency_timezone is not null',
  );
  await db.run('create or replace temp table known_zones (zone varchar)');
  for (const { zone } of named) {
    if (isTimeZone(String(zone))) await db.query('insert into known_zones values ($zone)', { zone: String(zone) });
  }
}

const unusable: Partial<Record<(typeof steps)[number]['sql'], string>> = {
  agencies: 'the feed names no agency with a time zone',
  stops: 'the feed has no usable stop',
  routes: 'the feed has no usable route',
  services: 'the feed has no usable service in calendar.txt or calendar_dates.txt',
  trips: 'the feed has no usable trip',
  calls: 'the feed has no trip with two usable calls',
  feed_info: 'no trip of the feed runs on any day',
};

async function requireRows(db: Duckdb, table: (typeof steps)[number]['sql']): Promise<void> {
  const sentence = unusable[table];
  if (!sentence) return;
  const wanted = table === 'feed_info' ? 'feed_info where first_service_date is not null' : table;
  if ((await hasRows(db, wanted)) || (await offersOnlyOnDemand(db, table))) return;
  throw new ExternalError('feed_unusable', `${sentence} (${await commonestRefusal(db)})`);
}

/** @param from the rest of a query, from the name of a table on */
async function hasRows(db: Duckdb, from: string): Promise<boolean> {
  const found = await db.query(`select 1 from ${from} limit 1`);
  return found.length > 0;
}

/** Whether there are no calls and service dates because all service is on demand. */
async function offersOnlyOnDemand(db: Duckdb, table: (typeof steps)[number]['sql']): Promise<boolean> {
  if (table !== 'calls' && table !== 'feed_info') return false;
  const [found] = await db.query(`
    select exists (from on_demand_mentions) and not exists (from trips) as is_all_on_demand`);
  return found?.is_all_on_demand === true;
}

/** Frequencies are expanded to one run per departure; more than this are an error in a headway and take gigabytes. */
export const MAX_FEED_RUNS = 4_000_000;

async function limitRuns(db: Duckdb): Promise<void> {
  const [count] = await db.query(`
    select coalesce(sum(ceil((end_seconds - start_seconds) / headway_seconds)), 0)::bigint as n from frequencies`);
  if (Number(count?.n) > MAX_FEED_RUNS) {
    throw new ExternalError(
      'feed_unusable',
      `the feed's frequencies make ${count?.n} runs, more than ${MAX_FEED_RUNS}`,
    );
  }
}

async function commonestRefusal(db: Duckdb): Promise<string> {
  const [row] = await db.query(`
    with reasons as (select table_name, code, count(*)::int as n from refused group by all)
    select table_name, code, n
    from reasons
    -- These follow from what was refused elsewhere.
    order by code in ('trip_refused', 'unknown_trip', 'unknown_stop', 'unusable_call_count'), n desc, table_name, code
    limit 1`);
  if (!row) return 'no row was refused';
  const rows = row.n === 1 ? `1 row of ${row.table_name} was` : `${row.n} rows of ${row.table_name} were`;
  return `${rows} refused as ${row.code}`;
}

/** Records existing columns, as a missing column may differ from an empty one, and the lines that are unreadable. */
async function recordText(db: Duckdb, text: TextTable): Promise<void> {
  const { table, storedNames } = text;
  const rows = [...storedNames.keys()].map((column) => `(${sqlText(table)}, ${sqlText(column)})`);
  if (rows.length > 0) await db.run(`insert into published_columns values ${rows.join(', ')}`);
  await recordUnreadable(db, text);
}

/** Values of one INSERT: a file in another encoding has hundreds of thousands of refused lines. */
const INSERTED_AT_ONCE = 2000;

/** Records unreadable lines by line number, because they have no row number. */
async function recordUnreadable(db: Duckdb, { table, unreadable, refusedLines }: TextTable): Promise<void> {
  if (refusedLines) {
    const { count, code, detail } = refusedLines;
    await db.query('insert into refused select $table, range + 2, $code, $detail from range($count::bigint)', {
      table,
      code,
      detail,
      count,
    });
  }
  for (let from = 0; from < unreadable.length; from += INSERTED_AT_ONCE) {
    const rows = unreadable
      .slice(from, from + INSERTED_AT_ONCE)
      .map(
        ({ line, code, detail }) =>
          `(${sqlText(table)}, ${line}, ${sqlText(code)}, ${sqlText(detail.replaceAll('\0', '\uFFFD'))})`,
      );
    await db.run(`insert into refused values ${rows.join(', ')}`);
  }
}

async function reportTables(db: Duckdb, texts: readonly TextTable[]): Promise<TableReport[]> {
  const refusals = await db.query(`
    select table_name, code, count(*)::int as n,
      arg_min(concat('row ', row_number, coalesce(': ' || detail, '')), row_number, ${EXAMPLES}) as samples
    from refused group by table_name, code order by n desc, code`);
  const repairs = await db.query(
    'select table_name, code, sum(row_count)::int as n from repaired group by all having n > 0 order by code',
  );
  const counts = texts.flatMap(({ table }) => {
    const parts = oneToOne[table]?.map((from) => `(select count(*) from ${from})`);
    return parts ? `(${parts.join(' + ')})::int as ${table}` : [];
  });
  const [typedRows] = await db.query(`select ${counts.join(', ')}`);
  return texts.map((text) => {
    const refused = refusals.filter(({ table_name: table }) => table === text.table);
    const rowsIn = text.rowsRead + text.unreadable.length + (text.refusedLines?.count ?? 0);
    const rowsOut = rowsIn - refused.reduce((sum, row) => sum + Number(row.n), 0);
    assertRowsOut(text, typedRows!, rowsOut);
    return {
      table: text.table,
      rowsIn,
      rowsOut,
      refused: refused.map((row) => ({
        code: String(row.code),
        count: Number(row.n),
        samples: (row.samples as unknown as { items: readonly string[] }).items,
      })),
      repaired: repairs
        .filter(({ table_name: table }) => table === text.table)
        .map((row) => ({ code: String(row.code), count: Number(row.n) })),
    };
  });
}

/** Typed tables that together have exactly one row per valid text row, so that their counts can be asserted. */
const oneToOne: Partial<Record<GtfsTable, readonly string[]>> = {
  agency: ['agencies'],
  stops: ['stops'],
  routes: ['routes'],
  trips: ['trips', '(from on_demand_trips where not has_fixed_calls)'],
  stop_times: ['calls', 'rows_on_demand'],
  booking_rules: ['booking_rules'],
  shapes: ['shapes'],
  frequencies: ['frequencies'],
  transfers: ['transfers'],
  pathways: ['pathways'],
  fare_attributes: ['fare_attributes'],
  fare_rules: ['fare_rules'],
  timeframes: ['timeframes'],
  rider_categories: ['rider_categories'],
  fare_media: ['fare_media'],
  fare_products: ['fare_products'],
  fare_leg_rules: ['fare_leg_rules'],
  fare_leg_join_rules: ['fare_leg_join_rules'],
  fare_transfer_rules: ['fare_transfer_rules'],
  areas: ['areas'],
  stop_areas: ['stop_areas'],
  networks: ['networks'],
  route_networks: ['route_networks'],
  locations: ['zones'],
  location_groups: ['location_groups'],
  location_group_stops: ['location_group_stops'],
};

function assertRowsOut({ table }: TextTable, typedRows: SqlRow, expected: number): void {
  if (!oneToOne[table] || Number(typedRows[table]) === expected) return;
  throw new Error(`${table}: ${typedRows[table]} rows, expected ${expected}`);
}
