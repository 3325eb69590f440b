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

/** Vehicles that are late are still under way when by plan all trips have ended. */
const STILL_RUNNING_SECONDS = 6 * 3600;

/**
 * Adds the version that its publisher offers now to those that are published. One that is among them already withdraws
 * all that came after it; one that begins no later than another takes all of its days.
 * @param published in the order in which they were released
 * @returns the same order; the offered version is the last
 */
export function addVersion(published: readonly FeedManifest[], offered: FeedManifest): FeedManifest[] {
  const known = published.findIndex(({ feedVersion }) => feedVersion === offered.feedVersion);
  const before = known < 0 ? published : published.slice(0, known);
  return keepOutstanding([...before, offered]);
}

/** Versions that have days of their own: of two, the later released counts from its first day on. */
function keepOutstanding(versions: readonly FeedManifest[]): FeedManifest[] {
  const kept: FeedManifest[] = [];
  for (const version of versions) {
    while (kept.length > 0 && beginOf(kept.at(-1)!) >= beginOf(version)) kept.pop();
    kept.push(version);
  }
  return kept;
}

/** A version on whose days no trip runs begins at no time, and takes no days. */
function beginOf({ beginDate }: FeedManifest): string {
  return beginDate ?? '9999-12-31';
}

/** Without the versions whose successor has come into force, once their last trips, late ones too, have ended. */
export function dropEnded(versions: readonly FeedManifest[], now: Instant): FeedManifest[] {
  return versions.filter((version, i) => {
    const next = versions[i + 1];
    if (next?.beginDate == null) return true;
    // Up to the day before it, be that a day without trips: what ended long before serves through the gap.
    const lastDay = serviceDayStart(addDays(next.beginDate, -1), version.timeZone);
    return now < lastDay + version.lastCallSeconds + STILL_RUNNING_SECONDS;
  });
}

/** Gives each of a source's versions its days: the later released counts from its first day on. */
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

/** @returns position of the version in force: the last whose first day has come in its zone, else the first */
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
  /** Which of them is in force: its facts of stops hold where several versions have a stop. */
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
