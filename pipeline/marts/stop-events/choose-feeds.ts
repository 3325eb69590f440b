import type { FeedManifest } from '../../lake/feed-manifest.ts';
import { addDays, type ServiceDate, toEpochDay } from '../../model/service-time.ts';

/**
 * Which version of each timetable a service date is judged by.
 *
 * 1. The version in force: the newest that was fetched by the end of the service date and covers it.
 * 2. Where no timetable was in force yet: of each the oldest that covers the date. So a timetable that is added later
 *    does not re-open the days on which others were in force.
 *
 * Days end at midnight UTC here: versions come once a day, at night, and the rule must not depend on a feed's zone.
 * @param versions by timetable, all finished versions
 * @returns at most one for each timetable, in their order
 */
export function chooseFeeds(versions: readonly (readonly FeedManifest[])[], date: ServiceDate): FeedManifest[] {
  const end = toEpochDay(addDays(date, 1)) * 86_400_000;
  const covering = versions.map((all) =>
    all
      .filter(
        ({ beginDate, endDate }) => beginDate !== null && endDate !== null && beginDate <= date && date <= endDate,
      )
      .sort((a, b) => Date.parse(a.raw.fetchedAt) - Date.parse(b.raw.fetchedAt)),
  );
  const inForce = covering.map((all) => all.filter(({ raw }) => Date.parse(raw.fetchedAt) < end).at(-1));
  const chosen = inForce.some((feed) => feed) ? inForce : covering.map(([oldest]) => oldest);
  return chosen.flatMap((feed) => feed ?? []);
}
