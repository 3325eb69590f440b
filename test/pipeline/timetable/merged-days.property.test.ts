import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { getShownTrip, runsOn } from '../../../pipeline/snapshots/timetable-lookups.ts';
import { ingestFeeds, mergeAll } from '../../support/worlds/ingest.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

// Two feeds of one town over a week, with few lines, stations and times, so that trips are often equal.

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
  // After midnight of the service date, or early on the next one.
  start: fc.constantFrom(600, 605, 610, 615, 1435, 5, 10, 1440, 1445, 1450),
});

const trips: readonly Trip[] = fc
  .sample(drawnTrip, { numRuns: 260, seed: 11 })
  .map((trip, i) => ({ ...trip, id: `t${String(i).padStart(3, '0')}` }))
  // Numbered like the rows of the feeds.
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

// ---- Shown trips of a day, one by one -----------------------------------------------------------

interface DatedTrip {
  readonly trip: Trip;
  readonly day: number;
}

const isSameName = (a: Trip, b: Trip) => (a.number && b.number ? a.number === b.number : a.line === b.line);

/** Calls are five minutes apart, so equal instants are equal minutes. */
function hasAllCalls(richer: DatedTrip, other: DatedTrip): boolean {
  const minutes = ({ trip, day }: DatedTrip) => day * MINUTES_PER_DAY + trip.start;
  const offset = (minutes(other) - minutes(richer)) / MINUTES_PER_RIDE;
  const fits = other.trip.stations.every((station, i) => richer.trip.stations[i + offset] === station);
  return fits && Number.isInteger(offset);
}

const keyOf = ({ trip, day }: DatedTrip) => `${trip.id} ${day}`;

/** By dated trip: the one that is shown for it, of all days together. */
function showWeek(): ReadonlyMap<string, DatedTrip> {
  const dated = trips.flatMap((trip) => trip.days.map((day) => ({ trip, day })));
  // Equal ones in the order of the rows; a number is the only published detail.
  const facts = ({ trip }: DatedTrip) => Number(trip.number !== '');
  const order = dated.sort((a, b) => b.trip.stations.length - a.trip.stations.length || facts(b) - facts(a));
  const shown = new Map<string, DatedTrip>();
  for (const one of order) {
    const richer = order.find(
      (other) =>
        other !== one &&
        shown.get(keyOf(other)) === other &&
        isSameName(other.trip, one.trip) &&
        hasAllCalls(other, one),
    );
    shown.set(keyOf(one), richer ?? one);
  }
  return shown;
}

it('shows each trip once, like a comparison of all dated trips', () => {
  const week = showWeek();
  let hidden = 0;
  let hiddenByOtherDay = 0;
  for (const trip of trips) {
    const row = rowOf.get(trip.id)!;
    for (const day of WEEK) {
      const expected = week.get(keyOf({ trip, day })) ?? null;
      const isShown = expected?.trip === trip;
      hidden += Number(expected !== null && !isShown);
      hiddenByOtherDay += Number(expected !== null && expected.day !== day);
      const epochDay = FIRST_DAY + day - 2;
      const shown = getShownTrip(tables, row, epochDay);
      expect([
        keyOf({ trip, day }),
        runsOn(tables, tables.trips.service[row]!, epochDay),
        tables.trips.tripId.get(shown.trip),
        shown.day - FIRST_DAY + 2,
      ]).toEqual([keyOf({ trip, day }), isShown, (expected?.trip ?? trip).id, expected?.day ?? day]);
    }
  }
  expect(hidden).toBeGreaterThan(200);
  expect(hiddenByOtherDay).toBeGreaterThan(40);
});

// ---- Through trips -------------------------------------------------------------------------------

/** A trip without a number has that of the first trip that is the same on all days on which it is shown. */
function findNumber(week: ReadonlyMap<string, DatedTrip>, trip: Trip): string {
  const isShownOn = (day: number) => week.get(keyOf({ trip, day }))?.trip === trip;
  const dayCount = trip.days.filter(isShownOn).length;
  const same = trips.filter(
    (other) =>
      other !== trip &&
      other.days.filter((day) => week.get(keyOf({ trip: other, day }))!.trip === trip).length === dayCount,
  );
  return trip.number || (same.find(({ number }) => number !== '')?.number ?? '');
}

const endOf = ({ start, stations }: Trip) => start + (stations.length - 1) * MINUTES_PER_RIDE;

function isThrough(from: Trip, to: Trip, dayOffset: number): boolean {
  const wait = to.start + dayOffset * MINUTES_PER_DAY - endOf(from);
  if (from === to || from.stations.at(-1) !== to.stations[0] || wait < 0 || wait > 15) return false;
  if (from.number !== '' || to.number !== '') return from.number === to.number;
  return from.line === to.line && from.feed === to.feed && to.stations[1] !== from.stations.at(-2);
}

it('continues a trip as the only one of its number or line that begins where and when it ends', () => {
  const week = showWeek();
  const shown = new Map(WEEK.map((day) => [day, new Set<Trip>()] as const));
  const numbered = new Map(trips.map((trip) => [trip, { ...trip, number: findNumber(week, trip) }] as const));
  for (const { trip, day } of week.values()) shown.get(day)!.add(numbered.get(trip)!);
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
