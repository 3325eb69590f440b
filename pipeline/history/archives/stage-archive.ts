import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, globPath, readSql, sqlName, sqlPath, sqlPattern, sqlText } from '../../effects/duckdb.ts';
import { openReadOnlyDuckdb, type ReadOnlyDuckdb } from '../../effects/read-only-duckdb.ts';
import { WorldError } from '../../effects/world-error.ts';
import { parseServiceDate, type ServiceDate } from '../../model/service-time.ts';
import { type ArchiveMapping, MappingError } from './archive-mapping.ts';
import { asReadable, type OpenArchive, openArchive } from './read-archive.ts';
import { buildStageSelect, checkColumns, NO_DAY, OUTSIDE_DAY, type StagePeriod } from './staging-columns.ts';

/** An archive's rows with staging columns, one folder of Parquet per service date. */
interface StagedArchive {
  /** The requested days, oldest first. */
  readonly days: readonly StagedDay[];
  readonly rowsRead: number;
  /** Lines that are not rows, and rows without a service date. */
  readonly unreadable: number;
  readonly withoutDate: number;
  /** Rows of days that were not requested. */
  readonly outside: number;
}

export interface StagedDay {
  readonly serviceDate: ServiceDate;
  /** Glob pattern of its files. */
  readonly files: string;
  readonly rows: number;
}

/**
 * Reads an archive once and partitions its rows by day, so that no later step reads all of it again. Creates the table
 * `placeholder_places` and the macros that `offerStaged` needs.
 * @param folder an empty work folder
 * @throws MappingError where the query does not fit the archive, or does not return each row once
 * @throws WorldError `archive_unreadable`
 */
export async function stageArchive(
  db: Duckdb,
  file: string,
  mapping: ArchiveMapping,
  folder: string,
  period: StagePeriod,
): Promise<StagedArchive> {
  const days = path.join(folder, 'days');
  await mkdir(days, { recursive: true });
  const archive = await openArchive(db, file, mapping, folder);
  await runMapping(db, file, archive, mapping, days, period);
  const rowsByDay = await countByDay(db, days);
  await setUpStaging(db, mapping);
  // An archive without rows leaves no file.
  if (archive.rows > 0) {
    await offerStaged(db, path.join(globPath(days), '*', '*.parquet'));
    await checkRows(db, mapping, sum(rowsByDay.values()), archive.rows);
    await findMutePlaces(db, mapping);
  }
  const staged = [...rowsByDay].flatMap(([day, rows]) => {
    const serviceDate = parseServiceDate(day);
    return serviceDate ? [{ serviceDate, rows, files: path.join(globPath(days), `day=${day}`, '*.parquet') }] : [];
  });
  return {
    days: staged.sort((a, b) => (a.serviceDate < b.serviceDate ? -1 : 1)),
    rowsRead: archive.rows + archive.unreadable,
    unreadable: archive.unreadable,
    withoutDate: rowsByDay.get(NO_DAY) ?? 0,
    outside: rowsByDay.get(OUTSIDE_DAY) ?? 0,
  };
}

async function countByDay(db: Duckdb, folder: string): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  for (const name of (await readdir(folder)).filter((one) => one.startsWith('day='))) {
    const files = sqlPattern(folder, name, '*.parquet');
    const [row] = await db.query(`select sum(num_rows)::double as n from parquet_file_metadata(${files})`);
    rows.set(name.slice('day='.length), Number(row?.n));
  }
  return rows;
}

/** Codes of our own refusals, which a mapping must not use. */
const OWN_CODES = ['no_service_date', 'no_trip', 'no_position', 'no_time', 'impossible_time', 'duplicate', 'replaced'];

/** @throws MappingError for missing or repeated rows, and for invalid codes */
async function checkRows(db: Duckdb, { name }: ArchiveMapping, given: number, there: number): Promise<void> {
  const own = OWN_CODES.map(sqlText).join(', ');
  const [row] = await db.query(`select
      count(distinct file_row_number)::double as n,
      min(skip_code) filter (skip_code in (${own}) or not regexp_full_match(skip_code, '[a-z][a-z0-9_]{0,39}')) as code
    from staged_files`);
  if (given !== there || Number(row?.n) !== there) {
    const numbers = `the archive has ${there} rows, and the query gives ${given}, of ${Number(row?.n)} of these`;
    throw new MappingError(`the mapping ${name} must give each row of the archive once: ${numbers}`);
  }
  if (!row?.code) return;
  const mustBe = 'but must be a word of a-z, 0-9 and "_" without a meaning of its own';
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
export async function offerStaged(db: Duckdb, files: string): Promise<void> {
  await db.run(
    `create or replace view staged_files as from read_parquet(${sqlText(files)}, hive_partitioning = false)`,
  );
  await db.run(`create or replace view staged_rows as ${await readImportSql('staged_rows')}`);
}

export async function readImportSql(name: string): Promise<string> {
  return readSql(path.posix.join('pipeline/history/archives/sql', `${name}.sql`));
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, n) => total + n, 0);
}

/**
 * Writes the rows of a mapping's query into an empty folder, one folder of Parquet per service date. The query is
 * untrusted: it can read the rows of the archive, as `archive`, and nothing else on the machine.
 * @throws MappingError where the query is invalid or returns other columns
 * @throws WorldError `archive_unreadable`
 */
async function runMapping(
  db: Duckdb,
  file: string,
  archive: OpenArchive,
  mapping: ArchiveMapping,
  days: string,
  period: StagePeriod,
): Promise<void> {
  const { temporaryFolder, ...limits } = db.options;
  const engine = await openReadOnlyDuckdb({
    files: [archive.file],
    queries: { archive: selectArchive(archive) },
    output: days,
    engine: { ...limits, ...(temporaryFolder ? { temporaryFolder: `${temporaryFolder}-archive` } : {}) },
  });
  try {
    await stageRows(engine, archive, mapping, period);
  } catch (error) {
    limits.signal?.throwIfAborted();
    if (!(error instanceof MappingError)) await asReadable(file, () => Promise.reject(error));
    const name = path.basename(file);
    throw new MappingError(`the mapping ${mapping.name} does not fit ${name}: ${(error as Error).message}`);
  } finally {
    engine.close();
  }
}

/** Texts trimmed, and null where empty. */
function selectArchive({ file, columns }: OpenArchive): string {
  const selected = [...columns].map(([name, type]) => {
    return type === 'VARCHAR' ? `nullif(trim(${sqlName(name)}), '') as ${sqlName(name)}` : sqlName(name);
  });
  return `select ${selected.join(', ')}, file_row_number
    from read_parquet(${sqlPath(file)}, file_row_number = true, hive_partitioning = false)`;
}

async function stageRows(
  engine: ReadOnlyDuckdb,
  archive: OpenArchive,
  mapping: ArchiveMapping,
  period: StagePeriod,
): Promise<void> {
  const columns = await asMapped(archive, () => engine.createView('mapped_rows', mapping.sql));
  checkColumns(mapping, columns);
  const select = buildStageSelect(mapping, columns, 'mapped_rows', period);
  await asMapped(archive, () =>
    engine.writeParquet(select, 'compression snappy, partition_by ("day"), overwrite_or_ignore true'),
  );
}

/** Engine errors that the query causes; all others are caused by the archive or the environment. */
const WRONG_SQL = /^(Parser|Syntax|Binder|Catalog|Permission|Conversion|Out of Range|Not implemented) Error: /i;

async function asMapped<Result>({ columns }: OpenArchive, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    if (['sql_not_allowed', 'sql_empty'].includes(error.code)) {
      throw new MappingError('below its facts there must be one query');
    }
    if (error.code !== 'sql_failed' || !WRONG_SQL.test(error.message)) throw error;
    const [words = ''] = error.message.replace(WRONG_SQL, '').split('\n');
    const line = /LINE (\d+):/.exec(error.message)?.[1];
    const known = /not found in FROM clause/.test(words) ? `; the archive has ${[...columns.keys()].join(', ')}` : '';
    throw new MappingError(`${line ? `line ${line}: ` : ''}${words}${known}`);
  }
}
