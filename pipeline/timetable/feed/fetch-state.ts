import path from 'node:path';
import { findJson, writeJsonAtomically } from '../../effects/files.ts';
import type { FeedVersion, SourceId } from '../../model/ids.ts';

/** Validators of an answer, for the next conditional request. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A change of the feed that the server did not report: it kept answering 304. */
export interface HiddenChange {
  /** Time of the unconditional request that revealed it; ISO 8601 UTC. */
  readonly foundAt: string;
  /** Time of the previous full answer. */
  readonly since: string;
  /** Answers 304 in between. */
  readonly notModified: number;
}

/** The latest answers from a feed's server. */
export interface FetchState {
  /** As in the facts of the raw file; the state of another location is ignored. */
  readonly location: string;
  /** Content of the last full answer. */
  readonly version: FeedVersion;
  /** Time of the last full answer; ISO 8601 UTC. */
  readonly fullAt: string;
  readonly validators: Validators;
  /** Answers 304 since then. */
  readonly notModified: number;
  /** The last one found at this location. */
  readonly hiddenChange: HiddenChange | null;
}

/** Whose answers they are: a source, or one of its further addresses. */
interface StateOwner {
  readonly id: SourceId;
  readonly statePart?: string;
}

/** @returns null before the first full answer, and in a working copy of the object store, which does not contain it */
export async function readFetchState(dataDir: string, owner: StateOwner): Promise<FetchState | null> {
  return findJson<FetchState>(stateFile(dataDir, owner));
}

export async function writeFetchState(dataDir: string, owner: StateOwner, state: FetchState): Promise<void> {
  await writeJsonAtomically(stateFile(dataDir, owner), state);
}

/** One sentence, without a full stop. */
export function describeHiddenChange({ since, notModified }: HiddenChange): string {
  const times = notModified === 1 ? 'once' : `${notModified} times`;
  return `the feed has changed, although its server answered "not modified" ${times} since ${since}`;
}

/** Ids of sources have no dot. */
function stateFile(dataDir: string, { id, statePart }: StateOwner): string {
  return path.join(dataDir, 'state', 'feeds', `${id}${statePart === undefined ? '' : `.${statePart}`}.json`);
}
