import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { checkTimetable } from '../../../pipeline/timetable/snapshot/check-timetable.ts';
import { ingestFeedText, soundFeed } from '../../support/worlds/ingest.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

/** Two trips of a block there and back, transfers of every kind but one, and a transfer place used by one trip. */
const feed = new Map([
  ...soundFeed,
  ...feedFromText(`
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    a,Anger,48.0,16.0
    b,Berg,48.0,16.001
    c,Kirche,48.0,16.2
    # trips.txt
    trip_id,route_id,service_id,block_id
    t1,r,daily,1
    t2,r,daily,1
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    t1,a,1,08:00:00,08:00:00
    t1,b,2,08:10:00,08:11:00
    t1,c,3,08:20:00,08:20:00
    t2,c,1,08:30:00,08:30:00
    t2,b,2,08:40:00,08:41:00
    t2,a,3,08:50:00,08:50:00
    # transfers.txt
    from_stop_id,to_stop_id,from_trip_id,transfer_type,min_transfer_time
    b,b,t1,2,60
    a,a,,1,
  `),
]);

let sound: TimetableTables;

beforeAll(async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-check-'));
  sound = (await ingestFeedText(feed, { dataDir })).timetable.snapshot.tables;
  await rm(dataDir, { recursive: true, force: true });
});

it('accepts a valid snapshot', () => {
  expect(sound.transferPlaces.stop).toHaveLength(1);
  expect(sound.continuations.fromTrip).toHaveLength(1);
  expect(() => checkTimetable(sound)).not.toThrow();
});

type Damaged =
  | 'transfers'
  | 'transferStarts'
  | 'transfersBack'
  | 'transferBackStarts'
  | 'transferPlaces'
  | 'patternCalls'
  | 'continuations'
  | 'continuationsBack';

/** One value of a column is damaged; negative rows count from the end. */
it.each<[table: Damaged, column: string, row: number, value: number, invariant: string]>([
  ['transferPlaces', 'stop', 0, 3, 'every transfer place is at a stop'],
  ['transferPlaces', 'stop', 0, 0, 'the transfer places of a call are at its stop'],
  ['patternCalls', 'alightAt', 0, 0, 'calls have transfer places exactly where boarding and alighting are allowed'],
  ['patternCalls', 'boardAt', 0, -1, 'calls have transfer places exactly where boarding and alighting are allowed'],
  ['patternCalls', 'boardAt', 1, 0, 'the transfer places of a call are at its stop'],
  ['transfers', 'from', -1, 4, 'every transfer begins at a place'],
  ['transfers', 'to', 0, -1, 'every transfer ends at a place'],
  ['transfers', 'from', 0, 2, 'transfers and continuations are sorted, one for each pair, from either end'],
  ['transfers', 'to', 1, 0, 'transfers and continuations are sorted, one for each pair, from either end'],
  ['transfers', 'meters', 1, -1, 'no way has a negative length'],
  ['transfers', 'wheelchairMeters', 1, -2, 'no way has a negative length'],
  ['transfers', 'meters', 0, 5, 'no way leads from a stop to itself'],
  ['transfers', 'kind', 0, 5, 'every transfer is of a known kind'],
  ['transfers', 'kind', 1, 0, 'a transfer at one stop leads to no other'],
  ['transfers', 'kind', 0, 2, 'a transfer between stops leads to another'],
  ['transfers', 'seconds', 1, 60, 'only published transfers have a time'],
  ['transferStarts', 'transfer', 0, 1, 'the transfers of all places cover the table'],
  ['transferStarts', 'transfer', 1, 1, 'transfers are listed at their own places'],
  ['transferStarts', 'transfer', 1, 9, 'transfers are listed at their own places'],
  ['transfersBack', 'transfer', 0, 99, 'sorted rows are complete'],
  ['transfersBack', 'transfer', 0, 1, 'transfers and continuations are sorted, one for each pair, from either end'],
  ['transferBackStarts', 'row', -1, 2, 'the transfers of all places cover the table'],
  ['continuations', 'toTrip', 0, 2, 'continuations are between trips'],
  ['continuations', 'service', 0, 7, 'every continuation has a service'],
  ['continuations', 'dayOffset', 0, 2, 'trips continue on the same day or the next'],
  ['continuations', 'dayOffset', 0, 1, 'trips continue only on days on which both run'],
  ['continuations', 'fromTrip', 0, 1, 'no trip continues before it has arrived'],
  ['continuationsBack', 'continuation', 0, 1, 'sorted rows are complete'],
])('%s.%s [%i] = %i: %s', (table, column, row, value, invariant) => {
  const columns = sound[table] as Readonly<Record<string, Int32Array>>;
  const damaged = columns[column]!.slice();
  damaged[row < 0 ? damaged.length + row : row] = value;
  const tables = { ...sound, [table]: { ...columns, [column]: damaged } } as TimetableTables;
  expect(() => checkTimetable(tables)).toThrow(`violates an invariant: ${invariant}`);
});
