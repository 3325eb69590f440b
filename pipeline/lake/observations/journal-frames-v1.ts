import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { copyRows } from './copy-rows.ts';
import { type FrameHead, type JournalFrame, readBytes } from './journal-frames.ts';
import { createTextTable, numberText, ROW_WIDTH, type SightingRows } from './sighting-rows.ts';

/*
 * Format 1 of the journal, of versions before November 2026: frames without magic, whose rows number the texts of all
 * frames before them. Behind a damage no row can be read any more, because its texts are not known.
 */

const PREFIX_BYTES = 8;

export interface FirstFormat {
  readonly frames: readonly JournalFrame[];
  readonly closedAt: number;
  /** Bytes up to the first that is damaged, or to the end. */
  readonly soundBytes: number;
}

/** @returns null for a file that does not begin as a journal of format 1 does */
export async function readFirstFormat(file: FileHandle): Promise<FirstFormat | null> {
  const { size } = await file.stat();
  const texts = createTextTable();
  const frames: JournalFrame[] = [];
  let closedAt: number | null = null;
  let at = 0;
  while (at + PREFIX_BYTES <= size) {
    const prefix = await readBytes(file, at, PREFIX_BYTES);
    const length = prefix.readUInt32LE(0);
    const end = at + PREFIX_BYTES + length;
    if (length < 4 || end > size) break;
    const content = await readBytes(file, at + PREFIX_BYTES, length);
    if (crc32(content) !== prefix.readUInt32LE(4)) break;
    const { frame, start } = decodeContent(content, texts);
    closedAt ??= start?.formatVersion === 1 ? start.closedAt : null;
    if (closedAt === null) return null;
    frames.push(frame);
    at = end;
  }
  return closedAt === null ? null : { frames, closedAt, soundBytes: at };
}

interface FirstHead {
  readonly rowCount: number;
  readonly texts: readonly string[];
  readonly kind: FrameHead['kind'];
  readonly formatVersion: number;
  readonly closedAt: number;
}

/** @param texts of all frames before, to which those of this one are added */
function decodeContent(content: Buffer, texts: SightingRows['texts']) {
  const jsonLength = content.readUInt32LE(0);
  const json = JSON.parse(content.toString('utf8', 4, 4 + jsonLength)) as FirstHead;
  const { rowCount, texts: added, formatVersion, closedAt, ...head } = json;
  for (const text of added) numberText(texts, text);
  const cells = new Uint32Array(content.buffer, content.byteOffset + 4 + jsonLength, rowCount * ROW_WIDTH);
  const own = copyRows({ length: rowCount, texts, cells }, createTextTable());
  const frame = { head: head as FrameHead, texts: own.texts.texts, rowCount, cells: own.cells };
  return { frame, start: head.kind === 'start' ? { formatVersion, closedAt } : null };
}
