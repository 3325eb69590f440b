import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import process from 'node:process';

/** What all tests together ever hold, and as much again. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Lets tests write into memory where the system offers a folder in it, with room: a third of their time is waiting for a
 * disk to be sure. What they check are processes that die, not machines that do.
 */
export default function useMemoryFolder(): (() => void) | undefined {
  const place = '/dev/shm';
  if (!hasRoom(place)) return undefined;
  const folder = mkdtempSync(`${place}/taktgeber-tests-`);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    // Not on this system.
    return false;
  }
}
