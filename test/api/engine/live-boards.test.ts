import { beforeAll, describe, expect, test } from 'vitest';
import type { Departure } from '../../../api/contract/definitions.ts';
import type { TripReport } from '../../../pipeline/model/realtime.ts';
import {
  type BoardQueryInput,
  openWorld,
  queryArrivals,
  queryDepartures,
  type World,
} from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import {
  at,
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

const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
const deleted = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'deleted' });

describe('times', () => {
  test('shows a forecast beside the schedule, with its evidence', async () => {
    const live = await reportInTown([leaving('t1', 'a', '08:05')], { reportedAt: '07:50', now: '07:50' });
    const { departures: rows } = await queryDepartures(live, 'at:a', { now: at('07:50') });
    expect(rows.map(({ departure }) => departure)).toEqual([
      {
        scheduled: '2026-03-03T08:00:00+01:00',
        realtime: '2026-03-03T08:05:00+01:00',
        isRealtime: true,
        prognosis: 'forecast',
      },
      { scheduled: '2026-03-03T08:30:00+01:00', isRealtime: false },
    ]);
  });

  test('shows an observation, which is not a forecast', async () => {
    const measured = reportOf(townTrip('t1'), {
      calls: [callOf(stopOf('a'), { departure: timeOf(at('08:03'), null, true) })],
    });
    const live = await reportInTown([measured], { reportedAt: '08:04', now: '08:04' });
    const { departures: rows } = await queryDepartures(live, 'at:a', { time: at('07:55'), now: at('08:04') });
    expect(rows[0]!.departure).toMatchObject({ realtime: '2026-03-03T08:03:00+01:00', prognosis: 'observed_actual' });
  });

  test.each([
    ['in the second at which it expires', '07:55:00', ['08:00+08:05 1 Ziel', '08:30 1 Zum Ziel']],
    ['one second later', '07:55:01', ['08:00 1 Ziel', '08:30 1 Zum Ziel']],
  ])('a forecast is live until it expires: %s', async (_when, now, expected) => {
    const live = await reportInTown([leaving('t1', 'a', '08:05')], { reportedAt: '07:50', now: now });
    expect(await listDepartures(live, 'a', now)).toEqual(expected);
  });

  test('an observation never expires', async () => {
    const measured = reportOf(townTrip('t1'), {
      calls: [callOf(stopOf('a'), { departure: timeOf(at('08:03'), null, true) })],
    });
    const live = await reportInTown([measured, leaving('t2', 'a', '08:33')], { reportedAt: '08:04', now: '08:59' });
    expect(await listDepartures(live, 'a', '08:59', { time: at('07:59') })).toEqual([
      '08:00+08:03 1 Ziel',
      '08:30 1 Zum Ziel',
    ]);
  });

  test('shows only the schedule if the publisher reports no data', async () => {
    const report = reportOf(townTrip('t1'), {
      calls: [callOf(stopOf('a'), { departure: timeOf(at('08:05')) }), callOf(stopOf('s1'), { state: 'noData' })],
    });
    const live = await reportInTown([report], { reportedAt: '07:50', now: '07:50' }, { isPropagating: true });
    expect(await listDepartures(live, 'a', '07:50')).toEqual(['08:00+08:05 1 Ziel', '08:30 1 Zum Ziel']);
    expect(await listDepartures(live, 's1', '07:50')).toEqual(['08:12 1 Ziel', '08:42 1 Zum Ziel']);
  });

  test('sorts by the times shown', async () => {
    const live = await reportInTown([leaving('t1', 's1', '08:15:01')], { reportedAt: '08:00', now: '08:00' });
    expect(await listDepartures(live, 's', '08:00')).toEqual([
      '08:15 2 Kirche',
      '08:12+08:15:01 1 Ziel',
      '08:42 1 Zum Ziel',
    ]);
  });

  test('sorts equal times by line, whichever of the two is live', async () => {
    const live = await reportInTown([leaving('t1', 's1', '08:15')], { reportedAt: '08:00', now: '08:00' });
    expect(await listDepartures(live, 's', '08:00', { limit: 2 })).toEqual(['08:12+08:15 1 Ziel', '08:15 2 Kirche']);
  });
});

describe('departures that are still to come', () => {
  test.each<[string, string, string[]]>([
    ['before its scheduled time', '08:11', ['08:15 2 Kirche', '08:12+08:20 1 Ziel', '08:42 1 Zum Ziel']],
    ['after it', '08:16', ['08:12+08:20 1 Ziel', '08:42 1 Zum Ziel']],
    ['exactly at its departure', '08:20', ['08:12+08:20 1 Ziel', '08:42 1 Zum Ziel']],
    ['after it has left', '08:20:01', ['08:42 1 Zum Ziel']],
  ])('keeps a late departure, also on the board of the station: %s', async (_when, now, expected) => {
    const live = await reportInTown([leaving('t1', 's1', '08:20')], { reportedAt: '08:10', now: '08:10' });
    expect(await listDepartures(live, 's', now, { time: at(now), now: at('08:10') })).toEqual(expected);
  });

  test('keeps it however long ago it was scheduled', async () => {
    const live = await reportInTown([leaving('far', 's2', '08:30')], { reportedAt: '08:00', now: '08:01' });
    expect(await listDepartures(live, 's', '08:01', { limit: 3 })).toEqual([
      '08:12 1 Ziel',
      '08:15 2 Kirche',
      '03:20+08:30 2 Ziel',
    ]);
  });

  test('keeps it past midnight', async () => {
    const live = await reportInTown([leaving('night', 's1', '24:10')], { reportedAt: '24:01', now: '24:05' });
    const board = await queryDepartures(live, 'at:s', { now: at('24:05') });
    expect(board.departures.map(({ departure }) => departure)).toEqual([
      {
        scheduled: '2026-03-03T23:55:00+01:00',
        realtime: '2026-03-04T00:10:00+01:00',
        isRealtime: true,
        prognosis: 'forecast',
      },
    ]);
    // By then the forecast has expired and the scheduled time has passed.
    expect(await listDepartures(live, 's', '24:07')).toEqual([]);
  });

  test('drops an early departure once it has left', async () => {
    const live = await reportInTown([leaving('t1', 's1', '08:08')], { reportedAt: '08:05', now: '08:08' });
    expect(await listDepartures(live, 's1', '08:08')).toEqual(['08:12+08:08 1 Ziel', '08:42 1 Zum Ziel']);
    expect(await listDepartures(live, 's1', '08:09')).toEqual(['08:42 1 Zum Ziel']);
  });

  test('keeps a late departure in the window of its scheduled time only', async () => {
    const live = await reportInTown([leaving('t1', 's1', '09:30'), leaving('t2', 's1', '08:05')], {
      reportedAt: '08:00',
      now: '08:00',
    });
    expect(await listDepartures(live, 's1', '08:00', { durationMinutes: 15 })).toEqual(['08:12+09:30 1 Ziel']);
  });

  test('shows a departure with an expired forecast at its scheduled time, or not at all', async () => {
    const live = await reportInTown([leaving('t1', 's1', '08:40')], { reportedAt: '08:10', now: '08:16' });
    expect(await listDepartures(live, 's1', '08:16')).toEqual(['08:42 1 Zum Ziel']);
    expect(await listDepartures(live, 's1', '08:16', { time: at('08:11') })).toEqual([
      '08:12 1 Ziel',
      '08:42 1 Zum Ziel',
    ]);
  });

  test.each<[string, string, string[]]>([
    ['a past time: trips that had not left then', '08:12', ['08:12+08:18 1 Ziel', '08:42 1 Zum Ziel']],
    ['a future time: trips that will not have left by then', '08:18', ['08:12+08:18 1 Ziel', '08:42 1 Zum Ziel']],
    ['a future time: not trips that will have left', '08:19', ['08:42 1 Zum Ziel']],
  ])('%s', async (_what, time, expected) => {
    const live = await reportInTown([leaving('t1', 's1', '08:18')], { reportedAt: '08:14', now: '08:15' });
    expect(await listDepartures(live, 's1', '08:15', { time: at(time) })).toEqual(expected);
  });
});

describe('arrivals', () => {
  const arriving = (tripId: string, stop: string, clock: string) =>
    reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock)) })] });

  test.each<[string, string[]]>([
    ['08:10', ['08:10+08:25 1 Anger', '08:40+08:38 1 Anger']],
    ['08:25', ['08:10+08:25 1 Anger', '08:40+08:38 1 Anger']],
    ['08:26', ['08:40+08:38 1 Anger']],
    ['08:39', []],
  ])('at %s: %j', async (now, expected) => {
    const live = await reportInTown([arriving('t1', 's1', '08:25'), arriving('t2', 's1', '08:38')], {
      reportedAt: now,
      now: now,
    });
    expect(await listArrivals(live, 's', now)).toEqual(expected);
  });

  test('are not late because the departure is', async () => {
    const live = await reportInTown([leaving('t1', 's1', '08:25')], { reportedAt: '08:11', now: '08:11' });
    expect(await listArrivals(live, 's', '08:11')).toEqual(['08:40 1 Anger']);
    expect(await listDepartures(live, 's1', '08:13')).toEqual(['08:12+08:25 1 Ziel', '08:42 1 Zum Ziel']);
  });
});

describe('cancellations', () => {
  test('shows a cancelled trip at its scheduled time, even if a delay was reported before', async () => {
    const live = await openLiveWorld(world);
    live.report('rt', at('07:50'), { trips: [leaving('t1', 's1', '08:35')] });
    live.report('rt', at('08:00'), { trips: [cancelled('t1')] });
    const shown = live.at(at('08:00'));
    expect(await listDepartures(shown, 's1', '08:00')).toEqual(['08:12 cancelled 1 Ziel', '08:42 1 Zum Ziel']);
    expect(await listArrivals(shown, 'z', '08:00')).toEqual(['08:30 cancelled 1 Anger']);
    expect(await listDepartures(shown, 's1', '08:12:01')).toEqual(['08:42 1 Zum Ziel']);
  });

  test('a cancellation does not expire', async () => {
    const live = await reportInTown([cancelled('t1')], { reportedAt: '07:10', now: '08:05' });
    expect(await listDepartures(live, 's1', '08:05')).toEqual(['08:12 cancelled 1 Ziel', '08:42 1 Zum Ziel']);
  });

  test('cancels single calls only there', async () => {
    const report = reportOf(townTrip('t1'), {
      calls: [callOf(stopOf('a'), { departure: timeOf(at('08:02')) }), callOf(stopOf('s1'), { state: 'skipped' })],
    });
    const live = await reportInTown([report], { reportedAt: '07:59', now: '07:59' }, { isPropagating: true });
    expect(await listDepartures(live, 'a', '07:59', { limit: 1 })).toEqual(['08:00+08:02 1 Ziel']);
    expect(await listDepartures(live, 's1', '07:59', { limit: 1 })).toEqual(['08:12 cancelled 1 Ziel']);
    expect(await listDepartures(live, 'k', '07:59', { limit: 1 })).toEqual(['08:20+08:22 1 Ziel']);
  });

  test('a trip marked as deleted is on no board', async () => {
    const live = await reportInTown([deleted('t1')], { reportedAt: '07:59', now: '08:00' });
    expect(await listDepartures(live, 's', '08:00')).toEqual(['08:15 2 Kirche', '08:42 1 Zum Ziel']);
    expect(await listArrivals(live, 'z', '08:00')).toEqual([]);
  });
});

describe('platforms', () => {
  const moved = (over: Parameters<typeof callOf>[1]) =>
    reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), over)] });

  test.each([
    ['another platform', { platform: '7' }, { text: '7', scheduledText: '1', changed: true }],
    ['the scheduled one', { platform: '1' }, { text: '1', scheduledText: '1', changed: false }],
    ['another stop of the station', { assignedStopId: 's2' }, { text: '2', scheduledText: '1', changed: true }],
    ['none', {}, { text: '1', scheduledText: '1', changed: false }],
  ])('%s', async (_what, over, expected) => {
    const live = await reportInTown([moved({ departure: timeOf(at('08:12')), ...over })], {
      reportedAt: '08:00',
      now: '08:00',
    });
    const { departures: rows } = await queryDepartures(live, 'at:s1', { now: at('08:00') });
    expect(rows.map(({ platform }) => platform)).toEqual([expected, { text: '1', scheduledText: '1', changed: false }]);
    const { arrivals: mirrored } = await queryArrivals(live, 'at:s1', { now: at('08:00') });
    expect(mirrored[0]!.platform).toEqual(expected);
  });

  test('a reported platform without a scheduled one is not a platform change', async () => {
    const report = reportOf(townTrip('t1'), { calls: [callOf(stopOf('a'), { platform: 'B' })] });
    const live = await reportInTown([report], { reportedAt: '07:50', now: '07:50' });
    const { departures: rows } = await queryDepartures(live, 'at:a', { now: at('07:50') });
    expect(rows[0]!.platform).toEqual({ text: 'B', changed: false });
  });
});

describe('a page token', () => {
  /** A trip on the last day of its timetable. */
  const onLastDay = (tripId: string, relationship: TripReport['relationship']) =>
    reportOf(tripOf(tripId, { startDate: '2026-03-08' as never }), { relationship });
  const LAST_MORNING = '2026-03-08T08:20:00+01:00';

  async function lastPages(trips: readonly TripReport[]) {
    const live = await openLiveWorld(world);
    live.report('rt', LAST_MORNING, { trips });
    const shown = live.at(LAST_MORNING);
    const query = { now: LAST_MORNING, durationMinutes: 15 };
    const first = await queryDepartures(shown, 'at:s1', query);
    const token = first.nextPageToken;
    const next = token === undefined ? null : await queryDepartures(shown, 'at:s1', { ...query, pageToken: token });
    return [first, next].map((page) => page?.departures.map(describeDeparture) ?? null);
  }

  test('leads to the next departure, however far ahead', async () => {
    expect(await lastPages([])).toEqual([[], ['08:42 1 Zum Ziel']]);
    expect(await lastPages([onLastDay('t2', 'cancelled')])).toEqual([[], ['08:42 cancelled 1 Zum Ziel']]);
    expect(await lastPages([onLastDay('t2', 'deleted')])).toEqual([[], ['23:55 N Ziel']]);
  });

  test('is absent if no further departure is shown', async () => {
    expect(await lastPages([onLastDay('t2', 'deleted'), onLastDay('night', 'deleted')])).toEqual([[], null]);
  });

  test('uses the realtime that was fresh when the board started', async () => {
    const trips = [leaving('far', 's2', '08:30'), leaving('t1', 's1', '08:35')];
    const live = await reportInTown(trips, { reportedAt: '08:05', now: '08:05' });
    const first = await queryDepartures(live, 'at:s', { now: at('08:05'), limit: 1 });
    expect(first.departures.map(describeDeparture)).toEqual(['08:15 2 Kirche']);
    // Five minutes and a second later both forecasts have expired, but neither departure is skipped.
    const rest = await queryDepartures(live, 'at:s', {
      now: at('08:10:01'),
      limit: 30,
      pageToken: first.nextPageToken!,
    });
    expect(rest.departures.map(describeDeparture)).toEqual(['03:20 2 Ziel', '08:12 1 Ziel', '08:42 1 Zum Ziel']);
  });
});

describe('a change of platform', () => {
  const moved = reportOf(townTrip('t1'), {
    calls: [callOf(stopOf('s1'), { departure: timeOf(at('08:12')), platform: '2' })],
  });
  const describePlatform = ({ line, platform }: Departure) =>
    `${line.label} ${platform.scheduledText}>${platform.text}${platform.changed ? '!' : ''}`;

  test('appears on the board of the actual platform and of the scheduled one', async () => {
    const live = await reportInTown([moved], { reportedAt: '08:00', now: '08:00' });
    const rowsAt = async (stop: string) => {
      const { departures } = await queryDepartures(live, `at:${stop}`, { now: at('08:00'), durationMinutes: 30 });
      return departures.map(describePlatform);
    };
    expect(await rowsAt('s1')).toEqual(['1 1>2!']);
    expect(await rowsAt('s2')).toEqual(['1 1>2!', '2 2>2']);
    expect(await rowsAt('s')).toEqual(['1 1>2!', '2 2>2']);
  });

  test('applies to filters, pages and arrivals', async () => {
    const live = await reportInTown([moved], { reportedAt: '08:00', now: '08:00' });
    const query = { now: at('08:00'), durationMinutes: 30 };
    const linesOf = async (more: BoardQueryInput) =>
      (await queryDepartures(live, 'at:s2', { ...query, ...more })).departures.map(({ line }) => line.label);
    expect(await linesOf({ lines: ['1'] })).toEqual(['1']);
    expect(await linesOf({ otherStopId: 'at:z' })).toEqual(['1']);
    const first = await queryDepartures(live, 'at:s2', { ...query, limit: 1 });
    const next = await queryDepartures(live, 'at:s2', { now: at('08:00'), pageToken: first.nextPageToken! });
    expect([...first.departures, ...next.departures].map(describePlatform)).toEqual(['1 1>2!', '2 2>2']);
    const { arrivals } = await queryArrivals(live, 'at:s2', query);
    expect(arrivals.map(({ line }) => line.label)).toEqual(['1']);
  });
});
