import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPlanner } from '../../api/engine/planner/open-planner.ts';
import { openPlaces } from '../../api/engine/trips/places.ts';
import { countDays } from '../../pipeline/history/stop-events/count-days.ts';
import { type SourceId, toSourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { hashTrip } from '../../pipeline/snapshots/timetable-lookups.ts';
import { buildTripRequest, requestTrips } from '../api/engine/trips/trip-questions.ts';
import type { World } from '../support/worlds/board-world.ts';
import { instant, openWorld, publishFeeds, queryArrivals, queryDepartures } from '../support/worlds/board-world.ts';
import { finalise, type ReportedEvent, settings, storeAnswers } from '../support/worlds/finalised-world.ts';
import { temporaryFolder } from '../support/worlds/ingest.ts';
import { readZipTexts, realData } from '../support/worlds/real-data.ts';
import { idInHalves, splitFeed } from '../support/worlds/split-feed.ts';
import { readStopEvents } from '../support/worlds/stop-events.ts';
import type { FeedFiles } from '../support/worlds/text-feed.ts';

// A city as two publishers would have it: trams in the first, most buses in the second, and some lines of the trunk in
// both, under other ids and some metres away. What is shown and counted is that of the city as one.

const FILES = ['agency.txt', 'stops.txt', 'routes.txt', 'trips.txt', 'stop_times.txt', 'calendar_dates.txt'];
const CITY_SIZE = { memoryLimit: '2GB', threads: 2, maxEntryBytes: 1e9, maxTotalBytes: 1e9 };
const DATE = '2020-04-28' as ServiceDate;
const NOW = `${DATE}T00:00:00Z`;

const isTram = (line: string) => Number(line) < 20;
const linesOf = (line: string): readonly ('a' | 'b')[] => {
  const isInBoth = ['1', '5', '52', '69', '71'].includes(line);
  if (isInBoth) return ['a', 'b'];
  return isTram(line) ? ['a'] : ['b'];
};

let files: ReadonlyMap<string, string>;
let halves: { readonly a: FeedFiles; readonly b: FeedFiles };
let whole: World;
let two: World;
let stopIds: readonly string[];

beforeAll(async () => {
  files = await readZipTexts(realData('gtfs/bydgoszcz.zip'), FILES);
  halves = splitFeed(files, linesOf);
  whole = await openWorld({ whole: files }, { settings: CITY_SIZE, now: NOW });
  two = await openWorld(halves as never, { settings: CITY_SIZE, now: NOW });
  const { searchEntries, stops } = whole.timetable.tables;
  stopIds = Array.from(searchEntries.stop, (stop) => stops.stopId.get(stop));
});

const wholeId = (stopId: string) => `whole:${stopId}`;
const halfId = (stopId: string) => idInHalves(stopId, halves);

it('has the same stations and trips', () => {
  const { merges } = two.timetable.manifest;
  expect(two.timetable.tables.searchEntries.stop).toHaveLength(stopIds.length);
  const tripsInBoth =
    String(halves.a.get('trips.txt')).split('\n').length +
    String(halves.b.get('trips.txt')).split('\n').length -
    files.get('trips.txt')!.split('\n').length;
  const hidden = (world: World) => world.timetable.manifest.merges.trips.reduce((sum, { count }) => sum + count, 0);
  expect(tripsInBoth).toBeGreaterThan(1000);
  expect(hidden(two)).toBeGreaterThanOrEqual(tripsInBoth - 3);
  expect(merges.derivedContinuations).toBe(whole.timetable.manifest.merges.derivedContinuations);
});

it('merges trips after midnight that the second feed dates by the next day', () => {
  const { dayOffset } = two.timetable.tables.duplicates;
  expect(dayOffset.filter((days) => days === -1).length).toBeGreaterThan(10);
});

it('has the same boards', async () => {
  let compared = 0;
  const question = fc.record({
    stopId: fc.constantFrom(...stopIds),
    minutes: fc.integer({ min: 0, max: 2 * 24 * 60 }),
    isDeparture: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ stopId, minutes, isDeparture }) => {
      const time = new Date(Date.parse(NOW) + minutes * 60_000).toISOString();
      const list = async (world: World, id: string) => {
        const requested = { time, durationMinutes: 90, limit: 10_000 };
        if (isDeparture) {
          const { departures } = await queryDepartures(world, id, requested);
          return departures.map((row) => `${row.departure.scheduled} ${row.line.label} ${row.direction}`).sort();
        }
        const { arrivals } = await queryArrivals(world, id, requested);
        return arrivals.map((row) => `${row.arrival.scheduled} ${row.line.label} ${row.origin}`).sort();
      };
      const expected = await list(whole, wholeId(stopId));
      compared += expected.length;
      expect(await list(two, halfId(stopId))).toEqual(expected);
    }),
    { numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(3000);
});

it('has the same trips', async () => {
  let compared = 0;
  const contexts = [whole, two].map(({ timetable, references }) => ({
    published: { timetable, realtime: null },
    planner: openPlanner(timetable),
    places: openPlaces(timetable),
    references,
    instant: instant(NOW),
    walks: null,
    isSpent: () => false,
  }));
  const question = fc.record({
    from: fc.constantFrom(...stopIds),
    to: fc.constantFrom(...stopIds),
    minutes: fc.integer({ min: 4 * 60, max: 20 * 60 }),
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ from, to, minutes }) => {
      if (from === to) return;
      const time = new Date(Date.parse(NOW) + minutes * 60_000).toISOString();
      const list = async (i: 0 | 1, idOf: (stopId: string) => string) => {
        // Longer than any walk within a station: at a pole that both publish a change is a walk of some metres.
        const over = { time: time as never, minTransferMinutes: 6, maxWalkMeters: 0 };
        const { trips } = await requestTrips(
          contexts[i]!,
          buildTripRequest({ stopId: idOf(from) }, { stopId: idOf(to) }, over),
        );
        return trips.map(
          ({ departure, arrival, transfers }) => `${departure.scheduled} ${arrival.scheduled} ${transfers}`,
        );
      };
      const expected = await list(0, wholeId);
      compared += expected.length;
      expect(await list(1, halfId)).toEqual(expected);
    }),
    { numRuns: 120 },
  );
  expect(compared).toBeGreaterThan(150);
});

it('shows a train once although one feed publishes it a hundred times', async () => {
  const location = realData('gtfs/tricky/amtrak-2021-10-06.zip');
  const world = await openWorld({ at: { location } }, { settings: CITY_SIZE });
  const { departures } = await queryDepartures(world, 'at:PTH', {
    time: '2021-12-06T06:00:00-05:00',
    durationMinutes: 60,
  });
  expect(departures.map(({ line, departure }) => `${departure.scheduled!.slice(11, 16)} ${line.label}`)).toEqual([
    '12:20 Blue Water',
  ]);
});

// ---- History -----------------------------------------------------------------------------------

describe('the history', () => {
  const config = (sources: readonly string[], realtime: Readonly<Record<string, string>>) =>
    [
      'sources:',
      ...sources.map((id) => `  - { id: ${id}, gtfs: feeds/${id}.zip }`),
      'realtime:',
      ...Object.entries(realtime).map(
        ([id, timetable]) =>
          `  - { id: ${id}, kind: gtfs-rt, timetable: ${timetable}, tripUpdates: 'https://${id}.example.org' }`,
      ),
    ].join('\n');

  /** What is counted over all sources, as `12:00 1 observed_actual +60`. */
  async function count(feeds: Readonly<Record<string, FeedFiles>>, realtime: Readonly<Record<string, string>>) {
    const dataDir = await temporaryFolder();
    await publishFeeds(feeds as never, { dataDir, settings: CITY_SIZE, now: NOW });
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), config(Object.keys(feeds), realtime));
    const world = { dataDir, date: DATE };
    for (const [id, timetable] of Object.entries(realtime)) {
      await storeAnswers(
        world,
        [{ at: `${DATE}T20:00:00Z`, reported: observe(timetable, feeds[timetable]!) }],
        toSourceId(id),
      );
    }
    const { stderr } = await finalise(world, '2020-04-30T12:00:00Z', '--date', DATE);
    expect(stderr).not.toContain('error');
    const silent = { progress: () => {}, warn: () => {} };
    await countDays({ dataDir, settings, from: null, to: null, log: silent });
    const rows = await Promise.all(Object.keys(realtime).map((id) => readStopEvents(dataDir, id as SourceId, DATE)));
    return rows
      .flat()
      .filter((row) => row.is_counted)
      .map((row) => [row.scheduled_time, row.line_label, row.event, row.evidence, row.delay_seconds].join(' '))
      .sort();
  }

  /** The first departure of each trip of the day, a minute late. */
  function observe(source: string, feed: FeedFiles): ReportedEvent[] {
    const [, ...rows] = String(feed.get('stop_times.txt')).trimEnd().split('\n');
    const first = new Map<string, string>();
    for (const row of rows) {
      const [trip] = row.split(',');
      if (trip!.includes('POWSZEDNI') && !first.has(trip!)) first.set(trip!, row);
    }
    return [...first.values()].flatMap((row): ReportedEvent[] => {
      const [trip, , departure, stopId] = row.split(',') as [string, string, string, string];
      const [hours, minutes] = departure.split(':').map(Number) as [number, number];
      if (hours >= 22) return [];
      const instant = (late: number) =>
        new Date(Date.parse(`${DATE}T00:00:00+02:00`) + (hours * 60 + minutes + late) * 60_000).toISOString();
      const times = { planned: instant(0), time: instant(1) };
      const key = hashTrip(source, trip, -1);
      return [{ trip, key, position: 0, stopId, event: 'departure', evidence: 'observed_actual', ...times }];
    });
  }

  it('counts the same calls, whichever sources report them', async () => {
    const expected = await count({ whole: files }, { live: 'whole' });
    expect(expected.length).toBeGreaterThan(50_000);
    expect(expected.filter((line) => line.includes('observed_actual 60')).length).toBeGreaterThan(1000);
    const found = await count({ a: halves.a, b: halves.b }, { first: 'a', second: 'b' });
    expect(found.length).toBe(expected.length);
    expect(found).toEqual(expected);
  });
});
