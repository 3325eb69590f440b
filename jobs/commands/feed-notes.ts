import type { Config } from '../../pipeline/config/load-config.ts';
import type { RejectedFeed } from '../../pipeline/lake/rejected-feeds.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { TimetableManifest } from '../../pipeline/snapshots/timetable-contract.ts';
import { listFeedManifests } from '../../pipeline/timetable/feed/feed-manifest.ts';
import { describeHiddenChange, type HiddenChange, readFetchState } from '../../pipeline/timetable/feed/fetch-state.ts';
import type { OnDemandService } from '../../pipeline/timetable/feed/on-demand.ts';

/** Notes about a source besides its published tables. */
export interface FeedNotes {
  readonly sourceId: SourceId;
  /** Whether any version of it was ever usable. */
  readonly isLoaded: boolean;
  /** Folder of the archive that was read; null for the top level. */
  readonly feedFolder: string | null;
  /** By route. */
  readonly onDemand: readonly OnDemandService[];
  readonly hiddenChange: HiddenChange | null;
}

/** Notes on the sources that are published or configured. */
export async function findFeedNotes(config: Config, published: TimetableManifest | null): Promise<FeedNotes[]> {
  const versions = new Map(published?.sources.map(({ sourceId, feedVersion }) => [sourceId, feedVersion]));
  const ids = new Set([...versions.keys(), ...config.sources.map(({ id }) => id)]);
  return Promise.all(
    [...ids].map(async (sourceId) => {
      const manifests = await listFeedManifests(config.dataDir, sourceId);
      const inForce = manifests.find(({ feedVersion }) => feedVersion === versions.get(sourceId)) ?? manifests.at(-1);
      const state = await readFetchState(config.dataDir, { id: sourceId });
      return {
        sourceId,
        isLoaded: inForce !== undefined,
        feedFolder: inForce?.feedFolder ?? null,
        onDemand: inForce?.onDemand ?? [],
        hiddenChange: state?.hiddenChange ?? null,
      };
    }),
  );
}

export function renderFeed({ sourceId, isLoaded, feedFolder, onDemand, hiddenChange }: FeedNotes): string[] {
  const about = `Source ${sourceId}:`;
  return [
    ...(isLoaded ? [] : [`${about} configured, but never loaded`]),
    ...(feedFolder === null ? [] : [`${about} read from ${feedFolder} in its archive`]),
    ...(hiddenChange === null
      ? []
      : [`${about} WARNING: ${describeHiddenChange(hiddenChange)}; found ${hiddenChange.foundAt}`]),
    ...onDemand.map((service) => `${about} on-demand service: ${describeService(service)}`),
  ];
}

function describeService({ line, trips, calls, places, placeCount, phone, url }: OnDemandService): string {
  const more = placeCount > places.length ? ` and ${placeCount - places.length} more` : '';
  const contact = [phone, url].filter((one) => one !== null).join(', ');
  const counts = `${trips} trips, ${calls} calls`;
  return `${line} (${counts}) in ${places.join(', ')}${more}${contact === '' ? '' : `; ${contact}`}`;
}

export function renderRejected({ source, code, reason, fetchedAt, bytes, file }: RejectedFeed): string {
  const kept = file === null ? 'not kept' : `kept as ${file}`;
  return `Source ${source}: rejected what was fetched ${fetchedAt} (${code}: ${reason}); ${bytes} bytes, ${kept}`;
}
