import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { getShownTrip, runsOn, type TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { ingestFeeds, mergeAll } from '../../support/ingest.ts';
import { feedFromText } from '../../support/text-feed.ts';

// Two feeds of one town over a week, with few lines, stations and times, so that trips are often alike.

interface Trip {
  readonly feed: number;
  readonly id: string;
  readonly line: string;
  readonly number: string;
  /** Days of March 2026, from 2 to 8. */
  readonly days: readonly number[];
  readonly stations: readonly number[];
  /** Minutes of the first call; the others follow every five. */
  readonly start: number;
}

const FIRST_DAY = 20_514;
const WEEK = [2, 3, 4, 5, 6, 7, 8];
const MINUTES_PER_RIDE = 5;
const MINUTES_PER_DAY = 24 * 60;

const drawnTrip = fc.record({
  feed: fc.integer({ min: 0, max: 1 }),
  line: fc.constantFrom('RJ', 'IC'),
  number: fc.constantFrom('', '1', '2'),
  days: fc.subarray(WEEK, { minLength: 1 }),
  stations: fc.constantFrom([0, 1, 2], [0, 1], [1, 2], [2, 3, 4], [2, 3], [4, 3, 2], [2, 1, 0]),
  start: fc.constantFrom(600, 605, 610, 615, 1435, 5),
});

const trips: readonly Trip[] = fc
  .sample(drawnTrip, { numRuns: 260, seed: 11 })
  .map((trip, i) => ({ ...trip, id: `t${String(i).padStart(3, '0')}` }))
  // As rows of the feeds are numbered.
  .sort((a, b) => a.feed - b.feed || (a.id < b.id ? -1 : 1));

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`;

function writeFeed(feed: number) {
  const own = trips.filter((trip) => trip.feed === feed);
  const lines = (rows: readonly string[]) => rows.join('\n');
  return feedFromText(
    lines([
      '# agency.txt',
      'agency_id,agency_name,agency_url,agency_timezone',
      'v,Verkehr,https://example.org,Europe/Vienna',
      '# stops.txt',
      'stop_id,stop_name,stop_lat,stop_lon',
      ...[0, 1, 2, 3, 4].map((station) => `${feed}${station},Ort ${station},${48 + station / 10 + feed / 2000},16`),
      '# routes.txt',
      'route_id,agency_id,route_short_name,route_long_name,route_type',
      'RJ,v,RJ,,2',
      'IC,v,IC,,2',
      '# trips.txt',
      'trip_id,route_id,service_id,trip_short_name',
      ...own.map(({ id, line, number }) => `${id},${line},${id},${number}`),
      '# stop_times.txt',
      'trip_id,stop_id,stop_sequence,arrival_time,departure_time',
      ...own.flatMap(({ id, stations, start }) =>
        stations.map((station, i) => {
          const time = clock(start + i * MINUTES_PER_RIDE);
          return `${id},${feed}${station},${i + 1},${time},${time}`;
        }),
      ),
      '# calendar_dates.txt',
      'service_id,date,exception_type',
      ...own.flatMap(({ id, days }) => days.map((day) => `${id},2026030${day},1`)),
    ]),
  );
}

let tables: TimetableTables;
let rowOf: ReadonlyMap<string, number>;
const merging = { ...mergeAll, throughTrips: true };

beforeAll(async () => {
  const { mkdtemp, rm } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const dataDir = await mkdtemp(`${tmpdir()}/taktgeber-merged-days-`);
  const feeds = { a: writeFeed(0), b: writeFeed(1) };
  const { timetable, outcome } = await ingestFeeds(feeds, { dataDir, settings: { merging } });
  expect(outcome.feeds.map(({ failure }) => failure)).toEqual([undefined, undefined]);
  tables = (await timetable()).snapshot.tables;
  await rm(dataDir, { recursive: true, force: true });
  rowOf = new Map(Array.from(tables.trips.service, (_, row) => [tables.trips.tripId.get(row), row] as const));
});

// ---- What is shown on a day, trip by trip --------------------------------------------------------

const isSameName = (a: Trip, b: Trip) => (a.number && b.number ? a.number === b.number : a.line === b.line);

/** Calls are five minutes apart, so equal times are equal minutes. */
function hasAllCalls(richer: Trip, other: Trip): boolean {
  const offset = (other.start - richer.start) / MINUTES_PER_RIDE;
  const fits = other.stations.every((station, i) => richer.stations[i + offset] === station);
  return fits && Number.isInteger(offset);
}

/** By trip that runs on the day: the one that is shown for it. */
function showDay(day: number): ReadonlyMap<Trip, Trip> {
  const running = trips.filter(({ days }) => days.includes(day));
  // Equal ones in the order of the rows; a number is the only fact that is published.
  const facts = ({ number }: Trip) => Number(number !== '');
  const order = [...running].sort((a, b) => b.stations.length - a.stations.length || facts(b) - facts(a));
  const shown = new Map<Trip, Trip>();
  for (const trip of order) {
    const richer = order.find(
      (other) => other !== trip && shown.get(other) === other && isSameName(other, trip) && hasAllCalls(other, trip),
    );
    shown.set(trip, richer ?? trip);
  }
  return shown;
}

it('shows each trip once on each day, as a comparison of all trips of the day does', () => {
  let hidden = 0;
  for (const day of WEEK) {
    const shown = showDay(day);
    const epochDay = FIRST_DAY + day - 2;
    for (const trip of trips) {
      const row = rowOf.get(trip.id)!;
      const expected = shown.get(trip) ?? null;
      hidden += Number(expected !== null && expected !== trip);
      expect([trip.id, day, runsOn(tables, tables.trips.service[row]!, epochDay)]).toEqual([
        trip.id,
        day,
        expected === trip,
      ]);
      expect([trip.id, day, tables.trips.tripId.get(getShownTrip(tables, row, epochDay))]).toEqual([
        trip.id,
        day,
        (expected ?? trip).id,
      ]);
    }
  }
  expect(hidden).toBeGreaterThan(200);
});

// ---- Through trips -------------------------------------------------------------------------------

const endOf = ({ start, stations }: Trip) => start + (stations.length - 1) * MINUTES_PER_RIDE;

function isThrough(from: Trip, to: Trip, dayOffset: number): boolean {
  const wait = to.start + dayOffset * MINUTES_PER_DAY - endOf(from);
  if (from === to || from.stations.at(-1) !== to.stations[0] || wait < 0 || wait > 15) return false;
  if (from.number !== '' || to.number !== '') return from.number === to.number;
  return from.line === to.line && from.feed === to.feed && to.stations[1] !== from.stations.at(-2);
}

it('continues a trip as the only one of its number or line that begins where and when it ends', () => {
  const shown = new Map(WEEK.map((day) => [day, new Set(showDay(day).values())]));
  const expected: string[] = [];
  for (const day of WEEK) {
    for (const from of shown.get(day)!) {
      const next = listNext(shown, from, day);
      const [only] = next;
      if (next.length !== 1 || !only) continue;
      const before = [0, 1].flatMap((dayOffset) =>
        [...(shown.get(only.day - dayOffset) ?? [])].filter((other) => isThrough(other, only.trip, dayOffset)),
      );
      if (before.length === 1) expected.push(`${from.id} ${day} > ${only.trip.id} ${only.day}`);
    }
  }
  expect(expected.length).toBeGreaterThan(20);
  expect(listDerived().sort()).toEqual(expected.sort());
});

function listNext(shown: ReadonlyMap<number, ReadonlySet<Trip>>, from: Trip, day: number) {
  return [0, 1].flatMap((dayOffset) =>
    [...(shown.get(day + dayOffset) ?? [])]
      .filter((to) => isThrough(from, to, dayOffset))
      .map((trip) => ({ trip, day: day + dayOffset })),
  );
}

function listDerived(): string[] {
  const { fromTrip, toTrip, dayOffset, service, isDerived } = tables.continuations;
  return Array.from(fromTrip.keys()).flatMap((row) => {
    expect(isDerived[row]).toBe(1);
    const days = WEEK.filter((day) => runsOn(tables, service[row]!, FIRST_DAY + day - 2));
    const name = (trip: number) => tables.trips.tripId.get(trip);
    return days.map((day) => `${name(fromTrip[row]!)} ${day} > ${name(toTrip[row]!)} ${day + dayOffset[row]!}`);
  });
}
