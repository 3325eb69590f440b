import path from 'node:path';
import { findJson, writeJsonAtomically } from '../../effects/files.ts';
import type { FeedVersion, SourceId } from '../../model/ids.ts';

/** Validators of an answer, for the next conditional request. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A change of the feed that the server had hidden: it kept answering that nothing was modified. */
export interface HiddenChange {
  /** When a request without conditions showed it; ISO 8601 UTC. */
  readonly foundAt: string;
  /** The full answer before. */
  readonly since: string;
  /** Answers 304 in between. */
  readonly notModified: number;
}

/** What the server of a feed answered last. */
export interface FetchState {
  /** As in the facts of the raw file: the state of another location counts as absent. */
  readonly location: string;
  /** Content of the last full answer. */
  readonly version: FeedVersion;
  /** When it came; ISO 8601 UTC. */
  readonly fullAt: string;
  readonly validators: Validators;
  /** Answers 304 since then. */
  readonly notModified: number;
  /** The last one found, of the same location. */
  readonly hiddenChange: HiddenChange | null;
}

/** @returns null before the first full answer; also in a working copy of the object store, which does not hold it */
export async function readFetchState(dataDir: string, source: SourceId): Promise<FetchState | null> {
  return findJson<FetchState>(stateFile(dataDir, source));
}

export async function writeFetchState(dataDir: string, source: SourceId, state: FetchState): Promise<void> {
  await writeJsonAtomically(stateFile(dataDir, source), state);
}

/** One sentence, without its end. */
export function describeHiddenChange({ since, notModified }: HiddenChange): string {
  const times = notModified === 1 ? 'once' : `${notModified} times`;
  return `the feed has changed, although its server answered "not modified" ${times} since ${since}`;
}

function stateFile(dataDir: string, source: SourceId): string {
  return path.join(dataDir, 'state', 'feeds', `${source}.json`);
}
