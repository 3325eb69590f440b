import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import protobuf from 'protobufjs/light.js';
import { ExternalError } from '../effects/external-error.ts';

const inflateBytes = promisify(inflate);

/** Limits of the format. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_BLOB_BYTES = 32 * 1024 ** 2;

/** Features that a reader must understand, and this one does. */
const KNOWN_FEATURES: readonly string[] = ['OsmSchema-V0.6', 'DenseNodes', 'HistoricalInformation'];

/** Where a block of data is in the file. */
export interface BlockPlace {
  readonly from: number;
  readonly bytes: number;
}

/** An open extract. */
export interface PbfFile {
  readonly blocks: readonly BlockPlace[];
  /** @returns the uncompressed bytes of a block */
  read(block: BlockPlace): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens an OSM PBF file and finds its blocks; nothing is uncompressed but the header.
 * @throws ExternalError `pbf_unreadable` for a truncated or damaged file, or one that needs another reader
 * @see OpenStreetMap wiki, "PBF Format"
 */
export async function openPbf(file: string): Promise<PbfFile> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const found = await findBlocks(handle, size, file);
    const read = async ({ from, bytes }: BlockPlace) => unpack(await readBytes(handle, from, bytes, file), file);
    for (const header of found.headers) checkFeatures(await read(header), file);
    return { blocks: found.data, read, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function unreadable(file: string, what: string): ExternalError {
  return new ExternalError('pbf_unreadable', `${file} is damaged, or no OSM PBF file: ${what}`);
}

async function findBlocks(handle: FileHandle, size: number, file: string) {
  const [headers, data]: [BlockPlace[], BlockPlace[]] = [[], []];
  for (let at = 0; at < size; ) {
    if (at + 4 > size) throw unreadable(file, `it ends within a block, at byte ${size}`);
    const length = (await readBytes(handle, at, 4, file)).readUInt32BE(0);
    if (length > MAX_HEADER_BYTES) throw unreadable(file, `a block header of ${length} bytes is too long`);
    if (at + 4 + length > size) throw unreadable(file, `it ends within a block, at byte ${size}`);
    const { type, bytes } = readBlobHeader(await readBytes(handle, at + 4, length, file), file);
    const from = at + 4 + length;
    if (bytes > MAX_BLOB_BYTES) throw unreadable(file, `a block of ${bytes} bytes is too long`);
    if (from + bytes > size) throw unreadable(file, `it ends within a block, at byte ${size}`);
    if (type === 'OSMHeader') headers.push({ from, bytes });
    else if (type === 'OSMData') data.push({ from, bytes });
    at = from + bytes;
  }
  if (headers.length === 0) throw unreadable(file, 'it has no header');
  return { headers, data };
}

async function readBytes(handle: FileHandle, from: number, bytes: number, file: string): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, from);
  if (bytesRead < bytes) throw unreadable(file, `it ends within a block, at byte ${from + bytesRead}`);
  return buffer;
}

function readBlobHeader(bytes: Uint8Array, file: string): { type: string; bytes: number } {
  let [type, size] = ['', -1];
  readFields(bytes, file, (field, reader, wire) => {
    if (field === 1) type = reader.string();
    else if (field === 3) size = reader.int32();
    else reader.skipType(wire);
  });
  if (size < 0) throw unreadable(file, 'a block has no size');
  return { type, bytes: size };
}

async function unpack(blob: Uint8Array, file: string): Promise<Uint8Array> {
  let content: Uint8Array | null = null;
  let packed: Uint8Array | null = null;
  readFields(blob, file, (field, reader, wire) => {
    if (field === 1) content = reader.bytes();
    else if (field === 3) packed = reader.bytes();
    else reader.skipType(wire);
  });
  if (content !== null) return content;
  if (packed === null) throw unreadable(file, 'a block is compressed by another method than zlib');
  try {
    return await inflateBytes(packed, { maxOutputLength: MAX_BLOB_BYTES });
  } catch (cause) {
    throw new ExternalError('pbf_unreadable', `${file} is damaged: a block cannot be uncompressed`, { cause });
  }
}

function checkFeatures(header: Uint8Array, file: string): void {
  readFields(header, file, (field, reader, wire) => {
    if (field !== 4) return reader.skipType(wire);
    const feature = reader.string();
    if (!KNOWN_FEATURES.includes(feature)) throw unreadable(file, `it needs a reader for "${feature}"`);
  });
}

/**
 * Reads the fields of a message one after the other.
 * @param onField must consume the field
 * @throws ExternalError `pbf_unreadable`
 */
export function readFields(
  bytes: Uint8Array,
  file: string,
  onField: (field: number, reader: protobuf.Reader, wire: number) => void,
): void {
  const reader = protobuf.Reader.create(bytes);
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      onField(tag >>> 3, reader, tag & 7);
    }
  } catch (error) {
    if (error instanceof ExternalError) throw error;
    throw unreadable(file, error instanceof Error ? error.message : 'it cannot be read');
  }
}
