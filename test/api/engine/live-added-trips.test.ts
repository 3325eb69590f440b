import { beforeAll, describe, expect, test } from 'vitest';
import type { TripReport } from '../../../pipeline/model/realtime.ts';
import { type BoardQueryInput, openWorld, queryDepartures, type World } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import {
  at,
  DAY,
  describeDeparture,
  leaving,
  listArrivals,
  listDepartures,
  reportInTown,
  town,
  townTrip,
} from './live-town.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

/** An extra bus from the station to the meadow, via a stop that the timetable does not contain. */
const extra = (over: Partial<TripReport> = {}, trip: Parameters<typeof tripOf>[1] = {}) =>
  reportOf(tripOf('extra', { startDate: DAY, lineLabel: 'E', product: 'cityBus', ...trip }), {
    relationship: 'added',
    calls: [
      callOf(stopOf('s2'), { departure: timeOf(at('08:24'), at('08:20')), scheduledPlatform: '2', platform: '9' }),
      callOf(stopOf(null, 'Wiese'), {
        arrival: timeOf(at('08:30'), at('08:26')),
        departure: timeOf(at('08:30'), at('08:26')),
      }),
      callOf(stopOf('h'), { arrival: timeOf(at('08:40'), at('08:36')) }),
    ],
    ...over,
  });

describe('added trips', () => {
  test('are on the boards of their stops, with all reported details', async () => {
    const live = await reportInTown([extra({}, { headsign: 'Heide', operatorName: 'Wiesenbus' })], {
      reportedAt: '08:00',
      now: '08:00',
    });
    const { departures: rows } = await queryDepartures(live, 'at:s', { now: at('08:00') });
    expect(rows.map(describeDeparture)).toEqual([
      '08:12 1 Ziel',
      '08:15 2 Kirche',
      '08:20+08:24 E Heide',
      '08:42 1 Zum Ziel',
    ]);
    const { id, journeyRef, ...row } = rows[2]!;
    expect([id, journeyRef]).toEqual([expect.any(String), expect.any(String)]);
    expect(row).toEqual({
      line: { label: 'E', name: 'E', product: 'cityBus', operatorName: 'Wiesenbus' },
      direction: 'Heide',
      stopName: 'Bahnhof',
      departure: {
        scheduled: '2026-03-03T08:20:00+01:00',
        realtime: '2026-03-03T08:24:00+01:00',
        isRealtime: true,
        prognosis: 'forecast',
      },
      platform: { text: '9', scheduledText: '2', changed: true },
      cancelled: false,
      serviceKind: 'additional',
      notices: [],
      attributes: [],
    });
    expect(await listArrivals(live, 'h', '08:00')).toEqual(['08:36+08:40 E Bahnhof']);
  });

  test('run from their first to their last stop if nothing else is reported, known or not', async () => {
    const ends = (first: Parameters<typeof callOf>[0], last: typeof first) =>
      extra({
        calls: [
          callOf(first, { departure: timeOf(at('08:20'), at('08:20')) }),
          callOf(stopOf('s1'), {
            arrival: timeOf(at('08:25'), at('08:25')),
            departure: timeOf(at('08:25'), at('08:25')),
          }),
          callOf(last, { arrival: timeOf(at('08:30'), at('08:30')) }),
        ],
      });
    const known = await reportInTown([ends(stopOf('h'), stopOf('k'))], { reportedAt: '08:00', now: '08:00' });
    expect(await listDepartures(known, 's', '08:00', { lines: ['E'] })).toEqual(['08:25+08:25 E Kirche']);
    expect(await listArrivals(known, 's', '08:00', { lines: ['E'] })).toEqual(['08:25+08:25 E Heide']);
    const unknown = await reportInTown([ends(stopOf(null, 'Hof'), stopOf(null, 'Alm'))], {
      reportedAt: '08:00',
      now: '08:00',
    });
    expect(await listDepartures(unknown, 's', '08:00', { lines: ['E'] })).toEqual(['08:25+08:25 E Alm']);
    expect(await listArrivals(unknown, 's', '08:00', { lines: ['E'] })).toEqual(['08:25+08:25 E Hof']);
  });

  test('belong to a line of the timetable if they name it', async () => {
    const live = await reportInTown([extra({}, { routeId: 'r2', lineLabel: null })], {
      reportedAt: '08:00',
      now: '08:00',
    });
    const { departures: rows } = await queryDepartures(live, 'at:s2', { now: at('08:16') });
    expect(rows.map(({ line }) => [line.lineId, line.label, line.product])).toEqual([['at:r2', '2', 'tram']]);
  });

  test.each<[string, string, string[]]>([
    ['late, not departed yet', '08:22', ['08:20+08:24 E Heide']],
    ['gone', '08:24:01', []],
  ])('%s', async (_when, now, expected) => {
    const live = await reportInTown([extra()], { reportedAt: now, now: now });
    expect(await listDepartures(live, 's2', now, { lines: ['E'] })).toEqual(expected);
  });

  test('with expired forecasts show their schedule', async () => {
    const live = await reportInTown([extra()], { reportedAt: '08:10', now: '08:16' });
    expect(await listDepartures(live, 's2', '08:16')).toEqual(['08:20 E Heide']);
  });

  test('without a schedule use their first report as schedule', async () => {
    const unplanned = extra({
      calls: [
        callOf(stopOf('s2'), { arrival: timeOf(at('08:24')) }),
        callOf(stopOf('h'), { arrival: timeOf(at('08:40')) }),
      ],
    });
    const live = await reportInTown([unplanned], { reportedAt: '08:10', now: '08:15' });
    expect(await listDepartures(live, 's2', '08:15:01')).toEqual(['08:24 E Heide']);
    expect(await listDepartures(live, 's2', '08:15', { lines: ['E'] })).toEqual(['08:24+08:24 E Heide']);
  });

  test('can be cancelled entirely or at single calls', async () => {
    const skipped = extra({
      calls: [
        callOf(stopOf('s2'), { departure: timeOf(null, at('08:20')), state: 'skipped' }),
        callOf(stopOf('h'), { arrival: timeOf(at('08:40'), at('08:36')) }),
      ],
    });
    const live = await reportInTown([skipped], { reportedAt: '08:16', now: '08:16' });
    expect(await listDepartures(live, 's2', '08:16')).toEqual(['08:20 cancelled E Heide']);
    expect(await listDepartures(live, 's2', '08:21')).toEqual([]);
  });

  test('are marked as special services', async () => {
    const special = reportOf(townTrip('t1'), {
      isSpecial: true,
      calls: [callOf(stopOf('a'), { departure: timeOf(at('08:00')) })],
    });
    const live = await reportInTown([special], { reportedAt: '07:50', now: '07:50' });
    const { departures: rows } = await queryDepartures(live, 'at:a', { now: at('07:50') });
    expect(rows.map(({ serviceKind }) => serviceKind)).toEqual(['special', undefined]);
  });

  test('include a duplicate of a trip, with its destination', async () => {
    const again = reportOf(tripOf('t2', { startDate: DAY, startTime: (9 * 3600) as never }), {
      relationship: 'duplicated',
      newTripId: 't2 again',
    });
    const live = await reportInTown([again], { reportedAt: '08:00', now: '08:45' });
    const { departures: rows } = await queryDepartures(live, 'at:a', { now: at('08:20') });
    expect(rows.map((row) => `${describeDeparture(row)} ${row.serviceKind ?? '-'}`)).toEqual([
      '08:30 1 Zum Ziel -',
      '09:00 1 Zum Ziel additional',
    ]);
  });
});

describe('replacements', () => {
  /** The bus runs via the meadow instead of the church. */
  const detour = reportOf(townTrip('t2'), {
    relationship: 'replacement',
    calls: [
      callOf(stopOf('a'), { departure: timeOf(at('08:31'), at('08:30')) }),
      callOf(stopOf('h'), { arrival: timeOf(at('08:45'), at('08:44')), departure: timeOf(at('08:45'), at('08:44')) }),
      callOf(stopOf('z'), { arrival: timeOf(at('09:05'), at('09:00')) }),
    ],
  });

  test('run instead of the trips they replace, under their names', async () => {
    const live = await reportInTown([detour], { reportedAt: '08:15', now: '08:20' });
    expect(await listDepartures(live, 'a', '08:20')).toEqual(['08:30+08:31 1 Zum Ziel']);
    expect(await listDepartures(live, 'k', '08:20')).toEqual(['08:20 1 Ziel', '08:50 cancelled 1 Zum Ziel']);
    expect(await listDepartures(live, 'h', '08:20')).toEqual(['08:44+08:45 1 Zum Ziel']);
    expect(await listArrivals(live, 'z', '08:20')).toEqual(['08:30 1 Anger', '09:00+09:05 1 Anger']);
    const { departures: planned } = await queryDepartures(world, 'at:a', { now: at('08:20') });
    const { departures: replaced } = await queryDepartures(live, 'at:a', { now: at('08:20') });
    expect(replaced[0]!.journeyRef).toBe(planned[0]!.journeyRef);
    expect(replaced[0]!.serviceKind).toBeUndefined();
  });

  test('with another destination show it', async () => {
    const short = { ...detour, calls: detour.calls.slice(0, 2) };
    const live = await reportInTown([short], { reportedAt: '08:15', now: '08:20' });
    expect(await listDepartures(live, 'a', '08:20')).toEqual(['08:30+08:31 1 Heide']);
  });

  test('restore the trip when they are withdrawn', async () => {
    const live = await openLiveWorld(world);
    live.report('rt', at('08:15'), { trips: [detour] });
    live.report('rt', at('08:16'), { trips: [] });
    expect(await listDepartures(live.at(at('08:20')), 'k', '08:21')).toEqual(['08:50 1 Zum Ziel']);
  });
});

describe('filters', () => {
  test.each<[string, BoardQueryInput, string[]]>([
    ['a line', { lines: ['2'] }, ['08:15 2 Kirche', '03:20+08:30 2 Ziel']],
    ['the line of an added trip', { lines: ['E'] }, ['08:20+08:24 E Heide']],
    ['a product', { products: ['tram'] }, ['08:15 2 Kirche', '03:20+08:30 2 Ziel']],
    ['the product of an added trip', { products: ['ship'] }, ['08:20+08:24 E Heide']],
    [
      'towards a stop of a late trip',
      { otherStopId: 'at:z' },
      ['08:12 1 Ziel', '03:20+08:30 2 Ziel', '08:42 1 Zum Ziel'],
    ],
    ['towards a stop of an added trip', { otherStopId: 'at:h' }, ['08:20+08:24 E Heide']],
    ['towards a stop that they have passed', { otherStopId: 'at:a' }, []],
  ])('%s', async (_what, query, expected) => {
    const live = await reportInTown([leaving('far', 's2', '08:30'), extra({}, { product: 'ship' })], {
      reportedAt: '08:05',
      now: '08:05',
    });
    expect(await listDepartures(live, 's', '08:05', query)).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['at:a', []],
    ['at:s', ['08:36+08:40 E Bahnhof']],
    ['at:s2', ['08:36+08:40 E Bahnhof']],
    ['at:s1', []],
    ['at:h', []],
  ])('arrivals from %s: %j', async (otherStopId, expected) => {
    const live = await reportInTown([extra()], { reportedAt: '08:05', now: '08:05' });
    expect(await listArrivals(live, 'h', '08:05', { otherStopId })).toEqual(expected);
  });
});
