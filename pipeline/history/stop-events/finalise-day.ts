import path from 'node:path';
import { type Duckdb, readSql, sqlPath } from '../../effects/duckdb.ts';
import { signedTripKey } from '../../lake/observations/former-schema.ts';
import { observationColumns } from '../../lake/observations/observation-table.ts';
import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import type { SourceId } from '../../model/ids.ts';
import { addDays, type Instant, type ServiceDate, serviceDayStart } from '../../model/service-time.ts';
import type { MergeRules } from '../../timetable/merging/merge-rules.ts';
import { linkReplacedTrips } from './link-replaced-trips.ts';
import { createPlannedCalls, type DayFeed } from './planned-calls.ts';
import { publishStopEvents, type StopEventInput, type StopEventManifest } from './stop-event-store.ts';

/** Raised with every change of the rules below `sql/`: days built by older rules are then rebuilt. */
export const STOP_EVENT_RULES_VERSION = 7;

const SQL = 'pipeline/history/stop-events/sql';

interface FinalisedDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  /** The timetables of the day, one version each; those that the source is not bound to only merge its trips. */
  readonly feeds: readonly DayFeed[];
  readonly merging: MergeRules;
  readonly observationFiles: readonly string[];
  readonly inputs: readonly StopEventInput[];
  /** Trips that run beyond it are not final. */
  readonly now: Instant;
}

/**
 * A day is over this long after its last planned call, and after its last hour: by then trips that are hours late have
 * arrived, and observations have reached the lake. Later ones re-open the day.
 */
const DAY_OVER_AFTER_SECONDS = 6 * 3600;

/**
 * Builds the stop events of one day of one source: one row per planned call, and one per call that the source added.
 * All work on rows is done in the engine, within its memory limit.
 * @returns null while trips of the day are still running
 * @throws Error when an observation is not accounted for; nothing is published then
 */
export async function finaliseDay(
  dataDir: string,
  day: FinalisedDay,
  settings: LakeSettings,
): Promise<StopEventManifest | null> {
  const { source, serviceDate, feeds, merging, observationFiles, inputs, now } = day;
  return withEngine(dataDir, settings, async (db, folder) => {
    // Every file is read a few times in a row: cached in memory they would crowd out the work.
    await db.run('set preserve_insertion_order = false; set enable_external_file_cache = false');
    await db.query('set variable rules_version = $version', { version: STOP_EVENT_RULES_VERSION });
    const hiddenTrips = await createPlannedCalls(db, dataDir, feeds, serviceDate, merging);
    if ((await findLastInstant(db, serviceDate)) + DAY_OVER_AFTER_SECONDS > now) return null;
    await resolveReports(db, observationFiles);
    const replacedTrips = await linkReplacedTrips(db);
    const tally = await tallyObservations(db);
    const [counted] = await db.query(
      `select (select count(*) from planned_calls)::double
         + (select count(*) from resolved_reports where call_number is null)::double as n`,
    );
    return publishStopEvents(db, dataDir, folder, await readSql(`${SQL}/stop_events.sql`), {
      sourceId: source,
      serviceDate,
      kind: 'realtime',
      rulesVersion: STOP_EVENT_RULES_VERSION,
      inputs,
      rowsIn: Number(counted!.n),
      refused: {},
      notes: { ...tally, trips_merged: hiddenTrips, trips_replaced: replacedTrips },
      builtAt: new Date(now * 1000).toISOString(),
    });
  });
}

/** Time of the day's last planned call, else the end of the day in its timetable's time zone. */
async function findLastInstant(db: Duckdb, date: ServiceDate): Promise<number> {
  const [row] = await db.query(`
    select getvariable('main_zone') as zone, coalesce(max(departure), 0)::double as last from planned_calls`);
  return Math.max(serviceDayStart(addDays(date, 1), String(row!.zone)), Number(row!.last));
}

/** Trips are processed in slices of about this many observations, so that memory does not grow with the network. */
const OBSERVATIONS_AT_ONCE = 1_000_000;

/** Results of a slice that are kept, in the order in which they are computed. */
const RESULTS = ['cancelled_events', 'resolved_reports', 'refused_observations'] as const;

/** Fills the tables of `RESULTS`. */
async function resolveReports(db: Duckdb, files: readonly string[]): Promise<void> {
  await db.run(`create temp view stored_observations as ${selectObservations(files)}`);
  await db.run(`create temp view day_observations as ${await readSql(`${SQL}/day_observations.sql`)}`);
  await db.run(`create temp view reported_rows as ${await readSql(`${SQL}/reported_rows.sql`)}`);
  const [count] = await db.query('select count(*)::double as n from day_observations');
  const slices = Math.max(1, Math.ceil(Number(count!.n) / OBSERVATIONS_AT_ONCE));
  await db.query('set variable slice_count = $slices', { slices });
  const steps = await Promise.all(
    ['reported_events', 'reported_forecasts', 'reported_calls'].map(async (table) => {
      return `create or replace temp table ${table} as ${await readSql(`${SQL}/${table}.sql`)}`;
    }),
  );
  const results = await Promise.all(
    RESULTS.map(async (table) => ({ table, sql: await readSql(`${SQL}/${table}.sql`) })),
  );
  for (let slice = 0; slice < slices; slice++) {
    await db.query('set variable slice = $slice', { slice });
    for (const step of steps) await db.run(step);
    for (const { table, sql } of results) {
      await db.run(`${slice === 0 ? `create temp table ${table} as` : `insert into ${table}`} ${sql}`);
    }
  }
  await db.run('drop table reported_events; drop table reported_forecasts; drop table reported_calls');
}

/** Rows of all files, each with the number of its file and its row number in it; files of former schemas lack columns. */
function selectObservations(files: readonly string[]): string {
  const columns = Object.entries(observationColumns).map(([name, [type]]) => `null::${type} as ${name}`);
  const none = `select 0 as file_number, 0 as file_row_number, ${columns.join(', ')} where false`;
  const names = [...files].sort((a, b) => path.basename(a).localeCompare(path.basename(b)));
  const selects = names.map(
    (file, number) =>
      `select ${number} as file_number, * replace (${signedTripKey} as trip_key)
       from read_parquet(${sqlPath(file)}, hive_partitioning = false, file_row_number = true)`,
  );
  return [none, ...selects].join(' union all by name ');
}

/** @throws Error when the numbers do not add up: then a rule has lost rows, or counted some twice */
async function tallyObservations(db: Duckdb): Promise<Record<string, number>> {
  const rows = await db.query(await readSql(`${SQL}/observation_tally.sql`));
  const tally = Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]));
  const { observations = 0, observations_used: used = 0, observations_superseded: superseded = 0 } = tally;
  const refused = Object.entries(tally)
    .filter(([name]) => name.startsWith('observations_refused_'))
    .reduce((sum, [, n]) => sum + n, 0);
  if (observations !== used + superseded + refused) {
    throw new Error(`of ${observations} observations ${used} were used, ${superseded} superseded, ${refused} refused`);
  }
  return tally;
}
