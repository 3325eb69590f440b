import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createReferences } from '../../../api/engine/read/references.ts';
import { createWatchService, type WatchService } from '../../../api/watches/service/watch-service.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import type { WatchStore } from '../../../api/watches/store/watch-store.ts';
import { findOccurrence } from '../../../api/watches/track/occurrences.ts';
import type { WatchRepeat, WatchSpec } from '../../../api/watches/watch.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import { formatTimestamp, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import { instant, openWorld, TEST_KEY, type World } from '../../support/worlds/board-world.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import { LIMITS, orderOf } from './store-cases.ts';

/**
 * The 07:42 from Monday to Friday, but not on Wednesday, a public holiday; another line at the same stop and time, and
 * one more departure at 08:05. The other direction leaves from another platform.
 */
const town = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  s,Anger,48.00,16.00,1,,
  a,Anger,48.00,16.00,0,s,1
  z,Ziel,48.03,16.03,0,,
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r1,v,U1,1
  r2,v,2,3
  # trips.txt
  trip_id,route_id,service_id,trip_headsign
  t742,r1,work,Ziel
  t805,r1,work,Ziel
  other,r2,daily,Ziel
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  t742,a,1,07:42:00,07:42:00
  t742,z,2,08:00:00,08:00:00
  t805,a,1,08:05:00,08:05:00
  t805,z,2,08:23:00,08:23:00
  other,a,1,07:42:00,07:42:00
  other,z,2,08:10:00,08:10:00
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  work,1,1,1,1,1,1,1,20260302,20260331
  daily,1,1,1,1,1,1,1,20260302,20260331
  # calendar_dates.txt
  service_id,date,exception_type
  work,20260304,2
`;

const repeat: WatchRepeat = {
  weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  from: '07:40',
  to: '07:45',
};
const spec: WatchSpec = { kind: 'line', lines: [{ label: 'U1' }], stopIds: ['at:s'], repeat };
const target = { endpoint: 'https://push.example.org/1', p256dh: 'cGs', auth: 'YXV0aA' };

const on = (date: string, clock: string) => `2026-03-${date}T${clock}:00+01:00`;
const named = (date: string, tripId: string) => tripOf(tripId, { startDate: `2026-03-${date}` as ServiceDate });
const leaving = (date: string, clock: string, tripId = 't742', platform: string | null = null): TripReport =>
  reportOf(named(date, tripId), {
    calls: [callOf(stopOf('a'), { departure: timeOf(on(date, clock)), ...(platform ? { platform } : {}) })],
  });
const cancelled = (date: string, tripId = 't742') => reportOf(named(date, tripId), { relationship: 'cancelled' });

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

let live: LiveWorld;
let store: WatchStore;
let replicas: WatchService[];
const clock = fixedClock(on('02', '05:00'));

beforeEach(async () => {
  live = await openLiveWorld(world);
  clock.set(on('02', '05:00'));
  store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
  replicas = [start()];
  onTestFinished(() => store.close());
});

const start = () => createWatchService({ store, referenceKey: TEST_KEY, limits: LIMITS, clock });

/** Polls, and lets every replica judge. @returns the events, each once */
async function receive(date: string, time: string, update: Partial<SourceUpdate>): Promise<string[]> {
  clock.set(on(date, time));
  live.report('rt', on(date, time), update);
  const { timetable, realtime } = live.at(on(date, time));
  let count = 0;
  for (const replica of replicas) count += await replica.follow({ timetable, realtime });
  const { events } = (await replicas[0]!.watch({ ...orderOf({ spec, target }), id: watchId }, null))!;
  return events.slice(events.length - count).map(({ kind, text }) => `${kind}: ${text}`);
}

let watchId: string;
async function watch(): Promise<void> {
  const { timetable, realtime } = live.at(on('02', '05:00'));
  for (const replica of replicas) await replica.follow({ timetable, realtime });
  const report = await replicas[0]!.watch(orderOf({ spec, target }), null);
  watchId = report!.watchId;
  expect([report!.status, report!.events]).toEqual(['unknown', []]);
}

const alert = alertOf('x', {
  title: 'Bauarbeiten',
  lines: [{ label: 'U1', routeId: null, agencyId: null, operatorName: null, region: null }],
});

type Row = readonly [date: string, time: string, update: Partial<SourceUpdate>, events: readonly string[]];
const week: readonly Row[] = [
  ['02', '06:30', { trips: [leaving('02', '07:52')] }, []],
  [
    '02',
    '06:41',
    { trips: [leaving('02', '07:52')] },
    ['delay: U1 nach Ziel fährt 10 Minuten später: ab Anger um 07:52 statt 07:42.'],
  ],
  ['02', '06:42', { trips: [leaving('02', '07:52')] }, []],
  ['02', '06:50', { trips: [leaving('02', '07:42')] }, ['recovered: U1 nach Ziel ist wieder pünktlich.']],
  ['02', '07:00', { trips: [leaving('02', '08:20', 't805')] }, []],
  ['02', '08:30', { trips: [leaving('02', '07:43')] }, []],
  ['02', '09:50', { trips: [leaving('02', '10:30')] }, []],
  ['03', '06:45', { trips: [cancelled('03')] }, ['cancelled: U1 nach Ziel um 07:42 ab Anger fällt aus.']],
  [
    '03',
    '06:50',
    { trips: [leaving('03', '07:42')] },
    ['recovered: U1 nach Ziel um 07:42 ab Anger fährt nun doch bis Ziel.'],
  ],
  ['04', '07:00', { trips: [], alerts: [alert] }, []],
  [
    '05',
    '06:45',
    { trips: [leaving('05', '07:42', 't742', '2')], alerts: [] },
    ['platform: U1 nach Ziel um 07:42 ab Anger fährt von Gleis 2 statt Gleis 1.'],
  ],
  [
    '05',
    '07:20',
    { trips: [leaving('05', '07:39', 't742', '2')], alerts: [] },
    ['delay: U1 nach Ziel fährt 3 Minuten früher: ab Anger schon um 07:39 statt 07:42.'],
  ],
  ['06', '06:45', { trips: [], alerts: [alert] }, ['disruption: Neue Meldung: Bauarbeiten']],
  ['07', '07:00', { trips: [cancelled('07')], alerts: [alert] }, []],
  ['08', '07:00', { trips: [cancelled('08')], alerts: [] }, []],
  ['09', '06:45', { trips: [], alerts: [] }, []],
  ['09', '06:51', { trips: [], alerts: [] }, ['disruptionEnded: Nicht mehr gemeldet: Bauarbeiten']],
];

describe('a week', () => {
  test('reports each day what concerns its departure, and nothing else', async () => {
    await watch();
    for (const [date, time, update, events] of week) {
      expect([date, time, await receive(date, time, update)]).toEqual([date, time, events]);
    }
  });

  test('is the same if the service restarts before each poll', async () => {
    await watch();
    for (const [date, time, update, events] of week) {
      replicas = [start()];
      expect([date, time, await receive(date, time, update)]).toEqual([date, time, events]);
    }
  });

  test('is reported and pushed once by two replicas', async () => {
    replicas = [start(), start()];
    await watch();
    const pushed: string[] = [];
    for (const [date, time, update, events] of week) {
      expect([date, time, await receive(date, time, update)]).toEqual([date, time, events]);
      const claimed = await store.claim(instant(on(date, time)), 10);
      pushed.push(...claimed.map(({ payload }) => JSON.parse(payload).event.text));
      const outcome = 'delivered' as const;
      await store.settle(claimed.map(({ id, target, claimedUntil }) => ({ id, target, claimedUntil, outcome })));
    }
    expect(pushed).toEqual(week.flatMap(([, , , events]) => events).map((text) => text.replace(/^\w+: /, '')));
  });
});

test('events refer to the journey of their day', async () => {
  await watch();
  await receive('03', '06:45', { trips: [cancelled('03')] });
  const { events } = (await replicas[0]!.watch({ ...orderOf({ spec, target }), id: watchId }, null))!;
  const journey = createReferences(TEST_KEY).openJourney(events[0]!.journeyRef!);
  expect(journey?.day).toBe(Date.parse('2026-03-03') / 86_400_000);
});

test('lasts 30 days from its last request', async () => {
  await watch();
  clock.set(on('20', '12:00'));
  const report = await replicas[0]!.watch({ ...orderOf({ spec, target }), id: watchId }, null);
  expect(report!.expiresAt - instant(on('20', '12:00'))).toBe(30 * 86_400);
});

test('another window is another subject of the same watch', async () => {
  await watch();
  await receive('03', '06:45', { trips: [cancelled('03')] });
  const later: WatchSpec = { ...spec, repeat: { ...repeat, from: '08:00', to: '08:10' } };
  const report = await replicas[0]!.watch({ ...orderOf({ spec: later, target }), id: watchId }, null);
  expect([report!.watchId, report!.events.length]).toEqual([watchId, 1]);
  const { timetable, realtime } = live.at(on('03', '07:10'));
  clock.set(on('03', '07:10'));
  expect(await replicas[0]!.follow({ timetable, realtime })).toBe(0);
});

describe('the window of a repeated watch', () => {
  const sundays: WatchRepeat = { weekdays: ['sunday'], from: '07:42', to: '07:42' };
  const night: WatchRepeat = { weekdays: ['saturday'], from: '23:30', to: '00:30' };
  test.each<[what: string, repeat: WatchRepeat, at: string, window: string, judgedFrom: string]>([
    ['of a usual day', repeat, '2026-03-02T05:00:00Z', '2026-03-02T07:40:00+01:00 2026-03-02T07:46:00+01:00', '06:40'],
    ['after it', repeat, '2026-03-06T12:00:00Z', '2026-03-09T07:40:00+01:00 2026-03-09T07:46:00+01:00', '06:40'],
    [
      'on the day when clocks go forward',
      sundays,
      '2026-03-28T12:00:00Z',
      '2026-03-29T07:42:00+02:00 2026-03-29T07:43:00+02:00',
      '06:42',
    ],
    [
      'on the day when clocks go back',
      sundays,
      '2026-10-24T12:00:00Z',
      '2026-10-25T07:42:00+01:00 2026-10-25T07:43:00+01:00',
      '06:42',
    ],
    ['over midnight', night, '2026-03-07T23:10:00Z', '2026-03-07T23:30:00+01:00 2026-03-08T00:31:00+01:00', '22:30'],
    [
      'over the hour that is skipped',
      { ...night, from: '01:30', to: '03:30', weekdays: ['sunday'] },
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:30:00+01:00 2026-03-29T03:31:00+02:00',
      '00:30',
    ],
  ])('%s', (_, repeated, at, window, judgedFrom) => {
    const { begin, end, judgedFrom: from } = findOccurrence(repeated, instant(at));
    const [opens, ends, judged] = [begin, end, from].map((time) => formatTimestamp(time, 'Europe/Vienna'));
    expect([`${opens} ${ends}`, judged!.slice(11, 16)]).toEqual([window, judgedFrom]);
  });
});
