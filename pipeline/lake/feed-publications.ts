import path from 'node:path';
import { findJson, writeJsonAtomically } from '../effects/files.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import { feedManifestFolder } from './paths.ts';

/** Versions of a source that were published together: the one in force, and those that wait for their first day. */
export interface Publication {
  /** ISO 8601 UTC. */
  readonly publishedAt: string;
  /** In the order in which their publisher released them; see `divideDays` for the days on which each counts. */
  readonly versions: readonly FeedVersion[];
}

/** A version that was read and not published, because the timetable would have shrunk. */
export interface KeptAside {
  readonly feedVersion: FeedVersion;
  /** ISO 8601 UTC. */
  readonly keptAsideAt: string;
  /** One sentence. */
  readonly reason: string;
}

/** What became of the versions of a source, by the lake's own record. */
export interface FeedPublications {
  /** Each differs from the one before; the last is what is published now. */
  readonly publications: readonly Publication[];
  /** The newest version, where it was kept aside. */
  readonly keptAside: KeptAside | null;
}

/** @returns without any publication where the lake has no record, as before the first ingest */
export async function readFeedPublications(dataDir: string, source: SourceId): Promise<FeedPublications> {
  const record = await findJson<FeedPublications>(publicationsFile(dataDir, source));
  return record ?? { publications: [], keptAside: null };
}

/**
 * Notes what is published now, and which version is kept aside; equal facts change no file.
 * @param now without `keptAside`, that stays as it is
 */
export async function writeFeedPublications(
  dataDir: string,
  source: SourceId,
  now: {
    readonly publishedAt: string;
    readonly versions: readonly FeedVersion[];
    readonly keptAside?: KeptAside | null;
  },
): Promise<void> {
  const before = await readFeedPublications(dataDir, source);
  const { publishedAt, versions } = now;
  const isSame = before.publications.at(-1)?.versions.join() === versions.join();
  const isSameAside = now.keptAside === undefined || before.keptAside?.feedVersion === now.keptAside?.feedVersion;
  if (isSame && isSameAside) return;
  await writeJsonAtomically(publicationsFile(dataDir, source), {
    publications: isSame ? before.publications : [...before.publications, { publishedAt, versions }],
    keptAside: isSameAside ? before.keptAside : (now.keptAside ?? null),
  });
}

function publicationsFile(dataDir: string, source: SourceId): string {
  return path.join(feedManifestFolder(dataDir, source), 'publications.json');
}
