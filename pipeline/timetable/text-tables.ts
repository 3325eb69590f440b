import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Duckdb, sqlName, sqlText } from '../effects/duckdb.ts';
import { WorldError } from '../effects/world-error.ts';
import { type GtfsTable, gtfsTables } from './gtfs-tables.ts';
import type { UnpackedTable } from './unpack-feed.ts';

/** A line of a table that could not be read as a row at all. */
export interface UnreadableLine {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
}

/** One GTFS table as Parquet: every column of the feed, every value as text. */
export interface TextTable {
  readonly table: GtfsTable;
  readonly parquetFile: string;
  readonly columns: readonly string[];
  readonly rowsRead: number;
  readonly unreadable: readonly UnreadableLine[];
}

/** What publishers pad values with; the last is the no-break space. */
const BLANKS = ' \t\r\n\u00a0';

const LINE_FEED = 0x0a;
const MAX_HEADER_BYTES = 1 << 16;
const MAX_LINE_BYTES = 2_000_000;
/** Takes what stands behind the last column of the header, so that it is noticed and not cut off. */
const SURPLUS = '__surplus';

/**
 * Turns the text of one table into Parquet, values untouched.
 * A line with too many values, a quote that never ends or bytes that are no UTF-8 is left out and returned as
 * unreadable; a short line gets nulls.
 * @returns null for a file without even a header
 */
export async function writeTextTable(db: Duckdb, unpacked: UnpackedTable, folder: string): Promise<TextTable | null> {
  const header = await readHeader(unpacked.file);
  if (!header) return null;
  const { columns } = header;
  const parquetFile = `${folder}/${unpacked.table}.parquet`;
  const scan = `read_csv(${sqlText(unpacked.file)}, ${scanOptions(unpacked, header)})`;
  const names = columns.map(sqlName).join(', ');
  await db.run('drop table if exists reject_errors; drop table if exists reject_scans;');
  try {
    await db.run(`
      copy (select ${names}, ${sqlName(SURPLUS)} from ${scan})
      to ${sqlText(parquetFile)} (format parquet, compression zstd)`);
  } catch (cause) {
    throw new WorldError('feed_broken', `${unpacked.table}.txt cannot be read as CSV`, { cause });
  }
  const unreadable = await readRejects(db);
  await addOpenQuote(unreadable, unpacked);
  const [count] = await db.query(`select count(*)::int as n from read_parquet(${sqlText(parquetFile)})`);
  return { table: unpacked.table, parquetFile, columns, rowsRead: Number(count?.n), unreadable };
}

function scanOptions(unpacked: UnpackedTable, { columns, skippedRows }: Header): string {
  const types = [...columns, SURPLUS].map((name) => `${sqlText(name)}: 'VARCHAR'`).join(', ');
  return [
    "delim = ','",
    `quote = '"'`,
    `escape = '"'`,
    'header = false',
    `skip = ${skippedRows}`,
    'auto_detect = false',
    `columns = {${types}}`,
    'null_padding = true',
    'strict_mode = true',
    'store_rejects = true',
    `max_line_size = ${MAX_LINE_BYTES}`,
    // Where values span lines, DuckDB pads short rows only with one reader.
    `parallel = ${!unpacked.quotes.spanLines}`,
  ].join(', ');
}

async function readRejects(db: Duckdb): Promise<UnreadableLine[]> {
  // One line may be rejected for several reasons; it is one row all the same.
  const rows = await db.query(`
    select line::bigint as line, min(error_type)::varchar as error_type, min(error_message) as message
    from reject_errors group by line order by line`);
  return rows.map((row) => ({
    line: Number(row.line),
    code: `unreadable_${String(row.error_type).toLowerCase().replaceAll(' ', '_')}`,
    detail: String(row.message),
  }));
}

/** What follows a quote that never ends is one long value, which DuckDB's single reader drops without a word. */
async function addOpenQuote(unreadable: UnreadableLine[], { file, quotes }: UnpackedTable): Promise<void> {
  if (quotes.openAt === null || !quotes.spanLines) return;
  const line = await findLine(file, quotes.openAt);
  unreadable.push({ line, code: 'unreadable_unquoted_value', detail: 'a quote begins here that never ends' });
}

/** Line of a byte, counted from 1. */
async function findLine(file: string, byte: number): Promise<number> {
  let line = 1;
  if (byte === 0) return line;
  for await (const chunk of createReadStream(file, { end: byte - 1 })) {
    for (const value of chunk as Buffer) if (value === LINE_FEED) line++;
  }
  return line;
}

/** Up to the first line end that no quotes enclose; a quote counts as such only where a name begins. */
const HEADER_ROW = /^(?:(?:^|,)[ \t]*"(?:[^"]|"")*"|[^\n])*/;

interface Header {
  readonly columns: readonly string[];
  /** Rows in front of the data: blank lines, and the header itself. */
  readonly skippedRows: number;
}

/** Column names of a CSV file: trimmed, without a byte order mark; blank ones named, repeated ones numbered. */
async function readHeader(file: string): Promise<Header | null> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    const text = buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
    const blankLines = /^(?:[^\S\n]*\n)*/.exec(text)![0];
    const row = HEADER_ROW.exec(text.slice(blankLines.length))![0];
    if (row.trim() === '') return null;
    return { columns: nameColumns(splitHeader(row)), skippedRows: blankLines.split('\n').length };
  } finally {
    await handle.close();
  }
}

function splitHeader(row: string): string[] {
  const cells = row.match(/("(?:[^"]|"")*"|[^,]*)(,|$)/g) ?? [];
  if (!row.endsWith(',')) cells.splice(-1, cells.length > 1 && cells.at(-1) === '' ? 1 : 0);
  return cells.map((cell) => {
    const bare = cell.replace(/,$/, '').trim();
    return bare.startsWith('"') ? bare.slice(1, -1).replaceAll('""', '"').trim() : bare;
  });
}

/** The keys of a table's partitions: a column of such a name would hide behind its folder's. */
const PARTITION_KEYS = ['source', 'feed_version'];

/** How a published column is called in the lake: `feed_version` of feed_info becomes `published_feed_version`. */
function getStoredName(published: string): string {
  return PARTITION_KEYS.includes(published.toLowerCase()) ? `published_${published}` : published;
}

function nameColumns(cells: readonly string[]): string[] {
  const used = new Set<string>([SURPLUS]);
  return cells.map((cell, index) => {
    const wanted = cell === '' ? `column_${index + 1}` : getStoredName(cell);
    let name = wanted;
    // DuckDB compares names without case, so `Stop_ID` and `stop_id` are the same column.
    for (let n = 2; used.has(name.toLowerCase()); n++) name = `${wanted}_${n}`;
    used.add(name.toLowerCase());
    return name;
  });
}

/**
 * Makes a view `text_<table>` over a text table: the columns of `gtfsTables` in lower case, trimmed, blank as null,
 * plus `row_number` (1 = first row after the header that could be read) and `surplus` (values behind the header's
 * last column). For a table that the feed lacks, the view is empty.
 */
export async function createTextView(db: Duckdb, table: GtfsTable, text: TextTable | null): Promise<void> {
  const present = new Map(text?.columns.map((name) => [name.toLowerCase(), name]));
  const findPublished = (name: string) => present.get(getStoredName(name));
  const value = (name: string) => `nullif(trim(${sqlName(name)}, ${sqlText(BLANKS)}), '')`;
  const columns = gtfsTables[table].map((name) => {
    const published = findPublished(name);
    return `${published ? value(published) : 'null::varchar'} as ${sqlName(name)}`;
  });
  const rows = text
    ? `${value(SURPLUS)} as surplus, file_row_number + 1 as row_number
       from read_parquet(${sqlText(text.parquetFile)}, file_row_number = true)`
    : 'null::varchar as surplus, 0::bigint as row_number where false';
  await db.run(`create or replace view text_${table} as select ${[...columns, ''].join(', ')}${rows}`);
}
