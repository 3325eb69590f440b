import path from 'node:path';
import { findJson, writeJsonAtomically } from '../effects/files.ts';
import { type Instant, parseTimestamp } from '../model/service-time.ts';

/** What is dropped by its age. */
type DroppedByAge = 'raw-answers' | 'old-days';

/**
 * The moment from which the age of what is to be dropped counts: now, but at most so far ahead of the run before. A
 * clock that jumps a year ahead would else drop in one run all that was ever kept; so it drops a step's worth. After a
 * pause of the service the ages catch up step by step, and a clock that was set back is followed at once.
 * @param longestStepSeconds somewhat more than lies between two runs
 */
export async function findDeletionMoment(
  dataDir: string,
  what: DroppedByAge,
  longestStepSeconds: number,
  now: Instant,
): Promise<Instant> {
  const record = await findJson<{ readonly at?: unknown }>(momentFile(dataDir, what));
  const before = typeof record?.at === 'string' ? parseTimestamp(record.at) : null;
  return before === null ? now : (Math.min(now, before + longestStepSeconds) as Instant);
}

/** To be called once all is dropped that was too old at that moment. */
export async function noteDeletionMoment(dataDir: string, what: DroppedByAge, moment: Instant): Promise<void> {
  await writeJsonAtomically(momentFile(dataDir, what), { at: new Date(moment * 1000).toISOString() });
}

function momentFile(dataDir: string, what: DroppedByAge): string {
  return path.join(dataDir, 'state', 'deletions', `${what}.json`);
}
