import path from 'node:path';
import { findJson, writeJsonAtomically } from '../../effects/files.ts';
import type { SourceId } from '../../model/ids.ts';
import { observationStateFolder } from '../paths.ts';

/**
 * Numbers that are left free after the newest segment of another poller: it may have written files that it could not
 * publish yet. A week of flushes.
 */
const GAP = 1000;

interface StoredSegment {
  readonly segment: number;
}

/** Notes the newest segment of a source that reached the object store, from this machine or another one. */
export async function noteStoredSegment(dataDir: string, source: SourceId, segment: number): Promise<void> {
  await writeJsonAtomically(noteFile(dataDir, source), { segment } satisfies StoredSegment);
}

/**
 * The number of the segment that follows.
 * @param here the newest segment of this machine
 * @returns one that no other machine has used, as far as the object store was known at the start
 */
export async function findNextSegment(dataDir: string, source: SourceId, here: number): Promise<number> {
  const { segment = 0 } = (await findJson<StoredSegment>(noteFile(dataDir, source))) ?? {};
  return segment > here ? segment + GAP : here + 1;
}

function noteFile(dataDir: string, source: SourceId): string {
  return path.join(observationStateFolder(dataDir, source), 'newest-in-store.json');
}
