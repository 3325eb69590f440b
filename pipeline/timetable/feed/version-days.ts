import type { SourceId } from '../../model/ids.ts';
import { addDays, type Instant, localDate, type ServiceDate, serviceDayStart } from '../../model/service-time.ts';
import type { FeedManifest } from './feed-manifest.ts';

/** A version of a source and the service dates on which it counts, both included. */
export interface ServedVersion {
  readonly manifest: FeedManifest;
  /** Null: all of its days up to `until`. */
  readonly from: ServiceDate | null;
  /** Null: all of its days from `from` on. */
  readonly until: ServiceDate | null;
}

/** Late vehicles may still be under way when all trips have ended by schedule. */
const STILL_RUNNING_SECONDS = 6 * 3600;

/**
 * Adds the newly offered version to the published ones. An offered version that is among them already withdraws all
 * released after it; one that begins no later than another takes all of that one's days.
 * @param published in the order in which they were released
 * @returns the same order; the offered version is the last
 */
export function addVersion(published: readonly FeedManifest[], offered: FeedManifest): FeedManifest[] {
  const known = published.findIndex(({ feedVersion }) => feedVersion === offered.feedVersion);
  const before = known < 0 ? published : published.slice(0, known);
  return keepOutstanding([...before, offered]);
}

/** Versions with days of their own: of two, the later released counts from its first day on. */
function keepOutstanding(versions: readonly FeedManifest[]): FeedManifest[] {
  const kept: FeedManifest[] = [];
  for (const version of versions) {
    while (kept.length > 0 && beginOf(kept.at(-1)!) >= beginOf(version)) kept.pop();
    kept.push(version);
  }
  return kept;
}

/** A version without trips on its days has no begin, and takes no days. */
function beginOf({ beginDate }: FeedManifest): string {
  return beginDate ?? '9999-12-31';
}

/** Without versions whose successor is in force, once their last trips, late ones included, have ended. */
export function dropEnded(versions: readonly FeedManifest[], now: Instant): FeedManifest[] {
  return versions.filter((version, i) => {
    const next = versions[i + 1];
    if (next?.beginDate == null) return true;
    // Until the day before the successor, even one without trips: an expired version serves through the gap.
    const lastDay = serviceDayStart(addDays(next.beginDate, -1), version.timeZone);
    return now < lastDay + version.lastCallSeconds + STILL_RUNNING_SECONDS;
  });
}

/** Assigns the days of a source's versions: the later released counts from its first day on. */
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

/** @returns index of the version in force: the last whose first day has come in its zone, else the first */
export function findInForce(versions: readonly Pick<FeedManifest, 'beginDate' | 'timeZone'>[], now: Instant): number {
  const begun = versions.findLastIndex(
    ({ beginDate, timeZone }) => beginDate !== null && beginDate <= localDate(now, timeZone),
  );
  return Math.max(0, begun);
}

/** A source of a snapshot. */
export interface ServedSource {
  readonly sourceId: SourceId;
  /** At least one, in the order in which they were released. */
  readonly versions: readonly ServedVersion[];
  /** The version in force: its facts of stops hold where several versions have a stop. */
  readonly inForce: ServedVersion;
}

/** @param versions at least one, of one source */
export function serveVersions(versions: readonly FeedManifest[], now: Instant): ServedSource {
  const served = divideDays(versions);
  const inForce =
    served[
      findInForce(
        served.map(({ manifest }) => manifest),
        now,
      )
    ]!;
  return { sourceId: inForce.manifest.sourceId, versions: served, inForce };
}
