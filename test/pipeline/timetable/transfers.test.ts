import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { findCompiledTransfer } from '../../support/oracles/planner-tables.ts';
import { ingestFeedText } from '../../support/worlds/ingest.ts';
import { markId, putSideBySide } from '../../support/worlds/side-by-side.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

/**
 * A station with two platforms, a stop next to it (3 thousandths of a degree: 334 m), one 3 km off, and one without a
 * position. Trips `in1`, `in2` and `side` arrive from the west at the first platform, the others depart to the east,
 * from the stops in `stopOfTrip`.
 */
const world = `
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
  west,West,48.1,16.4,,
  east,Ost,48.3,16.4,,
  s,Bahnhof,48.2,16.4,1,
  s1,Bahnhof,48.2,16.4,,s
  s2,Bahnhof,48.201,16.4,,s
  near,Park,48.203,16.4,,
  far,Dorf,48.23,16.4,,
  lost,Nirgendwo,,,,
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  in,v,1,3
  side,v,2,3
  out,v,3,3
  other,v,4,3
  # trips.txt
  trip_id,route_id,service_id
  in1,in,daily
  in2,in,daily
  side,side,daily
  out1,out,daily
  out2,out,daily
  other2,other,daily
  here,out,daily
  park,out,daily
  dorf,out,daily
  lost,out,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  in1,west,1,08:00:00,08:00:00
  in1,s1,2,09:00:00,09:00:00
  in2,west,1,08:10:00,08:10:00
  in2,s1,2,09:10:00,09:10:00
  side,west,1,08:00:00,08:00:00
  side,s1,2,09:00:00,09:00:00
  out1,s2,1,10:00:00,10:00:00
  out1,east,2,11:00:00,11:00:00
  out2,s2,1,10:10:00,10:10:00
  out2,east,2,11:10:00,11:10:00
  other2,s2,1,10:00:00,10:00:00
  other2,east,2,11:00:00,11:00:00
  here,s1,1,10:00:00,10:00:00
  here,east,2,11:00:00,11:00:00
  park,near,1,10:00:00,10:00:00
  park,east,2,11:00:00,11:00:00
  dorf,far,1,10:00:00,10:00:00
  dorf,east,2,11:00:00,11:00:00
  lost,lost,1,10:00:00,10:00:00
  lost,east,2,11:00:00,11:00:00
  # transfers.txt
`;

/** Shared by all cases, each of which is ingested separately. */
const frame = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
`);

const COLUMNS =
  'from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time';

/** Where the trips of the feed end or begin, as far as transfers are concerned. */
const stopOfTrip: Readonly<Record<string, string>> = {
  in1: 's1',
  in2: 's1',
  side: 's1',
  out1: 's2',
  out2: 's2',
  other2: 's2',
  here: 's1',
  park: 'near',
  dorf: 'far',
  lost: 'lost',
};

/** Rules, one per line in the order of `COLUMNS`, and the resulting transfers: `in1 > out1: timed, 145 m`. */
type Case = readonly [title: string, rules: readonly string[], changes: readonly string[]];

function describeChange(tables: TimetableTables, number: number, from: string, to: string): string {
  const call = (trip: string) => `${markId(trip, number)}@${markId(stopOfTrip[trip]!, number)}`;
  const change = findCompiledTransfer(tables, call(from), call(to));
  if (!change) return '-';
  const time = change.kind === 'published' ? ` ${change.seconds} s` : '';
  return `${change.kind}${time}, ${change.meters} m`;
}

const cases: readonly Case[] = [
  [
    'without a rule transfers are possible at a stop, in a station, and between nearby stops',
    [],
    [
      'in1 > here: sameStop, 0 m',
      'in1 > out1: sameStation, 145 m',
      'in1 > park: walk, 434 m',
      'in1 > dorf: -',
      'in1 > lost: -',
    ],
  ],
  ['a rule of type 0 with a time: takes that time', ['s1,s2,,,,,0,300'], ['in1 > out1: published 300 s, 145 m']],
  ['a rule of type 0 without a time: has no effect', ['s1,s2,,,,,0,'], ['in1 > out1: sameStation, 145 m']],
  ['a rule without a type', ['s1,s2,,,,,,60'], ['in1 > out1: published 60 s, 145 m']],
  ['a rule of type 1: zero, whatever its time', ['s1,s2,,,,,1,300'], ['in1 > out1: timed, 145 m']],
  ['a rule of type 2: takes its time, even zero', ['s1,s2,,,,,2,0'], ['in1 > out1: published 0 s, 145 m']],
  ['a rule of type 2 without a time: has no effect', ['s1,s2,,,,,2,'], ['in1 > out1: sameStation, 145 m']],
  [
    'a rule of type 3: no transfer',
    ['s1,s2,,,,,3,'],
    ['in1 > out1: -', 'in1 > here: sameStop, 0 m', 'in1 > park: walk, 434 m'],
  ],
  ['a rule of type 3 from a stop to itself', ['s1,s1,,,,,3,'], ['in1 > here: -', 'in1 > out1: sameStation, 145 m']],
  ['a rule from a stop to itself', ['s1,s1,,,,,2,30'], ['in1 > here: published 30 s, 0 m']],
  ['a rule applies in one direction', ['s2,s1,,,,,3,'], ['in1 > out1: sameStation, 145 m']],
  ['a rule exceeds the maximum walking distance', ['s1,far,,,,,2,900'], ['in1 > dorf: published 900 s, 4337 m']],
  [
    'a rule does so without a time too',
    ['s1,far,,,,,2,', 's1,near,,,,,0,'],
    ['in1 > dorf: sameStation, 4337 m', 'in1 > park: sameStation, 434 m'],
  ],
  ['a rule applies without positions', ['s1,lost,,,,,1,'], ['in1 > lost: timed, 0 m']],
  ['a rule of type 3 connects nothing', ['s1,far,,,,,3,'], ['in1 > dorf: -']],
  [
    'a rule of types 4 and 5 does not affect transfers',
    ['s1,s2,,,in1,out1,4,', 's1,s2,,,in1,out2,5,'],
    ['in1 > out1: sameStation, 145 m', 'in1 > out2: sameStation, 145 m'],
  ],
  [
    'a rule of a station applies at its platforms',
    ['s,s,,,,,2,240', 'far,s,,,,,1,', 's,far,,,,,2,1000'],
    ['in1 > out1: published 240 s, 145 m', 'in1 > here: published 240 s, 0 m', 'in1 > dorf: published 1000 s, 4337 m'],
  ],
  [
    'the most specific: both trips, a trip and a route, a trip, both routes, a route, none',
    [
      's1,s2,,,,,2,1',
      's1,s2,in,,,,2,2',
      's1,s2,in,out,,,2,3',
      's1,s2,,,in2,,2,4',
      's1,s2,,out,in2,,2,5',
      's1,s2,,,in2,out2,2,6',
    ],
    [
      'side > out1: published 1 s, 145 m',
      'in1 > other2: published 2 s, 145 m',
      'in1 > out1: published 3 s, 145 m',
      'in2 > other2: published 4 s, 145 m',
      'in2 > out1: published 5 s, 145 m',
      'in2 > out2: published 6 s, 145 m',
    ],
  ],
  [
    'the most specific: the same from the other side',
    [
      's1,s2,,,,,2,1',
      's1,s2,,out,,,2,2',
      's1,s2,in,out,,,2,3',
      's1,s2,,,,out2,2,4',
      's1,s2,in,,,out2,2,5',
      's1,s2,,,in2,out2,2,6',
    ],
    [
      'side > other2: published 1 s, 145 m',
      'side > out1: published 2 s, 145 m',
      'in1 > out1: published 3 s, 145 m',
      'side > out2: published 4 s, 145 m',
      'in1 > out2: published 5 s, 145 m',
      'in2 > out2: published 6 s, 145 m',
    ],
  ],
  [
    'the most specific: among equals the one that names the stop itself, on both sides, then on one',
    ['s,s,,,,,2,1', 's1,s,,,,,2,2', 's1,s1,,,,,2,3'],
    ['in1 > here: published 3 s, 0 m', 'in1 > out1: published 2 s, 145 m'],
  ],
  [
    'the most specific: a route of the station before none at the stop',
    ['s,s,in,,,,2,1', 's1,s2,,,,,2,2'],
    ['in1 > out1: published 1 s, 145 m', 'side > out1: published 2 s, 145 m'],
  ],
  [
    'the most specific: a trip at the station before a route at the stop',
    ['s,s,,,in1,,3,', 's1,s2,in,out,,,1,'],
    ['in1 > out1: -', 'in2 > out1: timed, 145 m'],
  ],
  [
    'the most specific: among equals of one exact side the first by the ids of the stops',
    ['s1,s,,,,,2,2', 's,s2,,,,,2,1'],
    ['in1 > out1: published 1 s, 145 m'],
  ],
  [
    'the most specific: among equals of one trip and one route the first by the ids of routes',
    ['s1,s2,,out,in1,,2,2', 's1,s2,in,,,out1,2,1'],
    ['in1 > out1: published 1 s, 145 m', 'in1 > out2: published 2 s, 145 m', 'in2 > out1: published 1 s, 145 m'],
  ],
  [
    'the most specific: a repeated rule counts once, the lowest type first',
    ['s1,s2,,,,,3,', 's1,s2,,,,,1,'],
    ['in1 > out1: timed, 145 m'],
  ],
  [
    'the most specific: no transfer for one trip only',
    ['s1,s2,,,in1,out1,3,'],
    ['in1 > out1: -', 'in1 > out2: sameStation, 145 m', 'in2 > out1: sameStation, 145 m'],
  ],
  [
    'the most specific: a transfer for one trip only',
    ['s1,far,,,in1,dorf,1,'],
    ['in1 > dorf: timed, 4337 m', 'in2 > dorf: -'],
  ],
  [
    'the most specific: a transfer for one route only',
    ['s1,far,in,,,,2,600'],
    ['in1 > dorf: published 600 s, 4337 m', 'side > dorf: -'],
  ],
  [
    'the most specific: a trip with its route is a trip',
    ['s1,s2,in,out,in1,out1,1,'],
    ['in1 > out1: timed, 145 m', 'in2 > out1: sameStation, 145 m'],
  ],
  [
    'the most specific: a trip that does not call there is ignored',
    ['s2,s2,,,in1,,3,', 'far,s2,,,,out1,3,'],
    ['in1 > out1: sameStation, 145 m'],
  ],
];

let tables: TimetableTables;

beforeAll(async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-changes-'));
  const worlds = cases.map(([, rules]) => feedFromText(`${world}${[COLUMNS, ...rules].join('\n')}`));
  tables = (await ingestFeedText(putSideBySide(frame, worlds), { dataDir })).timetable.snapshot.tables;
  await rm(dataDir, { recursive: true, force: true });
});

it.each(cases.map((each, number) => ({ title: each[0], number, expected: each[2] })))(
  '$title',
  ({ number, expected }) => {
    const found = expected.map((line) => {
      const [from, to] = line.split(': ')[0]!.split(' > ') as [string, string];
      return `${from} > ${to}: ${describeChange(tables, number, from, to)}`;
    });
    expect(found).toEqual(expected);
  },
);
