import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The variable of the environment that names the folder of a run, the same for all of its workers. */
export const RUN_FOLDER = 'TAKTGEBER_TESTS_RUN_FOLDER';

/** What all tests together ever hold, and as much again. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Gives a run of tests a separate folder, in memory where the system offers one there, with room: a third of their time
 * is waiting for a disk to be sure. What they check are processes that die, not machines that do.
 */
export default function useMemoryFolder(): () => void {
  const place = '/dev/shm';
  if (!hasRoom(place)) return useRunFolder(tmpdir());
  const remove = useRunFolder(place);
  process.env.TMPDIR = process.env[RUN_FOLDER];
  return remove;
}

/** Gives a test run a separate folder below a parent folder. */
export function useRunFolder(place: string): () => void {
  const folder = mkdtempSync(path.join(place, 'taktgeber-tests-'));
  process.env[RUN_FOLDER] = folder;
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
