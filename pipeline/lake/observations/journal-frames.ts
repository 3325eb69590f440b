import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ROW_WIDTH } from './sighting-rows.ts';

/**
 * A journal is a row of frames: length and CRC-32 of the content, then the content, which is the length of a JSON text,
 * that text, padded to four bytes, and the cells of the rows as they lie in memory (little-endian).
 */
export interface JournalFrame {
  readonly head: FrameHead;
  /** Texts that no frame before of the segment has brought: those of all frames together are its text table. */
  readonly texts: readonly string[];
  readonly rowCount: number;
  readonly cells: Uint32Array;
}

export type FrameHead = StartHead | OpenHead | BatchHead;

/** The first frame of a segment. */
export interface StartHead {
  readonly kind: 'start';
  readonly formatVersion: number;
  /** The moment by which the segment before was closed; 0 for the first one. */
  readonly closedAt: number;
  /** When each part of the source was last answered. */
  readonly lastAnswers: readonly (readonly [part: string, seenAt: number])[];
}

/** Sightings that were open when the segment began. */
export interface OpenHead {
  readonly kind: 'open';
}

export interface BatchHead {
  readonly kind: 'batch';
  readonly part: string;
  readonly seenAt: number;
  /** Key in decimal, and day. */
  readonly ended: readonly (readonly [tripKey: string, day: number])[];
}

export interface ReadFrame extends JournalFrame {
  /** Where it ends in the file. */
  readonly end: number;
}

const PREFIX_BYTES = 8;

export function encodeFrame({ head, texts, rowCount, cells }: JournalFrame): Buffer {
  const json = Buffer.from(JSON.stringify({ ...head, rowCount, texts }));
  const padding = Buffer.alloc(-json.length & 3, ' ');
  const filled = Buffer.from(cells.buffer, cells.byteOffset, rowCount * ROW_WIDTH * 4);
  const bytes = Buffer.concat([Buffer.alloc(PREFIX_BYTES + 4), json, padding, filled]);
  bytes.writeUInt32LE(bytes.length - PREFIX_BYTES, 0);
  bytes.writeUInt32LE(json.length + padding.length, PREFIX_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(PREFIX_BYTES)), 4);
  return bytes;
}

/** Reads frames from the start of a file until its end, or until one that is torn or damaged. */
export async function* readFrames(file: FileHandle): AsyncGenerator<ReadFrame> {
  const { size } = await file.stat();
  for (let at = 0; at + PREFIX_BYTES <= size; ) {
    const prefix = await readBytes(file, at, PREFIX_BYTES);
    const length = prefix.readUInt32LE(0);
    const end = at + PREFIX_BYTES + length;
    if (length < 4 || end > size) return;
    const content = await readBytes(file, at + PREFIX_BYTES, length);
    if (crc32(content) !== prefix.readUInt32LE(4)) return;
    yield { ...decodeFrame(content), end };
    at = end;
  }
}

function decodeFrame(content: Buffer): JournalFrame {
  const jsonLength = content.readUInt32LE(0);
  const json = content.toString('utf8', 4, 4 + jsonLength);
  const { rowCount, texts, ...head } = JSON.parse(json) as FrameHead & { rowCount: number; texts: string[] };
  const cells = new Uint32Array(content.buffer, content.byteOffset + 4 + jsonLength, rowCount * ROW_WIDTH);
  return { head: head as FrameHead, texts, rowCount, cells };
}

/** Into memory of its own, so that the cells lie at multiples of four bytes. */
async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error(`the journal ended ${length - filled} bytes early`);
    filled += bytesRead;
  }
  return bytes;
}
