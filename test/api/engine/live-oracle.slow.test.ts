import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Arrival, Departure, TimeInfo } from '../../../api/contract/definitions.ts';
import type { Product } from '../../../pipeline/model/product.ts';
import { listLiveRows, type NaiveQuestion, type NaiveRow } from '../../support/oracles/naive-live-board.ts';
import {
  type ExtraCall,
  type NaiveCallReport,
  type NaiveExtraReport,
  type NaiveReports,
  type NaiveTripReport,
  toUpdate,
} from '../../support/oracles/naive-reports.ts';
import { type NaiveTimetable, type NaiveTrip, readNaiveTimetable } from '../../support/oracles/naive-timetable.ts';
import {
  type BoardQueryInput,
  openWorld,
  queryArrivals,
  queryDepartures,
  type World,
} from '../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

/**
 * Trips that meet at a station, one that returns to it, nights past midnight; ten days with the hour that is skipped.
 */
const network = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  s,Bahnhof,48.00,16.00,1,,
  s1,Bahnhof,48.00,16.00,0,s,1
  s2,Bahnhof,48.00,16.00,0,s,2
  s3,Bahnhof,48.00,16.00,0,s,3
  b,Berg,48.01,16.01,0,,
  c,Kirche,48.02,16.02,0,,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r1,v,1,Eins,3
  r2,v,2,Zwei,0
  n,v,N,Nacht,2
  # trips.txt
  trip_id,route_id,service_id
  a1,r1,daily
  a2,r1,daily
  a3,r1,week
  b1,r2,daily
  b2,r2,daily
  loop,r2,daily
  night,n,daily
  long,n,week
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  a1,s1,1,08:00:00,08:00:00
  a1,b,2,08:10:00,08:11:00
  a1,c,3,08:20:00,08:20:00
  a2,s1,1,08:30:00,08:30:00
  a2,b,2,08:40:00,08:41:00
  a2,c,3,08:50:00,08:50:00
  a3,s1,1,09:00:00,09:00:00
  a3,b,2,09:10:00,09:11:00
  a3,c,3,09:20:00,09:20:00
  b1,b,1,07:50:00,07:50:00
  b1,s2,2,08:05:00,08:06:00
  b1,c,3,08:25:00,08:25:00
  b2,b,1,08:20:00,08:20:00
  b2,s2,2,08:30:00,08:30:00
  b2,c,3,08:55:00,08:55:00
  loop,s1,1,07:00:00,07:00:00
  loop,b,2,07:30:00,07:30:00
  loop,s1,3,08:02:00,08:04:00
  loop,c,4,08:45:00,08:45:00
  night,s1,1,23:30:00,23:30:00
  night,s2,2,25:30:00,25:31:00
  night,b,3,26:30:00,26:30:00
  long,c,1,20:00:00,20:00:00
  long,s1,2,32:00:00,32:10:00
  long,b,3,33:00:00,33:00:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260323,20260401
  week,1,1,1,1,1,0,0,20260323,20260401
`;
const productOf: Readonly<Record<string, Product>> = { 1: 'cityBus', 2: 'tram', N: 'train', X: 'ship' };
const DAY = 86_400;
const seconds = (text: string) => Date.parse(text) / 1000;
const FIRST = seconds('2026-03-26T00:00:00+01:00');
const DAYS = 5;

const naive: NaiveTimetable = readNaiveTimetable(feedFromText(network));
let world: World;
beforeAll(async () => {
  world = await openWorld(network);
});

// ---- Random reports ----------------------------------------------------------------------------

const dated = fc
  .record({ trip: fc.constantFrom(...naive.trips), back: fc.integer({ min: -1, max: 1 }) })
  .map(({ trip, back }) => ({ trip, back }));
/** Mostly small, sometimes hours, sometimes early. */
const delay = fc.oneof(fc.integer({ min: -300, max: 1500 }), fc.integer({ min: -3600, max: 40_000 }));
const call: fc.Arbitrary<NaiveCallReport | null> = fc.option(
  fc.record({
    isSkipped: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    isMeasured: fc.boolean(),
    arrivalDelay: fc.option(delay),
    departureDelay: fc.option(delay),
    // A platform of the station, an unknown one, or none.
    platform: fc.constantFrom(null, '1', '2', '3', '3', '9'),
  }),
  { freq: 4 },
);
const tripWords = fc.record({
  dated,
  kind: fc.constantFrom<NaiveTripReport['kind']>(
    'scheduled',
    'scheduled',
    'scheduled',
    'scheduled',
    'cancelled',
    'deleted',
  ),
  calls: fc.array(call, { minLength: 4, maxLength: 4 }),
});
const extraWords = fc.record({
  replaces: fc.option(dated, { freq: 2 }),
  line: fc.constantFrom('X', '1'),
  begin: fc.integer({ min: -120, max: 120 }),
  calls: fc.array(
    fc.record({
      stopId: fc.constantFrom('s1', 's2', 's3', 'b', 'c', null),
      delay: fc.option(delay, { freq: 4 }),
      isSkipped: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    }),
    { minLength: 2, maxLength: 4 },
  ),
});
const instants = fc.record({
  // In minutes: half of the times lie in the busy hour.
  day: fc.integer({ min: 0, max: DAYS - 1 }),
  clock: fc.oneof(fc.integer({ min: 470, max: 540 }), fc.integer({ min: 0, max: 1439 })),
  age: fc.constantFrom(0, 60, 300, 301, 900),
});

interface Words {
  readonly instants: { readonly day: number; readonly clock: number; readonly age: number };
  readonly trips: readonly {
    readonly dated: { readonly trip: NaiveTrip; readonly back: number };
    readonly kind: NaiveTripReport['kind'];
    readonly calls: readonly (NaiveCallReport | null)[];
  }[];
  readonly extras: readonly {
    readonly replaces: { readonly trip: NaiveTrip; readonly back: number } | null;
    readonly line: string;
    readonly begin: number;
    readonly calls: readonly Omit<ExtraCall, 'scheduled'>[];
  }[];
}

/** Makes one response: each dated trip is reported once, on a day on which it runs. */
function toReports({ instants: { day, clock, age }, trips, extras }: Words): {
  reports: NaiveReports;
  instant: number;
} {
  const instant = FIRST + day * DAY + clock * 60;
  const today = Math.floor((instant + 3600) / DAY);
  const taken = new Set<string>();
  const take = ({ trip, back }: { trip: NaiveTrip; back: number }) => {
    const on = { trip, day: today + back };
    const name = `${trip.id} ${on.day}`;
    if (taken.has(name) || !trip.days.has(on.day)) return null;
    taken.add(name);
    return on;
  };
  const reportedExtras = extras.flatMap((extra, i): NaiveExtraReport | [] => {
    const replaces = extra.replaces === null ? null : take(extra.replaces);
    if (extra.replaces !== null && replaces === null) return [];
    const line = replaces?.trip.line ?? extra.line;
    // Ten minutes between calls.
    const calls = extra.calls.map((each, k) => ({ ...each, scheduled: instant + (extra.begin + 10 * k) * 60 }));
    return { name: `Extra ${i}`, line, product: productOf[line]!, replaces, calls };
  });
  const reportedTrips = trips.flatMap(({ dated: chosen, kind, calls }): NaiveTripReport | [] => {
    const on = take(chosen);
    return on ? { ...on, kind, calls: calls.slice(0, on.trip.calls.length) } : [];
  });
  return { reports: { at: instant - age, trips: reportedTrips, extras: reportedExtras }, instant };
}

const randomReports: fc.Arbitrary<Words> = fc.record({
  instants,
  trips: fc.array(tripWords, { maxLength: 12 }),
  extras: fc.array(extraWords, { maxLength: 4 }),
});

async function openReported(reports: NaiveReports, instant: number): Promise<World> {
  const live = await openLiveWorld(world);
  const { tally } = live.report('rt', toTime(reports.at), toUpdate(reports));
  const { implausibly_early: _, ...problems } = tally.problems;
  expect([tally.unmatched, problems]).toEqual([{}, {}]);
  return live.at(toTime(instant));
}

const toTime = (instant: number) => new Date(instant * 1000).toISOString();

// ---- Boards ------------------------------------------------------------------------------------

/** Null three times out of four, so that a board with several filters still has rows. */
const seldom = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
const filters = fc.record({
  lines: seldom(fc.constantFrom(['1'], ['2', 'X'], ['N'])),
  products: seldom(fc.constantFrom<Product[]>(['tram'], ['cityBus', 'ship'])),
  otherStopId: seldom(fc.constantFrom('b', 'c', 's', 's3')),
});
const boardQueries = fc.record({
  kind: fc.constantFrom<NaiveQuestion['kind']>('departures', 'arrivals'),
  stopId: fc.constantFrom('s', 's', 's1', 's2', 's3', 's3', 's3', 'b', 'c'),
  // Minutes between now and the requested time; null for a board of now.
  ahead: fc.option(fc.integer({ min: -30, max: 90 }), { freq: 2 }),
  durationMinutes: fc.constantFrom(15, 60, 60, 720),
  filters,
});

const describeRow = ({ scheduled, realtime, isCancelled, line, end, platform, isMoved }: NaiveRow) =>
  `${toTime(scheduled)} ${realtime === null ? 'planned' : toTime(realtime)}${isCancelled ? ' cancelled' : ''} ${line} ${end} ${platform}${isMoved ? '!' : ''}`;

function describeShown(row: Departure | Arrival): string {
  const time: TimeInfo = 'departure' in row ? row.departure : row.arrival;
  const end = 'direction' in row ? row.direction : row.origin;
  expect(time.isRealtime).toBe(time.realtime !== undefined);
  const realtime = time.realtime === undefined ? null : seconds(time.realtime);
  const { text = null, changed } = row.platform;
  return describeRow({
    scheduled: seconds(time.scheduled!),
    realtime,
    isCancelled: row.cancelled,
    line: row.line.label,
    end,
    platform: text,
    isMoved: changed,
  });
}

function expectInOrder(rows: readonly (Departure | Arrival)[]): void {
  const keys = rows.map((row) => {
    const time: TimeInfo = 'departure' in row ? row.departure : row.arrival;
    return [seconds(time.realtime ?? time.scheduled!), row.line.label, row.id] as const;
  });
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  for (const [i, [time, label, id]] of keys.entries()) {
    const before = keys[i - 1];
    if (before) expect(before[0] - time || compare(before[1], label) || compare(before[2], id)).toBeLessThan(0);
  }
}

async function listRows(live: World, kind: NaiveQuestion['kind'], stopId: string, query: BoardQueryInput) {
  if (kind === 'arrivals') return (await queryArrivals(live, `at:${stopId}`, query)).arrivals;
  return (await queryDepartures(live, `at:${stopId}`, query)).departures;
}

test('boards match the naive implementation for any reports', async () => {
  let compared = 0;
  let live = 0;
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(
      randomReports,
      fc.array(boardQueries, { minLength: 12, maxLength: 12 }),
      async (generated, boards) => {
        const { reports, instant } = toReports(generated);
        const shown = await openReported(reports, instant);
        for (const { kind, stopId, ahead, durationMinutes, filters: chosen } of boards) {
          const from = instant + (ahead ?? 0) * 60;
          const question = { kind, stopId, from, to: from + durationMinutes * 60, instant, ...chosen };
          const expected = listLiveRows(naive, reports, question, productOf);
          const rows = await listRows(shown, kind, stopId, {
            ...(ahead === null ? {} : { time: toTime(from) }),
            now: toTime(instant),
            durationMinutes,
            limit: Number.POSITIVE_INFINITY,
            ...(chosen.lines ? { lines: chosen.lines } : {}),
            ...(chosen.products ? { products: chosen.products } : {}),
            ...(chosen.otherStopId ? { otherStopId: `at:${chosen.otherStopId}` } : {}),
          });
          expect(rows.map(describeShown).sort()).toEqual(expected.map(describeRow).sort());
          expectInOrder(rows);
          compared += rows.length;
          moved += expected.filter((row) => row.isMoved && row.platform === naive.platformOf(stopId)).length;
          live += rows.map(describeShown).filter((row) => !row.includes('planned')).length;
        }
      },
    ),
    { numRuns: 250, seed: 20_260_326 },
  );
  // The test has compared rows.
  expect(compared).toBeGreaterThan(600);
  expect(live).toBeGreaterThan(200);
  expect(moved).toBeGreaterThan(10);
}, 240_000);

describe('pages', () => {
  const paged = fc.record({
    stopId: fc.constantFrom('s', 's', 's1', 's3', 'b', 'c'),
    ahead: fc.integer({ min: -30, max: 90 }),
    durationMinutes: fc.constantFrom(1, 20, 60, 1440),
    limit: fc.integer({ min: 1, max: 5 }),
    // Seconds between two pages.
    pause: fc.constantFrom(0, 60, 400),
  });

  test('partition the board to the end of the period, although forecasts expire meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(randomReports, paged, async (generated, { stopId, ahead, durationMinutes, limit, pause }) => {
        const { reports, instant } = toReports(generated);
        const shown = await openReported(reports, instant);
        const time = toTime(instant + ahead * 60);
        const all = await queryDepartures(shown, `at:${stopId}`, {
          time,
          now: toTime(instant),
          durationMinutes: 60 * 24 * 20,
          limit: Number.POSITIVE_INFINITY,
        });
        expect(all.nextPageToken).toBeUndefined();
        let now = instant;
        let page = await queryDepartures(shown, `at:${stopId}`, { time, now: toTime(now), durationMinutes, limit });
        const ids = page.departures.map(({ id }) => id);
        while (page.nextPageToken !== undefined) {
          now += pause;
          const query = { now: toTime(now), durationMinutes, limit, pageToken: page.nextPageToken };
          page = await queryDepartures(shown, `at:${stopId}`, query);
          expect(page.departures.length, 'rows of a following page').toBeGreaterThan(0);
          expect(page.departures.length).toBeLessThanOrEqual(limit);
          ids.push(...page.departures.map(({ id }) => id));
        }
        expect(new Set(ids).size).toBe(ids.length);
        expect([...ids].sort()).toEqual(all.departures.map(({ id }) => id).sort());
      }),
      { numRuns: 120, seed: 20_260_327 },
    );
  }, 240_000);

  test('have the order of the whole board if one window contains it', async () => {
    await fc.assert(
      fc.asyncProperty(randomReports, fc.integer({ min: 1, max: 5 }), async (generated, limit) => {
        const { reports, instant } = toReports(generated);
        const shown = await openReported(reports, instant);
        const query = { now: toTime(instant), durationMinutes: 60 * 24 * 20 };
        const all = await queryDepartures(shown, 'at:s', { ...query, limit: 40 });
        let page = await queryDepartures(shown, 'at:s', { ...query, limit });
        const rows = [...page.departures];
        while (rows.length < all.departures.length && page.nextPageToken !== undefined) {
          page = await queryDepartures(shown, 'at:s', { ...query, limit, pageToken: page.nextPageToken });
          rows.push(...page.departures);
        }
        expect(rows.slice(0, all.departures.length)).toEqual(all.departures);
      }),
      { numRuns: 60, seed: 20_260_328 },
    );
  }, 240_000);
});
