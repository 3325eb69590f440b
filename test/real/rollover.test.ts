import { expect, test } from 'vitest';
import { createReferences } from '../../api/engine/read/references.ts';
import { parseCsv } from '../../pipeline/sample/feed/csv.ts';
import { trials } from '../support/checks/trials.ts';
import { compareBoards } from '../support/oracles/compare-boards.ts';
import { readNaiveTimetable } from '../support/oracles/naive-timetable.ts';
import { loadTimetable, publishFeeds, TEST_KEY, type World } from '../support/worlds/board-world.ts';
import { mergeNothing, temporaryFolder } from '../support/worlds/ingest.ts';
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
const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** The feed restricted to the days from one date to another, in GTFS notation. */
function cutFeed(files: ReadonlyMap<string, string>, from: string, until: string): Map<string, string> {
  const cut = new Map(files);
  const rewrite = (name: string, row: (fields: Record<string, string>) => Record<string, string>[]) => {
    const text = files.get(name);
    if (text === undefined) return;
    const rows = parseCsv(text).flatMap((fields) => row({ ...fields }));
    const columns = Object.keys(parseCsv(text)[0]!);
    cut.set(name, [columns.join(','), ...rows.map((fields) => columns.map((key) => fields[key]).join(','))].join('\n'));
  };
  rewrite('calendar.txt', (fields) => {
    const start = fields.start_date! > from ? fields.start_date! : from;
    const end = fields.end_date! < until ? fields.end_date! : until;
    // A service without remaining days is kept, because calendar_dates may add some.
    if (start > end) return [{ ...fields, ...Object.fromEntries(WEEKDAYS.map((day) => [day, '0'])) }];
    return [{ ...fields, start_date: start, end_date: end }];
  });
  rewrite('calendar_dates.txt', (fields) => (fields.date! >= from && fields.date! <= until ? [fields] : []));
  return cut;
}

test.each([
  // The night in which the clocks go forward.
  ['vienna-ubahn', '20260328', '20260329', '2026-03-28T18:00:00Z', '2026-03-29T06:00:00Z', 50],
  // calendar_dates alone, times to 32:41.
  ['bydgoszcz', '20200614', '20200615', '2020-06-14T18:00:00Z', '2020-06-15T08:00:00Z', 50],
  // Hours behind UTC.
  ['caltrain', '20160414', '20160415', '2016-04-15T02:00:00Z', '2016-04-15T16:00:00Z', 50],
])(
  'a feed split into two versions at a date shows the same boards as the whole one: %s',
  async (name, last, first, from, to, count) => {
    const files = await readZipTexts(realData(`gtfs/${name}.zip`), FILES);
    const dataDir = await temporaryFolder();
    // The naive implementation has no merged stations and trips.
    const settings = { ...CITY_SIZE, merging: mergeNothing };
    const begin = Date.parse(from);
    const publish = (feed: Map<string, string>, hours: number) =>
      publishFeeds({ at: feed }, { dataDir, settings, now: new Date(begin + hours * 3_600_000).toISOString() });
    await publish(cutFeed(files, '19700101', last), -48);
    await publish(cutFeed(files, first, '21991231'), -24);
    const timetable = await loadTimetable(dataDir);
    expect(timetable.manifest.sources[0]!.versions).toHaveLength(2);
    const world: World = { timetable, realtime: null, references: createReferences(TEST_KEY) };
    expect(await compareBoards(world, readNaiveTimetable(files), { count: trials(count), from, to })).toBeGreaterThan(
      300,
    );
  },
);
