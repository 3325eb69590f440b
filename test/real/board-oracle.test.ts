import { expect, test } from 'vitest';
import { trials } from '../support/checks/trials.ts';
import { compareBoards } from '../support/oracles/compare-boards.ts';
import { readNaiveTimetable } from '../support/oracles/naive-timetable.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { mergeNothing } from '../support/worlds/ingest.ts';
import { readZipTexts, realData } from '../support/worlds/real-data.ts';

const FILES = [
  'agency.txt',
  'stops.txt',
  'routes.txt',
  'trips.txt',
  'stop_times.txt',
  'calendar.txt',
  'calendar_dates.txt',
  'frequencies.txt',
];
// The naive implementation has no merged stations and trips.
const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9, merging: mergeNothing };

// No feed has a rejected row or an interpolated time, so the naive implementation needs no such rules.
test.each([
  // calendar_dates only, times up to 32:41, Europe/Warsaw.
  ['bydgoszcz', 130, '2020-04-16T00:00:00Z', '2020-10-25T12:00:00Z'],
  // Byte order marks, spaces around names, calendar with exceptions, Europe/Vilnius.
  ['vilnius-2018', 130, '2015-10-01T00:00:00Z', '2016-08-31T00:00:00Z'],
  // Hours behind UTC, times without a leading zero, America/Los_Angeles.
  ['caltrain', 100, '2016-04-05T00:00:00Z', '2019-03-31T00:00:00Z'],
  // Stations with many platforms, Europe/Vienna, both clock changes.
  ['vienna-ubahn', 100, '2026-01-01T00:00:00Z', '2027-12-31T00:00:00Z'],
  ['vienna-ubahn', 50, '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z'],
  ['vienna-ubahn', 50, '2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z'],
])('boards of %s match the naive implementation', async (name, count, from, to) => {
  const location = realData(`gtfs/${name}.zip`);
  const world = await openWorld({ at: { location } }, { settings: CITY_SIZE });
  const naive = readNaiveTimetable(await readZipTexts(location, FILES));
  expect(await compareBoards(world, naive, { count: trials(count), from, to })).toBeGreaterThan(1000);
});
