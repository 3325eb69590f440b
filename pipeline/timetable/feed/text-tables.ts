import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Duckdb, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { type GtfsTable, gtfsTables, isEssentialTable } from './gtfs-tables.ts';
import type { UnpackedTable } from './unpack-feed.ts';

/** An encoding that is not UTF-8. */
interface ForeignEncoding {
  /** Name in messages. */
  readonly name: string;
  /** Name in iconv. */
  readonly iconvName: string;
}

const wide = (name: string, iconvName: string): ForeignEncoding => ({ name, iconvName });
const UTF_16_LE = wide('UTF-16 (little endian)', 'UTF-16LE');
const UTF_16_BE = wide('UTF-16 (big endian)', 'UTF-16BE');
const UTF_32_LE = wide('UTF-32 (little endian)', 'UTF-32LE');
const UTF_32_BE = wide('UTF-32 (big endian)', 'UTF-32BE');
const ISO_8859_1 = { name: 'a one-byte encoding, probably ISO-8859-1 (Latin-1)', iconvName: 'ISO-8859-1' };
const WINDOWS_1252 = { name: 'a one-byte encoding, probably Windows-1252', iconvName: 'WINDOWS-1252' };

/** Longer marks first: the mark of UTF-16 is a prefix of that of UTF-32. */
const byteOrderMarks: readonly (readonly [mark: readonly number[], encoding: ForeignEncoding])[] = [
  [[0xff, 0xfe, 0, 0], UTF_32_LE],
  [[0, 0, 0xfe, 0xff], UTF_32_BE],
  [[0xff, 0xfe], UTF_16_LE],
  [[0xfe, 0xff], UTF_16_BE],
];

const WIDE_SAMPLE_BYTES = 4096;

/**
 * Recognises UTF-16 and UTF-32 by their byte order mark or, as the header of a GTFS file is ASCII, by its zero bytes.
 * @param beginning of the file; a few hundred bytes are enough
 * @returns null for any other encoding
 */
function findWideEncoding(beginning: Buffer): ForeignEncoding | null {
  const marked = byteOrderMarks.find(([mark]) => mark.every((byte, i) => beginning[i] === byte));
  if (marked) return marked[1];
  const sample = beginning.subarray(0, WIDE_SAMPLE_BYTES);
  const zeros = [0, 0, 0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i & 3]! += 1;
  const isMostlyZero = zeros.map((count) => count > sample.length / 8);
  const pattern = isMostlyZero.map(Number).join('');
  return zeroPatterns[pattern] ?? null;
}

/** Positions of zero bytes among four bytes of ASCII text. */
const zeroPatterns: Readonly<Record<string, ForeignEncoding>> = {
  '0101': UTF_16_LE,
  '1010': UTF_16_BE,
  '0111': UTF_32_LE,
  '1110': UTF_32_BE,
};

/**
 * Distinguishes a file in a one-byte encoding from damaged UTF-8: it has characters beyond ASCII, none of them UTF-8.
 * @returns null if any character beyond ASCII is valid UTF-8, or all are ASCII
 */
async function findOneByteEncoding(file: string): Promise<ForeignEncoding | null> {
  let found: ForeignEncoding | null = null;
  // A sequence may span two chunks, so the last three bytes are checked again before the next.
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    const bytes = Buffer.concat([tail, chunk as Buffer]);
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte < 0x80) continue;
      if (isSequence(bytes, i)) return null;
      // In ISO-8859-1 these are control characters, which no text uses.
      found = byte < 0xa0 || found === WINDOWS_1252 ? WINDOWS_1252 : ISO_8859_1;
    }
    tail = bytes.subarray(-3);
  }
  return found;
}

/** Whether a letter beyond ASCII begins at a byte: a lead byte and as many continuation bytes as it announces. */
function isSequence(bytes: Buffer, at: number): boolean {
  const lead = bytes[at]!;
  const length =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (length === 0) return false;
  for (let k = 1; k < length; k++) if ((bytes[at + k] ?? 0) >> 6 !== 0b10) return false;
  return true;
}

/** Counts lines with anything but blanks and zero bytes, in any encoding whose line ends contain the LF byte. */
async function countLines(file: string): Promise<number> {
  let lines = 0;
  let isBlank = true;
  for await (const chunk of createReadStream(file)) {
    for (const byte of chunk as Buffer) {
      if (byte === LINE_FEED) isBlank = true;
      else if (isBlank && byte > 0x20) {
        isBlank = false;
        lines++;
      }
    }
  }
  return lines;
}

/** A line that could not be parsed as a row. */
interface UnreadableLine {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
}

/** One GTFS table as Parquet: every column of the feed, every value as text. */
export interface TextTable {
  readonly table: GtfsTable;
  readonly parquetFile: string;
  /** Names in the Parquet file, in the order of the feed. */
  readonly columns: readonly string[];
  /** The column of the Parquet file by its published name in lower case; the first of a repeated name. */
  readonly storedNames: ReadonlyMap<string, string>;
  readonly rowsRead: number;
  readonly unreadable: readonly UnreadableLine[];
  /** Lines of a file that was refused as a whole; it then has no columns and no rows. */
  readonly refusedLines: { readonly count: number; readonly code: string; readonly detail: string } | null;
}

/** Padding characters around values; the last is the no-break space. */
const BLANKS = ' \t\r\n\u00a0';

const LINE_FEED = 0x0a;
const MAX_HEADER_BYTES = 1 << 16;
/** Each column takes memory, with or without rows. */
const MAX_COLUMNS = 500;
const MAX_LINE_BYTES = 2_000_000;
/** Collects values beyond the last column of the header, so that they are reported, not dropped. */
const SURPLUS = '__surplus';
/** The column in which DuckDB numbers the rows of a Parquet file, from 0. */
const ROW_NUMBER = 'file_row_number';

/** Reason why a whole file is refused. */
interface TableRefusal {
  readonly code: string;
  /** One sentence that names the file. */
  readonly sentence: string;
}

/**
 * Converts the text of one table to Parquet, values unchanged. A line with too many values, an unterminated quote or
 * invalid UTF-8 is returned as unreadable; a short line is padded with nulls. A file in another encoding, or not CSV,
 * is refused as a whole: all of its lines count as refused, or the whole feed is refused if the timetable would differ
 * without the table.
 * @param facts from `parquetFacts`
 * @returns null for a file without a header
 * @throws ExternalError `feed_not_utf8`, `feed_broken`, in one sentence that names the file
 */
export async function writeTextTable(
  db: Duckdb,
  unpacked: UnpackedTable,
  folder: string,
  facts: string,
): Promise<TextTable | null> {
  const header = await readHeader(unpacked);
  if (header === null) return null;
  const text = 'sentence' in header ? header : await copyTable(db, unpacked, header, folder, facts);
  if (!('sentence' in text)) return text;
  if (isEssentialTable(unpacked.table)) throw new ExternalError(`feed_${text.code}`, text.sentence);
  return refuseTable(db, unpacked, folder, text, facts);
}

async function copyTable(
  db: Duckdb,
  unpacked: UnpackedTable,
  header: Header,
  folder: string,
  facts: string,
): Promise<TextTable | TableRefusal> {
  const { table, file } = unpacked;
  const { columns, storedNames } = header;
  const parquetFile = `${folder}/${table}.parquet`;
  const scan = `read_csv(${sqlPath(file)}, ${scanOptions(unpacked, header)})`;
  const names = [...columns, SURPLUS].map(sqlName).join(', ');
  await db.run('drop table if exists reject_errors; drop table if exists reject_scans;');
  let rowsRead: number;
  try {
    const [copied] = await db.query(`copy (select ${names} from ${scan}) to ${sqlText(parquetFile)}
      (format parquet, compression zstd, ${facts})`);
    rowsRead = Number(copied?.Count);
  } catch (cause) {
    if (cause instanceof ExternalError) throw cause;
    return { code: 'broken', sentence: `${table}.txt cannot be read as CSV (${firstLine(cause)})` };
  }
  const unreadable = await readRejects(db);
  await addOpenQuote(unreadable, unpacked);
  const encoding = await findForeignEncoding(file, rowsRead, unreadable);
  if (encoding) return refuseEncoding(table, encoding);
  return { table, parquetFile, columns, storedNames, rowsRead, unreadable, refusedLines: null };
}

const firstLine = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)).split('\n')[0];

/** In another encoding, many rows have characters beyond ASCII; below this share the file is damaged UTF-8. */
const FOREIGN_LINE_SHARE = 0.01;

async function findForeignEncoding(
  file: string,
  rowsRead: number,
  unreadable: readonly UnreadableLine[],
): Promise<ForeignEncoding | null> {
  const undecodable = unreadable.filter(({ code }) => code === 'unreadable_invalid_encoding').length;
  const isWorthALook = undecodable > 0 && undecodable >= FOREIGN_LINE_SHARE * (rowsRead + unreadable.length);
  return isWorthALook ? findOneByteEncoding(file) : null;
}

function refuseEncoding(table: GtfsTable, { name, iconvName }: ForeignEncoding): TableRefusal {
  const remedy = `convert it with: iconv -f ${iconvName} -t UTF-8 ${table}.txt`;
  return { code: 'not_utf8', sentence: `${table}.txt is in ${name}, but GTFS demands UTF-8; ${remedy}` };
}

/** Creates an empty table, because the report names it. */
async function refuseTable(
  db: Duckdb,
  { table, file }: UnpackedTable,
  folder: string,
  { code, sentence }: TableRefusal,
  facts: string,
): Promise<TextTable> {
  const parquetFile = `${folder}/${table}.parquet`;
  await db.run(`
    copy (select null::varchar as ${sqlName(SURPLUS)} where false) to ${sqlText(parquetFile)}
      (format parquet, ${facts})`);
  const count = Math.max(1, (await countLines(file)) - 1);
  const refusedLines = { count, code: `unreadable_${code}`, detail: sentence };
  return { table, parquetFile, columns: [], storedNames: new Map(), rowsRead: 0, unreadable: [], refusedLines };
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
    // If values span lines, DuckDB pads short rows only with a single reader.
    `parallel = ${!unpacked.quotes.spanLines}`,
  ].join(', ');
}

async function readRejects(db: Duckdb): Promise<UnreadableLine[]> {
  // One line may be rejected for several reasons; it counts as one row.
  const rows = await db.query(`
    select line::bigint as line, min(error_type)::varchar as error_type, min(error_message) as message
    from reject_errors group by line order by line`);
  return rows.map((row) => ({
    line: Number(row.line),
    code: `unreadable_${String(row.error_type).toLowerCase().replaceAll(' ', '_')}`,
    detail: String(row.message),
  }));
}

/** Text after an unterminated quote is one long value, which DuckDB's single reader drops without an error. */
async function addOpenQuote(unreadable: UnreadableLine[], { file, quotes }: UnpackedTable): Promise<void> {
  if (quotes.openAt === null || !quotes.spanLines) return;
  const line = await findLine(file, quotes.openAt);
  unreadable.push({ line, code: 'unreadable_unquoted_value', detail: 'unterminated quote' });
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

/** Up to the first line end outside quotes; a quote counts only at the start of a name. */
const HEADER_ROW = /^(?:(?:^|,)[ \t]*"(?:[^"]|"")*"|[^\n])*/;

interface Header extends ColumnNames {
  /** Rows before the data: blank lines, and the header itself. */
  readonly skippedRows: number;
}

/** Column names of a CSV file: trimmed, without a byte order mark; blank ones named, repeated ones numbered. */
async function readHeader({ table, file }: UnpackedTable): Promise<Header | TableRefusal | null> {
  const bytes = await readBeginning(file, MAX_HEADER_BYTES);
  const encoding = findWideEncoding(bytes);
  if (encoding) return refuseEncoding(table, encoding);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const blankLines = /^(?:[^\S\n]*\n)*/.exec(text)![0];
  const row = HEADER_ROW.exec(text.slice(blankLines.length))![0];
  if (bytes.length === MAX_HEADER_BYTES && blankLines.length + row.length === text.length) {
    return { code: 'broken', sentence: `${table}.txt has no header within its first ${MAX_HEADER_BYTES} bytes` };
  }
  if (row.trim() === '') return null;
  const cells = splitHeader(row);
  if (cells.length > MAX_COLUMNS) {
    return { code: 'broken', sentence: `${table}.txt has ${cells.length} columns, more than ${MAX_COLUMNS}` };
  }
  return { ...nameColumns(cells), skippedRows: blankLines.split('\n').length };
}

async function readBeginning(file: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.subarray(0, bytesRead);
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

/**
 * Reserved column names: partition keys would hide the column, and DuckDB cannot number the rows of a file that has a
 * column of that name.
 */
const RESERVED_NAMES: readonly string[] = ['source', 'feed_version', ROW_NUMBER];

/** Name of a published column in the lake: `feed_version` of feed_info becomes `published_feed_version`. */
function getStoredName(published: string, index: number): string {
  if (published === '') return `column_${index + 1}`;
  return RESERVED_NAMES.includes(published.toLowerCase()) ? `published_${published}` : published;
}

interface ColumnNames {
  readonly columns: readonly string[];
  readonly storedNames: ReadonlyMap<string, string>;
}

function nameColumns(cells: readonly string[]): ColumnNames {
  const used = new Set<string>([SURPLUS]);
  const storedNames = new Map<string, string>();
  const columns = cells.map((raw, index) => {
    // SQL ends at a NUL byte.
    const cell = raw.replaceAll('\0', '\uFFFD');
    const wanted = getStoredName(cell, index);
    let name = wanted;
    // DuckDB compares names without case, so `Stop_ID` and `stop_id` are the same column.
    for (let n = 2; used.has(name.toLowerCase()); n++) name = `${wanted}_${n}`;
    used.add(name.toLowerCase());
    if (cell !== '' && !storedNames.has(cell.toLowerCase())) storedNames.set(cell.toLowerCase(), name);
    return name;
  });
  return { columns, storedNames };
}

/**
 * Creates a view `text_<table>` over a text table: the columns of `gtfsTables` in lower case, trimmed, blank as null,
 * plus `row_number` (1 = first readable row after the header) and `surplus` (values beyond the header's last column).
 * For a table that the feed lacks, the view is empty.
 */
export async function createTextView(db: Duckdb, table: GtfsTable, text: TextTable | null): Promise<void> {
  const value = (name: string) => `nullif(trim(${sqlName(name)}, ${sqlText(BLANKS)}), '')`;
  const columns = gtfsTables[table].map((name) => {
    const stored = text?.storedNames.get(name);
    return `${stored ? value(stored) : 'null::varchar'} as ${sqlName(name)}`;
  });
  const rows = text
    ? `${value(SURPLUS)} as surplus, ${ROW_NUMBER} + 1 as row_number
       from read_parquet(${sqlPath(text.parquetFile)}, ${ROW_NUMBER} = true)`
    : 'null::varchar as surplus, 0::bigint as row_number where false';
  await db.run(`create or replace view text_${table} as select ${[...columns, ''].join(', ')}${rows}`);
}
