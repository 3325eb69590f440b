import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Departure } from '../../../api/contract/definitions.ts';
import { createReferences } from '../../../api/engine/read/references.ts';
import {
  type BoardQueryInput,
  findRefusal,
  openWorld,
  queryDepartures,
  type World,
} from '../../support/worlds/board-world.ts';
import { buildSample } from '../../support/worlds/sample.ts';

/** Many lines at one time, a weekend without service, nights past midnight, a headway; two weeks. */
const network = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
  s,Bahnhof,48.00,16.00,1,
  s1,Bahnhof,48.00,16.00,0,s
  s2,Bahnhof,48.00,16.00,0,s
  b,Berg,48.01,16.01,0,
  c,Kirche,48.02,16.02,0,
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type
  r1,v,1,Eins,3
  r2,v,2,Zwei,3
  r3,v,\u{1f68b},Bild,0
  n,v,N,Nacht,3
  # trips.txt
  trip_id,route_id,service_id
  a1,r1,week
  a2,r1,week
  b1,r2,week
  c1,r3,week
  loop,r2,week
  night,n,week
  shuttle,r3,week
  once,r1,once
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  a1,s1,1,08:00:00,08:00:00
  a1,b,2,08:10:00,08:10:00
  a2,s1,1,08:00:00,08:00:00
  a2,c,2,08:10:00,08:10:00
  b1,s2,1,08:00:00,08:00:00
  b1,b,2,08:10:00,08:10:00
  c1,s2,1,08:00:00,08:00:00
  c1,c,2,08:30:00,08:30:00
  loop,s1,1,09:00:00,09:00:00
  loop,b,2,09:30:00,09:30:00
  loop,s1,3,10:00:00,10:00:00
  loop,c,4,10:30:00,10:30:00
  night,s1,1,23:30:00,23:30:00
  night,s2,2,25:30:00,25:30:00
  night,b,3,49:30:00,49:30:00
  shuttle,s1,1,00:00:00,00:00:00
  shuttle,s2,2,00:02:00,00:02:00
  shuttle,c,3,00:07:00,00:07:00
  once,s1,1,12:00:00,12:00:00
  once,b,2,12:30:00,12:30:00
  # frequencies.txt
  trip_id,start_time,end_time,headway_secs,exact_times
  shuttle,17:00:00,18:00:00,600,0
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  week,1,1,1,1,1,0,0,20260323,20260403
  # calendar_dates.txt
  service_id,date,exception_type
  once,20260412,1
`;
const LAST = '2026-04-12T12:00:00+02:00';

let world: World;
beforeAll(async () => {
  world = await openWorld(network);
});

const ENDLESS = { durationMinutes: 60 * 24 * 400, limit: Number.POSITIVE_INFINITY };

/** Follows the tokens to the end; every following page must have rows. */
async function readPages(from: World, stopId: string, query: BoardQueryInput, maxRows = Number.POSITIVE_INFINITY) {
  const rows: Departure[] = [];
  const { time, ...filters } = query;
  let page = await queryDepartures(from, stopId, query);
  rows.push(...page.departures);
  while (page.nextPageToken !== undefined && rows.length < maxRows) {
    page = await queryDepartures(from, stopId, { ...filters, now: time!, pageToken: page.nextPageToken });
    expect(page.departures.length, 'rows of a following page').toBeGreaterThan(0);
    expect(page.departures.length).toBeLessThanOrEqual(query.limit!);
    rows.push(...page.departures);
  }
  return rows;
}

describe('following page tokens', () => {
  const filters = fc.record(
    {
      lines: fc.constantFrom(['1'], ['2', '\u{1f68b}'], ['N'], ['none']),
      products: fc.constantFrom(['tram' as const], ['cityBus' as const, 'nightBus' as const]),
      otherStopId: fc.constantFrom('at:b', 'at:c', 'at:s'),
    },
    { requiredKeys: [] },
  );
  const question = fc.record({
    stopId: fc.constantFrom('at:s', 'at:s', 'at:s1', 'at:s2', 'at:b'),
    // In tens of seconds, from the first day to the last call.
    instant: fc.integer({ min: Date.parse('2026-03-23T00:00:00+01:00') / 10_000, max: Date.parse(LAST) / 10_000 }),
    limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 })),
    durationMinutes: fc.oneof(fc.constantFrom(1, 60, 1440), fc.integer({ min: 1, max: 1440 })),
    filters,
  });

  test('yields the unpaged board to the end of the service period: nothing twice, nothing missing', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ stopId, instant, limit, durationMinutes, filters: chosen }) => {
        const time = new Date(instant * 10_000).toISOString();
        const unpaged = await queryDepartures(world, stopId, { time, ...chosen, ...ENDLESS });
        expect(unpaged.nextPageToken).toBeUndefined();
        const paged = await readPages(world, stopId, { time, limit, durationMinutes, ...chosen });
        expect(paged).toEqual(unpaged.departures);
      }),
      { numRuns: 400, seed: 1 },
    );
  });

  test('does so at a large station over the night with one hour less', async () => {
    const sample = await openWorld({ at: await buildSample('2026-03-15') });
    const stopId = 'at:at:49:1349';
    const time = '2026-03-28T21:00:00+01:00';
    const unpaged = await queryDepartures(sample, stopId, { time, durationMinutes: 1440, limit: 5000 });
    expect(unpaged.departures.length).toBeGreaterThan(200);
    for (const [limit, durationMinutes] of [
      [1, 1],
      [7, 30],
      [200, 1440],
    ] as const) {
      const count = unpaged.departures.length;
      const paged = await readPages(sample, stopId, { time, limit, durationMinutes }, count);
      expect(paged.slice(0, count)).toEqual(unpaged.departures);
    }
  });

  test('sorts totally: by time, line in code point order, and id', async () => {
    const { departures } = await queryDepartures(world, 'at:s', { time: '2026-03-23T00:00:00+01:00', ...ENDLESS });
    const keys = departures.map((row) => [Date.parse(row.departure.scheduled!), row.line.label, row.id] as const);
    for (const [i, [time, label, id]] of keys.entries()) {
      if (i === 0) continue;
      const [timeBefore, labelBefore, idBefore] = keys[i - 1]!;
      const order =
        timeBefore - time ||
        Buffer.compare(Buffer.from(labelBefore), Buffer.from(label)) ||
        Buffer.compare(Buffer.from(idBefore), Buffer.from(id));
      expect(order).toBeLessThan(0);
    }
  });

  test('returns a page token on an empty first page', async () => {
    const quiet = { time: '2026-04-04T12:00:00+02:00', durationMinutes: 60 };
    const page = await queryDepartures(world, 'at:s', quiet);
    expect(page.departures).toEqual([]);
    const next = await queryDepartures(world, 'at:s', { durationMinutes: 60, pageToken: page.nextPageToken! });
    expect(next.departures.map((row) => row.departure.scheduled)).toEqual([LAST]);
    expect(next.nextPageToken).toBeUndefined();
  });

  test('needs only the token, page size included', async () => {
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.integer({ min: 20, max: 3000 }),
        fc.integer({ min: 1, max: 4 }),
        async (some, durationMinutes, limit) => {
          const query = { ...some, durationMinutes, limit };
          const first = await queryDepartures(world, 'at:s', { ...query, time: '2026-03-23T07:30:00+01:00' });
          if (first.nextPageToken === undefined) return;
          const { nextPageToken: pageToken } = first;
          const now = '2026-03-23T07:31:00+01:00';
          const alone = await queryDepartures(world, 'at:s', { now, pageToken });
          expect(await queryDepartures(world, 'at:s', { ...query, now, pageToken })).toEqual(alone);
          expect(alone.departures.length).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('accepts lists in another order, and a subset of the filters', async () => {
    const query = { lines: ['1', '2'], products: ['tram' as const, 'cityBus' as const], durationMinutes: 90, limit: 1 };
    const { nextPageToken } = await queryDepartures(world, 'at:s', { ...query, time: '2026-03-23T07:30:00+01:00' });
    const pageToken = nextPageToken!;
    const alone = await queryDepartures(world, 'at:s', { pageToken });
    for (const beside of [
      { lines: ['2', '1', '2'] },
      { products: [...query.products].reverse() },
      { durationMinutes: 90 },
    ]) {
      expect(await queryDepartures(world, 'at:s', { ...beside, pageToken })).toEqual(alone);
    }
  });

  test('accepts lines that are too long for the token beside it', async () => {
    const lines = ['1', '2', ...Array.from({ length: 98 }, (_, i) => `${i}`.padEnd(200, 'x'))];
    const query = { lines, limit: 1 };
    const first = await queryDepartures(world, 'at:s', { ...query, time: '2026-03-23T07:30:00+01:00' });
    const pageToken = first.nextPageToken!;
    expect(pageToken.length).toBeLessThanOrEqual(4000);
    expect((await queryDepartures(world, 'at:s', { lines, pageToken })).departures).toHaveLength(1);
    for (const beside of [{}, { lines: lines.slice(1) }]) {
      const refusal = await findRefusal(() => queryDepartures(world, 'at:s', { ...beside, pageToken }));
      expect(refusal).toBe('invalid_parameter pageToken');
    }
  });

  test('accepts another limit on each page', async () => {
    const first = await queryDepartures(world, 'at:s', { time: '2026-03-23T07:30:00+01:00', limit: 1 });
    const second = await queryDepartures(world, 'at:s', { pageToken: first.nextPageToken!, limit: 2 });
    expect([...first.departures, ...second.departures].map((row) => row.line.label)).toEqual(['1', '1', '2']);
  });
});

describe('rejects a page token', () => {
  const query = { time: '2026-03-23T07:30:00+01:00', limit: 1, lines: ['1', '2'] };
  const follow = (pageToken: string, changes: BoardQueryInput = {}, stopId = 'at:s') => {
    const { time: _, ...filters } = query;
    return findRefusal(() => queryDepartures(world, stopId, { ...filters, ...changes, pageToken }));
  };
  let token: string;
  beforeAll(async () => {
    token = (await queryDepartures(world, 'at:s', query)).nextPageToken!;
  });

  test.each<[string, BoardQueryInput, string]>([
    ['of another stop', {}, 'at:s1'],
    ['of other lines', { lines: ['1'] }, 'at:s'],
    ['with one more line', { lines: ['1', '2', '3'] }, 'at:s'],
    ['products', { products: ['tram'] }, 'at:s'],
    ['with a direction', { otherStopId: 'at:b' }, 'at:s'],
    ['with another duration', { durationMinutes: 61 }, 'at:s'],
  ])('%s', async (_what, changes, stopId) => {
    expect(await follow(token, changes, stopId)).toBe('invalid_parameter pageToken');
  });

  test('with any one character changed, added or removed', async () => {
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A';
      expect(await follow(token.slice(0, i) + other + token.slice(i + 1))).toBe('invalid_parameter pageToken');
      expect(await follow(token.slice(0, i))).toBe('invalid_parameter pageToken');
    }
    for (const wrong of [`${token}A`, `${token}=`, ` ${token}`, token.toLowerCase(), `${token}${token}`]) {
      expect(await follow(wrong)).toBe('invalid_parameter pageToken');
    }
  });

  test('that is junk', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (junk) => {
        expect(await follow(junk)).toBe('invalid_parameter pageToken');
      }),
    );
  });

  test('that is a journey reference or belongs to another service', async () => {
    const board = await queryDepartures(world, 'at:s', query);
    expect(await follow(board.departures[0]!.journeyRef!)).toBe('invalid_parameter pageToken');
    const stranger = { ...world, references: createReferences(Buffer.alloc(32, 9)) };
    const foreign = (await queryDepartures(stranger, 'at:s', query)).nextPageToken!;
    expect(await follow(foreign)).toBe('invalid_parameter pageToken');
  });
});

describe('a reloaded timetable', () => {
  const query = { time: '2026-03-23T07:30:00+01:00', limit: 3 };
  const { time, ...filters } = query;
  const rest = { ...filters, now: time };

  /** Without the members that depend only on the current time. */
  const idsOf = (rows: readonly Departure[]) => rows.map((row) => row.id);

  test('continues where the previous page ended', async () => {
    // A trip before all others moves every row of every table.
    const grown = await openWorld(
      network
        .replace('a1,r1,week\n', '0new,r2,week\n  a1,r1,week\n')
        .replace(/( {2}a1,s1,1,.*\n)/, '  0new,c,1,05:00:00,05:00:00\n  0new,b,2,05:10:00,05:10:00\n$1'),
    );
    expect(grown.timetable.tables.trips.key.length).toBe(world.timetable.tables.trips.key.length + 1);
    const first = await queryDepartures(world, 'at:s', query);
    const before = await queryDepartures(world, 'at:s', { ...rest, pageToken: first.nextPageToken! });
    const after = await queryDepartures(grown, 'at:s', { ...rest, pageToken: first.nextPageToken! });
    expect(idsOf(after.departures)).toEqual(idsOf(before.departures));
    expect(after.nextPageToken).toBe(before.nextPageToken);
  });

  test('continues even if the last row of that page is gone', async () => {
    const first = await queryDepartures(world, 'at:s', query);
    const all = await queryDepartures(world, 'at:s', { ...query, limit: 100 });
    const lastId = first.departures.at(-1)!.id;
    // The third row at 08:00 belongs to line 2.
    expect(first.departures.at(-1)!.line.label).toBe('2');
    const shrunk = await openWorld(network.replace(/ {2}b1,.*\n/g, ''));
    const after = await queryDepartures(shrunk, 'at:s', { ...rest, limit: 100, pageToken: first.nextPageToken! });
    const expected = idsOf(all.departures).slice(3);
    expect(idsOf(after.departures).slice(0, expected.length)).toEqual(expected);
    expect(idsOf(after.departures)).not.toContain(lastId);
  });

  test('looks further ahead if all expected rows are gone', async () => {
    const first = await queryDepartures(world, 'at:s', query);
    const shrunk = await openWorld(network.replace(/ {2}c1,.*\n/g, ''));
    const after = await queryDepartures(shrunk, 'at:s', { ...rest, pageToken: first.nextPageToken! });
    expect(after.departures.map((row) => row.departure.scheduled)).toEqual(['2026-03-23T09:00:00+01:00']);
  });
});
