import { rm } from 'node:fs/promises';
import path from 'node:path';
import { findJson, isThere, writeJsonAtomically } from '../../effects/files.ts';
import type { SourceId } from '../../model/ids.ts';
import { observationStateFolder } from '../paths.ts';
import { listSegments } from './journal.ts';
import { findNewestSegment } from './partition-files.ts';

/** The first numbers of a reservation are those of segments that are older than it. A week of flushes. */
export const OLDER_NUMBERS = 1000;

/** Numbers that no other machine uses. */
export interface SegmentReservation {
  readonly base: number;
  /** The number after the last one. */
  readonly reserved: number;
}

interface Note extends SegmentReservation {
  /** Segments older than `base`, in the order in which they got the numbers from `base` on. */
  readonly older: readonly number[];
}

/** As versions before December 2026 noted it: the newest segment of all machines at the start of the poller. */
interface FormerNote {
  readonly segment: number;
}

export async function noteReservation(
  dataDir: string,
  source: SourceId,
  { base, reserved }: SegmentReservation,
): Promise<void> {
  await writeJsonAtomically(noteFile(dataDir, source), { base, reserved, older: [] } satisfies Note);
}

/** @returns null where this machine has reserved no numbers */
export async function findReservation(dataDir: string, source: SourceId): Promise<SegmentReservation | null> {
  const note = await readNote(dataDir, source);
  return 'base' in note ? note : null;
}

/**
 * Notes that the store could not be asked at the start: another machine may have polled since, so nothing is written to
 * the lake under the numbers that this one has.
 */
export async function noteReservationDue(dataDir: string, source: SourceId): Promise<void> {
  await writeJsonAtomically(dueFile(dataDir, source), {});
}

/** Numbers of this machine are its own, or there is no store. */
export async function settleReservation(dataDir: string, source: SourceId): Promise<void> {
  await rm(dueFile(dataDir, source), { force: true });
}

export function isReservationDue(dataDir: string, source: SourceId): Promise<boolean> {
  return isThere(dueFile(dataDir, source));
}

/**
 * The number of the segment that follows.
 * @param here the newest segment of this machine
 */
export async function findNextSegment(dataDir: string, source: SourceId, here: number): Promise<number> {
  const note = await readNote(dataDir, source);
  if ('base' in note) return Math.max(here + 1, note.base + OLDER_NUMBERS);
  return note.segment > here ? note.segment + OLDER_NUMBERS : here + 1;
}

/**
 * The numbers under which segments of this machine are written to the lake. One that is older than the reservation gets
 * one of it: another machine may have compacted the day since, and that file would cover the old number. Asked again, also
 * after a crash, the numbers are the same.
 */
export async function numberInLake(
  dataDir: string,
  source: SourceId,
  segments: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const note = await readNote(dataDir, source);
  if (!('base' in note)) return new Map(segments.map((segment) => [segment, segment]));
  const { base } = note;
  const older = [...new Set([...note.older, ...segments.filter((segment) => segment < base)])];
  if (older.length > OLDER_NUMBERS) throw new Error(`${older.length} segments of ${source} are older than ${base}`);
  if (older.length > note.older.length)
    await writeJsonAtomically(noteFile(dataDir, source), { ...note, older } satisfies Note);
  return new Map(segments.map((segment) => [segment, segment < base ? base + older.indexOf(segment) : segment]));
}

/** The newest segment that this machine has in its journal, or in its lake; 0: none. */
export async function findNewestHere(dataDir: string, source: SourceId): Promise<number> {
  const inJournal = (await listSegments(observationStateFolder(dataDir, source))).at(-1) ?? 0;
  return Math.max(inJournal, await findNewestSegment(dataDir, source));
}

async function readNote(dataDir: string, source: SourceId): Promise<Note | FormerNote> {
  return (await findJson<Note | FormerNote>(noteFile(dataDir, source))) ?? { segment: 0 };
}

function noteFile(dataDir: string, source: SourceId): string {
  return path.join(observationStateFolder(dataDir, source), 'newest-in-store.json');
}

function dueFile(dataDir: string, source: SourceId): string {
  return path.join(observationStateFolder(dataDir, source), 'reservation-due.json');
}
