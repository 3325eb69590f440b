import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromEpochDay, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { type NaivePlanFeed, readPlanFeed } from '../../support/oracles/naive-plan-feed.ts';
import { listStays } from '../../support/oracles/naive-plan-stays.ts';
import { findRule, stopMeters, type TransferEnd } from '../../support/oracles/naive-plan-transfers.ts';
import { findCompiledTransfer, listContinuations } from '../../support/oracles/planner-tables.ts';
import { ingestFeedText, mergeNothing } from '../../support/worlds/ingest.ts';
import { putSideBySide } from '../../support/worlds/side-by-side.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

const frame = feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260302,20260308
  weekdays,1,1,1,1,1,0,0,20260302,20260308
  monday,1,0,0,0,0,0,0,20260302,20260302
`);

/** A station with distant platforms, at which trips call as well; stops near and far; some without a position. */
const places = feedFromText(`
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
  s,Bahnhof,48.2,16.4,1,
  s1,Bahnhof,48.2,16.4,,s
  s2,Bahnhof,48.203,16.4,,s
  near,Park,48.207,16.4,,
  far,Dorf,48.21,16.4,,
  lost,Nirgendwo,,,,s
  out,Wald,,,,
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r1,v,1,3
  r2,v,2,3
`);
const STOPS = ['s', 's1', 's2', 'near', 'far', 'lost', 'out'];
const ROUTES = ['r1', 'r2'];
const TRIPS = Array.from({ length: 9 }, (_, i) => `t${i}`);
const MIDDAY_MINUTES = 720;
const LAST_MINUTE = 1800;

const call = fc.record({
  stop: fc.constantFrom(...STOPS),
  minutes: fc.integer({ min: 0, max: 40 }),
  pickup: fc.constantFrom('', '', '', '1', '2'),
  dropOff: fc.constantFrom('', '', '', '1', '3'),
});
/** Few, so that trips share a pattern that rules then split. */
const line = fc.record({
  route: fc.constantFrom(...ROUTES),
  calls: fc.array(call, { minLength: 2, maxLength: 4 }),
});
const LINES = 4;
const trip = fc.record({
  line: fc.nat(LINES - 1),
  service: fc.constantFrom('daily', 'daily', 'weekdays', 'monday'),
  block: fc.constantFrom('', 'x', 'x', 'y'),
  // Some start at the same time, some run past midnight.
  start: fc.oneof(fc.constant(MIDDAY_MINUTES), fc.integer({ min: 0, max: LAST_MINUTE })),
  isRepeated: fc.constantFrom(false, false, false, true),
});
const maybe = (values: readonly string[]) => fc.constantFrom('', '', ...values);
const change = fc.record({
  stops: fc.tuple(fc.constantFrom(...STOPS), fc.constantFrom(...STOPS)),
  routes: fc.tuple(maybe(ROUTES), maybe(ROUTES)),
  trips: fc.tuple(maybe(TRIPS), maybe(TRIPS)),
  type: fc.constantFrom('', '0', '1', '2', '2', '3'),
  seconds: fc.constantFrom('', '0', '60', '300'),
});
const link = fc.record({
  stops: fc.constant(['', ''] as const),
  routes: fc.constant(['', ''] as const),
  trips: fc.tuple(fc.constantFrom(...TRIPS), fc.constantFrom(...TRIPS)),
  type: fc.constantFrom('4', '5'),
  seconds: fc.constant(''),
});
const world = fc.record({
  lines: fc.array(line, { minLength: LINES, maxLength: LINES }),
  trips: fc.array(trip, { minLength: TRIPS.length, maxLength: TRIPS.length }),
  changes: fc.array(change, { maxLength: 40 }),
  links: fc.array(link, { maxLength: 4 }),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

function writeFeed({ lines, trips, changes, links }: World): Map<string, string> {
  const rows = {
    trips: ['trip_id,route_id,service_id,block_id'],
    stop_times: ['trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type'],
    frequencies: ['trip_id,start_time,end_time,headway_secs'],
    transfers: [
      'from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time',
    ],
  };
  for (const [i, { line: at, service, block, start, isRepeated }] of trips.entries()) {
    const { route, calls } = lines[at]!;
    rows.trips.push(`t${i},${route},${service},${block}`);
    if (isRepeated) rows.frequencies.push(`t${i},06:00:00,07:00:00,1800`);
    let minutes = start;
    for (const [k, { stop, minutes: hop, pickup, dropOff }] of calls.entries()) {
      minutes += hop;
      const time = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:00`;
      rows.stop_times.push(`t${i},${stop},${k},${time},${time},${pickup},${dropOff}`);
    }
  }
  for (const { stops, routes, trips: named, type, seconds } of [...changes, ...links]) {
    // A trip belongs to one route, so that a rule names either.
    const routesAlone = routes.map((route, side) => (named[side] === '' ? route : ''));
    rows.transfers.push([...stops, ...routesAlone, ...named, type, seconds].join());
  }
  const files = new Map(places);
  for (const [name, text] of Object.entries(rows)) files.set(`${name}.txt`, text.map((each) => `${each}\n`).join(''));
  return files;
}

const LONGEST_WALK = 1000;

/** The transfers between two calls by the rules, read one by one. */
function describeNaive(feed: NaivePlanFeed, from: TransferEnd, to: TransferEnd): string {
  const rule = findRule(feed, from, to);
  const meters = stopMeters(feed, from.stop, to.stop);
  const way = `${meters || 0} m`;
  if (rule?.type === 3) return 'none';
  if (rule?.type === 1) return `timed ${way}`;
  if (rule && rule.minSeconds !== null) return `published ${rule.minSeconds} ${way}`;
  if (from.stop === to.stop) return `sameStop ${way}`;
  if (rule || feed.stops[from.stop]!.station === feed.stops[to.stop]!.station) return `sameStation ${way}`;
  return meters <= LONGEST_WALK ? `walk ${way}` : 'none';
}

function describeCompiled(tables: TimetableTables, from: string, to: string): string {
  const change = findCompiledTransfer(tables, from, to);
  if (!change) return 'none';
  return `${change.kind} ${change.kind === 'published' ? `${change.seconds} ` : ''}${change.meters} m`;
}

/** Several at a time, because each feed takes most of a second. */
const worlds = fc.array(world, { minLength: 1, maxLength: 8, size: 'max' });

async function ingest(made: readonly World[]): Promise<{ feed: NaivePlanFeed; tables: TimetableTables }> {
  const files = putSideBySide(frame, made.map(writeFeed));
  const { timetable } = await ingestFeedText(files, { settings: { merging: mergeNothing } });
  return { feed: readPlanFeed(files as ReadonlyMap<string, string>), tables: timetable.snapshot.tables };
}

it('gives each pair of calls the transfer that the rules define', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (made) => {
      const { feed, tables } = await ingest(made);
      const ends = feed.trips.flatMap(({ naive, routeId, calls }) =>
        calls.map((each, k) => ({ ...each, name: `${naive.id}@${k}`, routeId, tripId: naive.id })),
      );
      const worldOf = ({ name }: { name: string }) => name.split('.')[0];
      for (const from of ends) {
        for (const to of ends.filter((each) => worldOf(each) === worldOf(from))) {
          const isOpen = from.mayAlight && to.mayBoard;
          const found = `${from.name} > ${to.name}: ${describeCompiled(tables, from.name, to.name)}`;
          expect(found).toBe(`${from.name} > ${to.name}: ${isOpen ? describeNaive(feed, from, to) : 'none'}`);
        }
      }
    }),
    { numRuns: 5 },
  );
});

it('continues trips as rules and blocks define, for each trip and day', async () => {
  const days = Array.from({ length: 9 }, (_, i) => toEpochDay('2026-03-01' as ServiceDate) + i);
  await fc.assert(
    fc.asyncProperty(worlds, async (made) => {
      const { feed, tables } = await ingest(made);
      const expected = new Map<string, Set<string>>();
      for (const trip of feed.trips) {
        for (const day of days) {
          for (const next of listStays(feed, { trip, day })) {
            const name = `${trip.naive.id} > ${next.trip.naive.id}${next.day > day ? '+1' : ''}`;
            expected.set(name, (expected.get(name) ?? new Set()).add(fromEpochDay(day)));
          }
        }
      }
      const lines = Array.from(expected, ([name, dates]) => `${name}: ${[...dates].join(' ')}`);
      expect(listContinuations(tables)).toEqual(lines.sort());
    }),
    { numRuns: 5 },
  );
});
