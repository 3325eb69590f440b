import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { listContinuations } from '../../support/oracles/planner-tables.ts';
import { ingestFeedText, mergeNothing } from '../../support/worlds/ingest.ts';
import { markId, putSideBySide } from '../../support/worlds/side-by-side.ts';
import { feedFromText, readTripLine } from '../../support/worlds/text-feed.ts';

/** A week in March 2026, from Monday the 2nd to Sunday the 8th. */
const frame = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
  weekdays,1,1,1,1,1,0,0,20260302,20260308
  weekend,0,0,0,0,0,1,1,20260302,20260308
  monday,1,0,0,0,0,0,0,20260302,20260308
`;

interface Case {
  readonly title: string;
  /** `t1 daily b: a 08:00, c 09:00`: trip, service, block or `-`, and its calls. */
  readonly trips: readonly string[];
  /** `t1 t2 4`. */
  readonly rules?: readonly string[];
  /** Trips with frequencies. */
  readonly repeated?: readonly string[];
  /** `t1 > t2: 234`, by days of March 2026. */
  readonly expected: readonly string[];
}

const ab = (trip: string, service = 'daily', block = 'b', from = '08:00', to = '09:00') =>
  `${trip} ${service} ${block}: a ${from}, p1 ${to}`;
const bc = (trip: string, service = 'daily', block = 'b', from = '09:00', to = '10:00') =>
  `${trip} ${service} ${block}: p1 ${from}, c ${to}`;

const cases: readonly Case[] = [
  { title: 'a block continues', trips: [ab('t1'), bc('t2')], expected: ['t1 > t2: 2345678'] },
  { title: 'not in another block', trips: [ab('t1'), bc('t2', 'daily', 'other')], expected: [] },
  { title: 'nor without a block', trips: [ab('t1', 'daily', '-'), bc('t2', 'daily', '-')], expected: [] },
  { title: 'on days with both trips', trips: [ab('t1', 'daily'), bc('t2', 'weekend')], expected: ['t1 > t2: 78'] },
  { title: 'if there are any', trips: [ab('t1', 'weekdays'), bc('t2', 'weekend')], expected: [] },
  {
    title: 'each day with the trips that run then',
    trips: [ab('t1'), bc('t2', 'weekdays'), bc('t3', 'weekend'), bc('t4', 'daily', 'b', '11:00', '12:00')],
    expected: ['t1 > t2: 23456', 't1 > t3: 78'],
  },
  {
    title: 'a chain of trips continues',
    trips: [ab('t1'), bc('t2'), 't3 monday b: c 10:00, a 11:00', 't4 daily b: c 12:00, a 13:00'],
    expected: ['t1 > t2: 2345678', 't2 > t3: 2', 't2 > t4: 345678'],
  },
  {
    title: 'at another platform of the station',
    trips: [ab('t1'), 't2 daily b: p2 09:05, c 10:00'],
    expected: ['t1 > t2: 2345678'],
  },
  { title: 'not at another stop', trips: [ab('t1'), 't2 daily b: a 09:05, c 10:00'], expected: [] },
  {
    title: 'a trip that begins elsewhere ends the chain',
    trips: [ab('t1'), 't2 daily b: a 09:05, c 09:30', bc('t3', 'daily', 'b', '09:30')],
    expected: [],
  },
  { title: 'not before the arrival', trips: [ab('t1'), bc('t2', 'daily', 'b', '08:59')], expected: [] },
  {
    title: 'trips that depart at the same time are in the order of their ids',
    trips: [ab('t0'), bc('t2'), bc('t1')],
    expected: ['t0 > t1: 2345678'],
  },
  {
    title: 'past midnight',
    trips: [ab('t1', 'monday', 'b', '23:00', '25:00'), bc('t2', 'monday', 'b', '25:10', '26:00')],
    expected: ['t1 > t2: 2'],
  },
  {
    title: 'a block belongs to one service day',
    trips: [ab('t1', 'daily', 'b', '22:00', '23:50'), bc('t2', 'daily', 'b', '00:10', '01:00')],
    expected: [],
  },
  { title: 'trips with frequencies never continue', trips: [ab('t1'), bc('t2')], repeated: ['t2'], expected: [] },
  {
    title: 'nor does a trip continue as one of them',
    trips: [ab('t1'), bc('t2'), bc('t3', 'daily', 'b', '09:30')],
    repeated: ['t2'],
    expected: ['t1 > t3: 2345678'],
  },

  {
    title: 'a rule of type 4 links trips',
    trips: [ab('t1', 'daily', '-'), bc('t2', 'weekend', '-')],
    rules: ['t1 t2 4'],
    expected: ['t1 > t2: 78'],
  },
  {
    title: 'at any stops',
    trips: [ab('t1', 'daily', '-'), 't2 monday -: a 10:00, c 11:00'],
    rules: ['t1 t2 4'],
    expected: ['t1 > t2: 2'],
  },
  {
    title: 'to a second trip on the next day if it begins before the first has arrived',
    trips: [ab('t1', 'weekdays', '-', '22:00', '23:50'), bc('t2', 'daily', '-', '00:10', '01:00')],
    rules: ['t1 t2 4'],
    expected: ['t1 > t2+1: 23456'],
  },
  {
    title: 'if it exists',
    trips: [ab('t1', 'weekend', '-', '22:00', '23:50'), bc('t2', 'daily', '-', '00:10', '01:00')],
    rules: ['t1 t2 4'],
    expected: ['t1 > t2+1: 7'],
  },
  {
    title: 'not two days later',
    trips: [ab('t1', 'daily', '-', '22:00', '49:00'), bc('t2', 'daily', '-')],
    rules: ['t1 t2 4'],
    expected: [],
  },
  {
    title: 'a train may be divided and joined',
    trips: [ab('t1', 'daily', '-'), ab('t2', 'daily', '-'), bc('t3', 'daily', '-'), bc('t4', 'daily', '-')],
    rules: ['t1 t3 4', 't1 t4 4', 't2 t3 4'],
    expected: ['t1 > t3: 2345678', 't1 > t4: 2345678', 't2 > t3: 2345678'],
  },
  {
    title: 'a repeated rule counts once',
    trips: [ab('t1', 'daily', '-'), bc('t2', 'daily', '-')],
    rules: ['t1 t2 4', 't1 t2 4'],
    expected: ['t1 > t2: 2345678'],
  },
  {
    title: 'no rule links trips with frequencies',
    trips: [ab('t1', 'daily', '-'), bc('t2', 'daily', '-')],
    rules: ['t1 t2 4'],
    repeated: ['t1'],
    expected: [],
  },
  {
    title: 'an equal rule and block count once',
    trips: [ab('t1'), bc('t2')],
    rules: ['t1 t2 4'],
    expected: ['t1 > t2: 2345678'],
  },
  {
    title: 'a rule for the first trip overrides the block',
    trips: [ab('t1'), bc('t2'), bc('t3', 'monday', '-')],
    rules: ['t1 t3 4'],
    expected: ['t1 > t3: 2'],
  },
  {
    title: 'so does one for the second trip',
    trips: [ab('t1'), bc('t2'), ab('t3', 'monday', '-')],
    rules: ['t3 t2 4'],
    expected: ['t3 > t2: 2'],
  },
  {
    title: 'a rule of type 5 separates trips of a block',
    trips: [ab('t1'), bc('t2')],
    rules: ['t1 t2 5'],
    expected: [],
  },
  { title: 'in this direction', trips: [ab('t1'), bc('t2')], rules: ['t2 t1 5'], expected: ['t1 > t2: 2345678'] },
  {
    title: 'and trips linked by another rule',
    trips: [ab('t1', 'daily', '-'), bc('t2', 'daily', '-')],
    rules: ['t1 t2 4', 't1 t2 5'],
    expected: [],
  },
];

const STOPS = `
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
  a,a,48.0,16.0,,
  c,c,48.0,16.0,,
  p,p,48.0,16.0,1,
  p1,p,48.0,16.0,,p
  p2,p,48.0,16.0,,p
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,1,3
`;

function writeCase({ trips, rules = [], repeated = [] }: Case): Map<string, string> {
  const rows = {
    trips: ['trip_id,route_id,service_id,block_id'],
    stop_times: ['trip_id,stop_id,stop_sequence,arrival_time,departure_time'],
    transfers: ['from_trip_id,to_trip_id,transfer_type', ...rules.map((rule) => rule.replaceAll(' ', ','))],
    frequencies: ['trip_id,start_time,end_time,headway_secs'],
  };
  for (const { id, attributes, calls } of trips.map(readTripLine)) {
    const [service, block] = attributes;
    rows.trips.push(`${id},r,${service},${block === '-' ? '' : block}`);
    for (const [k, { stop, arrival, departure }] of calls.entries()) {
      rows.stop_times.push(`${id},${stop},${k},${arrival},${departure}`);
    }
  }
  for (const trip of repeated) rows.frequencies.push(`${trip},08:00:00,10:00:00,1800`);
  const files = feedFromText(STOPS);
  for (const [name, lines] of Object.entries(rows)) files.set(`${name}.txt`, `${lines.join('\n')}\n`);
  return files;
}

let tables: TimetableTables;
let continuations: readonly string[];

beforeAll(async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-continuations-'));
  tables = (
    await ingestFeedText(putSideBySide(feedFromText(frame), cases.map(writeCase)), {
      dataDir,
      settings: { merging: mergeNothing },
    })
  ).timetable.snapshot.tables;
  continuations = listContinuations(tables);
  await rm(dataDir, { recursive: true, force: true });
});

it.each(cases.map((each, number) => ({ ...each, number })))('$title', ({ number, expected }) => {
  const own = continuations.filter((line) => line.startsWith(markId('', number)));
  const shorten = (line: string) => line.replaceAll(markId('', number), '').replaceAll(/2026-03-0(\d) ?/g, '$1');
  expect(own.map(shorten)).toEqual(expected);
});

it('reuses services of the feed, and adds each further one once', () => {
  const { services, continuations: rows } = tables;
  // Tuesday to Sunday, and only Saturday: several cases have these.
  expect(services.firstDay.length).toBe(4 + 2);
  expect(new Set(rows.service)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
});
