import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, globPath, readSql, sqlPattern, sqlText } from '../../effects/duckdb.ts';
import type { ReadOnlyDuckdb } from '../../effects/read-only-duckdb.ts';
import { parseServiceDate, type ServiceDate } from '../../model/service-time.ts';
import { type ArchiveMapping, MappingError } from './archive-mapping.ts';
import { MAPPED_ROWS, type MappedArchive, withMappedArchive } from './map-archive.ts';
import { openArchive } from './read-archive.ts';
import { buildStageSelect, listAbsentColumns } from './staging-columns.ts';

/** An archive's rows with staging columns, one folder of Parquet per batch of service dates. */
export interface StagedArchive {
  /** The requested days, oldest first. */
  readonly batches: readonly StagedBatch[];
  readonly rowsRead: number;
  /** Lines that are not rows, and rows without a service date. */
  readonly unreadable: number;
  readonly withoutDate: number;
  /** Rows of days that were not requested. */
  readonly outside: number;
}

/** Successive days that are imported together. */
export interface StagedBatch {
  readonly files: StagedFiles;
  readonly days: readonly StagedDay[];
}

interface StagedFiles {
  /** Glob pattern. */
  readonly pattern: string;
  /** Columns that they lack, as SQL; the same for all files of an archive. */
  readonly absent: readonly string[];
}

export interface StagedDay {
  readonly serviceDate: ServiceDate;
  readonly rows: number;
}

interface StagePeriod {
  readonly from: ServiceDate | null;
  readonly to: ServiceDate | null;
}

/**
 * Rows of a batch, unless a single day has more. A statement costs some 20 ms however few rows it reads, and the tables
 * of a batch, about 1 kB a row, should fit into the memory of the engine.
 */
const BATCH_ROWS = 400_000;

/** Batches of rows without a service date, and of rows that were not requested. */
const NO_DAY = 'none';
const OUTSIDE = 'outside';

/**
 * Reads an archive once and partitions its rows by batches of days, so that no later step reads all of it again. Creates
 * the table `placeholder_places` and the macros that `offerStaged` needs.
 * @param folder an empty work folder
 * @throws MappingError where the query does not fit the archive, or does not return each row once
 * @throws ExternalError `archive_unreadable`
 */
export async function stageArchive(
  db: Duckdb,
  file: string,
  mapping: ArchiveMapping,
  folder: string,
  period: StagePeriod,
): Promise<StagedArchive> {
  const output = path.join(folder, 'batches');
  await mkdir(output, { recursive: true });
  const archive = await openArchive(db, file, mapping, folder);
  const absent = await withMappedArchive(db, { file, archive, mapping, output }, async (mapped) => {
    await stageRows(mapped, mapping, period);
    return listAbsentColumns(mapping, mapped.columns);
  });
  await setUpStaging(db, mapping);
  // An archive without rows leaves no file.
  const staged = archive.rows > 0 ? await checkStaged(db, mapping, output, absent, archive.rows) : [];
  const rowsOf = (batch: string) => sum(staged.flatMap((one) => (one.batch === batch ? [one.rows] : [])));
  return {
    batches: listBatches(staged, output, absent),
    rowsRead: archive.rows + archive.unreadable,
    unreadable: archive.unreadable,
    withoutDate: rowsOf(NO_DAY),
    outside: rowsOf(OUTSIDE),
  };
}

async function stageRows(
  { engine, columns }: MappedArchive,
  mapping: ArchiveMapping,
  period: StagePeriod,
): Promise<void> {
  await engine.createView('staged_rows', buildStageSelect(mapping, columns, MAPPED_ROWS));
  const days = await countDays(engine);
  const select = `select *, ${selectBatch(days, period)} as batch from staged_rows`;
  await engine.writeParquet(select, 'compression snappy, partition_by (batch), overwrite_or_ignore true');
}

/** Rows by service date, oldest first. */
async function countDays(engine: ReadOnlyDuckdb): Promise<StagedDay[]> {
  const days: StagedDay[] = [];
  await engine.query(
    `select service_day::varchar, count(*)::double from staged_rows
     where service_day is not null group by service_day order by service_day`,
    async ({ batches }) => {
      for await (const rows of batches) {
        for (const [day, n] of rows) days.push({ serviceDate: day as ServiceDate, rows: Number(n) });
      }
    },
  );
  return days;
}

/** SQL of the batch of a row, by its `service_day`. */
function selectBatch(days: readonly StagedDay[], { from, to }: StagePeriod): string {
  const isRequested = ({ serviceDate }: StagedDay) => serviceDate >= (from ?? '') && serviceDate <= (to ?? '9');
  const lastDays = divide(days.filter(isRequested)).map((batch) => batch.at(-1)!.serviceDate);
  const cases = [
    `when service_day is null then ${sqlText(NO_DAY)}`,
    ...(from ? [`when service_day < date ${sqlText(from)} then ${sqlText(OUTSIDE)}`] : []),
    ...(to ? [`when service_day > date ${sqlText(to)} then ${sqlText(OUTSIDE)}`] : []),
    ...lastDays.map((day) => `when service_day <= date ${sqlText(day)} then ${sqlText(day)}`),
  ];
  return `case ${cases.join(' ')} else ${sqlText(OUTSIDE)} end`;
}

/** @param days in order */
function divide(days: readonly StagedDay[]): StagedDay[][] {
  const batches: StagedDay[][] = [];
  let rows = 0;
  for (const day of days) {
    rows += day.rows;
    if (batches.length > 0 && rows <= BATCH_ROWS) batches.at(-1)!.push(day);
    else {
      batches.push([day]);
      rows = day.rows;
    }
  }
  return batches;
}

/** Rows of one service date in one batch. */
interface StagedCount {
  readonly batch: string;
  readonly serviceDate: ServiceDate | null;
  readonly rows: number;
}

async function checkStaged(
  db: Duckdb,
  mapping: ArchiveMapping,
  output: string,
  absent: readonly string[],
  rowsThere: number,
): Promise<StagedCount[]> {
  const files = sqlPattern(output, '*', '*.parquet');
  const counts = await db.query(`select batch, service_day::varchar as day, count(*)::double as n
    from read_parquet(${files}, hive_partitioning = true, hive_types_autocast = false)
    group by all order by all`);
  const staged = counts.map(({ batch, day, n }) => {
    return { batch: String(batch), serviceDate: parseServiceDate(String(day)), rows: Number(n) };
  });
  await offerStaged(db, { pattern: path.join(globPath(output), '*', '*.parquet'), absent });
  await checkRows(db, mapping, sum(staged.map(({ rows }) => rows)), rowsThere);
  await findMutePlaces(db, mapping);
  return staged;
}

/** @param staged in the order of batches and days */
function listBatches(staged: readonly StagedCount[], output: string, absent: readonly string[]): StagedBatch[] {
  const batches = new Map<string, StagedDay[]>();
  for (const { batch, serviceDate, rows } of staged) {
    if (batch === NO_DAY || batch === OUTSIDE || serviceDate === null) continue;
    batches.set(batch, [...(batches.get(batch) ?? []), { serviceDate, rows }]);
  }
  return [...batches].map(([batch, days]) => {
    return { days, files: { pattern: path.join(globPath(output), `batch=${batch}`, '*.parquet'), absent } };
  });
}

/** Codes under which the import itself refuses rows; a mapping must not use them. */
const OWN_CODES = ['no_service_date', 'no_trip', 'no_position', 'no_time', 'impossible_time', 'duplicate', 'replaced'];

/** @throws MappingError for missing or repeated rows, and for invalid codes */
async function checkRows(db: Duckdb, { name }: ArchiveMapping, given: number, there: number): Promise<void> {
  const own = OWN_CODES.map(sqlText).join(', ');
  // One bit per row: counting distinct numbers takes several times as long.
  const [row] = await db.query(`select
      coalesce(bit_count(bitstring_agg(file_row_number, 0, ${there - 1})
        filter (file_row_number between 0 and ${there - 1})), 0)::double as n,
      min(skip_code) filter (skip_code in (${own}) or not regexp_full_match(skip_code, '[a-z][a-z0-9_]{0,39}')) as code
    from staged_files`);
  if (given !== there || Number(row?.n) !== there) {
    const numbers = `the archive has ${there} rows, and the query gives ${given}, of ${Number(row?.n)} of these`;
    throw new MappingError(`the mapping ${name} must give each row of the archive once: ${numbers}`);
  }
  if (!row?.code) return;
  const mustBe = 'but must consist of a-z, 0-9 and "_" and must not be a built-in code';
  throw new MappingError(`the mapping ${name}: skip_code is "${row.code}", ${mustBe}`);
}

/** Sets the variables of the mapping for the SQL of staged rows. */
async function setUpStaging(db: Duckdb, mapping: ArchiveMapping): Promise<void> {
  for (const macro of ['clock_reading', 'service_seconds']) await db.run(await readImportSql(macro));
  const { clock, hasPositions, placeholders, neverOtherRows } = mapping;
  await db.run(`
    set variable clock = ${sqlText(clock)};
    set variable has_positions = ${hasPositions};
    set variable placeholders = [${placeholders.map(sqlText).join(', ')}];
    set variable placeholder_rows = ${neverOtherRows}`);
}

async function findMutePlaces(db: Duckdb, { placeholders }: ArchiveMapping): Promise<void> {
  const places = placeholders.includes('never_other') ? await readImportSql('placeholder_places') : "select '' limit 0";
  await db.run(`create or replace table placeholder_places as ${places}`);
}

/** Creates the view `staged_rows` over the staged rows of some files. */
export async function offerStaged(db: Duckdb, { pattern, absent }: StagedFiles): Promise<void> {
  const columns = ['*', ...absent].join(', ');
  await db.run(`create or replace view staged_files as
    select ${columns} from read_parquet(${sqlText(pattern)}, hive_partitioning = false)`);
  await db.run(`create or replace view staged_rows as ${await readImportSql('staged_rows')}`);
}

export async function readImportSql(name: string): Promise<string> {
  return readSql(path.posix.join('pipeline/history/archives/sql', `${name}.sql`));
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, n) => total + n, 0);
}
