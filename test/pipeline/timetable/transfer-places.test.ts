import { expect, it } from 'vitest';
import { findCompiledTransfer } from '../../support/oracles/planner-tables.ts';
import { ingestFeeds, ingestFeedText, mergeNothing, soundFeed } from '../../support/worlds/ingest.ts';
import { feedFromText, withFiles } from '../../support/worlds/text-feed.ts';

/** Two lines that cross at a stop; the first with three equal trips. */
const crossing = new Map([
  ...soundFeed,
  ...feedFromText(`
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    r,v,1,3
    q,v,2,3
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    a,Anger,48.0,16.0
    b,Berg,48.0,16.1
    c,Kirche,48.0,16.2
    # trips.txt
    trip_id,route_id,service_id
    t1,r,daily
    t2,r,daily
    t3,r,daily
    u1,q,daily
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type
    t1,a,1,08:00:00,08:00:00,0,0
    t1,b,2,08:10:00,08:11:00,0,0
    t1,c,3,08:20:00,08:20:00,0,0
    t2,a,1,09:00:00,09:00:00,0,0
    t2,b,2,09:10:00,09:11:00,0,0
    t2,c,3,09:20:00,09:20:00,0,0
    t3,a,1,10:00:00,10:00:00,0,0
    t3,b,2,10:10:00,10:11:00,0,0
    t3,c,3,10:20:00,10:20:00,0,0
    u1,c,1,08:00:00,08:00:00,0,0
    u1,b,2,08:30:00,08:31:00,3,1
    u1,a,3,08:40:00,08:40:00,0,0
  `),
]);

const withRules = (...rules: string[]) =>
  withFiles(crossing, {
    'transfers.txt': `from_stop_id,to_stop_id,from_route_id,from_trip_id,to_trip_id,transfer_type\n${rules.join('\n')}\n`,
  });

it('allows no boarding at the last call, no alighting at the first, and respects pickup and drop-off types', async () => {
  const { timetable } = await ingestFeedText(crossing);
  const { tables } = timetable.snapshot;
  const isPossible = (from: string, to: string) => findCompiledTransfer(tables, from, to) !== null;
  expect(isPossible('t1@b', 't2@b')).toBe(true);
  expect(isPossible('t1@a', 'u1@a')).toBe(false);
  expect(isPossible('t1@c', 'u1@c')).toBe(true);
  expect(isPossible('t1@c', 't2@c')).toBe(false);
  // By arrangement is permitted, not available is not.
  expect(isPossible('t1@b', 'u1@b')).toBe(true);
  expect(isPossible('u1@b', 't1@b')).toBe(false);
});

const together = 'r: a b c = t1 t2 t3';

it.each<[title: string, rules: readonly string[], patterns: readonly string[], places: readonly string[]]>([
  [
    'rules of stops and links of trips split nothing',
    ['b,b,,,,2', 'a,c,,,,3', ',,,t1,t2,4', ',,,t1,t3,5'],
    [together],
    [],
  ],
  ['routes have separate places', ['b,b,r,,,3'], [together], ['b']],
  ['but not where alighting is impossible', ['a,a,r,,,3'], [together], []],
  [
    'a trip has a separate pattern and separate places',
    ['b,b,,t2,,3', 'c,c,,t2,,1'],
    ['r: a b c = t1 t3', 'r: a b c = t2'],
    ['b', 'c'],
  ],
  ['each trip has one too', ['b,b,,t2,t3,1'], ['r: a b c = t1', 'r: a b c = t2', 'r: a b c = t3'], ['b', 'b']],
])('%s', async (_title, rules, patterns, places) => {
  const { timetable } = await ingestFeedText(withRules(...rules));
  const { transferPlaces, stops } = timetable.snapshot.tables;
  expect(timetable.patterns).toEqual(['q: c b a = u1', ...patterns]);
  expect(Array.from(transferPlaces.stop, (stop) => stops.stopId.get(stop))).toEqual(places);
});

it('applies a rule for a trip to each run of its frequencies', async () => {
  const feed = withFiles(withRules('b,b,,t2,u1,3'), {
    'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nt2,12:00:00,13:00:00,1200\n',
  });
  const { timetable } = await ingestFeedText(feed);
  expect(timetable.patterns).toEqual(['q: c b a = u1', 'r: a b c = t1 t3', 'r: a b c = t2@~12:00 t2@~12:20 t2@~12:40']);
  expect(findCompiledTransfer(timetable.snapshot.tables, 't2@b', 'u1@b')).toBeNull();
  expect(findCompiledTransfer(timetable.snapshot.tables, 't1@b', 'u1@b')).not.toBeNull();
});

it('walks between stops of two publishers, but applies rules within one feed only', async () => {
  const renamed = new Map(crossing);
  for (const name of ['trips.txt', 'stop_times.txt']) {
    renamed.set(name, crossing.get(name)!.replaceAll(/^(?=[tu]\d)/gm, 'x'));
  }
  const one = withRules('b,b,,,,3', 'b,b,r,,,1');
  const { timetable } = await ingestFeeds({ one, other: renamed }, { settings: { merging: mergeNothing } });
  const { tables } = (await timetable()).snapshot;
  expect(findCompiledTransfer(tables, 't1@b', 'u1@b')).toMatchObject({ kind: 'timed' });
  expect(findCompiledTransfer(tables, 't1@b', 'xt1@b')).toMatchObject({ kind: 'walk', meters: 0 });
  expect(findCompiledTransfer(tables, 'xt1@b', 'xu1@b')).toMatchObject({ kind: 'sameStop' });
  expect(findCompiledTransfer(tables, 'xt1@b', 'u1@b')).toMatchObject({ kind: 'walk', meters: 0 });
});
