import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readSql } from '../../../pipeline/effects/duckdb.ts';
import { projectPath } from '../../../pipeline/effects/project-files.ts';
import { listRepaired, soundFeed } from '../../support/worlds/ingest.ts';
import { stageFeed } from '../../support/worlds/stage-feed.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';
import { refusalCases } from './refusals.ts';

const byTableAndRow = (lines: readonly string[]) =>
  [...lines].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

describe('refuses bad rows one by one', () => {
  it.each(refusalCases)('$sql', async ({ files, zone = null, refused, repaired }) => {
    const staged = await stageFeed(withFiles(soundFeed, files), { fixes: [], zone });
    expect(byTableAndRow(staged.refused)).toEqual(byTableAndRow(refused));
    expect(listRepaired(staged.report)).toEqual(repaired);
  });

  it('no row of a valid feed', async () => {
    const { refused, report } = await stageFeed(soundFeed);
    expect(refused).toEqual([]);
    expect(report.map(({ table, rowsIn, rowsOut }) => [table, rowsIn, rowsOut])).toEqual([
      ['agency', 1, 1],
      ['stops', 3, 3],
      ['routes', 1, 1],
      ['trips', 2, 2],
      ['stop_times', 6, 6],
      ['calendar', 1, 1],
    ]);
  });

  it('for every reason in the SQL', async () => {
    const names = (await readdir(projectPath('pipeline/timetable/feed/sql'))).filter((name) => name.endsWith('.sql'));
    for (const name of names) {
      const sql = await readSql(`pipeline/timetable/feed/sql/${name}`);
      // Codes follow `then` or are in the select list of an insert.
      const codes = [...sql.matchAll(/(?:then|else|,) '([a-z]+(?:_[a-z]+)+)'/g)].map(([, code]) => code);
      const shown = refusalCases
        .filter((one) => `${one.sql}.sql` === name)
        .flatMap(({ refused, repaired }) => [...refused, ...repaired])
        .map((line) => line.split(' ').at(-1));
      expect(shown, name).toEqual(expect.arrayContaining(codes));
    }
  });
});

it('keeps samples of each reason for inspection', async () => {
  const copies = Array.from({ length: 7 }, (_, i) => `a,Copy ${i},48,16\n`).join('');
  const { report } = await stageFeed(
    withFiles(soundFeed, {
      'stops.txt': `stop_id,stop_name,stop_lat,stop_lon\na,A,48,16\nb,B,48,16\nc,C,48,16\n${copies}`,
    }),
  );
  expect(report.find(({ table }) => table === 'stops')!.refused).toEqual([
    { code: 'duplicate_id', count: 7, samples: ['row 4: a', 'row 5: a', 'row 6: a', 'row 7: a', 'row 8: a'] },
  ]);
});

it('refuses a trip with too many calls, and a feed with too many runs', async () => {
  const time = (second: number) =>
    [second / 3600, (second / 60) % 60, second % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
  const calls = Array.from({ length: 65_536 }, (_, i) => `long,${i % 2 ? 'a' : 'b'},${i},${time(i)},${time(i)}\n`);
  const { report } = await stageFeed(
    withFiles(soundFeed, {
      'trips.txt': 'trip_id,route_id,service_id\nlong,r,daily\nt1,r,daily\n',
      'stop_times.txt': `trip_id,stop_id,stop_sequence,arrival_time,departure_time\nt1,a,1,8:00:00,8:00:00\nt1,b,2,8:10:00,8:10:00\n${calls.join('')}`,
    }),
  );
  expect(report.find(({ table }) => table === 'trips')!.refused).toMatchObject([
    { code: 'unusable_call_count', count: 1 },
  ]);
  const repeats = Array.from({ length: 600 }, (_, i) => `t1,${time(i)},${time(i + 9000)},1\n`).join('');
  const frequencies = { 'frequencies.txt': `trip_id,start_time,end_time,headway_secs\n${repeats}` };
  await expect(stageFeed(withFiles(soundFeed, frequencies))).rejects.toThrow(
    "the feed's frequencies make 5400000 runs",
  );
});

it("names a refused call by the publisher's ids", async () => {
  const { report } = await stageFeed(
    withFiles(soundFeed, { 'stop_times.txt': `${soundFeed.get('stop_times.txt')}no-trip,a,7,8:00:00,8:01:00\n` }),
  );
  const [refused] = report.find(({ table }) => table === 'stop_times')!.refused;
  expect(refused).toMatchObject({
    code: 'unknown_trip',
    samples: [expect.stringMatching(/: no-trip 7 8:00:00 8:01:00 a$/)],
  });
});

it('reports unreadable lines if no row is left', async () => {
  const damaged = Buffer.from('stop_id,stop_name,stop_lat,stop_lon\na,M\u00fchle,48,16\n', 'latin1');
  const stops = Buffer.concat([damaged, Buffer.from(',T\u00fcr,48,16\n')]);
  await expect(stageFeed(withFiles(soundFeed, { 'stops.txt': stops }))).rejects.toThrow(
    'the feed has no usable stop (1 row of stops was refused as missing_id)',
  );
});

it('counts unreadable lines among the rows of their table', async () => {
  const stops = Buffer.concat([
    Buffer.from(soundFeed.get('stops.txt')!),
    Buffer.from('d,M\u00fchle,48,16\n', 'latin1'),
    Buffer.from('e,T\u00fcr,48,16,many,values\n'),
  ]);
  const { report } = await stageFeed(withFiles(soundFeed, { 'stops.txt': stops }));
  expect(report.find(({ table }) => table === 'stops')).toMatchObject({
    rowsIn: 5,
    rowsOut: 3,
    refused: [
      { code: 'unreadable_invalid_encoding', count: 1, samples: [expect.stringMatching(/^row 5: /)] },
      { code: 'unreadable_too_many_columns', count: 1, samples: [expect.stringMatching(/^row 6: /)] },
    ],
  });
});

describe('an unusable feed fails with one sentence', () => {
  const header = (file: string) => soundFeed.get(file)!.split('\n')[0]!;
  it.each<[files: Record<string, string | null>, sentence: string]>([
    [{ 'stops.txt': null }, 'the feed has no rows in stops.txt'],
    [{ 'stops.txt': '' }, 'the feed has no rows in stops.txt'],
    [{ 'stops.txt': header('stops.txt') }, 'the feed has no rows in stops.txt'],
    [{ 'routes.txt': null }, 'the feed has no rows in routes.txt'],
    [{ 'trips.txt': header('trips.txt') }, 'the feed has no rows in trips.txt'],
    [{ 'stop_times.txt': header('stop_times.txt') }, 'the feed has no rows in stop_times.txt'],
    [{ 'agency.txt': null }, 'the feed names no agency with a time zone (no row was refused)'],
    [
      { 'agency.txt': 'agency_id,agency_timezone\nv,Mars/Olympus\n' },
      'the feed names no agency with a time zone (1 row of agency was refused as unknown_time_zone)',
    ],
    [
      { 'stops.txt': 'stop_name\nAnger\nBerg\n' },
      'the feed has no usable stop (2 rows of stops were refused as missing_id)',
    ],
    [
      { 'routes.txt': 'route_id,agency_id\nr,v\n' },
      'the feed has no usable route (1 row of routes was refused as missing_route_type)',
    ],
    [
      { 'calendar.txt': null },
      'the feed has no usable service in calendar.txt or calendar_dates.txt (no row was refused)',
    ],
    [
      { 'trips.txt': 'trip_id,route_id,service_id\nt1,r,never\n' },
      'the feed has no usable trip (1 row of trips was refused as unknown_service)',
    ],
    [
      { 'stop_times.txt': 'trip_id,stop_id,stop_sequence\nt1,a,1\nt1,b,2\n' },
      'the feed has no trip with two usable calls (2 rows of stop_times were refused as no_time_to_start_from)',
    ],
    [
      { 'calendar.txt': `${header('calendar.txt')}\ndaily,0,0,0,0,0,0,0,20260302,20260308\n` },
      'no trip of the feed runs on any day (no row was refused)',
    ],
  ])('%j', async (files, sentence) => {
    await expect(stageFeed(withFiles(soundFeed, files))).rejects.toMatchObject({
      code: 'feed_unusable',
      message: sentence,
    });
  });
});
