import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, readSql, sqlText } from '../../effects/duckdb.ts';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { findJson, listNames } from '../../effects/files.ts';
import { stopEventManifestFile, stopEventManifestFolder, stopEventsFolder } from '../../lake/paths.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import { addDays, parseServiceDate, type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import { findLostCalls, isCountedTogether, readMarks } from './counted-rows.ts';
import { readRows } from './measure-rows.ts';
import { findStopEventManifest, type StopEventManifest, stopEventFile } from './stop-event-manifest.ts';
import { isCallCancelled } from './stop-event-table.ts';

/** Number of rows of one source on a day whose `is_counted` differs from the rule. */
export interface WronglyCounted {
  readonly source: SourceId;
  readonly rows: number;
}

/**
 * Recomputes which calls of a day count for all sources together, and compares.
 * @param sources all that may have the day
 * @returns empty for a day whose files are not marked as counted together
 */
export async function findWronglyCounted(
  db: Duckdb,
  dataDir: string,
  date: ServiceDate,
  sources: readonly SourceId[],
): Promise<WronglyCounted[]> {
  const files = [];
  for (const source of sources) {
    const manifest = await findStopEventManifest(dataDir, source, date);
    if (manifest) files.push({ source, file: stopEventFile(dataDir, source, date) });
  }
  if (files.length === 0 || !isCountedTogether(files, await readMarks(db, files))) return [];
  await findLostCalls(db, files);
  const rows = await db.query(`
    select source, count(*)::int as n
    from stop_event_rows
    left join (select *, true as is_lost from lost_calls) using (source, file_row_number)
    where is_counted is distinct from (not is_added and is_lost is null)
    group by source
    order by source`);
  return rows.map(({ source, n }) => ({ source: source as SourceId, rows: Number(n) }));
}

/** A violated invariant of the lake. */
export interface BrokenInvariant {
  /** Stable, snake_case. */
  readonly code: string;
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  readonly detail: string;
}

/** Planned calls of one hour of the local day, over all days. */
interface HourCoverage {
  /** 0 to 23. */
  readonly hour: number;
  readonly scheduled: number;
  readonly observed: number;
}

/** Statistics of one source. */
export interface SourceReport {
  readonly source: SourceId;
  readonly from: ServiceDate;
  readonly to: ServiceDate;
  readonly days: number;
  /** Missing days between the first and the last. */
  readonly gaps: readonly { readonly from: ServiceDate; readonly to: ServiceDate }[];
  readonly scheduled: number;
  readonly observed: number;
  readonly cancelled: number;
  /** Planned before the preceding call of their trip; publishers do that, so it does not count as a violation. */
  readonly falling: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly hours: readonly HourCoverage[];
}

export interface DataReport {
  readonly sources: readonly SourceReport[];
  readonly broken: readonly BrokenInvariant[];
}

/** A day of one source. */
export interface Day {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
}

interface DayFacts extends Day {
  readonly manifest: StopEventManifest;
  readonly hours: readonly (HourCoverage & { readonly cancelled: number; readonly falling: number })[];
}

/** What a check has found in some days; parts of one check are summed up in any order. */
export interface CheckedDays {
  readonly facts: readonly DayFacts[];
  readonly broken: readonly BrokenInvariant[];
}

/**
 * Checks the stop events of all requested days, a day at a time.
 * @param onDay called for each day before it is checked
 */
export async function checkStopEvents(
  db: Duckdb,
  dataDir: string,
  isWanted: (day: Day) => boolean,
  onDay: (day: Day) => void = () => {},
): Promise<CheckedDays> {
  const broken: BrokenInvariant[] = [];
  const facts: DayFacts[] = [];
  for (const day of (await listDays(dataDir)).filter(isWanted)) {
    onDay(day);
    const found = await checkDay(db, dataDir, day, broken);
    if (found) facts.push(found);
  }
  await checkCounted(db, dataDir, facts, broken);
  return { facts, broken };
}

/** @param there all requested days that have a partition or a manifest: between these, days are missing */
export function reportChecks(checks: readonly CheckedDays[], there: readonly Day[]): DataReport {
  const facts = checks.flatMap((one) => one.facts).sort(byDay);
  const sources = [...new Set(facts.map(({ source }) => source))].sort();
  return {
    sources: sources.map((source) => {
      const ofSource = (day: Day) => day.source === source;
      return toReport(facts.filter(ofSource), there.filter(ofSource));
    }),
    broken: checks.flatMap((one) => one.broken).sort(byDay),
  };
}

function byDay(a: Day, b: Day): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.serviceDate < b.serviceDate ? -1 : Number(a.serviceDate > b.serviceDate);
}

/** Days that have a partition or a manifest, in order. */
export async function listDays(dataDir: string): Promise<Day[]> {
  const days = new Map<string, Day>();
  for (const [folder, ending] of [
    [stopEventsFolder(dataDir), ''],
    [stopEventManifestFolder(dataDir), '.json'],
  ] as const) {
    for (const name of (await listNames(folder)).filter((one) => one.startsWith('source='))) {
      const source = name.slice('source='.length);
      for (const entry of await listNames(path.join(folder, name))) {
        const date = entry.startsWith('service_date=') && entry.endsWith(ending) ? entry.slice(13, 23) : '';
        const serviceDate = parseServiceDate(date);
        if (isSourceId(source) && serviceDate) days.set(`${source} ${serviceDate}`, { source, serviceDate });
      }
    }
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
}

/** @returns null where there are no rows to check */
async function checkDay(db: Duckdb, dataDir: string, day: Day, broken: BrokenInvariant[]): Promise<DayFacts | null> {
  const { source, serviceDate } = day;
  const report = (code: string, detail: string) => broken.push({ code, ...day, detail });
  const file = stopEventFile(dataDir, source, serviceDate);
  const names = await listParquet(path.dirname(file));
  const manifest = await findJson<StopEventManifest>(stopEventManifestFile(dataDir, source, serviceDate));
  if (!manifest) report('no_manifest', 'the partition has no manifest, or one that cannot be read');
  if (names.length !== 1 || names[0] !== path.basename(file)) {
    report('no_single_file', names.length === 0 ? 'there is a manifest without rows' : `files: ${names.join(', ')}`);
  }
  if (!manifest || !names.includes(path.basename(file))) return null;
  try {
    return { ...day, manifest, hours: await checkRows(db, file, serviceDate, manifest, report) };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    report('unreadable', error.message);
    return null;
  }
}

/** @throws ExternalError `file_damaged`, `file_missing`, `disk_failed` */
async function checkRows(
  db: Duckdb,
  file: string,
  serviceDate: ServiceDate,
  manifest: StopEventManifest,
  report: (code: string, detail: string) => void,
): Promise<DayFacts['hours']> {
  await db.run(
    `create or replace view stop_events_of_day as select *, ${isCallCancelled} as is_cancelled from (${readRows(file)});
     set variable service_date = timestamptz ${sqlText(`${serviceDate} 00:00:00+00`)}`,
  );
  for (const row of await db.query(await readSql('pipeline/history/stop-events/sql/stop_event_invariants.sql'))) {
    report(String(row.code), `${row.rows_broken} rows, e.g. ${row.example}`);
  }
  const hours = await readHours(db);
  await compareWithManifest(db, manifest, report);
  return hours;
}

/** Which calls count depends on all sources of a day, including those that were not requested. */
async function checkCounted(
  db: Duckdb,
  dataDir: string,
  days: readonly Day[],
  broken: BrokenInvariant[],
): Promise<void> {
  const all = await listDays(dataDir);
  for (const date of [...new Set(days.map(({ serviceDate }) => serviceDate))].sort()) {
    const sources = all.filter(({ serviceDate }) => serviceDate === date).map(({ source }) => source);
    const report = (code: string, source: SourceId, detail: string) =>
      broken.push({ code, source, serviceDate: date, detail });
    try {
      for (const { source, rows } of await findWronglyCounted(db, dataDir, date, sources)) {
        if (!days.some((day) => day.source === source && day.serviceDate === date)) continue;
        report('counted_wrongly', source, `${rows} rows whose is_counted contradicts the rule`);
      }
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const isReported = broken.some(({ code, serviceDate }) => code === 'unreadable' && serviceDate === date);
      if (!isReported)
        report('unreadable', days.find(({ serviceDate }) => serviceDate === date)!.source, error.message);
    }
  }
}

function isUnreadable(error: unknown): error is ExternalError {
  return error instanceof ExternalError && ['file_damaged', 'file_missing', 'disk_failed'].includes(error.code);
}

async function listParquet(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.parquet'));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

async function readHours(db: Duckdb): Promise<DayFacts['hours']> {
  const rows = await db.query(await readSql('pipeline/history/stop-events/sql/stop_event_facts.sql'));
  return rows.map((row) => ({
    // Without a time zone there is no local hour.
    hour: row.local_hour === null ? -1 : Number(row.local_hour),
    scheduled: Number(row.scheduled),
    observed: Number(row.observed),
    cancelled: Number(row.cancelled),
    falling: Number(row.falling),
  }));
}

async function compareWithManifest(
  db: Duckdb,
  { rows, rowsIn, refused, counts }: StopEventManifest,
  report: (code: string, detail: string) => void,
): Promise<void> {
  const [there] = await db.query(`
    select count(*)::double as row_count,
      count(*) filter (not is_added)::double as scheduled,
      count(*) filter (not is_added and not is_cancelled and evidence = 'observed_actual')::double as observed,
      count(*) filter (not is_added and is_cancelled)::double as cancelled
    from stop_events_of_day`);
  if (there?.row_count !== rows) report('rows_unlike_manifest', `${there?.row_count} rows, the manifest says ${rows}`);
  for (const name of ['scheduled', 'observed', 'cancelled'] as const) {
    if (there?.[name] === counts[name]) continue;
    report('counts_unlike_manifest', `${there?.[name]} are ${name}, the manifest says ${counts[name]}`);
  }
  const refusedRows = Object.values(refused).reduce((sum, n) => sum + n, 0);
  if (rowsIn !== rows + refusedRows) {
    report('rows_lost', `${rowsIn} rows came in, ${rows} are there and ${refusedRows} were refused`);
  }
}

function toReport(days: readonly DayFacts[], there: readonly Day[]): SourceReport {
  const [first, last] = [days[0]!, days.at(-1)!];
  const hours = days.flatMap((day) => day.hours);
  const sumOf = (name: 'scheduled' | 'observed' | 'cancelled' | 'falling', of = hours) =>
    of.reduce((sum, row) => sum + row[name], 0);
  const refused: Record<string, number> = {};
  for (const { manifest } of days) {
    for (const [code, n] of Object.entries(manifest.refused)) refused[code] = (refused[code] ?? 0) + n;
  }
  const known = [...new Set(hours.map(({ hour }) => hour))].filter((hour) => hour >= 0).sort((a, b) => a - b);
  return {
    source: first.source,
    from: first.serviceDate,
    to: last.serviceDate,
    days: days.length,
    gaps: findGaps(there.map(({ serviceDate }) => serviceDate)),
    scheduled: sumOf('scheduled'),
    observed: sumOf('observed'),
    cancelled: sumOf('cancelled'),
    falling: sumOf('falling'),
    refused,
    hours: known.map((hour) => {
      const ofHour = hours.filter((row) => row.hour === hour);
      return { hour, scheduled: sumOf('scheduled', ofHour), observed: sumOf('observed', ofHour) };
    }),
  };
}

/** @param dates ascending */
function findGaps(dates: readonly ServiceDate[]): SourceReport['gaps'] {
  return dates.slice(1).flatMap((date, index) => {
    const before = dates[index]!;
    const isNext = toEpochDay(date) - toEpochDay(before) === 1;
    return isNext ? [] : [{ from: addDays(before, 1), to: addDays(date, -1) }];
  });
}
