import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import yauzl from 'yauzl';
import { WorldError } from '../../effects/world-error.ts';
import { type GtfsTable, isGtfsTable } from './gtfs-tables.ts';

const COMMA = 0x2c;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Facts about the quotes of a CSV text. */
export interface QuoteFacts {
  /** Whether any value holds a line end. */
  readonly spanLines: boolean;
  /** Byte position of an unterminated quote; null without one. */
  readonly openAt: number | null;
}

/** Tracks the quotes of a CSV text whose lines end in LF, chunk by chunk; text without quotes costs next to nothing. */
export function watchQuotes(): { push: (chunk: Buffer) => void; facts: () => QuoteFacts } {
  let bytesBefore = 0;
  let openAt: number | null = null;
  let spanLines = false;
  // A quote at the end of a chunk ends its value, unless the next chunk begins with another one.
  let isUndecided = false;
  let lastSolidByte = LINE_FEED;

  const pushClosing = (chunk: Buffer, from: number): number => {
    const quote = chunk.indexOf(QUOTE, from);
    const lineEnd = spanLines ? -1 : chunk.indexOf(LINE_FEED, from);
    if (lineEnd >= 0 && (quote < 0 || lineEnd < quote)) spanLines = true;
    if (quote < 0) return chunk.length;
    if (quote === chunk.length - 1) isUndecided = true;
    else if (chunk[quote + 1] === QUOTE) return quote + 2;
    else openAt = null;
    return quote + 1;
  };
  const pushOpening = (chunk: Buffer, from: number): number => {
    const quote = chunk.indexOf(QUOTE, from);
    if (quote < 0) return chunk.length;
    const before = findSolidByte(chunk, quote) ?? lastSolidByte;
    const isFirst = bytesBefore === 0 && chunk.subarray(0, quote).equals(BYTE_ORDER_MARK);
    if (before === COMMA || before === LINE_FEED || isFirst) openAt = bytesBefore + quote;
    return quote + 1;
  };
  return {
    push: (chunk) => {
      if (chunk.length === 0) return;
      let at = 0;
      if (isUndecided) {
        isUndecided = false;
        if (chunk[0] === QUOTE) at = 1;
        else openAt = null;
      }
      while (at < chunk.length) at = openAt === null ? pushOpening(chunk, at) : pushClosing(chunk, at);
      lastSolidByte = findSolidByte(chunk, chunk.length) ?? lastSolidByte;
      bytesBefore += chunk.length;
    },
    facts: () => ({ spanLines, openAt: isUndecided ? null : openAt }),
  };
}

/** The last non-blank byte before a position; null when the chunk has none. */
function findSolidByte(chunk: Buffer, before: number): number | null {
  let at = before - 1;
  while (at >= 0 && (chunk[at] === SPACE || chunk[at] === TAB)) at--;
  return at < 0 ? null : chunk[at]!;
}

/** Limits of unpacking; a zip bomb is stopped while it streams, whatever sizes its headers claim. */
export interface UnpackLimits {
  readonly maxZipEntries: number;
  readonly maxEntryBytes: number;
  readonly maxTotalBytes: number;
  /** Unpacked bytes per packed byte of one entry; checked from the first megabyte on. */
  readonly maxCompressionRatio: number;
}

/** One table as a text file on disk, with LF line ends. */
export interface UnpackedTable {
  readonly table: GtfsTable;
  readonly file: string;
  readonly bytes: number;
  readonly quotes: QuoteFacts;
}

interface UnpackedFeed {
  readonly tables: readonly UnpackedTable[];
  /** Files of the archive that are not GTFS tables and remain in raw only. */
  readonly otherFiles: readonly string[];
}

const RATIO_GRACE_BYTES = 1 << 20;

/**
 * Streams the GTFS tables of a zip into a folder. Tables may be at the top level or all in one folder; of a repeated
 * name, the one nearest to the top counts.
 * @throws WorldError `feed_not_a_zip`, `feed_too_large` (a limit), `feed_broken` (damaged or encrypted entry, or one
 *   whose size or CRC-32 differs from the archive's)
 */
export async function unpackFeed(zipFile: string, folder: string, limits: UnpackLimits): Promise<UnpackedFeed> {
  const zip = await openZip(zipFile);
  try {
    const entries = await listEntries(zip, limits);
    const chosen = chooseTables(entries);
    const tables: UnpackedTable[] = [];
    let totalBytes = 0;
    for (const [table, entry] of chosen) {
      const file = path.join(folder, `${table}.txt`);
      const unpacked = await unpackEntry(zip, entry, file, limits, limits.maxTotalBytes - totalBytes);
      totalBytes += unpacked.bytes;
      tables.push({ table, file, ...unpacked });
    }
    const used = new Set([...chosen.values()].map((entry) => entry.fileName));
    const otherFiles = entries.map((entry) => entry.fileName).filter((name) => !used.has(name) && !name.endsWith('/'));
    return { tables, otherFiles };
  } finally {
    zip.close();
  }
}

async function openZip(zipFile: string): Promise<yauzl.ZipFile> {
  try {
    return await yauzl.openPromise(zipFile, { lazyEntries: true, autoClose: false, validateEntrySizes: true });
  } catch (cause) {
    throw new WorldError('feed_not_a_zip', `the feed is not a readable zip archive (${reason(cause)})`, { cause });
  }
}

async function listEntries(zip: yauzl.ZipFile, limits: UnpackLimits): Promise<yauzl.Entry[]> {
  const entries: yauzl.Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.length >= limits.maxZipEntries) {
        throw new WorldError('feed_too_large', `the archive holds more than ${limits.maxZipEntries} entries`);
      }
      entries.push(entry);
    }
  } catch (cause) {
    if (cause instanceof WorldError) throw cause;
    throw new WorldError('feed_broken', `the archive's table of contents is damaged (${reason(cause)})`, { cause });
  }
  return entries;
}

function chooseTables(entries: readonly yauzl.Entry[]): Map<GtfsTable, yauzl.Entry> {
  const chosen = new Map<GtfsTable, yauzl.Entry>();
  const depth = (entry: yauzl.Entry) => entry.fileName.split('/').length;
  for (const entry of [...entries].sort((a, b) => depth(a) - depth(b))) {
    // __MACOSX/._stops.txt is a metadata file that Apple's archiver adds beside every file.
    if (entry.fileName.startsWith('__MACOSX/')) continue;
    const match = /^([a-z_]+)\.txt$/i.exec(path.posix.basename(entry.fileName));
    const table = match?.[1]?.toLowerCase();
    if (table && isGtfsTable(table) && !chosen.has(table)) chosen.set(table, entry);
  }
  return chosen;
}

async function unpackEntry(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  file: string,
  limits: UnpackLimits,
  bytesLeft: number,
): Promise<{ bytes: number; quotes: QuoteFacts }> {
  const { stream, measure } = normaliseText((bytes) => checkLimits(entry, bytes, limits, bytesLeft));
  try {
    const packed = await openPacked(zip, entry);
    const writing = createWriteStream(file, { highWaterMark: TEXT_CHUNK_BYTES });
    const inflating = createInflateRaw({ chunkSize: TEXT_CHUNK_BYTES });
    await (entry.compressionMethod === STORED
      ? pipeline(packed, stream, writing)
      : pipeline(packed, inflating, stream, writing));
    const { bytes, checksum } = measure();
    if (bytes < entry.uncompressedSize) throw new Error(`${bytes} bytes instead of ${entry.uncompressedSize}`);
    // yauzl leaves this check to its callers.
    if (checksum !== entry.crc32) throw new Error(`its checksum is ${hex(checksum)} instead of ${hex(entry.crc32)}`);
  } catch (cause) {
    if (cause instanceof WorldError) throw cause;
    throw new WorldError('feed_broken', `${entry.fileName} cannot be unpacked (${reason(cause)})`, { cause });
  }
  const { bytes, quotes } = measure();
  return { bytes, quotes };
}

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0');

const STORED = 0;

/** Text is processed in chunks of this size; yauzl's own chunks of a few kilobytes take twice as long. */
const TEXT_CHUNK_BYTES = 1 << 20;

/** The packed bytes of an entry. */
async function openPacked(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Readable> {
  if (entry.isEncrypted()) throw new Error('it is encrypted');
  if (!entry.canDecodeFileData()) throw new Error(`its compression method ${entry.compressionMethod} is unknown`);
  return zip.openReadStreamPromise(entry, { decodeFileData: false });
}

function checkLimits(entry: yauzl.Entry, bytes: number, limits: UnpackLimits, bytesLeft: number): void {
  const refuse = (why: string) => {
    throw new WorldError('feed_too_large', `${entry.fileName} ${why}; the archive looks like a zip bomb`);
  };
  if (bytes > entry.uncompressedSize) throw new Error(`too many bytes in the stream, not ${entry.uncompressedSize}`);
  if (bytes > limits.maxEntryBytes) refuse(`unpacks to more than ${limits.maxEntryBytes} bytes`);
  if (bytes > bytesLeft) refuse(`takes the archive over ${limits.maxTotalBytes} unpacked bytes`);
  if (bytes > RATIO_GRACE_BYTES && bytes > entry.compressedSize * limits.maxCompressionRatio) {
    refuse(`unpacks to more than ${limits.maxCompressionRatio} times its packed size`);
  }
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * A stream that converts CRLF and lone CR to LF and tracks quotes: DuckDB refuses a file that mixes line ends, and
 * reads in parallel only where no value spans lines.
 */
function normaliseText(onBytes: (total: number) => void): {
  stream: Transform;
  measure: () => { bytes: number; checksum: number; quotes: QuoteFacts };
} {
  let bytes = 0;
  let checksum = 0;
  const quotes = watchQuotes();
  let endedWithReturn = false;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        bytes += chunk.length;
        onBytes(bytes);
        checksum = crc32(chunk, checksum);
      } catch (error) {
        return done(error as Error);
      }
      const isUniform = !endedWithReturn && !chunk.includes(CARRIAGE_RETURN);
      const from = endedWithReturn && chunk[0] === LINE_FEED ? 1 : 0;
      endedWithReturn = chunk.at(-1) === CARRIAGE_RETURN;
      const text = isUniform ? chunk : unifyLineEnds(chunk, from);
      quotes.push(text);
      done(null, text);
    },
  });
  return { stream, measure: () => ({ bytes, checksum, quotes: quotes.facts() }) };
}

function unifyLineEnds(chunk: Buffer, from: number): Buffer {
  const out = Buffer.allocUnsafe(chunk.length);
  let length = 0;
  for (let i = from; i < chunk.length; i++) {
    const byte = chunk[i]!;
    if (byte !== CARRIAGE_RETURN) out[length++] = byte;
    else if (chunk[i + 1] !== LINE_FEED) out[length++] = LINE_FEED;
    // A CR at the very end of the chunk counts as a line end here; its LF, if any, is skipped in the next one.
  }
  return out.subarray(0, length);
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
