import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { forEachConcurrently } from '../effects/concurrency.ts';
import { type Duckdb, sqlName, sqlPath, sqlText } from '../effects/duckdb.ts';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { listNames, syncFile, syncFolder } from '../effects/files.ts';
import { readCodeVersion } from '../effects/project-files.ts';
import { assertMayPublish } from '../effects/publication-guard.ts';
import { readSourceCredits } from './source-credits.ts';

/** A finished Parquet file, the partition whose only file it will be, and the number of rows written into it. */
export interface WrittenPartition {
  /**
   * In a work folder on the same disk as the lake; gone afterwards. The replaced partition is moved beside it, because
   * readers of the lake look into every folder of a table, also into hidden ones.
   */
  readonly file: string;
  readonly partition: string;
  readonly rows: number;
}

/** Most of the time of placing a file is waiting for the disk. */
const PLACE_CONCURRENCY = 8;

/**
 * Checks finished Parquet files and publishes each of them, in no order: readers see each partition whole or not at all.
 * @throws ExternalError `partition_incomplete` when a footer has another row count than was written; nothing is published
 */
export async function publishPartitions(db: Duckdb, written: readonly WrittenPartition[]): Promise<void> {
  await assertRowCounts(db, new Map(written.map(({ file, rows }) => [file, rows])));
  await forEachConcurrently(written, PLACE_CONCURRENCY, ({ file, partition }) => placePartition(file, partition));
}

/** The one file of a partition. */
const PART_NAME = 'part-0.parquet';

/** As `publishPartitions`, for one. */
export async function publishPartition(db: Duckdb, file: string, partition: string, rows: number): Promise<void> {
  await publishPartitions(db, [{ file, partition, rows }]);
}

/** A partition of one file is replaced by one rename; any other one, which an unfinished build has left, by two. */
async function placePartition(file: string, partition: string): Promise<void> {
  if ((await listNames(partition)).join() === PART_NAME) {
    await syncFile(file);
    await assertMayPublish();
    await rename(file, path.join(partition, PART_NAME));
    return syncFolder(partition);
  }
  const aside = `${file}.new`;
  await mkdir(aside);
  await syncFile(file);
  await rename(file, path.join(aside, PART_NAME));
  await syncFolder(aside);
  await mkdir(path.dirname(partition), { recursive: true });
  await assertMayPublish();
  await rename(partition, `${file}.old`).catch(ignoreMissing);
  await rename(aside, partition);
  await syncFolder(path.dirname(partition));
}

/** @throws ExternalError `partition_incomplete` when a Parquet footer has another row count than was written */
export async function assertRowCount(db: Duckdb, file: string, rows: number): Promise<void> {
  await assertRowCounts(db, new Map([[file, rows]]));
}

/** As `assertRowCount`, for many files at once. */
async function assertRowCounts(db: Duckdb, rowsByFile: ReadonlyMap<string, number>): Promise<void> {
  const files = [...rowsByFile.keys()].map(sqlPath).join(', ');
  const footers = await db.query(`select file_name, num_rows from parquet_file_metadata([${files}])`);
  const counted = new Map(footers.map(({ file_name: file, num_rows: rows }) => [file, Number(rows)]));
  for (const [file, rows] of rowsByFile) {
    if (counted.get(file) === rows) continue;
    throw new ExternalError(
      'partition_incomplete',
      `${path.basename(file)} has ${counted.get(file)} rows instead of ${rows}`,
    );
  }
}

function ignoreMissing(error: unknown): void {
  if (!isSystemError(error, 'ENOENT')) throw error;
}

/**
 * Raised when a column of the lake or the marts changes its name, type or meaning.
 * - 1: instants were TIMESTAMP without a zone, trip keys unsigned. Files of it have no metadata.
 * - 2: instants are UTC by their type, trip keys are signed.
 * - 3: integers are signed, as table formats have no others; those of the timetable, which is no such table, stay as
 *   they were. Values and hashes of rows are those of schema 2.
 * - 4: arrival and departure of a stop event are cancelled separately; stop events have `is_replaced`.
 * - 5: observations and stop events have `uncertainty_seconds`, for times that are derived from positions.
 * - 6: observations and stop events have `occupancy`.
 * - 7: stop events have `trip_number` and `is_final_forecast`.
 */
export const LAKE_SCHEMA_VERSION = 7;

/** The key of that version in the metadata of a Parquet file. */
export const SCHEMA_VERSION = 'schema_version';

/** Those of the files that are of a former schema of the lake. */
export async function findFormerFiles(db: Duckdb, files: readonly string[]): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const rows = await db.query(`select file_name, decode(value) as value
    from parquet_kv_metadata([${files.map(sqlPath).join(', ')}]) where key = ${sqlText(SCHEMA_VERSION)}::blob`);
  const versions = new Map(rows.map(({ file_name: file, value }) => [file, value]));
  return new Set(files.filter((file) => versions.get(file) !== String(LAKE_SCHEMA_VERSION)));
}

/** A fact that `parquetFacts` has written into a file; null where it has none of this name. */
export async function readFileFact(db: Duckdb, file: string, name: string): Promise<string | null> {
  const [row] = await db.query(`select decode(value) as value
    from parquet_kv_metadata(${sqlPath(file)}) where key = ${sqlText(name)}::blob`);
  return row ? String(row.value) : null;
}

/** Explicit value of an unknown fact, to distinguish it from a forgotten key. */
const UNKNOWN_FACT = 'unknown';

/**
 * The option of COPY that writes metadata into a Parquet file: `table`, `source`, `attribution`, `licence`,
 * `schema_version` and `code_version`. A file of several sources names them one by one.
 * @param sources ids; none where rows may be of any
 * @param further keys of this table only
 */
export async function parquetFacts(
  dataDir: string,
  table: string,
  sources: readonly string[],
  further: Readonly<Record<string, string>> = {},
): Promise<string> {
  const credits = await readSourceCredits(dataDir);
  const creditOf = (name: 'attribution' | 'licence') => {
    const texts = sources.map((id) => [id, credits[id]?.[name] ?? UNKNOWN_FACT] as const);
    const [only] = texts;
    if (!only) return UNKNOWN_FACT;
    return texts.length === 1 ? only[1] : texts.map(([id, text]) => `${id}: ${text}`).join('; ');
  };
  return keyValues({
    table,
    source: sources.length === 0 ? UNKNOWN_FACT : sources.join(', '),
    attribution: creditOf('attribution'),
    licence: creditOf('licence'),
    [SCHEMA_VERSION]: String(LAKE_SCHEMA_VERSION),
    code_version: await readCodeVersion(),
    ...further,
  });
}

function keyValues(facts: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(facts).map(([name, value]) => `${sqlName(name)}: ${sqlText(value)}`);
  return `kv_metadata {${pairs.join(', ')}}`;
}
