import { createWriteStream } from 'node:fs';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import yauzl from 'yauzl';
import { ExternalError } from '../../effects/external-error.ts';

/** Limits of unpacking. Declared sizes are checked first; streams must not exceed them. */
export interface UnpackLimits {
  readonly maxZipEntries: number;
  readonly maxEntryBytes: number;
  readonly maxTotalBytes: number;
  /** Maximum compression ratio of an entry; checked beyond the first megabyte. */
  readonly maxCompressionRatio: number;
}

const RATIO_GRACE_BYTES = 1 << 20;

/** Chunk size for inflating and writing; yauzl's default of a few kilobytes takes twice as long. */
const CHUNK_BYTES = 1 << 20;

const STORED = 0;

export type ZipEntry = yauzl.Entry;

export interface ZipArchive {
  /** In the order of the archive. */
  readonly entries: readonly ZipEntry[];
  /**
   * Unpacks one entry into a file.
   * @param convert applied to each chunk
   * @throws ExternalError `feed_broken`: damaged, encrypted, or of another size or CRC-32 than declared
   */
  extract(entry: ZipEntry, file: string, convert?: (chunk: Buffer) => Buffer): Promise<void>;
  close(): void;
}

/** @throws ExternalError `feed_not_a_zip`, `feed_broken` for a damaged table of contents, `feed_too_large` for its length */
export async function openZipArchive(file: string, limits: UnpackLimits): Promise<ZipArchive> {
  const zip = await openZip(file);
  try {
    const entries = await listEntries(zip, limits);
    return { entries, extract: (...args) => extractEntry(zip, ...args), close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openZip(file: string): Promise<yauzl.ZipFile> {
  try {
    return await yauzl.openPromise(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true });
  } catch (cause) {
    throw new ExternalError('feed_not_a_zip', `the feed is not a readable zip archive (${reason(cause)})`, { cause });
  }
}

async function listEntries(zip: yauzl.ZipFile, limits: UnpackLimits): Promise<yauzl.Entry[]> {
  const entries: yauzl.Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.length >= limits.maxZipEntries) {
        throw new ExternalError('feed_too_large', `the archive holds more than ${limits.maxZipEntries} entries`);
      }
      entries.push(entry);
    }
  } catch (cause) {
    if (cause instanceof ExternalError) throw cause;
    throw new ExternalError('feed_broken', `the archive's table of contents is damaged (${reason(cause)})`, { cause });
  }
  return entries;
}

/**
 * Checks the declared sizes of entries before they are unpacked.
 * @param usedBytes of entries unpacked earlier
 * @returns the total in bytes
 * @throws ExternalError `feed_too_large`
 */
export function assertSizes(entries: Iterable<ZipEntry>, limits: UnpackLimits, usedBytes = 0): number {
  let total = usedBytes;
  for (const { fileName, uncompressedSize: bytes, compressedSize } of entries) {
    const refuse = (reason: string) => {
      throw new ExternalError('feed_too_large', `${fileName} ${reason}; the archive looks like a zip bomb`);
    };
    total += bytes;
    if (bytes > limits.maxEntryBytes) refuse(`unpacks to more than ${limits.maxEntryBytes} bytes`);
    if (total > limits.maxTotalBytes) refuse(`takes the archive over ${limits.maxTotalBytes} unpacked bytes`);
    if (bytes > RATIO_GRACE_BYTES && bytes > compressedSize * limits.maxCompressionRatio) {
      refuse(`unpacks to more than ${limits.maxCompressionRatio} times its packed size`);
    }
  }
  return total;
}

async function extractEntry(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  file: string,
  convert: (chunk: Buffer) => Buffer = (chunk) => chunk,
): Promise<void> {
  let bytes = 0;
  let checksum = 0;
  const measuring = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > entry.uncompressedSize) {
        return done(new Error(`too many bytes in the stream, not ${entry.uncompressedSize}`));
      }
      checksum = crc32(chunk, checksum);
      done(null, convert(chunk));
    },
  });
  try {
    const packed = await openPacked(zip, entry);
    const writing = createWriteStream(file, { highWaterMark: CHUNK_BYTES });
    await (entry.compressionMethod === STORED
      ? pipeline(packed, measuring, writing)
      : pipeline(packed, createInflateRaw({ chunkSize: CHUNK_BYTES }), measuring, writing));
    if (bytes < entry.uncompressedSize) throw new Error(`${bytes} bytes instead of ${entry.uncompressedSize}`);
    // yauzl does not check this itself.
    if (checksum !== entry.crc32) throw new Error(`its checksum is ${hex(checksum)} instead of ${hex(entry.crc32)}`);
  } catch (cause) {
    throw new ExternalError('feed_broken', `${entry.fileName} cannot be unpacked (${reason(cause)})`, { cause });
  }
}

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0');

/** The packed bytes of an entry. */
async function openPacked(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Readable> {
  if (entry.isEncrypted()) throw new Error('it is encrypted');
  if (!entry.canDecodeFileData()) throw new Error(`its compression method ${entry.compressionMethod} is unknown`);
  return zip.openReadStreamPromise(entry, { decodeFileData: false });
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
