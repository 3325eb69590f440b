import { findJson, writeJsonAtomically } from '../effects/files.ts';
import type { TableReport } from '../model/feed-report.ts';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';
import { feedManifestFile } from './paths.ts';
import type { RawFacts } from './raw-store.ts';

/** What is known of one published version of a timetable: where it came from, what came of it, by which rules. */
export interface FeedManifest {
  readonly sourceId: SourceId;
  readonly feedVersion: FeedVersion;
  /** Version of the staging rules; a manifest of other rules is stale. */
  readonly rulesVersion: number;
  readonly ingestedAt: string;
  readonly raw: RawFacts;
  readonly publisherName: string | null;
  readonly publishedVersion: string | null;
  /** As published in feed_info, else the first and last day on which a trip runs. Null when no trip ever runs. */
  readonly beginDate: ServiceDate | null;
  readonly endDate: ServiceDate | null;
  readonly tables: readonly TableReport[];
  /** Rows of each typed table. */
  readonly typedRows: Readonly<Record<string, number>>;
  /** Files of the archive that are no GTFS table. */
  readonly otherFiles: readonly string[];
}

export async function findFeedManifest(
  dataDir: string,
  source: SourceId,
  version: FeedVersion,
): Promise<FeedManifest | null> {
  return findJson<FeedManifest>(feedManifestFile(dataDir, source, version));
}

export async function writeFeedManifest(dataDir: string, manifest: FeedManifest): Promise<void> {
  await writeJsonAtomically(feedManifestFile(dataDir, manifest.sourceId, manifest.feedVersion), manifest);
}
