import { type Duckdb, sqlName, sqlText } from '../../effects/duckdb.ts';
import type { SourceId } from '../../model/ids.ts';
import {
  fromEpochDay,
  type Instant,
  SECONDS_PER_DAY,
  type ServiceDate,
  serviceDayStart,
  toEpochDay,
  zoneOffsetSeconds,
} from '../../model/service-time.ts';
import { readRows } from '../stop-events/measure-rows.ts';
import { stopEventFile } from '../stop-events/stop-event-manifest.ts';
import {
  findStopEventManifest,
  publishStopEventDays,
  type StopEventDayRows,
  type StopEventInput,
  type StopEventManifest,
} from '../stop-events/stop-event-store.ts';
import type { ArchiveMapping } from './archive-mapping.ts';
import { offerStaged, readImportSql, type StagedBatch, type StagedDay } from './stage-archive.ts';

/** UTC offsets of a zone around a service date. */
interface ZoneChange {
  /** Noon minus 12 h of the date. */
  readonly dayStart: Instant;
  /** Seconds ahead of UTC until `changesAt`, and from then on. */
  readonly secondsBefore: number;
  readonly secondsAfter: number;
  /** The clock change; long after the date if the day has no clock change. */
  readonly changesAt: Instant;
}

/** Trips of a date begin and end within this range. */
const TRIP_DAYS_BEFORE = 3;
const TRIP_DAYS_AFTER = 7;
const OPEN_END = (toEpochDay('2999-12-31' as ServiceDate) * SECONDS_PER_DAY) as Instant;

/** @throws RangeError for an unknown zone, and for two clock changes within ten days */
function findZoneChange(date: ServiceDate, zone: string): ZoneChange {
  const dayStart = serviceDayStart(date, zone);
  const offsetAt = (seconds: number) => zoneOffsetSeconds(zone, seconds as Instant);
  let low = dayStart - TRIP_DAYS_BEFORE * SECONDS_PER_DAY;
  let high = dayStart + TRIP_DAYS_AFTER * SECONDS_PER_DAY;
  const [secondsBefore, secondsAfter] = [offsetAt(low), offsetAt(high)];
  if (secondsBefore === secondsAfter) return { dayStart, secondsBefore, secondsAfter, changesAt: OPEN_END };
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const offset = offsetAt(middle);
    if (offset === secondsBefore) low = middle;
    else if (offset === secondsAfter) high = middle;
    else throw new RangeError(`${zone} has two clock changes around ${fromEpochDay(toEpochDay(date))}`);
  }
  return { dayStart, secondsBefore, secondsAfter, changesAt: high as Instant };
}

/** Raised with every change of the result for the same archive and mapping. */
export const IMPORT_RULES_VERSION = 3;

/** Facts that all days of one import share. */
export interface ImportFacts {
  readonly dataDir: string;
  readonly source: SourceId;
  readonly mapping: ArchiveMapping;
  readonly mappingHash: string;
  /** Name of the file, without its folders. */
  readonly archiveName: string;
  readonly archiveHash: string;
  /** ISO 8601. */
  readonly builtAt: string;
}

/** Result of one day. */
export interface ImportedDay {
  readonly serviceDate: ServiceDate;
  /** Rows of the archive. */
  readonly rowsIn: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly notes: Readonly<Record<string, number>>;
}

/** The file and its mapping; equal inputs give equal rows. */
export function listInputs({ archiveName, archiveHash, mapping, mappingHash }: ImportFacts): StopEventInput[] {
  return [
    { name: archiveName, hash: archiveHash },
    { name: `${archiveName}: mapping ${mapping.name}`, hash: mappingHash },
  ];
}

/** Whether a day or import was built from this file by this mapping and these rules. */
export function isMadeOf(
  made: { readonly inputs: readonly StopEventInput[]; readonly rulesVersion: number },
  facts: ImportFacts,
): boolean {
  const isThere = (name: string, hash: string) => made.inputs.some((one) => one.name === name && one.hash === hash);
  return made.rulesVersion === IMPORT_RULES_VERSION && listInputs(facts).every(({ name, hash }) => isThere(name, hash));
}

/** Creates the macros and sets the variables that all days of an import share. */
export async function setUpImport(db: Duckdb, facts: ImportFacts): Promise<void> {
  const { source, mapping, archiveName, archiveHash } = facts;
  const variables: Record<string, string> = {
    repairs_days: String(mapping.repairsDays),
    keeps_last: String(mapping.keep === 'last'),
    early_seconds: String(mapping.earlySeconds),
    late_seconds: String(mapping.lateSeconds),
    first_event: sqlText(mapping.firstCall),
    other_event: sqlText(mapping.otherCalls),
    feed_source: mapping.timetable === null ? 'null::varchar' : sqlText(mapping.timetable),
    key_source: sqlText(mapping.timetable ?? source),
    archive_name: sqlText(archiveName),
    raw_id: sqlText(`${archiveName}@${archiveHash.slice(0, 16)}`),
    rules_version: String(IMPORT_RULES_VERSION),
  };
  const statements = Object.entries(variables).map(([name, value]) => `set variable ${name} = ${value};`);
  await db.run(statements.join('\n'));
  for (const macro of ['to_instant', 'trip_key_of']) await db.run(await readImportSql(macro));
}

/**
 * Builds the stop events of some days of a batch from its staged rows, as table `new_stop_events`. Many days at once, as
 * the steps of a statement take longer than the rows of a day.
 * @param days at least one
 * @throws Error where rows were lost uncounted
 */
export async function buildDays(
  db: Duckdb,
  { files }: StagedBatch,
  days: readonly StagedDay[],
  facts: ImportFacts,
): Promise<ImportedDay[]> {
  await listImportDays(db, days, facts.mapping);
  await offerStaged(db, files);
  await db.run(`create or replace temp table call_rows as ${await readImportSql('call_rows')}`);
  await db.run(`create or replace temp table archive_trips as ${await readImportSql('archive_trips')}`);
  await db.run(`create or replace temp view batch_calls as ${await readImportSql('batch_calls')}`);
  await db.run(`create or replace temp table new_stop_events as ${await readImportSql('stop_events')}`);
  const [refused, kept] = [await countRefused(db), await countKept(db)];
  return days.map(({ serviceDate, rows }) => {
    const day = { serviceDate, rowsIn: rows, refused: refused.get(serviceDate) ?? {} };
    const { kept: rowsKept = 0, ...notes } = kept.get(serviceDate) ?? {};
    if (rowsKept + sum(day.refused) !== rows) {
      const numbers = `${rows} rows in, ${rowsKept} out, ${sum(day.refused)} rejected`;
      throw new Error(`${facts.archiveName} on ${serviceDate}: ${numbers}`);
    }
    return { ...day, notes };
  });
}

/**
 * Publishes the rows of `new_stop_events` in the lake, merged with those of other archives for the day.
 * @param folder on the same disk as the lake
 */
export async function publishDays(
  db: Duckdb,
  days: readonly ImportedDay[],
  facts: ImportFacts,
  folder: string,
): Promise<void> {
  const { dataDir, source, archiveName } = facts;
  const alone: StopEventDayRows[] = [];
  for (const day of days) {
    const before = await findStopEventManifest(dataDir, source, day.serviceDate);
    if (before === null || before.inputs.every(({ name }) => isOf(archiveName, name))) {
      const { rowsIn, refused } = day;
      const dayFacts = { ...describeDay(day, facts), inputs: listInputs(facts), rowsIn, refused };
      alone.push({ select: selectDay(day), constants, facts: dayFacts });
    } else {
      const merged = await mergeDay(db, day, before, facts);
      await publishStopEventDays(db, dataDir, folder, [merged]);
    }
  }
  await publishStopEventDays(db, dataDir, folder, alone);
}

function describeDay({ serviceDate, notes }: ImportedDay, { source, builtAt }: ImportFacts) {
  return { sourceId: source, serviceDate, kind: 'import', rulesVersion: IMPORT_RULES_VERSION, notes, builtAt } as const;
}

/**
 * Columns that have one value in all rows of an import, as SQL: a quarter of the columns, and the time of an import is
 * that of storing and sorting values.
 */
const constants: Readonly<Record<string, string>> = {
  forecast_age_seconds: 'null',
  is_final_forecast: 'false',
  uncertainty_seconds: 'null',
  occupancy: 'null',
  is_replaced: 'false',
  is_platform_changed: 'null',
  feed_source: "getvariable('feed_source')",
  feed_version: 'null',
  raw_id: "getvariable('raw_id')",
  rules_version: "getvariable('rules_version')",
};

/** Without the constant columns. */
function selectDay({ serviceDate }: ImportedDay): string {
  return `from new_stop_events where service_date = date ${sqlText(serviceDate)}`;
}

/** @param before the day as it is in the lake, of other archives too */
async function mergeDay(
  db: Duckdb,
  day: ImportedDay,
  before: StopEventManifest,
  facts: ImportFacts,
): Promise<StopEventDayRows> {
  const { dataDir, source, archiveName } = facts;
  const file = stopEventFile(dataDir, source, day.serviceDate);
  const columns = Object.entries(constants).map(([name, value]) => `${value} as ${sqlName(name)}`);
  await db.run(`create or replace temp view rows_of_day as select *, ${columns.join(', ')} ${selectDay(day)}`);
  await db.run(`create or replace temp view rows_of_before as ${readRows(file)}`);
  await db.run(`create or replace temp table merged_stop_events as ${await readImportSql('merged_stop_events')}`);
  const [row] = await db.query('select count(*)::double as n from merged_stop_events');
  const replaced = before.rows + day.rowsIn - sum(day.refused) - Number(row?.n);
  return {
    select: 'from merged_stop_events',
    facts: {
      ...describeDay(day, facts),
      inputs: [...before.inputs.filter(({ name }) => !isOf(archiveName, name)), ...listInputs(facts)],
      rowsIn: before.rowsIn + day.rowsIn,
      refused: { ...addUp(before.refused, day.refused), replaced: (before.refused.replaced ?? 0) + replaced },
    },
  };
}

/** Whether an input is the archive of this name, in any version, or its mapping. */
function isOf(archiveName: string, inputName: string): boolean {
  return inputName === archiveName || inputName.startsWith(`${archiveName}: `);
}

/** Creates the table `import_days`: the days to build, each with the UTC offsets around it. */
async function listImportDays(db: Duckdb, days: readonly StagedDay[], { zone }: ArchiveMapping): Promise<void> {
  const rows = days.map(({ serviceDate }) => {
    const { dayStart, secondsBefore, secondsAfter, changesAt } = findZoneChange(serviceDate, zone);
    const instant = (seconds: Instant) => `make_timestamp(${seconds}::bigint * 1000000)`;
    const offsets = `seconds_before: ${secondsBefore}, seconds_after: ${secondsAfter}, changes_at: ${instant(changesAt)}`;
    return `(date ${sqlText(serviceDate)}, ${instant(dayStart)}, {${offsets}})`;
  });
  const table = `(values ${rows.join(', ')}) as days (service_date, day_start, zone)`;
  await db.run(`create or replace temp table import_days as from ${table}`);
}

type DayCounts = ReadonlyMap<ServiceDate, Readonly<Record<string, number>>>;

async function countRefused(db: Duckdb): Promise<DayCounts> {
  const rows = await db.query(
    `select service_date::varchar as service_date, refused_code, count(*)::double as n from call_rows
     where refused_code is not null group by all order by all`,
  );
  const counts = new Map<ServiceDate, Record<string, number>>();
  for (const { service_date, refused_code, n } of rows) {
    const day = service_date as ServiceDate;
    counts.set(day, { ...counts.get(day), [String(refused_code)]: Number(n) });
  }
  return counts;
}

/** Counts the rows of each day, and by kind those that were kept with a value removed or repaired. */
async function countKept(db: Duckdb): Promise<DayCounts> {
  const rows = await db.query(await readImportSql('batch_notes'));
  return new Map(
    rows.map(({ service_date, ...counts }) => {
      const there = Object.entries(counts).flatMap(([name, n]) => (Number(n) > 0 ? [[name, Number(n)] as const] : []));
      return [service_date as ServiceDate, Object.fromEntries(there)];
    }),
  );
}

function addUp(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}
