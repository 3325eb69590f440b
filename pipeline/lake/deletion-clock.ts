import path from 'node:path';
import { findJson, writeJsonAtomically } from '../effects/files.ts';
import { type Instant, parseTimestamp } from '../model/service-time.ts';

/** Data that is deleted by age. */
type DroppedByAge = 'raw-answers' | 'old-days' | 'iceberg-snapshots' | 'object-store';

/**
 * The time from which the age of deletable data counts: now, but at most a limited step after the previous run.
 * Otherwise a clock that jumps a year ahead would delete everything in one run; so it deletes a step's worth. After a
 * pause of the service the ages catch up step by step, and a clock that was set back is followed immediately.
 * @param longestStepSeconds somewhat more than the interval between two runs
 */
export async function findDeletionTime(
  dataDir: string,
  what: DroppedByAge,
  longestStepSeconds: number,
  now: Instant,
): Promise<Instant> {
  const record = await findJson<{ readonly at?: unknown }>(deletionTimeFile(dataDir, what));
  const before = typeof record?.at === 'string' ? parseTimestamp(record.at) : null;
  return before === null ? now : (Math.min(now, before + longestStepSeconds) as Instant);
}

/** Called after everything too old at that time was deleted. */
export async function noteDeletionTime(dataDir: string, what: DroppedByAge, instant: Instant): Promise<void> {
  await writeJsonAtomically(deletionTimeFile(dataDir, what), { at: new Date(instant * 1000).toISOString() });
}

function deletionTimeFile(dataDir: string, what: DroppedByAge): string {
  return path.join(dataDir, 'state', 'deletions', `${what}.json`);
}
