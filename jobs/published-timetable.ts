import type { TimetableManifest } from '../pipeline/timetable/snapshot/contract.ts';

/**
 * What is known of the timetable that the api serves now.
 * @returns null when none was published yet
 */
export async function findPublishedTimetable(dataDir: string): Promise<TimetableManifest | null> {
  // Loaded late, as it brings the reader of snapshots along, which most commands can do without.
  const { findCurrentTimetableId, readTimetableManifest } = await import(
    '../pipeline/timetable/snapshot/timetable-files.ts'
  );
  const id = await findCurrentTimetableId(dataDir);
  return id === null ? null : readTimetableManifest(dataDir, id);
}
