import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { ResolvedTrip } from '../../model/observation.ts';
import { ROW_WIDTH } from './observation-rows.ts';

/**
 * A journal is a sequence of frames: a magic that occurs nowhere else, length and CRC-32 of the content, then the
 * content: the length of a JSON text, that text, padded to four bytes, and the cells of the rows as in memory
 * (little-endian). A frame can be read without any other, so that those after a damage are saved.
 */
export interface JournalFrame {
  readonly head: FrameHead;
  /** The texts of its rows, numbered from 1. */
  readonly texts: readonly string[];
  readonly rowCount: number;
  readonly cells: Uint32Array;
}

export type FrameHead = StartHead | OpenHead | BatchHead;

/** The first frame of a segment. */
interface StartHead {
  readonly kind: 'start';
  /** Time of the last answer of each part of the source. */
  readonly lastAnswers: readonly (readonly [part: string, seenAt: number])[];
  /** Absent in journals of earlier versions. */
  readonly resolved?: readonly ResolvedHead[];
}

/** As `ResolvedTrip`, its key in decimal. */
export type ResolvedHead = Omit<ResolvedTrip, 'key'> & { readonly key: string };

/** Observations that were open when the segment began. */
interface OpenHead {
  readonly kind: 'open';
}

interface BatchHead {
  readonly kind: 'batch';
  readonly part: string;
  readonly seenAt: number;
  /** Key in decimal, and day. */
  readonly ended: readonly (readonly [tripKey: string, day: number])[];
  /** Absent in journals of earlier versions. */
  readonly resolved?: readonly ResolvedHead[];
}

/** Place of a frame in the journal, independent of other frames. */
interface FramePlace {
  readonly segment: number;
  /** Its number in the segment, from 0. */
  readonly index: number;
  /** When the previous segment was closed; 0 for the first one. */
  readonly closedAt: number;
}

interface ReadFrame extends JournalFrame {
  readonly place: FramePlace;
  /** First byte in the file, and the one after its last. */
  readonly at: number;
  readonly end: number;
}

/** Bytes of a journal outside of its frames. */
interface DamagedBytes {
  readonly at: number;
  readonly end: number;
  /** Zeros, or an unfinished frame at the end of the file: both can result from a crash. */
  readonly isTornEnd: boolean;
}

/** Rises with every change of a frame's content. */
export const JOURNAL_FORMAT_VERSION = 4;
/** Frames of format 2 have no uncertainties and no occupancies, those of format 3 no occupancies; else as format 4. */
const READ_VERSIONS = [2, 3, JOURNAL_FORMAT_VERSION] as const;

/** Its first byte occurs in no UTF-8 text. */
const MAGIC_NAME = Buffer.from([0xf7, 0x54, 0x4b, 0x4a, 0x52, 0x4e]);
const toMagic = (version: number) => Buffer.from([...MAGIC_NAME, version, 0x0a]);
export const MAGIC = toMagic(JOURNAL_FORMAT_VERSION);
const READ_MAGICS = READ_VERSIONS.map(toMagic);

const LENGTH_AT = MAGIC.length;
const CHECKSUM_AT = LENGTH_AT + 4;
const PREFIX_BYTES = CHECKSUM_AT + 4;

export function encodeFrame({ head, texts, rowCount, cells }: JournalFrame, place: FramePlace): Buffer {
  const json = Buffer.from(JSON.stringify({ ...head, ...place, rowCount, texts }));
  const padding = Buffer.alloc(-json.length & 3, ' ');
  const filled = Buffer.from(cells.buffer, cells.byteOffset, rowCount * ROW_WIDTH * 4);
  const bytes = Buffer.concat([Buffer.alloc(PREFIX_BYTES + 4), json, padding, filled]);
  bytes.set(MAGIC);
  bytes.writeUInt32LE(bytes.length - PREFIX_BYTES, LENGTH_AT);
  bytes.writeUInt32LE(json.length + padding.length, PREFIX_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(PREFIX_BYTES)), CHECKSUM_AT);
  return bytes;
}

/** Reads all frames of a file, and the bytes between them, in the order of the file. */
export async function* scanFrames(file: FileHandle): AsyncGenerator<ReadFrame | DamagedBytes> {
  const { size } = await file.stat();
  let damagedFrom = 0;
  for (let at = 0; at < size; ) {
    const frame = await findFrame(file, at, size);
    if (frame) {
      if (damagedFrom < at) yield { at: damagedFrom, end: at, isTornEnd: false };
      yield frame;
      at = frame.end;
      damagedFrom = at;
    } else at = (await findMagic(file, at + 1, size)) ?? size;
  }
  if (damagedFrom < size) yield { at: damagedFrom, end: size, isTornEnd: await isTornEnd(file, damagedFrom, size) };
}

/** @returns the format of a journal from a newer version of this program; null for any other file */
export async function findForeignVersion(file: FileHandle): Promise<number | null> {
  const start = Buffer.alloc(MAGIC.length);
  await file.read(start, 0, start.length, 0);
  const version = start[MAGIC_NAME.length]!;
  return start.subarray(0, MAGIC_NAME.length).equals(MAGIC_NAME) && version > JOURNAL_FORMAT_VERSION ? version : null;
}

async function findFrame(file: FileHandle, at: number, size: number): Promise<ReadFrame | null> {
  if (at + PREFIX_BYTES > size) return null;
  const prefix = await readBytes(file, at, PREFIX_BYTES);
  const length = prefix.readUInt32LE(LENGTH_AT);
  const end = at + PREFIX_BYTES + length;
  if (!isMagic(prefix.subarray(0, MAGIC.length)) || length < 4 || end > size) return null;
  const content = await readBytes(file, at + PREFIX_BYTES, length);
  return crc32(content) === prefix.readUInt32LE(CHECKSUM_AT) ? { ...decodeContent(content), at, end } : null;
}

/** @param content with a correct checksum, so it is what was written */
function decodeContent(content: Buffer): JournalFrame & { readonly place: FramePlace } {
  const jsonLength = content.readUInt32LE(0);
  const json = JSON.parse(content.toString('utf8', 4, 4 + jsonLength)) as FrameHead &
    FramePlace & { rowCount: number; texts: string[] };
  const { rowCount, texts, segment, index, closedAt, ...head } = json;
  const cells = new Uint32Array(content.buffer, content.byteOffset + 4 + jsonLength, rowCount * ROW_WIDTH);
  return { head: head as FrameHead, texts, rowCount, cells, place: { segment, index, closedAt } };
}

const PIECE_BYTES = 1 << 20;

/** Whether bytes are the beginning of a magic that can be read, or all of it. */
function isMagic(bytes: Buffer): boolean {
  return READ_MAGICS.some((magic) => bytes.equals(magic.subarray(0, bytes.length)));
}

/** @returns position of the next magic from `from` on; null without one */
async function findMagic(file: FileHandle, from: number, size: number): Promise<number | null> {
  for (let at = from; at < size; at += PIECE_BYTES) {
    const piece = await readBytes(file, at, Math.min(size - at, PIECE_BYTES + MAGIC.length - 1));
    const found = READ_MAGICS.map((magic) => piece.indexOf(magic)).filter((index) => index >= 0);
    if (found.length > 0) return at + Math.min(...found);
  }
  return null;
}

async function isTornEnd(file: FileHandle, at: number, size: number): Promise<boolean> {
  const prefix = await readBytes(file, at, Math.min(size - at, PREFIX_BYTES));
  const magic = prefix.subarray(0, MAGIC.length);
  if (isMagic(magic)) {
    return prefix.length < PREFIX_BYTES || at + PREFIX_BYTES + prefix.readUInt32LE(LENGTH_AT) > size;
  }
  for (let from = at; from < size; from += PIECE_BYTES) {
    const piece = await readBytes(file, from, Math.min(size - from, PIECE_BYTES));
    if (piece.some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** Reads into a separate buffer, so that the cells are aligned to four bytes. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error(`the journal ended ${length - filled} bytes early`);
    filled += bytesRead;
  }
  return bytes;
}
