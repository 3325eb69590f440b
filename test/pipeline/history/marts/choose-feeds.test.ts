import { expect, test } from 'vitest';
import { chooseFeeds } from '../../../../pipeline/history/stop-events/choose-feeds.ts';
import type { FeedVersion } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import type { FeedManifest } from '../../../../pipeline/timetable/feed/feed-manifest.ts';

/** `v1 03-01..03-31 fetched 02-20`: a version, its days, and when it was fetched. */
function version(text: string): FeedManifest {
  const [feedVersion, days, , fetched] = text.split(' ');
  const [beginDate, endDate] = days!.split('..').map((day) => `2026-${day}`);
  return {
    feedVersion,
    beginDate,
    endDate,
    raw: { fetchedAt: `2026-${fetched}T02:15:00Z` },
  } as unknown as FeedManifest;
}

/** `02-20 v1 v2`: versions published from a day on. */
function publication(text: string) {
  const [day, ...versions] = text.split(' ');
  return { publishedAt: `2026-${day}T02:20:00.000Z`, versions: versions as FeedVersion[] };
}

const march = 'v1 03-01..03-31 fetched 02-20';
const april = 'v2 03-25..04-30 fetched 03-20';

test.each<[reason: string, versions: string[], publications: string[], date: string, expected: string]>([
  ['a waiting version has no day before its first', [march, april], ['02-20 v1', '03-20 v1 v2'], '03-24', 'v1'],
  ['on its first day it applies', [march, april], ['02-20 v1', '03-20 v1 v2'], '03-25', 'v2'],
  [
    'one that was withdrawn before its first day',
    [march, april],
    ['02-20 v1', '03-20 v1 v2', '03-22 v1'],
    '03-25',
    'v1',
  ],
  [
    'one that was withdrawn later applies until then',
    [march, april],
    ['02-20 v1', '03-20 v1 v2', '03-27 v1'],
    '03-26',
    'v2',
  ],
  ['and not after that', [march, april], ['02-20 v1', '03-20 v1 v2', '03-27 v1'], '03-28', 'v1'],
  ['one that was held back', [march, april], ['02-20 v1'], '03-25', 'v1'],
  ['one that was held back, if none is in force', [march, april], ['02-20 v1'], '04-10', ''],
  ['one that was published by force later', [march, april], ['02-20 v1', '03-26 v1 v2'], '03-25', 'v1'],
  ['a gap is not filled', ['v1 03-01..03-05 fetched 02-20', april], ['02-20 v1', '03-20 v1 v2'], '03-10', ''],
  ['without a record the newest that covers the day', [march, april], [], '03-25', 'v2'],
  ['before the record began', [march, april], ['03-22 v1 v2'], '03-21', 'v1'],
  ['before any version was in force the oldest that covers it', [march], ['03-10 v1'], '03-02', 'v1'],
])('%s', (_case, versions, publications, date, expected) => {
  const timetable = { versions: versions.map(version), publications: publications.map(publication) };
  const [chosen] = chooseFeeds([timetable], `2026-${date}` as ServiceDate);
  expect(chosen?.feedVersion ?? '').toBe(expected);
});
