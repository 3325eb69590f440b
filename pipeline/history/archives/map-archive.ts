import path from 'node:path';
import { type Duckdb, sqlName, sqlPath } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { openReadOnlyDuckdb, type ReadOnlyDuckdb } from '../../effects/read-only-duckdb.ts';
import { type ArchiveMapping, MappingError } from './archive-mapping.ts';
import { asReadable, type OpenArchive } from './read-archive.ts';
import { type ColumnTypes, checkColumns } from './staging-columns.ts';

/** A mapping's query that fits an archive, in an engine that can read the archive and nothing else on the machine. */
export interface MappedArchive {
  readonly engine: ReadOnlyDuckdb;
  /** Columns of the query, the view `MAPPED_ROWS`. */
  readonly columns: ColumnTypes;
}

export const MAPPED_ROWS = 'mapped_rows';

/** Types that are offered for columns without a value, one after the other. */
const EMPTY_TYPES = {
  // Some functions of time cannot be chosen by the type of a mere null.
  parquet: ['"NULL"', 'TIMESTAMP', 'VARCHAR'],
  csv: ['VARCHAR'],
} as const satisfies Record<ArchiveMapping['format'], readonly string[]>;

interface MappingTask {
  readonly file: string;
  readonly archive: OpenArchive;
  readonly mapping: ArchiveMapping;
  /** An empty folder, the only place that the engine can write to. */
  readonly output: string;
}

/**
 * Runs a task on the rows of a mapping's query. The query is untrusted.
 * @throws MappingError where the query is invalid, returns other columns, or does not fit the archive
 * @throws ExternalError `archive_unreadable`
 */
export async function withMappedArchive<Result>(
  db: Duckdb,
  { file, archive, mapping, output }: MappingTask,
  task: (mapped: MappedArchive) => Promise<Result>,
): Promise<Result> {
  try {
    const mapped = await openMapped(db, archive, mapping, output);
    try {
      return await asMapped(archive, () => task(mapped));
    } finally {
      mapped.engine.close();
    }
  } catch (error) {
    db.options.signal?.throwIfAborted();
    if (!(error instanceof MappingError)) return asReadable(file, db.options, () => Promise.reject(error));
    throw new MappingError(`the mapping ${mapping.name} does not fit ${path.basename(file)}: ${error.message}`);
  }
}

/**
 * A column without a value fits any type: exporters derive types from values, so its own says nothing. Which columns
 * these are is counted only for a file that does not fit as it is.
 */
async function openMapped(
  db: Duckdb,
  archive: OpenArchive,
  mapping: ArchiveMapping,
  output: string,
): Promise<MappedArchive> {
  const lacking = listLacking(archive, mapping);
  const attempt = (empty: readonly string[], type: string) =>
    tryMapping(db, archive, mapping, output, new Map([...empty, ...lacking].map((name) => [name, type])));
  const types = EMPTY_TYPES[mapping.format];
  const asItIs = await attempt([], types[0]);
  if (!(asItIs instanceof MappingError)) return asItIs;
  const empty = mapping.format === 'csv' ? [] : await listEmptyColumns(db, archive);
  if (empty.length + lacking.length === 0) throw asItIs;
  let misfit: MappingError | null = null;
  for (const type of types) {
    const mapped = await attempt(empty, type);
    if (!(mapped instanceof MappingError)) return mapped;
    misfit ??= mapped;
  }
  throw misfit ?? asItIs;
}

/** Optional columns that the file lacks; names are compared as SQL does. */
function listLacking({ columns }: OpenArchive, { optionalColumns }: ArchiveMapping): string[] {
  const there = new Set([...columns.keys()].map((name) => name.toLowerCase()));
  return optionalColumns.filter((name) => !there.has(name.toLowerCase()));
}

async function listEmptyColumns(db: Duckdb, archive: OpenArchive): Promise<string[]> {
  const names = [...archive.columns.keys()];
  const counts = names.map((name) => `count(${sqlName(name)}) > 0`).join(', ');
  const [row] = await db.query(`select [${counts}]::varchar as has_values from (${selectArchive(archive, new Map())})`);
  const hasValues = JSON.parse(String(row?.has_values)) as boolean[];
  return names.filter((_name, index) => !hasValues[index]);
}

/** @param empty types of columns that are null in all rows, by name; those that the file lacks among them */
async function tryMapping(
  db: Duckdb,
  archive: OpenArchive,
  mapping: ArchiveMapping,
  output: string,
  empty: ColumnTypes,
): Promise<MappedArchive | MappingError> {
  const { temporaryFolder, ...limits } = db.options;
  const engine = await openReadOnlyDuckdb({
    files: [archive.file],
    queries: { archive: selectArchive(archive, empty) },
    output,
    engine: { ...limits, ...(temporaryFolder ? { temporaryFolder: `${temporaryFolder}-archive` } : {}) },
  });
  try {
    const columns = await asMapped(archive, () => engine.createView(MAPPED_ROWS, mapping.sql));
    checkColumns(mapping, columns);
    return { engine, columns };
  } catch (error) {
    engine.close();
    if (error instanceof MappingError) return error;
    throw error;
  }
}

/** Texts trimmed, and null where empty. */
function selectArchive({ file, columns }: OpenArchive, empty: ColumnTypes): string {
  const selected = [...columns].map(([name, type]) => {
    if (empty.has(name)) return selectNull(name, empty.get(name)!);
    return type === 'VARCHAR' ? `nullif(trim(${sqlName(name)}), '') as ${sqlName(name)}` : sqlName(name);
  });
  const lacking = [...empty].filter(([name]) => !columns.has(name)).map(([name, type]) => selectNull(name, type));
  return `select ${[...selected, ...lacking].join(', ')}, file_row_number
    from read_parquet(${sqlPath(file)}, file_row_number = true, hive_partitioning = false)`;
}

const selectNull = (name: string, type: string) => `null::${type} as ${sqlName(name)}`;

/** Engine errors that the query causes; all others are caused by the archive or the environment. */
const WRONG_SQL = /^(Parser|Syntax|Binder|Catalog|Permission|Conversion|Out of Range|Not implemented) Error: /i;

async function asMapped<Result>({ columns }: OpenArchive, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
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
