import { open } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { fromArrowBytes, toArrowBytes } from '../effects/arrow-table.ts';
import { ExternalError, isSystemError } from '../effects/external-error.ts';
import { findJson, isFileName } from '../effects/files.ts';
import { readSharedFile } from '../effects/shared-memory.ts';
import type { TableShape } from '../model/column.ts';
import {
  REALTIME_FORMAT_VERSION,
  type RealtimeManifest,
  type RealtimeSnapshot,
  type RealtimeTables,
  realtimeTables,
} from './realtime-contract.ts';

export function realtimeSnapshotsFolder(dataDir: string): string {
  return path.join(dataDir, 'snapshots', 'realtime');
}

export function realtimeSnapshotFile(dataDir: string, id: string): string {
  return path.join(realtimeSnapshotsFolder(dataDir), `${id}.rt`);
}

/** Content of `current.json` in the folder of realtime snapshots. */
export interface RealtimePointer {
  readonly id: string;
  /** Lets readers skip a snapshot of another timetable without opening it. */
  readonly timetableId: string;
}

/** @returns null when none was ever published, or the pointer is damaged */
export async function findCurrentRealtime(dataDir: string): Promise<RealtimePointer | null> {
  const pointer = await findJson<RealtimePointer>(path.join(realtimeSnapshotsFolder(dataDir), 'current.json'));
  return isFileName(pointer?.id) && isFileName(pointer.timetableId) ? pointer : null;
}

// ---- The file: magic, checksum, length of the header, header as JSON, tables as Arrow IPC files ---------------------

const MAGIC = 'TAKTRT01';
/** After magic and checksum. */
const CHECKED_FROM = 12;
const PREAMBLE_BYTES = 16;
/** Arrow's own alignment, so that its columns can be used in place. */
const ALIGNMENT = 64;

interface Header {
  readonly manifest: RealtimeManifest;
  /** Offset of each table from the end of the header, and its length. */
  readonly tables: Readonly<Record<string, { readonly start: number; readonly bytes: number }>>;
}

type TableName = keyof typeof realtimeTables;
const tableNames = Object.keys(realtimeTables) as TableName[];

/** A snapshot as the bytes of its one file. */
export function writeRealtimeBytes({ manifest, tables }: RealtimeSnapshot): Uint8Array {
  const parts = tableNames.map((name) => toArrowBytes(realtimeTables[name] as TableShape, tables[name] as never));
  const places: Record<string, { start: number; bytes: number }> = {};
  let length = 0;
  parts.forEach((part, i) => {
    places[tableNames[i]!] = { start: length, bytes: part.length };
    length = align(length + part.length);
  });
  const header = Buffer.from(JSON.stringify({ manifest, tables: places } satisfies Header));
  const body = align(PREAMBLE_BYTES + header.length);
  const file = Buffer.alloc(body + length);
  file.write(MAGIC, 0, 'latin1');
  file.writeUInt32LE(header.length, CHECKED_FROM);
  header.copy(file, PREAMBLE_BYTES);
  parts.forEach((part, i) => {
    file.set(part, body + places[tableNames[i]!]!.start);
  });
  file.writeUInt32LE(crc32(file.subarray(CHECKED_FROM)), 8);
  return file;
}

/**
 * Reads a snapshot; its columns are views of the bytes.
 * @param name of the file, for errors
 * @throws ExternalError `snapshot_damaged` when the bytes are not what was written, or of another format
 */
export function readRealtimeBytes(bytes: Uint8Array, name: string): RealtimeSnapshot {
  const steps = readInSteps(bytes, name);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * As `readRealtimeBytes`, but yields to the event loop in between, so that a service keeps answering while it loads a
 * country. The columns are in memory that threads can share.
 */
export async function readRealtimeSnapshot(dataDir: string, id: string): Promise<RealtimeSnapshot> {
  const steps = readInSteps(await readSharedFile(realtimeSnapshotFile(dataDir, id)), `realtime snapshot ${id}`);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

/** Takes about a millisecond on a slow machine. */
const CHECKSUM_PIECE_BYTES = 1 << 20;

/** Yields after each step; no step takes longer than a request. */
function* readInSteps(bytes: Uint8Array, name: string): Generator<void, RealtimeSnapshot> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < PREAMBLE_BYTES || file.toString('latin1', 0, 8) !== MAGIC) {
    throw new ExternalError('snapshot_damaged', `${name} is not a realtime snapshot`);
  }
  let checksum = 0;
  for (let at = CHECKED_FROM; at < file.length; at += CHECKSUM_PIECE_BYTES) {
    checksum = crc32(file.subarray(at, at + CHECKSUM_PIECE_BYTES), checksum);
    yield;
  }
  if (checksum !== file.readUInt32LE(8)) {
    throw new ExternalError('snapshot_damaged', `${name} was damaged after it was published`);
  }
  const headerEnd = PREAMBLE_BYTES + file.readUInt32LE(CHECKED_FROM);
  const { manifest, tables: places } = readHeader(file.toString('utf8', PREAMBLE_BYTES, headerEnd), name);
  const body = bytes.subarray(align(headerEnd));
  const tables: Record<string, unknown> = {};
  for (const table of tableNames) {
    tables[table] = readTable(body, places[table], table, name);
    yield;
  }
  return { manifest, tables: tables as RealtimeTables };
}

/** An intact file may still be of another version, whatever its header looks like: the error names the version. */
function readHeader(json: string, name: string): Header {
  const header = parseHeader(json, name);
  const version = header?.manifest?.formatVersion;
  if (version === REALTIME_FORMAT_VERSION) return header as Header;
  const formats = `format ${version}, and this version reads ${REALTIME_FORMAT_VERSION}`;
  throw new ExternalError('snapshot_damaged', `${name} is of ${formats}: run poll-realtime`);
}

function parseHeader(json: string, name: string): Partial<Header> | null {
  try {
    return JSON.parse(json) as Partial<Header> | null;
  } catch (cause) {
    throw new ExternalError('snapshot_damaged', `${name} has no header`, { cause });
  }
}

function readTable(body: Uint8Array, place: Header['tables'][string] | undefined, table: TableName, name: string) {
  if (!place) throw new ExternalError('snapshot_damaged', `${name} lacks the table ${table}`);
  const { start, bytes } = place;
  const shape: TableShape = realtimeTables[table];
  try {
    return fromArrowBytes(body.subarray(start, start + bytes), shape, table);
  } catch (cause) {
    throw new ExternalError('snapshot_damaged', `${name} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** The manifest of the current snapshot; null when there is none, or it cannot be read. */
export async function readRealtimeManifest(dataDir: string): Promise<RealtimeManifest | null> {
  const pointer = await findCurrentRealtime(dataDir);
  if (!pointer) return null;
  try {
    return (await readRealtimeSnapshot(dataDir, pointer.id)).manifest;
  } catch (error) {
    // The next poll publishes a new one; until then its state is unknown.
    if (error instanceof ExternalError || isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * The same without reading the tables, and so without their checksum: for readers that often look at the
 * state of the sources. A file is written whole or not at all.
 */
export async function peekRealtimeManifest(dataDir: string): Promise<RealtimeManifest | null> {
  const pointer = await findCurrentRealtime(dataDir);
  if (!pointer) return null;
  try {
    return (await readHeaderAlone(realtimeSnapshotFile(dataDir, pointer.id))).manifest;
  } catch (error) {
    if (error instanceof ExternalError || isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

async function readHeaderAlone(file: string): Promise<Header> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const preamble = Buffer.alloc(PREAMBLE_BYTES);
    await handle.read(preamble, 0, PREAMBLE_BYTES, 0);
    const length = preamble.readUInt32LE(CHECKED_FROM);
    if (preamble.toString('latin1', 0, 8) !== MAGIC || PREAMBLE_BYTES + length > size) {
      throw new ExternalError('snapshot_damaged', `${file} is not a realtime snapshot`);
    }
    const header = Buffer.alloc(length);
    await handle.read(header, 0, length, PREAMBLE_BYTES);
    return readHeader(header.toString('utf8'), file);
  } finally {
    await handle.close();
  }
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
