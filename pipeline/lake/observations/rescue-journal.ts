import { copyFile, type FileHandle, link, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { findJson, listNames, syncFile, syncFolder, writeJsonAtomically } from '../../effects/files.ts';
import type { Log } from '../../effects/log.ts';
import type { SourceId } from '../../model/ids.ts';
import { observationStateFolder } from '../paths.ts';
import { formatSegment, segmentFile } from './journal.ts';
import {
  encodeFrame,
  type FrameHead,
  findForeignVersion,
  JOURNAL_FORMAT_VERSION,
  type JournalFrame,
  readBytes,
  scanFrames,
} from './journal-frames.ts';
import { startFrame } from './ledger-frames.ts';
import { copyRows, createTextTable, numberText, type ObservationRows, ROW_WIDTH } from './observation-rows.ts';

/*
 * Format 1 of the journal, of versions before November 2026: frames without magic, whose rows number the texts of all
 * earlier frames. After damage no row can be read any more, because its texts are unknown.
 */

const FORMAT_1_PREFIX_BYTES = 8;

interface FirstFormat {
  readonly frames: readonly JournalFrame[];
  readonly closedAt: number;
  /** Bytes before the first damaged one, or all. */
  readonly soundBytes: number;
}

/** @returns null for a file without the beginning of a journal of format 1 */
async function readFirstFormat(file: FileHandle): Promise<FirstFormat | null> {
  const { size } = await file.stat();
  const texts = createTextTable();
  const frames: JournalFrame[] = [];
  let closedAt: number | null = null;
  let at = 0;
  while (at + FORMAT_1_PREFIX_BYTES <= size) {
    const prefix = await readBytes(file, at, FORMAT_1_PREFIX_BYTES);
    const length = prefix.readUInt32LE(0);
    const end = at + FORMAT_1_PREFIX_BYTES + length;
    if (length < 4 || end > size) break;
    const content = await readBytes(file, at + FORMAT_1_PREFIX_BYTES, length);
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

/** @param texts of all earlier frames, to which those of this one are added */
function decodeContent(content: Buffer, texts: ObservationRows['texts']) {
  const jsonLength = content.readUInt32LE(0);
  const json = JSON.parse(content.toString('utf8', 4, 4 + jsonLength)) as FirstHead;
  const { rowCount, texts: added, formatVersion, closedAt, ...head } = json;
  for (const text of added) numberText(texts, text);
  const cells = new Uint32Array(content.buffer, content.byteOffset + 4 + jsonLength, rowCount * ROW_WIDTH);
  const own = copyRows({ length: rowCount, texts, cells }, createTextTable());
  const frame = { head: head as FrameHead, texts: own.texts.texts, rowCount, cells: own.cells };
  return { frame, start: head.kind === 'start' ? { formatVersion, closedAt } : null };
}

/** Result of the rescue of a damaged journal, stored beside it. */
export interface DamagedJournal {
  readonly segment: number;
  /** Name of the damaged file, which stays in the folder of the source until the operator removes it. */
  readonly keptAs: string;
  readonly savedFrames: number;
  readonly savedBytes: number;
  /** Bytes outside of frames, or of frames that belong elsewhere. */
  readonly lostBytes: number;
  /** Frames missing before a saved one; those after the last saved one cannot be counted. */
  readonly lostFrames: number;
}

/** Closing time of the previous segment, for a segment without a saved frame: everything open is closed there. */
const CLOSED_BY_LOSS = 0xffff_ffff;

const ENDING = '.damaged';
const PIECE_BYTES = 1 << 20;

/**
 * Replaces a damaged segment by one with all of its intact frames, and keeps the damaged file beside it under a name
 * with its checksum. A crash at any step leaves the damaged file in place, and the rescue is repeated. A journal of an
 * older format is rewritten in the same way.
 * @throws ExternalError `journal_unreadable` for a journal of a newer format; the system error of the disk
 */
export async function rescueSegment(folder: string, id: number, log: Log): Promise<void> {
  const file = segmentFile(folder, id);
  const handle = await open(file, 'r');
  try {
    const { pieces, ...saved } = (await saveFirstFormat(handle, id)) ?? (await saveFrames(handle, file, id));
    const aside = `${file}.tmp`;
    const savedBytes = await writeAside(aside, pieces, id);
    if (saved.lostBytes > 0 || pieces.length === 0) {
      await keepDamaged(folder, handle, { segment: id, ...saved, savedFrames: pieces.length, savedBytes }, log);
    }
    await rename(aside, file);
    await syncFolder(folder);
  } finally {
    await handle.close();
  }
}

/** Whether a segment was damaged: then its rows in the lake are more than those that could be written again. */
export async function isRescued(folder: string, id: number): Promise<boolean> {
  return (await listNames(folder)).some((name) => name.startsWith(`${formatSegment(id)}-`) && name.endsWith(ENDING));
}

/** The damaged journals kept for a source, oldest first. */
export async function listDamagedJournals(dataDir: string, source: SourceId): Promise<DamagedJournal[]> {
  const folder = observationStateFolder(dataDir, source);
  const names = (await listNames(folder)).filter((name) => name.endsWith(ENDING)).sort();
  const found = await Promise.all(names.map((name) => findJson<DamagedJournal>(path.join(folder, `${name}.json`))));
  return found.filter((one) => typeof one?.keptAs === 'string') as DamagedJournal[];
}

interface SavedFrames extends Pick<DamagedJournal, 'lostBytes' | 'lostFrames'> {
  /** Readers of the bytes of each frame for the new file. */
  readonly pieces: readonly (() => Promise<Buffer>)[];
}

/** @returns null for a file of no older format */
async function saveFirstFormat(handle: FileHandle, id: number): Promise<SavedFrames | null> {
  const first = await readFirstFormat(handle);
  if (!first) return null;
  const { frames, closedAt, soundBytes } = first;
  const pieces = frames.map((frame, index) => async () => encodeFrame(frame, { segment: id, index, closedAt }));
  return { pieces, lostBytes: (await handle.stat()).size - soundBytes, lostFrames: 0 };
}

async function saveFrames(handle: FileHandle, file: string, id: number): Promise<SavedFrames> {
  const version = await findForeignVersion(handle);
  if (version !== null) {
    const formats = `format ${version}, and this version reads formats up to ${JOURNAL_FORMAT_VERSION}`;
    throw new ExternalError('journal_unreadable', `${file} is of ${formats}`);
  }
  const places = await listFrames(handle, id);
  const savedBytes = places.reduce((sum, { at, end }) => sum + end - at, 0);
  return {
    pieces: places.map(
      ({ at, end }) =>
        () =>
          readBytes(handle, at, end - at),
    ),
    lostBytes: (await handle.stat()).size - savedBytes,
    lostFrames: (places.at(-1)?.index ?? -1) + 1 - places.length,
  };
}

/** Every frame of the segment once, in writing order, wherever it is in the file. */
async function listFrames(handle: FileHandle, id: number) {
  const byIndex = new Map<number, { readonly index: number; readonly at: number; readonly end: number }>();
  for await (const found of scanFrames(handle)) {
    if (!('place' in found) || found.place.segment !== id) continue;
    const { at, end, place } = found;
    if (!byIndex.has(place.index)) byIndex.set(place.index, { index: place.index, at, end });
  }
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}

/** @returns number of frame bytes; without a saved frame the file gets a start frame */
async function writeAside(aside: string, pieces: SavedFrames['pieces'], id: number): Promise<number> {
  const handle = await open(aside, 'w');
  let bytes = 0;
  try {
    const start = encodeFrame(startFrame([]), { segment: id, index: 0, closedAt: CLOSED_BY_LOSS });
    if (pieces.length === 0) await handle.appendFile(start);
    for (const read of pieces) {
      const piece = await read();
      await handle.appendFile(piece);
      bytes += piece.length;
    }
    await handle.sync();
    return bytes;
  } finally {
    await handle.close();
  }
}

async function keepDamaged(
  folder: string,
  handle: FileHandle,
  facts: Omit<DamagedJournal, 'keptAs'>,
  log: Log,
): Promise<void> {
  const keptAs = `${formatSegment(facts.segment)}-${await hashContent(handle)}${ENDING}`;
  await linkOrCopy(segmentFile(folder, facts.segment), path.join(folder, keptAs));
  const damaged: DamagedJournal = { ...facts, keptAs };
  await writeJsonAtomically(path.join(folder, `${keptAs}.json`), damaged);
  log.warn(`${folder}: ${describeDamaged(damaged)}`);
}

/** One sentence for the log and for `taktgeber status`. */
export function describeDamaged({ keptAs, savedFrames, savedBytes, lostBytes, lostFrames }: DamagedJournal): string {
  const lost =
    lostFrames > 0 ? `${lostBytes} bytes and at least ${lostFrames} answers are lost` : `${lostBytes} bytes are lost`;
  return `a damaged journal was moved to ${keptAs}; recovered ${savedFrames} frames (${savedBytes} bytes), ${lost}`;
}

/** The same content has the same name, so an existing link is the same file. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return;
    if (isSystemError(error, 'ENOSPC')) throw error;
    // The file system does not support links.
    await copyFile(from, `${to}.tmp`);
    await syncFile(`${to}.tmp`);
    await rename(`${to}.tmp`, to);
  }
}

async function hashContent(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat();
  let hash = 0;
  for (let at = 0; at < size; at += PIECE_BYTES) {
    hash = crc32(await readBytes(handle, at, Math.min(PIECE_BYTES, size - at)), hash);
  }
  return hash.toString(16).padStart(8, '0');
}
