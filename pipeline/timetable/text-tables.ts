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

const MAX_HEADER_BYTES = 1 << 16;
const MAX_LINE_BYTES = 2_000_000;
/** DuckDB's own default; a file with quotes is read in one buffer, see `scanOptions`. */
const BUFFER_BYTES = 32_000_000;
/** Takes what stands behind the last column of the header, so that it is noticed and not cut off. */
const SURPLUS = '__surplus';

/**
 * Turns the text of one table into Parquet, values untouched.
 * A line with too many values, a quote that never ends or bytes that are no UTF-8 is left out and returned as
 * unreadable; a short line gets nulls.
 * @returns null for a file without even a header
 */
export async function writeTextTable(db: Duckdb, unpacked: UnpackedTable, folder: string): Promise<TextTable | null> {
  const columns = await readHeader(unpacked.file);
  if (!columns) return null;
  const parquetFile = `${folder}/${unpacked.table}.parquet`;
  const scan = `read_csv(${sqlText(unpacked.file)}, ${scanOptions(unpacked, columns)})`;
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
  const [count] = await db.query(`select count(*)::int as n from read_parquet(${sqlText(parquetFile)})`);
  return { table: unpacked.table, parquetFile, columns, rowsRead: Number(count?.n), unreadable };
}

function scanOptions(unpacked: UnpackedTable, columns: readonly string[]): string {
  const types = [...columns, SURPLUS].map((name) => `${sqlText(name)}: 'VARCHAR'`).join(', ');
  // A value may span lines only where there are quotes, and then DuckDB pads short rows only within one buffer.
  const buffer = unpacked.hasQuotes ? Math.max(BUFFER_BYTES, unpacked.bytes + MAX_LINE_BYTES) : BUFFER_BYTES;
  return [
    "delim = ','",
    `quote = '"'`,
    `escape = '"'`,
    'header = true',
    'auto_detect = false',
    `columns = {${types}}`,
    'null_padding = true',
    'strict_mode = true',
    'store_rejects = true',
    `max_line_size = ${MAX_LINE_BYTES}`,
    `buffer_size = ${buffer}`,
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

/** Column names of a CSV file: trimmed, without a byte order mark; blank ones named, repeated ones numbered. */
async function readHeader(file: string): Promise<string[] | null> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    const text = buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
    const line = text.split('\n', 1)[0]!;
    if (line.trim() === '') return null;
    return nameColumns(splitHeader(line));
  } finally {
    await handle.close();
  }
}

/** Splits a header line; names hold no line ends, so quotes and doubled quotes are all there is to it. */
function splitHeader(line: string): string[] {
  const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(,|$)/g) ?? [];
  if (!line.endsWith(',')) cells.splice(-1, cells.length > 1 && cells.at(-1) === '' ? 1 : 0);
  return cells.map((cell) => {
    const bare = cell.replace(/,$/, '').trim();
    return bare.startsWith('"') ? bare.slice(1, -1).replaceAll('""', '"').trim() : bare;
  });
}

function nameColumns(cells: readonly string[]): string[] {
  const used = new Set<string>();
  return cells.map((cell, index) => {
    const wanted = cell === '' ? `column_${index + 1}` : cell;
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
  const value = (name: string) => `nullif(trim(${sqlName(name)}, ${sqlText(BLANKS)}), '')`;
  const columns = gtfsTables[table].map((name) => {
    const published = present.get(name);
    return `${published ? value(published) : 'null::varchar'} as ${sqlName(name)}`;
  });
  const rows = text
    ? `${value(SURPLUS)} as surplus, file_row_number + 1 as row_number
       from read_parquet(${sqlText(text.parquetFile)}, file_row_number = true)`
    : 'null::varchar as surplus, 0::bigint as row_number where false';
  await db.run(`create or replace view text_${table} as select ${[...columns, ''].join(', ')}${rows}`);
}
