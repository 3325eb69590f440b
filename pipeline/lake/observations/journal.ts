import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { listNames, syncFolders } from '../../effects/files.ts';
import { encodeFrame, type JournalFrame, scanFrames } from './journal-frames.ts';

/** A segment that is open for appending. */
export interface JournalSegment {
  readonly id: number;
  readonly handle: FileHandle;
  /** Valid bytes; anything after them is an unfinished write. */
  length: number;
  /** The number of the next frame. */
  nextIndex: number;
  /** When the previous segment was closed; 0 for the first one. */
  readonly closedAt: number;
}

const ENDING = '.journal';

/** Folder levels to sync, as a new source creates them: source, table and state. */
const STATE_LEVELS = 3;

/**
 * Ids of the segments in a folder, ascending. The last one is open for appending; those before it are complete and wait
 * to be written as Parquet. Each begins with all open observations, so none depends on another.
 */
export async function listSegments(folder: string): Promise<number[]> {
  return (await listNames(folder))
    .filter((name) => /^\d+\.journal$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

/** Creates a segment atomically with all of these frames; from then on the previous one is complete. */
export async function createSegment(
  folder: string,
  id: number,
  closedAt: number,
  frames: Iterable<JournalFrame>,
): Promise<JournalSegment> {
  await mkdir(folder, { recursive: true });
  const file = segmentFile(folder, id);
  const aside = `${file}.tmp`;
  const handle = await open(aside, 'w+');
  try {
    const segment: JournalSegment = { id, handle, length: 0, nextIndex: 0, closedAt };
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

/** Appends a frame; it survives a crash once this returns. After an error the segment must be opened again. */
export async function appendFrame(segment: JournalSegment, frame: JournalFrame): Promise<void> {
  await writeFrame(segment, frame);
  await segment.handle.datasync();
}

type OpenedSegment =
  | { readonly kind: 'open'; readonly segment: JournalSegment; readonly tornBytes: number }
  /** Not a journal, or with bytes outside of its frames: see `rescueSegment`. */
  | { readonly kind: 'damaged' };

/**
 * Opens a segment for appending; an unfinished frame at its end is cut off.
 * @param onFrame receives every frame in order, and whether frames before it are missing; also before damage is found
 * @returns also the number of bytes cut off
 */
export async function openSegment(
  folder: string,
  id: number,
  onFrame: (frame: JournalFrame, isAfterGap: boolean) => Promise<void>,
): Promise<OpenedSegment> {
  const handle = await open(segmentFile(folder, id), 'r+');
  try {
    const segment = await readAll(handle, id, onFrame);
    if (segment === null) {
      await handle.close();
      return { kind: 'damaged' };
    }
    const tornBytes = (await handle.stat()).size - segment.length;
    if (tornBytes > 0) await handle.truncate(segment.length);
    return { kind: 'open', segment, tornBytes };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function removeSegment(folder: string, id: number): Promise<void> {
  await rm(segmentFile(folder, id), { force: true });
}

/** @returns when the previous segment was closed, which every frame records; null when no frame can be read */
export async function findClosedAt(folder: string, id: number): Promise<number | null> {
  const handle = await open(segmentFile(folder, id), 'r');
  try {
    for await (const found of scanFrames(handle)) if ('place' in found) return found.place.closedAt;
    return null;
  } finally {
    await handle.close();
  }
}

/** @returns null for a damaged segment, or one without a frame */
async function readAll(
  handle: FileHandle,
  id: number,
  onFrame: (frame: JournalFrame, isAfterGap: boolean) => Promise<void>,
): Promise<JournalSegment | null> {
  let segment: JournalSegment | null = null;
  for await (const found of scanFrames(handle)) {
    if (!('place' in found)) {
      if (!found.isTornEnd) return null;
      continue;
    }
    const { place, end } = found;
    const expected: number = segment?.nextIndex ?? 0;
    if (place.segment !== id || place.index < expected) return null;
    await onFrame(found, place.index > expected);
    segment = { id, handle, length: end, nextIndex: place.index + 1, closedAt: place.closedAt };
  }
  return segment;
}

async function writeFrame(segment: JournalSegment, frame: JournalFrame): Promise<void> {
  const { id, nextIndex, closedAt } = segment;
  const bytes = encodeFrame(frame, { segment: id, index: nextIndex, closedAt });
  for (let written = 0; written < bytes.length; ) {
    const position = segment.length + written;
    const { bytesWritten } = await segment.handle.write(bytes, written, bytes.length - written, position);
    written += bytesWritten;
  }
  segment.length += bytes.length;
  segment.nextIndex += 1;
}

export function segmentFile(folder: string, id: number): string {
  return path.join(folder, `${formatSegment(id)}${ENDING}`);
}

/** Ten digits, so that names sort like numbers. */
export function formatSegment(id: number): string {
  return String(id).padStart(10, '0');
}
