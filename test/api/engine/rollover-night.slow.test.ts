import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Board, V1Health } from '../../../api/contract/definitions.ts';
import { encodeBoard } from '../../../api/engine/boards/boards.ts';
import { createReferences, type References } from '../../../api/engine/read/references.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { Instant, ServiceDate } from '../../../pipeline/model/service-time.ts';
import { readNaiveTimetable } from '../../support/oracles/naive-timetable.ts';
import {
  findRefusal,
  instant,
  loadTimetable,
  publishFeeds,
  queryDepartures,
  queryJourney,
  TEST_KEY,
  type World,
} from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import {
  divideNaive,
  firstDayOf,
  type NaiveBoards,
  type Rollover,
  rolloverFeed,
} from '../../support/worlds/rollover-world.ts';
import { openService } from '../service-app.ts';
import { buildTripRequest, openTrips, requestTrips } from './trips/trip-questions.ts';

interface Night extends Rollover {
  /** Start of the first day of the new version. */
  readonly midnight: string;
  readonly isGap?: boolean;
}

const nights: Readonly<Record<string, Night>> = {
  'ids kept, days of both overlap': {
    zone: 'Europe/Vienna',
    before: ['20260201', '20260430'],
    after: ['20260309', '20260630'],
    areIdsKept: true,
    midnight: '2026-03-08T23:00:00Z',
  },
  'ids renewed': {
    zone: 'Europe/Vienna',
    before: ['20260201', '20260308'],
    after: ['20260309', '20260630'],
    areIdsKept: false,
    midnight: '2026-03-08T23:00:00Z',
  },
  'a gap of two days before the new version': {
    zone: 'Europe/Vienna',
    before: ['20260201', '20260306'],
    after: ['20260309', '20260630'],
    areIdsKept: true,
    midnight: '2026-03-08T23:00:00Z',
    isGap: true,
  },
  'another time zone': {
    zone: 'Pacific/Auckland',
    before: ['20260201', '20260430'],
    after: ['20260309', '20260630'],
    areIdsKept: true,
    midnight: '2026-03-08T11:00:00Z',
  },
  'clocks go forward': {
    zone: 'Europe/Vienna',
    before: ['20260201', '20260430'],
    after: ['20260329', '20260630'],
    areIdsKept: true,
    midnight: '2026-03-28T23:00:00Z',
  },
  'clocks go back': {
    zone: 'Europe/Vienna',
    before: ['20261001', '20261130'],
    after: ['20261025', '20261231'],
    areIdsKept: true,
    midnight: '2026-10-24T22:00:00Z',
  },
};

const HOUR = 3600;

interface OpenNight {
  readonly midnight: number;
  readonly references: References;
  /** After the ingest of the new version, and after the ingest on its first day. */
  readonly waiting: World;
  readonly inForce: World;
  readonly done: World;
  readonly oracle: NaiveBoards;
}

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const known = new Map<Night, Promise<OpenNight>>();

/** Builds each night once. */
function openNight(night: Night): Promise<OpenNight> {
  const open = known.get(night) ?? makeNight(night);
  known.set(night, open);
  return open;
}

async function makeNight(night: Night): Promise<OpenNight> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-night-'));
  folders.push(dataDir);
  const [before, after] = [rolloverFeed(night, 'before'), rolloverFeed(night, 'after')];
  const midnight = instant(night.midnight);
  const references = createReferences(TEST_KEY);
  const ingest = async (feed: typeof before, hours: number): Promise<World> => {
    const now = new Date((midnight + hours * HOUR) * 1000).toISOString();
    await publishFeeds({ at: feed }, { dataDir, now });
    return { timetable: await loadTimetable(dataDir), realtime: null, references };
  };
  await ingest(before, -60);
  const waiting = await ingest(after, -36);
  const inForce = await ingest(after, 4);
  const done = await ingest(after, 28);
  const oracle = divideNaive(
    [before, after].map((feed) => {
      const naive = readNaiveTimetable(feed);
      return { naive, firstDay: firstDayOf(naive) };
    }),
  );
  return { midnight, references, waiting, inForce, done, oracle };
}

function listBoard({ timetable, references }: World, stop: string, instant: number): string[] {
  const context = { published: { timetable, realtime: null }, references, instant: instant as Instant };
  const query = { durationMinutes: 60, limit: 1000 };
  const { departures }: Board = JSON.parse(encodeBoard(context, `at:${stop}`, query, 'departures').toString());
  return departures.map(({ departure, line, direction, journeyRef }) => {
    const { day } = references.openJourney(journeyRef!)!;
    return `${departure.scheduled} ${line.label} ${direction} ${day}`;
  });
}

/** Seconds at which an hour of departures may change: at its start and end, and one second beside. */
function listEdges(times: readonly number[], from: number, to: number): number[] {
  const edges = times.flatMap((time) => [time - HOUR - 1, time - HOUR, time - HOUR + 1, time - 1, time, time + 1]);
  const isWithin = (instant: number) => instant >= from && instant < to;
  return [...new Set([from, ...edges.filter(isWithin)])].sort((a, b) => a - b);
}

describe('boards of the night between two versions are those of the two feeds, day by day', () => {
  test.each(Object.entries(nights))(
    '%s',
    async (name, night) => {
      const { midnight, waiting, inForce, done, oracle } = await openNight(night);
      const [from, to] = [midnight - 2 * HOUR, midnight + 8 * HOUR];
      const isEverySecond = name === Object.keys(nights)[0];
      for (const stop of ['a', 'k', 'b', 'neu', 'alt']) {
        const calls = oracle.listCalls('departures', stop, from, to + HOUR);
        const presented = calls.map(({ time, line, end, day }) => ({ time, text: `${line} ${end} ${day}` }));
        const instants =
          isEverySecond && stop === 'a'
            ? Array.from({ length: to - from }, (_, i) => from + i)
            : listEdges(
                calls.map(({ time }) => time),
                from,
                to,
              );
        for (const instant of instants) {
          const expected = presented.filter(({ time }) => time >= instant && time < instant + HOUR);
          // Before and after the ingest: its time does not affect this night.
          for (const world of instant < midnight + 4 * HOUR ? [waiting] : [waiting, inForce]) {
            const found = listBoard(world, stop, instant);
            const isSame =
              found.length === expected.length && found.every((text, i) => text.endsWith(expected[i]!.text));
            const areTimesSame = found.every((text, i) => Date.parse(text.split(' ')[0]!) === expected[i]!.time * 1000);
            if (!isSame || !areTimesSame) {
              const times = expected.map(({ time, text }) => `${new Date(time * 1000).toISOString()} ${text}`);
              expect(found, `${stop} at ${new Date(instant * 1000).toISOString()}`).toEqual(times);
            }
          }
        }
        // The stop of the previous version no longer exists.
        if (stop === 'alt') continue;
        const tomorrow = oracle.listCalls('departures', stop, midnight + 30 * HOUR, midnight + 31 * HOUR);
        expect(listBoard(done, stop, midnight + 30 * HOUR)).toHaveLength(tomorrow.length);
      }
      const days = new Set(oracle.listCalls('departures', 'a', from, to).map(({ day }) => day));
      // If a version were missing, nothing would have been compared.
      expect(days.size).toBe(night.isGap ? 1 : 2);
    },
    60_000,
  );

  test.each(Object.entries(nights))(
    'over HTTP there is a timetable at every quarter of an hour: %s',
    async (_name, night) => {
      const { midnight, waiting, inForce, oracle } = await openNight(night);
      const clock = fixedClock(night.midnight);
      const at = new Date((midnight - 3 * HOUR) * 1000).toISOString();
      const open = (world: World) => openService(world, { clock, sourceChecks: { at } });
      const [before, after] = [await open(waiting), await open(inForce)];
      for (let instant = midnight - 2 * HOUR; instant < midnight + 8 * HOUR; instant += HOUR / 4) {
        const now = new Date(instant * 1000).toISOString();
        clock.set(now);
        const app = instant < midnight + 4 * HOUR ? before : after;
        const health = await app.inject('/v1/health');
        const isServed = !night.isGap || instant >= midnight;
        const { freshness } = health.json() as V1Health;
        expect([now, health.statusCode, freshness[0]!.status]).toEqual([now, 200, isServed ? 'fresh' : 'stale']);
        const board = (await app.inject('/v2/stops/at:a/departures?limit=200')).json() as Board;
        const expected = oracle.listCalls('departures', 'a', instant, instant + HOUR);
        expect(board.departures.map(({ departure }) => Date.parse(departure.scheduled!) / 1000)).toEqual(
          expected.map(({ time }) => time),
        );
      }
    },
    60_000,
  );
});

describe.each(['ids kept, days of both overlap', 'ids renewed'] as const)('across the boundary: %s', (name) => {
  const night = nights[name]!;
  const [evening, morning] = ['2026-03-08' as ServiceDate, '2026-03-09' as ServiceDate];
  const prefix = night.areIdsKept ? '' : 'n';
  let open: OpenNight;
  beforeAll(async () => {
    open = await openNight(night);
  }, 60_000);

  const refsOf = ({ departures }: Board) => departures.map(({ journeyRef }) => journeyRef!);

  test('references and page tokens from before midnight remain valid after it and after the ingest', async () => {
    const { waiting, inForce, done } = open;
    const query = { time: '2026-03-08T22:50:00Z', durationMinutes: 600, limit: 100 };
    const whole = await queryDepartures(waiting, 'at:a', query);
    const first = await queryDepartures(waiting, 'at:a', { ...query, limit: 4 });
    const pageToken = first.nextPageToken!;
    for (const world of [waiting, inForce]) {
      const now = '2026-03-09T03:30:00Z';
      for (const [i, ref] of refsOf(whole).entries()) {
        const journey = await queryJourney(world, ref, { now });
        const { line, direction, departure } = whole.departures[i]!;
        expect([journey.line, journey.direction]).toEqual([line, direction]);
        const call = journey.stops.find(({ id }) => id === 'at:a')!;
        expect(call.departure!.scheduled).toBe(departure.scheduled);
      }
      const second = await queryDepartures(world, 'at:a', { now, pageToken });
      expect(refsOf(second)).toEqual(refsOf(whole).slice(4, 8));
    }
    // Trips of the previous version have gone with it; those of the new version are unchanged.
    const [old] = refsOf(whole);
    const isGone = () => queryJourney(done, old!, { now: '2026-03-10T06:00:00Z' });
    expect(await findRefusal(isGone)).toBe('journey_expired');
    const last = await queryJourney(done, refsOf(whole).at(-1)!, { now: '2026-03-10T06:00:00Z' });
    expect([last.serviceDate, last.direction]).toEqual([morning, 'Neustadt']);
  });

  test('a stop of both versions is one stop, with every line once for each version that differs', async () => {
    const { waiting } = open;
    const app = await openService(waiting, { clock: fixedClock('2026-03-08T22:00:00Z') });
    const found = (await app.inject('/v2/stops?query=Anger')).json();
    expect(found.stops.map(({ id }: { id: string }) => id)).toEqual(['at:a']);
    const info = (await app.inject('/v2/stops/at:a/info')).json();
    expect(info.lines.map(({ label }: { label: string }) => label)).toEqual(['1', '1N', 'N']);
    const station = (await app.inject('/v2/stops/at:k/info')).json();
    expect(station.lines.map(({ label }: { label: string }) => label)).toEqual(['1', '1N', 'N']);
  });

  const reportTrip = (
    tripId: string,
    over: Parameters<typeof tripOf>[1],
    time: string,
    planned: string | null = null,
  ) =>
    reportOf(tripOf(tripId, over), {
      calls: [callOf(stopOf('a'), { stopSequence: null, departure: timeOf(time, planned) })],
    });

  test.each([
    ['the evening by id and day', 't7', { startDate: evening }, '2026-03-08T23:05:00Z', '2026-03-08T23:00:00Z'],
    [
      'the new day by id and day',
      `${prefix}t1`,
      { startDate: morning },
      '2026-03-09T05:20:00Z',
      '2026-03-09T05:13:00Z',
    ],
    ['the evening by id alone', 't7', {}, '2026-03-08T23:05:00Z', '2026-03-08T23:00:00Z'],
    ['the new day by id alone', `${prefix}t1`, {}, '2026-03-09T05:20:00Z', '2026-03-09T05:13:00Z'],
    [
      'the evening by route and start',
      'drifted',
      { startDate: evening, startTime: 24 * HOUR, routeId: 'r' },
      '2026-03-08T23:05:00Z',
      '2026-03-08T23:00:00Z',
    ],
    [
      'the new day by route and start',
      'drifted',
      { startDate: morning, startTime: 6 * HOUR + 13 * 60, routeId: `${prefix}r` },
      '2026-03-09T05:20:00Z',
      '2026-03-09T05:13:00Z',
    ],
  ] as const)('realtime of %s matches its trip', async (_of, tripId, over, estimated, scheduled) => {
    const live = await openLiveWorld(open.waiting);
    const at = new Date(Date.parse(estimated) - 10 * 60_000).toISOString();
    const report = reportTrip(tripId, over as Parameters<typeof tripOf>[1], estimated);
    const { tally } = live.report('rt', at, { trips: [report] });
    expect(tally.unmatched).toEqual({});
    const { departures } = await queryDepartures(live.at(at), 'at:a', { time: at });
    const row = departures.find(({ departure }) => Date.parse(departure.scheduled!) === Date.parse(scheduled))!;
    expect(Date.parse(row.departure.realtime ?? '')).toBe(Date.parse(estimated));
  });

  test('realtime by line and schedule matches trips of both versions, and a vehicle its line', async () => {
    const live = await openLiveWorld(open.waiting);
    const at = '2026-03-08T22:55:00Z';
    const { tally } = live.report('rt', at, {
      trips: [
        reportTrip(
          null as unknown as string,
          { lineLabel: '1', headsign: 'Altstadt' },
          '2026-03-08T23:05:00Z',
          '2026-03-08T23:00:00Z',
        ),
        reportTrip(
          null as unknown as string,
          { lineLabel: '1N', headsign: 'Neustadt' },
          '2026-03-09T05:20:00Z',
          '2026-03-09T05:13:00Z',
        ),
      ],
      vehicles: [vehicleOf('bus', { trip: tripOf('unknown', { routeId: 'night' }) })],
    });
    expect(tally.unmatched).toEqual({});
  });

  test('itineraries past midnight use trips of both versions, and transfer between them', async () => {
    for (const world of [open.waiting, open.inForce]) {
      const context = openTrips(world, '2026-03-08T22:30:00Z');
      const plan = async (from: string, time: string, limit: number) => {
        const { trips } = await requestTrips(
          context,
          buildTripRequest({ stopId: from }, { stopId: 'at:b' }, { time, limit }),
        );
        const clock = (text: string | undefined) => text!.slice(8, 16);
        return trips.map(({ legs }) =>
          legs
            .filter(({ mode }) => mode === 'transit')
            .map(
              (leg) =>
                `${leg.line?.label} ${clock(leg.origin.departure?.scheduled)} ${clock(leg.destination.arrival?.scheduled)}`,
            )
            .join(', '),
        );
      };
      expect(await plan('at:a', '2026-03-08T23:30:00+01:00', 6)).toEqual([
        '1 08T23:30 08T23:42',
        '1 08T23:58 09T00:10',
        '1 09T00:00 09T00:12',
        '1 09T00:35 09T00:47',
        '1 09T01:20 09T01:32',
        '1 09T02:10 09T02:22',
      ]);
      expect(await plan('at:c', '2026-03-09T03:30:00+01:00', 1)).toEqual(['N 09T03:35 09T03:46, 1N 09T05:33 09T05:45']);
    }
  });
});
