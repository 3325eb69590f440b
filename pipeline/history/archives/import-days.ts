import { type Duckdb, sqlPath, sqlText } from '../../effects/duckdb.ts';
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
import { stopEventFile } from '../stop-events/stop-event-manifest.ts';
import {
  findStopEventManifest,
  publishStopEvents,
  type StopEventInput,
  type StopEventManifest,
} from '../stop-events/stop-event-store.ts';
import type { ArchiveMapping } from './archive-mapping.ts';
import { offerStaged, readImportSql, type StagedDay } from './stage-archive.ts';

/** UTC offsets of a zone around a service date. */
interface ZoneChange {
  /** Noon minus 12 h of the date. */
  readonly dayStart: Instant;
  /** Seconds ahead of UTC until `changesAt`, and from then on. */
  readonly secondsBefore: number;
  readonly secondsAfter: number;
  /** The clock change; long after the date where there is none. */
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
export const IMPORT_RULES_VERSION = 2;

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

export async function createImportMacros(db: Duckdb): Promise<void> {
  await db.run(await readImportSql('to_moment'));
  await db.run(await readImportSql('trip_key_of'));
}

/**
 * Builds the stop events of one day from its staged rows, as table `new_stop_events`.
 * @throws Error where rows were lost uncounted
 */
export async function buildDay(db: Duckdb, day: StagedDay, facts: ImportFacts): Promise<ImportedDay> {
  await setVariables(db, day, facts);
  await offerStaged(db, day.files);
  await db.run(`create or replace temp table call_rows as ${await readImportSql('call_rows')}`);
  await db.run(`create or replace temp table day_calls as ${await readImportSql('day_calls')}`);
  await db.run(`create or replace temp table new_stop_events as ${await readImportSql('stop_events')}`);
  const refused = await countRefused(db);
  const [row] = await db.query('select count(*)::double as n from new_stop_events');
  const kept = Number(row?.n);
  if (kept + sum(refused) !== day.rows) {
    const numbers = `${day.rows} rows came in, ${kept} are left and ${sum(refused)} were refused`;
    throw new Error(`${facts.archiveName} on ${day.serviceDate}: ${numbers}`);
  }
  return { rowsIn: day.rows, refused, notes: await countNotes(db) };
}

/**
 * Publishes the rows of `new_stop_events` in the lake, merged with those of other archives for the day.
 * @param folder on the same disk as the lake
 */
export async function publishDay(
  db: Duckdb,
  day: StagedDay,
  built: ImportedDay,
  facts: ImportFacts,
  folder: string,
): Promise<StopEventManifest> {
  const { dataDir, source, archiveName } = facts;
  const { serviceDate } = day;
  const before = await findStopEventManifest(dataDir, source, serviceDate);
  const event = {
    sourceId: source,
    serviceDate,
    kind: 'import',
    rulesVersion: IMPORT_RULES_VERSION,
    notes: built.notes,
    builtAt: facts.builtAt,
  } as const;
  const isAlone = before === null || before.inputs.every(({ name }) => isOf(archiveName, name));
  if (isAlone) {
    const { rowsIn, refused } = built;
    return publishStopEvents(db, dataDir, folder, 'from new_stop_events', {
      ...event,
      inputs: listInputs(facts),
      rowsIn,
      refused,
    });
  }
  await mergeRows(db, stopEventFile(dataDir, source, serviceDate), archiveName);
  const [row] = await db.query('select count(*)::double as n from merged_stop_events');
  const [added] = await db.query('select count(*)::double as n from new_stop_events');
  const replaced = before.rows + Number(added?.n) - Number(row?.n);
  const refused = { ...addUp(before.refused, built.refused), replaced: (before.refused.replaced ?? 0) + replaced };
  return publishStopEvents(db, dataDir, folder, 'from merged_stop_events', {
    ...event,
    inputs: [...before.inputs.filter(({ name }) => !isOf(archiveName, name)), ...listInputs(facts)],
    rowsIn: before.rowsIn + built.rowsIn,
    refused,
  });
}

/** Whether an input is the archive of this name, in any version, or its mapping. */
function isOf(archiveName: string, inputName: string): boolean {
  return inputName === archiveName || inputName.startsWith(`${archiveName}: `);
}

async function mergeRows(db: Duckdb, file: string, archiveName: string): Promise<void> {
  await db.run(`set variable archive_name = ${sqlText(archiveName)}`);
  const before = `read_parquet(${sqlPath(file)}, hive_partitioning = false)`;
  await db.run(`create or replace view rows_of_before as from ${before}`);
  await db.run(`create or replace temp table merged_stop_events as ${await readImportSql('merged_stop_events')}`);
}

async function setVariables(db: Duckdb, { serviceDate }: StagedDay, facts: ImportFacts): Promise<void> {
  const { source, mapping, archiveName, archiveHash } = facts;
  const change = findZoneChange(serviceDate, mapping.zone);
  const variables: Record<string, string> = {
    service_date: `timestamp ${sqlText(serviceDate)}`,
    day_start: `make_timestamp(${change.dayStart}::bigint * 1000000)`,
    seconds_before: String(change.secondsBefore),
    seconds_after: String(change.secondsAfter),
    changes_at: `make_timestamp(${change.changesAt}::bigint * 1000000)`,
    repairs_days: String(mapping.repairsDays),
    keeps_last: String(mapping.keep === 'last'),
    early_seconds: String(mapping.earlySeconds),
    late_seconds: String(mapping.lateSeconds),
    first_event: sqlText(mapping.firstCall),
    other_event: sqlText(mapping.otherCalls),
    feed_source: mapping.timetable === null ? 'null::varchar' : sqlText(mapping.timetable),
    key_source: sqlText(mapping.timetable ?? source),
    raw_id: sqlText(`${archiveName}@${archiveHash.slice(0, 16)}`),
    rules_version: String(IMPORT_RULES_VERSION),
  };
  await db.run(
    Object.entries(variables)
      .map(([name, value]) => `set variable ${name} = ${value};`)
      .join('\n'),
  );
}

async function countRefused(db: Duckdb): Promise<Record<string, number>> {
  const rows = await db.query(
    `select refused_code, count(*)::double as n from call_rows
     where refused_code is not null group by all order by all`,
  );
  return Object.fromEntries(rows.map(({ refused_code, n }) => [String(refused_code), Number(n)]));
}

/** Counts rows that were kept with a value removed or repaired. */
async function countNotes(db: Duckdb): Promise<Record<string, number>> {
  const [row] = await db.query(await readImportSql('day_notes'));
  return Object.fromEntries(
    Object.entries(row ?? {}).flatMap(([name, n]) => (Number(n) > 0 ? [[name, Number(n)] as const] : [])),
  );
}

function addUp(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}
