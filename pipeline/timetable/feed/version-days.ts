import type { SourceId } from '../../model/ids.ts';
import { addDays, type Instant, localDate, type ServiceDate, serviceDayStart } from '../../model/service-time.ts';
import type { FeedManifest } from './feed-manifest.ts';

/** A version of a source and its first and last service date. */
export interface ServedVersion {
  readonly manifest: FeedManifest;
  /** Null: no lower bound. */
  readonly from: ServiceDate | null;
  /** Null: no upper bound. */
  readonly until: ServiceDate | null;
}

/** Allowance for late vehicles after the last scheduled arrival. */
const STILL_RUNNING_SECONDS = 6 * 3600;

/**
 * Adds a newly offered version to the published ones. A version that is already published withdraws all released after
 * it; one that begins no later than another replaces it on all of its days.
 * @param published in the order in which they were released
 * @returns the same order; the offered version is the last
 */
export function addVersion(published: readonly FeedManifest[], offered: FeedManifest): FeedManifest[] {
  const known = published.findIndex(({ feedVersion }) => feedVersion === offered.feedVersion);
  const before = known < 0 ? published : published.slice(0, known);
  return keepOutstanding([...before, offered]);
}

/** Drops versions without days: of two versions, the later release applies from its first day on. */
function keepOutstanding(versions: readonly FeedManifest[]): FeedManifest[] {
  const kept: FeedManifest[] = [];
  for (const version of versions) {
    while (kept.length > 0 && beginOf(kept.at(-1)!) >= beginOf(version)) kept.pop();
    kept.push(version);
  }
  return kept;
}

/** A version without trips has no first day and replaces nothing. */
function beginOf({ beginDate }: FeedManifest): string {
  return beginDate ?? '9999-12-31';
}

/** Drops versions whose successor is in force, once their last trips, including late ones, have ended. */
export function dropEnded(versions: readonly FeedManifest[], now: Instant): FeedManifest[] {
  return versions.filter((version, i) => {
    const next = versions[i + 1];
    if (next?.beginDate == null) return true;
    // Until the day before its successor, even without trips: an expired version covers the gap.
    const lastDay = serviceDayStart(addDays(next.beginDate, -1), version.timeZone);
    return now < lastDay + version.lastCallSeconds + STILL_RUNNING_SECONDS;
  });
}

/** Assigns days to a source's versions: a later release applies from its first day on. */
export function divideDays(versions: readonly FeedManifest[]): ServedVersion[] {
  const outstanding = keepOutstanding(versions);
  return outstanding.map((manifest, i) => {
    const nextBegin = outstanding[i + 1]?.beginDate;
    return {
      manifest,
      from: i === 0 ? null : manifest.beginDate,
      until: nextBegin == null ? null : addDays(nextBegin, -1),
    };
  });
}

/** @returns index of the version in force: the last whose first day has begun in its zone, else the first */
export function findInForce(versions: readonly Pick<FeedManifest, 'beginDate' | 'timeZone'>[], now: Instant): number {
  const begun = versions.findLastIndex(
    ({ beginDate, timeZone }) => beginDate !== null && beginDate <= localDate(now, timeZone),
  );
  return Math.max(0, begun);
}

/** A source of a snapshot. */
export interface ServedSource {
  readonly sourceId: SourceId;
  /** At least one, in order of release. */
  readonly versions: readonly ServedVersion[];
  /** The version in force, which describes the stops that several versions have. */
  readonly inForce: ServedVersion;
}

/**
 * @param versions at least one, of one source
 * @param rules `stopAfterValidity`: no version is served beyond the validity that its publisher states in feed_info
 */
export function serveVersions(
  versions: readonly FeedManifest[],
  now: Instant,
  { stopAfterValidity = false }: { readonly stopAfterValidity?: boolean } = {},
): ServedSource {
  const divided = divideDays(versions);
  const served = stopAfterValidity ? divided.map(limitToValidity) : divided;
  const inForce =
    served[
      findInForce(
        served.map(({ manifest }) => manifest),
        now,
      )
    ]!;
  return { sourceId: inForce.manifest.sourceId, versions: served, inForce };
}

function limitToValidity(version: ServedVersion): ServedVersion {
  const { until, manifest } = version;
  return { ...version, until: earlier(until, manifest.feedEndDate) };
}

function earlier(one: ServiceDate | null, other: ServiceDate | null): ServiceDate | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Last service date of a source; null without any. */
export function findLastDay({ versions }: ServedSource): ServiceDate | null {
  const days = versions.flatMap(({ manifest, until }) => earlier(manifest.endDate, until) ?? []);
  return days.sort().at(-1) ?? null;
}

/** Whether all service dates of a source are past, each in the zone of its version. */
export function isOver(source: ServedSource, now: Instant): boolean {
  const lastDay = findLastDay(source);
  return lastDay !== null && source.versions.every(({ manifest }) => lastDay < localDate(now, manifest.timeZone));
}
