import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { shareItems } from '../../effects/concurrency.ts';
import { type Duckdb, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { isSystemError } from '../../effects/external-error.ts';
import { syncFile, syncFolder, syncFolders } from '../../effects/files.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { type LakeSettings, withEngine } from '../../lake/observations/write-parts.ts';
import { assertRowCount, parquetFacts } from '../../lake/parquet-facts.ts';
import { martFile } from '../../lake/paths.ts';
import { shareOutEngine } from '../../lake/share-out-engine.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { buildDay, dayPart } from './build-day.ts';
import { type MartDefinition, nameRules } from './definitions.ts';
import {
  type DayFacts,
  type MartFileFacts,
  type MonthFacts,
  martNames,
  sizeOf,
  writeMonthFacts,
} from './mart-manifest.ts';
import { castTo, type DailyMart, dailyMarts, type MartName, martTables, orderOf } from './mart-tables.ts';
import type { MonthPlan } from './plan-months.ts';
import { readMartSql } from './read-mart-sql.ts';
import type { RemoteMarts } from './remote-day.ts';
import { monthChecks, runChecks } from './run-checks.ts';

const MAX_CONCURRENCY = 2;
/** Month, mart and marts: for a new mart all are created. */
const FILE_LEVELS = 3;

interface MonthRequest {
  readonly dataDir: string;
  readonly settings: LakeSettings;
  readonly definitions: readonly MartDefinition[];
  readonly builtAt: string;
  /** Null: days are computed here. */
  readonly remote: RemoteMarts | null;
  readonly report: (line: string) => void;
}

/**
 * Rebuilds the files of one month: the unchanged rows of kept days, and those of rebuilt days. All is written aside and
 * checked before the first file is replaced; a crash during the replacement leaves a month that counts as unfinished,
 * and is rebuilt with all its days.
 * @throws ExternalError `mart_check_failed`, `partition_incomplete`; the month is unchanged then
 */
export async function buildMonth(plan: MonthPlan, request: MonthRequest): Promise<void> {
  const { dataDir, settings } = request;
  if (plan.made.size + plan.kept.size === 0) return removeMonth(dataDir, plan.month);
  await withEngine(dataDir, settings, async (db, folder) => {
    const facts = await writeMonth(db, folder, plan, request);
    await markUnfinished(dataDir, plan.month, request.builtAt);
    for (const mart of martNames) await placeFile(monthPart(folder, mart), martFile(dataDir, mart, plan.month));
    await writeMonthFacts(dataDir, plan.month, facts);
  });
}

async function removeMonth(dataDir: string, month: string): Promise<void> {
  await assertMayPublish();
  for (const mart of martNames) {
    const folder = path.dirname(martFile(dataDir, mart, month));
    await rm(folder, { recursive: true, force: true });
    await syncFolder(path.dirname(folder)).catch((error) => {
      if (!isSystemError(error, 'ENOENT')) throw error;
    });
  }
  await writeMonthFacts(dataDir, month, null);
}

function monthPart(folder: string, mart: MartName): string {
  return path.join(folder, `${mart}.parquet`);
}

async function markUnfinished(dataDir: string, month: string, builtAt: string): Promise<void> {
  await writeMonthFacts(dataDir, month, { rules: '', days: {}, files: {}, builtAt });
}

async function placeFile(file: string, target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await assertMayPublish();
  await rename(file, target);
  await syncFolders(path.dirname(target), FILE_LEVELS);
}

async function writeMonth(db: Duckdb, folder: string, plan: MonthPlan, request: MonthRequest): Promise<MonthFacts> {
  const { dataDir, definitions, builtAt, report } = request;
  const days = new Map<ServiceDate, DayFacts>([...plan.kept, ...(await makeDays(folder, plan, request))]);
  report(`marts: writing ${plan.month}`);
  const sources = [...new Set([...days.values()].flatMap(({ inputs }) => Object.keys(inputs)))].sort();
  const files: Partial<Record<MartName, MartFileFacts>> = {};
  for (const mart of dailyMarts) {
    files[mart] = await copyRows(db, mart, {
      rows: [...days.values()].reduce((sum, day) => sum + day.rows[mart], 0),
      select: selectRows(dataDir, folder, plan, mart),
      facts: await parquetFacts(dataDir, `marts.${mart}`, sources),
      file: monthPart(folder, mart),
    });
  }
  files.worst_connections = await writeWorst(
    db,
    folder,
    plan.month,
    await parquetFacts(dataDir, 'marts.worst_connections', sources),
  );
  return { rules: nameRules(definitions), days: sortDays(days), files, builtAt };
}

/**
 * Builds the parts of all days, two at a time, since much of a day runs on one core. Each of the two has its
 * own engine with a share of the memory.
 */
async function makeDays(
  folder: string,
  { made }: MonthPlan,
  { dataDir, settings, definitions, remote, report }: MonthRequest,
): Promise<Map<ServiceDate, DayFacts>> {
  const days = new Map<ServiceDate, DayFacts>();
  const cores = settings.threads || availableParallelism();
  const concurrency = Math.max(1, Math.min(MAX_CONCURRENCY, cores, made.size));
  const engine = shareOutEngine(settings, concurrency);
  await shareItems(made, concurrency, (queue) =>
    withEngine(dataDir, engine, async (db) => {
      for (const [date, inputs] of queue) {
        report(`marts: ${date}`);
        const rows = await buildDay(db, { dataDir, folder, definitions, remote }, date, inputs);
        days.set(date, { inputs: Object.fromEntries(inputs.map(({ source, rowsHash }) => [source, rowsHash])), rows });
      }
    }),
  );
  return days;
}

/** Rows of the month's new file: those of the old one without changed days, and those of rebuilt days. */
function selectRows(dataDir: string, folder: string, { month, kept, made }: MonthPlan, mart: DailyMart): string {
  const read = (file: string) => `select * from read_parquet(${sqlPath(file)}, hive_partitioning = false)`;
  const parts = [...made.keys()].map((date) => read(dayPart(folder, mart, date)));
  if (kept.size > 0) {
    const dates = [...kept.keys()].map((date) => `date ${sqlText(date)}`).join(', ');
    parts.unshift(`${read(martFile(dataDir, mart, month))} where service_date in (${dates})`);
  }
  return parts.join(' union all by name ');
}

async function writeWorst(db: Duckdb, folder: string, month: string, facts: string): Promise<MartFileFacts> {
  const daily = sqlPath(monthPart(folder, 'connections_daily'));
  await db.run(`
    drop table if exists connections_daily;
    create or replace temp view connections_daily as from read_parquet(${daily}, hive_partitioning = false)`);
  const select = castTo('worst_connections', await readMartSql('worst_connections', 'duckdb'));
  await db.run(`create or replace temp table worst_connections as ${select}`);
  await runChecks(db, monthChecks, `marts of ${month}`);
  const [counted] = await db.query('select count(*)::double as n from worst_connections');
  const file = monthPart(folder, 'worst_connections');
  const rows = Number(counted!.n);
  return copyRows(db, 'worst_connections', { rows, select: 'from worst_connections', facts, file });
}

interface RowCopy {
  /** Expected number of rows. */
  readonly rows: number;
  readonly select: string;
  /** From `parquetFacts`. */
  readonly facts: string;
  readonly file: string;
}

async function copyRows(db: Duckdb, mart: MartName, { rows, select, facts, file }: RowCopy): Promise<MartFileFacts> {
  const { rowGroupSize } = martTables[mart];
  await db.run(
    `copy (from (${castTo(mart, select)}) order by ${orderOf(mart)})
     to ${sqlText(file)} (format parquet, compression zstd, row_group_size ${rowGroupSize}, ${facts})`,
  );
  await assertRowCount(db, file, rows);
  await syncFile(file);
  return { rows, bytes: (await sizeOf(file))! };
}

function sortDays(days: ReadonlyMap<ServiceDate, DayFacts>): Record<ServiceDate, DayFacts> {
  return Object.fromEntries([...days].sort(([a], [b]) => (a < b ? -1 : 1)));
}
