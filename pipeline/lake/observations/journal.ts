import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { listNames, syncFolders } from '../../effects/files.ts';
import { WorldError } from '../../effects/world-error.ts';
import { encodeFrame, type FrameHead, type JournalFrame, readFrames, type StartHead } from './journal-frames.ts';

/** To be raised with every change of what a frame holds. */
export const JOURNAL_FORMAT_VERSION = 1;

/** A segment that is open for appending. */
export interface JournalSegment {
  readonly id: number;
  readonly handle: FileHandle;
  /** Bytes that count; what may lie behind them was never finished. */
  length: number;
  /** Texts of all its frames. */
  textCount: number;
}

const ENDING = '.journal';

/** Source, table and state: a new source makes them all. */
const STATE_LEVELS = 3;

/**
 * Ids of the segments in a folder, ascending. The last one takes what comes; those before it are complete and wait to
 * become Parquet. Each begins with all that was open, so none needs another one.
 */
export async function listSegments(folder: string): Promise<number[]> {
  return (await listNames(folder))
    .filter((name) => /^\d+\.journal$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

/** Begins a segment: once it is there, it is there with all of these frames, and the one before it is complete. */
export async function createSegment(
  folder: string,
  id: number,
  frames: Iterable<JournalFrame>,
): Promise<JournalSegment> {
  await mkdir(folder, { recursive: true });
  const file = segmentFile(folder, id);
  const aside = `${file}.tmp`;
  const handle = await open(aside, 'w+');
  try {
    const segment: JournalSegment = { id, handle, length: 0, textCount: 0 };
    for (const frame of frames) await writeFrame(segment, frame);
    await handle.sync();
    await rename(aside, file);
    await syncFolders(folder, STATE_LEVELS);
    return segment;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Adds a frame; it outlives a crash once this returns. After an error the segment must be opened anew. */
export async function appendFrame(segment: JournalSegment, frame: JournalFrame): Promise<void> {
  await writeFrame(segment, frame);
  await segment.handle.datasync();
}

/**
 * Opens a segment for appending; a frame at its end that was never finished is cut off.
 * @param onFrame receives every frame in order
 * @returns also the bytes that were cut off
 * @throws WorldError `journal_unreadable`
 */
export async function openSegment(
  folder: string,
  id: number,
  onFrame: (frame: JournalFrame) => Promise<void>,
): Promise<{ segment: JournalSegment; tornBytes: number }> {
  const handle = await open(segmentFile(folder, id), 'r+');
  try {
    const segment: JournalSegment = { id, handle, length: 0, textCount: 0 };
    await readAll(segment, segmentFile(folder, id), onFrame);
    const tornBytes = (await handle.stat()).size - segment.length;
    if (tornBytes > 0) await handle.truncate(segment.length);
    return { segment, tornBytes };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function removeSegment(folder: string, id: number): Promise<void> {
  await rm(segmentFile(folder, id), { force: true });
}

/** @returns the first frame of a segment, which says when the segment before was closed */
export async function readStart(folder: string, id: number): Promise<StartHead> {
  const file = segmentFile(folder, id);
  const handle = await open(file, 'r');
  try {
    for await (const { head } of readFrames(handle)) return assertStart(head, file);
    throw noJournal(file);
  } finally {
    await handle.close();
  }
}

async function readAll(
  segment: JournalSegment,
  file: string,
  onFrame: (frame: JournalFrame) => Promise<void>,
): Promise<void> {
  for await (const frame of readFrames(segment.handle)) {
    if (segment.length === 0) assertStart(frame.head, file);
    await onFrame(frame);
    segment.length = frame.end;
    segment.textCount += frame.texts.length;
  }
  if (segment.length === 0) throw noJournal(file);
}

function assertStart(head: FrameHead, file: string): StartHead {
  if (head.kind !== 'start') throw noJournal(file);
  if (head.formatVersion === JOURNAL_FORMAT_VERSION) return head;
  throw new WorldError(
    'journal_unreadable',
    `${file} is of format ${head.formatVersion}, and this version reads format ${JOURNAL_FORMAT_VERSION} only`,
  );
}

function noJournal(file: string): WorldError {
  return new WorldError('journal_unreadable', `${file} is no journal of sightings, or a damaged one; move it away`);
}

async function writeFrame(segment: JournalSegment, frame: JournalFrame): Promise<void> {
  const bytes = encodeFrame(frame);
  for (let written = 0; written < bytes.length; ) {
    const position = segment.length + written;
    const { bytesWritten } = await segment.handle.write(bytes, written, bytes.length - written, position);
    written += bytesWritten;
  }
  segment.length += bytes.length;
  segment.textCount += frame.texts.length;
}

function segmentFile(folder: string, id: number): string {
  return path.join(folder, `${formatSegment(id)}${ENDING}`);
}

/** Ten digits, so that names sort as numbers do. */
export function formatSegment(id: number): string {
  return String(id).padStart(10, '0');
}
