import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  convertEngineError,
  type Duckdb,
  type DuckdbOptions,
  globPath,
  sqlPath,
  sqlText,
} from '../../effects/duckdb.ts';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import type { ArchiveEncoding, ArchiveMapping } from './archive-mapping.ts';

/** The rows of an archive as one Parquet file. */
export interface OpenArchive {
  readonly file: string;
  /** Types by name; in CSV all are text. */
  readonly columns: ReadonlyMap<string, string>;
  readonly rows: number;
  /** Lines of CSV that are not rows. */
  readonly unreadable: number;
}

const MAX_HEADER_BYTES = 1 << 16;
const MAX_LINE_BYTES = 2_000_000;

/**
 * SHA-256 of a file, hexadecimal.
 * @throws ExternalError `archive_unreadable`
 */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    throw unreadable(file, error);
  }
  return hash.digest('hex');
}

/**
 * The files that a path or a pattern matches, sorted. An existing file or folder of exactly that name is taken
 * literally, also as the first folders of a pattern.
 * @param pattern absolute
 * @throws ExternalError `archive_missing` if the file or folder does not exist
 */
export async function findArchives(db: Duckdb, pattern: string): Promise<string[]> {
  const rows = await db.query(`select file from glob(${sqlText(await keepLiteral(pattern))}) order by file`);
  if (rows.length === 0) throw new ExternalError('archive_missing', `there is no file ${pattern}`);
  return rows.map(({ file }) => String(file));
}

async function keepLiteral(pattern: string): Promise<string> {
  const { root } = path.parse(pattern);
  const names = pattern.slice(root.length).split(path.sep);
  let there = root;
  while (names.length > 0 && (await isThere(path.join(there, names[0]!)))) there = path.join(there, names.shift()!);
  return path.join(globPath(there), ...names);
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return false;
    throw error;
  }
}

/**
 * Opens an archive. Parquet is read in place. CSV is converted to Parquet first, so that all later queries read one
 * file of one format, and the row count is known.
 * @param folder a work folder
 * @throws ExternalError `archive_unreadable`
 */
export async function openArchive(
  db: Duckdb,
  file: string,
  mapping: ArchiveMapping,
  folder: string,
): Promise<OpenArchive> {
  if (mapping.format === 'parquet') return openParquet(db, file, file, 0);
  const copy = path.join(folder, 'archive.parquet');
  const relation = await describeCsv(file, mapping);
  await db.run('drop table if exists reject_errors; drop table if exists reject_scans;');
  await asReadable(file, db.options, () =>
    db.run(`copy (from ${relation}) to ${sqlText(copy)} (format parquet, compression snappy)`),
  );
  const [row] = await db.query('select count(distinct line)::double as n from reject_errors');
  return openParquet(db, file, copy, Number(row?.n));
}

async function openParquet(db: Duckdb, archive: string, file: string, unreadable: number): Promise<OpenArchive> {
  const relation = `read_parquet(${sqlPath(file)}, hive_partitioning = false)`;
  const runQuery = (sql: string) => asReadable(archive, db.options, () => db.query(sql));
  const columns = await runQuery(`describe from ${relation}`);
  const [row] = await runQuery(`select count(*)::double as n from ${relation}`);
  return {
    file,
    columns: new Map(columns.map((one) => [String(one.column_name), String(one.column_type)])),
    rows: Number(row?.n),
    unreadable,
  };
}

async function describeCsv(file: string, { encodings, delimiter }: ArchiveMapping): Promise<string> {
  await assertText(file);
  const encoding = await findEncoding(file, encodings);
  const header = await readHeader(file, encoding, delimiter);
  const options = [
    `delim = ${sqlText(delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    'header = true',
    'auto_detect = false',
    `columns = {${header.map((name) => `${sqlText(name)}: 'VARCHAR'`).join(', ')}}`,
    `encoding = ${sqlText(encoding)}`,
    `compression = ${isPacked(file) ? "'gzip'" : "'none'"}`,
    'null_padding = true',
    'strict_mode = true',
    'store_rejects = true',
    `max_line_size = ${MAX_LINE_BYTES}`,
    // Values may span lines, and only a single reader pads short rows then.
    'parallel = false',
  ];
  return `read_csv(${sqlPath(file)}, ${options.join(', ')})`;
}

const isPacked = (file: string) => file.endsWith('.gz');

function readUnpacked(file: string): Readable {
  const bytes = createReadStream(file);
  if (!isPacked(file)) return bytes;
  return bytes.pipe(createGunzip().on('close', () => bytes.destroy()));
}

/** The first bytes of a Parquet file. */
const PARQUET_BEGINNING = 'PAR1';

async function assertText(file: string): Promise<void> {
  const beginning = (await readBeginning(file)).subarray(0, PARQUET_BEGINNING.length).toString('latin1');
  if (beginning !== PARQUET_BEGINNING) return;
  throw new ExternalError(
    'archive_unreadable',
    `${path.basename(file)} is Parquet, but the format of the mapping is csv`,
  );
}

/** @throws ExternalError `archive_unreadable` when no encoding fits */
async function findEncoding(file: string, encodings: readonly ArchiveEncoding[]): Promise<ArchiveEncoding> {
  for (const encoding of encodings) {
    if (encoding === 'latin-1' || (await isUtf8(file))) return encoding;
  }
  throw new ExternalError('archive_unreadable', `${path.basename(file)} is not in ${encodings.join(' or ')}`);
}

async function isUtf8(file: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stream = readUnpacked(file);
  try {
    for await (const chunk of stream) decoder.decode(chunk as Buffer, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw unreadable(file, error);
  } finally {
    stream.destroy();
  }
}

async function readHeader(file: string, encoding: ArchiveEncoding, delimiter: string): Promise<string[]> {
  const bytes = await readBeginning(file);
  const text = new TextDecoder(encoding === 'latin-1' ? 'latin1' : 'utf-8').decode(bytes).replace(/^\uFEFF/, '');
  const [line = ''] = text.split(/\r?\n/, 1);
  const names = line.split(delimiter).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  const isSound =
    names.every((name) => name !== '') && new Set(names.map((name) => name.toLowerCase())).size === names.length;
  if (isSound) return names;
  throw new ExternalError('archive_unreadable', `${path.basename(file)} has no header: "${line.slice(0, 100)}"`);
}

async function readBeginning(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stream = readUnpacked(file);
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length >= MAX_HEADER_BYTES) break;
    }
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    stream.destroy();
  }
  return Buffer.concat(chunks).subarray(0, MAX_HEADER_BYTES);
}

/**
 * Runs a task of the engine that reads the file.
 * @throws ExternalError `archive_unreadable` where the file is the cause; a lack of memory or space and a stop are thrown
 * as they are
 */
export async function asReadable<Result>(
  file: string,
  { signal }: DuckdbOptions,
  task: () => Promise<Result>,
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    signal?.throwIfAborted();
    const failure = convertEngineError(isOfReadOnlyEngine(error) ? error.cause : error);
    if (failure instanceof ExternalError && (failure.code === 'out_of_memory' || failure.isRetryable)) throw failure;
    throw unreadable(file, error);
  }
}

/** The read-only engine has one code for all that its statements throw. */
function isOfReadOnlyEngine(error: unknown): error is ExternalError {
  return error instanceof ExternalError && error.code === 'sql_failed';
}

function unreadable(file: string, cause: unknown): ExternalError {
  const words = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  return new ExternalError('archive_unreadable', `${path.basename(file)} cannot be read: ${words}`, { cause });
}
