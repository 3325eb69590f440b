import { addDays, type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import type { FeedManifest, Publication } from '../../timetable/feed/feed-manifest.ts';
import { divideDays } from '../../timetable/feed/version-days.ts';

/** Versions and publications of a timetable in the lake. */
export interface TimetableVersions {
  /** All complete ones. */
  readonly versions: readonly FeedManifest[];
  /** Publications, oldest first; none before the lake recorded them. */
  readonly publications: readonly Publication[];
}

/**
 * Chooses the version of each timetable for a service date.
 * 1. The version in force: of those that were published together by the end of the service date, the one that counts on
 * it. So a version that was waiting, withdrawn or kept aside takes no day that it did not serve. Where the record does
 * not reach back so far, the newest that was fetched by the end of the date and covers it.
 * 2. Where no timetable was in force yet: of each the oldest that covers the date. So a timetable that is added later
 * does not re-open the days on which others were in force.
 * Days end at midnight UTC here: versions come once a day, at night, and the rule must not depend on a feed's zone.
 * @returns at most one for each timetable, in their order
 */
export function chooseFeeds(timetables: readonly TimetableVersions[], date: ServiceDate): FeedManifest[] {
  const end = toEpochDay(addDays(date, 1)) * 86_400_000;
  const inForce = timetables.map((timetable) => findInForce(timetable, date, end));
  const chosen = inForce.some((feed) => feed) ? inForce : timetables.map((each) => listCovering(each, date)[0]);
  return chosen.flatMap((feed) => feed ?? []);
}

function findInForce(timetable: TimetableVersions, date: ServiceDate, end: number): FeedManifest | undefined {
  const { versions, publications } = timetable;
  const published = publications.findLast(({ publishedAt }) => Date.parse(publishedAt) < end);
  if (!published) return listCovering(timetable, date).findLast(({ raw }) => Date.parse(raw.fetchedAt) < end);
  const served = published.versions.flatMap(
    (version) => versions.find(({ feedVersion }) => feedVersion === version) ?? [],
  );
  const counting = divideDays(served).find(
    ({ from, until }) => (from === null || from <= date) && (until === null || date <= until),
  );
  return counting && covers(counting.manifest, date) ? counting.manifest : undefined;
}

/** Versions in the order fetched, without those that were never published although publications were recorded then. */
function listCovering({ versions, publications }: TimetableVersions, date: ServiceDate): FeedManifest[] {
  const recordedFrom = publications[0]?.publishedAt;
  const isReleased = ({ feedVersion, raw }: FeedManifest) =>
    recordedFrom === undefined ||
    Date.parse(raw.fetchedAt) < Date.parse(recordedFrom) ||
    publications.some((publication) => publication.versions.includes(feedVersion));
  return versions
    .filter((version) => covers(version, date) && isReleased(version))
    .sort((a, b) => Date.parse(a.raw.fetchedAt) - Date.parse(b.raw.fetchedAt));
}

function covers({ beginDate, endDate }: FeedManifest, date: ServiceDate): boolean {
  return beginDate !== null && endDate !== null && beginDate <= date && date <= endDate;
}
