import path from 'node:path';
import { findJson, writeJsonAtomically } from '../../effects/files.ts';
import { stateFolder } from './local-state.ts';
import { listMarks } from './writing-marks.ts';

/** What of the polled records is in the store. Times are ISO 8601, UTC. */
export interface PolledPublication {
  readonly publishedAt: string | null;
  /** Files that wait for the store; null: not counted yet. */
  readonly waitingFiles: number | null;
  /** Why; null: nothing waits longer than usual. */
  readonly trouble: string | null;
}

/** @returns null where no poller of this folder has published yet */
export function findPolledPublication(dataDir: string): Promise<PolledPublication | null> {
  return findJson<PolledPublication>(publicationFile(dataDir));
}

export function notePolledPublication(dataDir: string, note: PolledPublication): Promise<void> {
  return writeJsonAtomically(publicationFile(dataDir), note);
}

function publicationFile(dataDir: string): string {
  return path.join(stateFolder(dataDir), 'polled.json');
}

/** Names of the jobs of this folder whose results are not in the store, and which no process is at work on. */
export async function listUnpublishedJobs(dataDir: string): Promise<string[]> {
  const waiting = (await listMarks(dataDir)).filter(({ isAtWork }) => !isAtWork);
  return [...new Set(waiting.map(({ job }) => job))].sort();
}
