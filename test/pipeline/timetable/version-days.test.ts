import { expect, test } from 'vitest';
import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { FeedManifest } from '../../../pipeline/timetable/feed/feed-manifest.ts';
import { addVersion, divideDays, dropEnded, serveVersions } from '../../../pipeline/timetable/feed/version-days.ts';

/** `v1 03-01..03-31`: a version and the days on which its trips run. */
function version(text: string, timeZone = 'Europe/Vienna', lastCallSeconds = 30 * 3600): FeedManifest {
  const [feedVersion, days] = text.split(' ');
  const [begin, end] = days!.split('..').map((day) => `2026-${day}`);
  return { feedVersion, beginDate: begin, endDate: end, timeZone, lastCallSeconds } as unknown as FeedManifest;
}

const versions = (texts: readonly string[]) => texts.map((text) => version(text));
const names = (list: readonly FeedManifest[]) => list.map(({ feedVersion }) => feedVersion).join(' ');
const instant = (text: string) => parseTimestamp(text)!;

test.each<[title: string, published: string[], offered: string, expected: string]>([
  ['the first', [], 'v1 03-01..03-31', 'v1'],
  ['one that starts later waits', ['v1 03-01..03-31'], 'v2 03-09..06-30', 'v1 v2'],
  ['one that starts no later takes all days', ['v1 03-01..03-31'], 'v2 03-01..06-30', 'v2'],
  ['one that starts after the end leaves a gap', ['v1 03-01..03-05'], 'v2 03-09..06-30', 'v1 v2'],
  ['a third waits after the second', ['v1 03-01..03-31', 'v2 03-09..06-30'], 'v3 04-01..06-30', 'v1 v2 v3'],
  ['a third that starts first replaces the second', ['v1 03-01..03-31', 'v2 03-09..06-30'], 'v3 03-05..06-30', 'v1 v3'],
  [
    'the one in force again: the waiting one is withdrawn',
    ['v1 03-01..03-31', 'v2 03-09..06-30'],
    'v1 03-01..03-31',
    'v1',
  ],
  ['one of two that wait again', ['v1 03-01..03-31', 'v2 03-09..06-30', 'v3 04-01..06-30'], 'v2 03-09..06-30', 'v1 v2'],
  ['the last again', ['v1 03-01..03-31', 'v2 03-09..06-30'], 'v2 03-09..06-30', 'v1 v2'],
])('%s', (_title, published, offered, expected) => {
  expect(names(addVersion(versions(published), version(offered)))).toBe(expected);
});

test.each<[title: string, now: string, zone: string, expected: string]>([
  ['before the first day of the next', '2026-03-07T12:00:00Z', 'Europe/Vienna', 'v1 v2'],
  ['its last trips, and six hours for late ones, are not over', '2026-03-09T10:59:59Z', 'Europe/Vienna', 'v1 v2'],
  ['they are over', '2026-03-09T11:00:00Z', 'Europe/Vienna', 'v2'],
  ['in Auckland they are earlier', '2026-03-08T22:59:59Z', 'Pacific/Auckland', 'v1 v2'],
  ['and end earlier', '2026-03-08T23:00:00Z', 'Pacific/Auckland', 'v2'],
])('keeps a version until its last night is over: %s', (_title, now, zone, expected) => {
  const both = [version('v1 03-01..03-31', zone), version('v2 03-09..06-30', zone)];
  expect(names(dropEnded(both, instant(now)))).toBe(expected);
});

test('keeps an expired version until the next begins', () => {
  const both = versions(['v1 03-01..03-05', 'v2 03-09..06-30']);
  expect(names(dropEnded(both, instant('2026-03-08T22:00:00Z')))).toBe('v1 v2');
  expect(names(dropEnded(both, instant('2026-03-09T11:00:00Z')))).toBe('v2');
});

test('divides days without gaps and overlaps', () => {
  const days = divideDays(versions(['v1 03-01..03-31', 'v2 03-09..06-30', 'v3 04-01..06-30']));
  expect(days.map(({ manifest, from, until }) => [manifest.feedVersion, from, until])).toEqual([
    ['v1', null, '2026-03-08'],
    ['v2', '2026-03-09', '2026-03-31'],
    ['v3', '2026-04-01', null],
  ]);
});

test.each([
  ['2026-02-01T12:00:00Z', 'v1'],
  ['2026-03-08T22:59:59Z', 'v1'],
  ['2026-03-08T23:00:00Z', 'v2'],
])('at %s, version %s is in force', (now, expected) => {
  const { inForce } = serveVersions(versions(['v1 03-01..03-31', 'v2 03-09..06-30']), instant(now));
  expect(inForce.manifest.feedVersion).toBe(expected);
});
