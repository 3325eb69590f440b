import path from 'node:path';
import { expect, it } from 'vitest';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { expectedRefusals } from '../../../pipeline/sample/feed/nasty-cases.ts';
import { readSampleLookups } from '../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleFeed } from '../../../pipeline/sample/feed/sample-feed.ts';
import { writeSampleZip } from '../../../pipeline/sample/feed/write-sample-zip.ts';
import { ingestFeedText, listRefused, temporaryFolder } from '../../support/worlds/ingest.ts';

it('refuses exactly the deliberate defects of the sample', async () => {
  const zip = path.join(await temporaryFolder(), 'sample.zip');
  await writeSampleZip(buildSampleFeed({ today: '2026-03-01' as ServiceDate }, await readSampleLookups()), zip);
  const { timetable, report } = await ingestFeedText({ location: zip });
  expect(listRefused(report)).toEqual(
    expectedRefusals.map(({ file, rows, code }) => `${file.replace('.txt', '')}: ${rows} ${code}`).sort(),
  );
  // Values and rows that only a careful reader handles correctly.
  const trips = new Map(timetable.trips.map((trip) => trip.split(': ') as [string, string]));
  const calls = (trip: string) => trips.get(trip)?.replaceAll('at:43:pruef-', '');
  expect(calls('pruef-past-two-midnights')).toBe('a 22:00, c 26:30, e 48:45');
  expect(calls('pruef-interpolate-evenly')).toBe('a 09:00, nowhere ~09:04, c ~09:08, d 09:12, e 09:20');
  expect(calls('pruef-interpolate-by-distance')).toBe('a 10:00, b ~10:03, c ~10:09, d 10:12, e 10:20');
  expect(calls('pruef-unsorted')).toBe('a 12:00, b 12:05, c 12:10, d 12:15');
  expect(calls('pruef-padded')).toBe('a 13:00, b 13:05, c 13:10');
  expect(calls('pruef-malformed-time')).toBe('a 19:00, c 19:10, d 19:15');
  expect(calls('pruef-frequency-headway@~24:10')).toBe('a 24:10, b 24:17, c 24:25');
  expect(timetable.stops).toContain('at:43:pruef-b "Prüfort "Alte Post",\nHalle 2" 47.866,16.188');
});
