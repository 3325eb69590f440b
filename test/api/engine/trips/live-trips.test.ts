import { beforeAll, describe, expect, test } from 'vitest';
import type { Trip } from '../../../../api/contract/definitions.ts';
import { openRun } from '../../../../api/engine/trips/run.ts';
import type { Plan } from '../../../../api/engine/trips/timeline.ts';
import type { AlertReport, TripReport } from '../../../../pipeline/model/realtime.ts';
import { instant, queryDepartures, queryJourney, type World } from '../../../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf } from '../../../support/worlds/live-reports.ts';
import { at, DAY, townTrip } from '../live-town.ts';
import { describeLegs, liveTripTown, openTripTown, presentParts, rideOn, walkFrom } from './trip-town.ts';

let world: World;
beforeAll(async () => {
  world = await openTripTown();
});

/** By bus to the station, three minutes to the other platform, on by tram. */
const byTram = (): Plan['parts'] => [
  rideOn(world, 't1', [0, 2]),
  walkFrom(world, 'transfer', ['s1', 's2'], { meters: 43, seconds: 33, transferSeconds: 180 }),
  rideOn(world, 't2', [0, 1]),
];

const arriving = (tripId: string, stop: string, clock: string) =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock)) })] });
const leaving = (tripId: string, stop: string, clock: string) =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(clock)) })] });
const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
const skipping = (tripId: string, ...stops: string[]) =>
  reportOf(townTrip(tripId), { calls: stops.map((stop) => callOf(stopOf(stop), { state: 'skipped' })) });

async function emitTrip(trips: readonly TripReport[], parts = byTram(), now = '08:01'): Promise<Trip> {
  return presentParts(await liveTripTown(now, { trips }), parts, { now });
}
const findRisk = ({ legs }: Trip) => legs.flatMap(({ transferRisk }) => transferRisk ?? []);

describe('a transfer', () => {
  test.each<[string, string, string]>([
    ['08:10', '08:18', 'ok'],
    // The minimum is three minutes, and the walk takes 33 seconds.
    ['08:15', '08:18', 'ok'],
    ['08:15:01', '08:18', 'tight'],
    ['08:17:27', '08:18', 'tight'],
    ['08:17:28', '08:18', 'missed'],
    ['08:30', '08:18', 'missed'],
    ['08:30', '08:40', 'ok'],
  ])('from %s to %s is %s', async (arrival, departure, expected) => {
    const trip = await emitTrip([arriving('t1', 's1', arrival), leaving('t2', 's2', departure)]);
    expect(findRisk(trip)).toEqual([expected]);
  });

  test('remains guaranteed', async () => {
    const guaranteed = byTram().map((part) => (part.kind === 'walk' ? { ...part, isGuaranteed: true } : part));
    expect(findRisk(await emitTrip([arriving('t1', 's1', '08:30')], guaranteed))).toEqual(['guaranteed']);
  });
});

describe('a passenger who stays on board', () => {
  const throughZ = () => [rideOn(world, 't3', [0, 2]), rideOn(world, 't4', [0, 1], { isStaying: true })];

  test('is late with the vehicle, even if the next trip has no report', async () => {
    expect(describeLegs(await emitTrip([arriving('t3', 'z', '08:58')], throughZ()))).toEqual([
      'transit 3: Heide 08:25 - Ziel 08:50+08:58 (wheelchair:yes, pickup:driver, dropOff:phone)',
      'transit 4: Ziel 08:52+08:59 - Anger 09:20+09:27 (wheelchair:yes, staySeated:yes)',
    ]);
  });

  test('does not need drop-off where the vehicle continues', async () => {
    const trip = await emitTrip([skipping('t3', 'z')], throughZ());
    expect(trip.legs.map(({ cancellation }) => cancellation.fullyCancelled)).toEqual([false, false]);
  });
});

describe('via a place', () => {
  const byKiosk = (meters: number) => [
    rideOn(world, 't1', [0, 2]),
    walkFrom(world, 'egress', ['s1', 1], { meters, seconds: meters }),
    walkFrom(world, 'access', [1, 's2'], { meters: 20, seconds: 20 }),
    rideOn(world, 't2', [0, 1]),
  ];
  const places = [{ stopId: 'at:a' }, { coord: { lat: 48.0402, lon: 16.04 }, name: 'Kiosk' }, { stopId: 'at:z' }];

  test.each<[string, number, (string | undefined)[]]>([
    ['08:10', 30, ['ok', undefined]],
    ['08:17:10', 30, ['tight', undefined]],
    ['08:17:11', 30, ['missed', undefined]],
    ['08:17:41', 0, ['missed']],
  ])(
    'the first walk decides whether the next ride is reached: arriving at %s, %i m',
    async (arrival, meters, expected) => {
      const live = await liveTripTown('08:01', { trips: [arriving('t1', 's1', arrival)] });
      const { legs } = await presentParts(live, byKiosk(meters), { places, now: '08:01' });
      const walks = legs.filter(({ mode }) => mode === 'walk');
      expect(walks.map(({ transferRisk }) => transferRisk)).toEqual(expected);
    },
  );
});

describe('times', () => {
  test('of walks follow the vehicle before or after them', async () => {
    const parts = [
      walkFrom(world, 'access', [0, 'a'], { meters: 145, seconds: 112 }),
      ...byTram(),
      walkFrom(world, 'egress', ['z', 1], { meters: 97, seconds: 75 }),
    ];
    const places = [
      { coord: { lat: 47.999, lon: 16 }, name: 'Haus' },
      { coord: { lat: 48.03, lon: 16.061 }, name: 'Hof' },
    ];
    const live = await liveTripTown('07:50', { trips: [leaving('t1', 'a', '08:02'), arriving('t1', 's1', '08:11')] });
    const trip = await presentParts(live, parts, { places, now: '07:50' });
    expect(describeLegs(trip)).toEqual([
      'walk: Haus 07:58:08+08:00:08 - Anger 08:00+08:02 (145 m, walk:straightLine)',
      'transit 1: Anger 08:00+08:02 - Bahnhof 1 08:10+08:11 (wheelchair:yes)',
      'transfer: Bahnhof 1 08:10+08:11 - Bahnhof 2 08:10:33+08:11:33 (43 m, ok, walk:straightLine)',
      'transit 2: Bahnhof 2 08:18 - Ziel 08:40 (tripNumber:TR 2, bikes:yes)',
      'walk: Ziel 08:40 - Hof 08:41:15 (97 m, walk:straightLine)',
    ]);
    expect([trip.departure, trip.arrival]).toEqual([
      {
        scheduled: '2026-03-03T07:58:08+01:00',
        realtime: '2026-03-03T08:00:08+01:00',
        isRealtime: true,
        prognosis: 'forecast',
      },
      { scheduled: '2026-03-03T08:41:15+01:00', isRealtime: false },
    ]);
  });

  test('do not decrease along a trip, and otherwise equal those of its journey', async () => {
    const late = reportOf(townTrip('t1'), {
      calls: [
        callOf(stopOf('a'), { departure: timeOf(at('08:05'), null, true) }),
        callOf(stopOf('k'), { arrival: timeOf(at('08:04')), departure: timeOf(at('08:11')) }),
      ],
    });
    const live = await liveTripTown('08:06', { trips: [late] });
    const leg = (await presentParts(live, [rideOn(world, 't1', [0, 3])], { now: '08:06' })).legs[0]!;
    const times = [leg.origin, ...leg.intermediateStops, leg.destination].map(({ arrival, departure }) =>
      [arrival, departure].map((time) => (time ? `${time.realtime?.slice(11, 16)} ${time.prognosis}` : '-')).join('/'),
    );
    expect(times).toEqual([
      '-/08:05 observed_actual',
      // The report for Kirche is older than that of the calls passed.
      '08:05 forecast/08:11 forecast',
      '08:15 carried/08:17 carried',
      '08:35 carried/-',
    ]);
  });

  test('are scheduled times again once the forecast has expired', async () => {
    const live = await liveTripTown('08:01', { trips: [arriving('t1', 's1', '08:30')] });
    expect(findRisk(await presentParts(live, byTram(), { now: '08:06' }))).toEqual(['missed']);
    expect(findRisk(await presentParts(live, byTram(), { now: '08:06:01' }))).toEqual(['ok']);
  });
});

test('platforms are the announced ones, also at the end of a walk', async () => {
  const moved = reportOf(townTrip('t2'), { calls: [callOf(stopOf('s2'), { platform: '7' })] });
  const { legs } = await emitTrip([moved]);
  expect([legs[1]!.destination.platform, legs[2]!.origin.platform]).toEqual([
    { text: '7', scheduledText: '2', changed: true },
    { text: '7', scheduledText: '2', changed: true },
  ]);
});

describe('cancellations', () => {
  const whole = { fullyCancelled: true, partiallyCancelled: false };
  const some = { fullyCancelled: false, partiallyCancelled: true };
  const none = { fullyCancelled: false, partiallyCancelled: false };

  test.each<[string, TripReport[], Trip['cancellation'], Trip['cancellation'][]]>([
    ['nothing', [], none, [none, none, none]],
    ['one of two rides', [cancelled('t2')], some, [none, none, whole]],
    ['both rides', [cancelled('t1'), cancelled('t2')], whole, [whole, none, whole]],
    ['a deleted trip', [reportOf(townTrip('t2'), { relationship: 'deleted' })], some, [none, none, whole]],
    ['an intermediate stop', [skipping('t1', 'k')], some, [some, none, none]],
    ['the boarding stop', [skipping('t1', 'a')], some, [some, none, none]],
    ['a stop after alighting', [skipping('t1', 'z')], none, [none, none, none]],
    ['every stop of the ride', [skipping('t1', 'a', 'k', 's1')], some, [whole, none, none]],
  ])('%s', async (_what, trips, expected, ofLegs) => {
    const trip = await emitTrip(trips);
    expect([trip.cancellation, trip.legs.map(({ cancellation }) => cancellation)]).toEqual([expected, ofLegs]);
  });

  test('have the text of the publisher, on the ride, its stops and the trip', async () => {
    const alerts = [alertOf('x', { kind: 'cancellation', text: 'Fahrzeugschaden.', trips: [townTrip('t2')] })];
    const live = await liveTripTown('08:01', { trips: [cancelled('t2')], alerts });
    const { legs, cancellation } = await presentParts(live, byTram(), { now: '08:01' });
    const note = 'Fahrzeugschaden.';
    expect([cancellation, legs[0]!.cancellation, legs[2]!.cancellation]).toEqual([
      { ...some, note },
      none,
      { ...whole, note },
    ]);
    expect(legs[2]!.destination.cancellation).toEqual({ ...whole, note });
  });

  test('appear per stop, and such a stop has no live time', async () => {
    const { legs } = await emitTrip([skipping('t1', 'k')]);
    expect(legs[0]!.intermediateStops.map(({ cancellation, arrival }) => [cancellation, arrival!.isRealtime])).toEqual([
      [whole, false],
    ]);
  });
});

describe('notices', () => {
  const line = { label: null, routeId: 'r1', agencyId: null, operatorName: null, region: null };
  const titlesOf = async (alerts: readonly AlertReport[]) => {
    const trip = await presentParts(await liveTripTown('07:50', { alerts }), byTram(), { now: '07:50' });
    const titles = (notices: Trip['notices']) => notices.map(({ title }) => title.replace('Title ', ''));
    return [trip.legs.map(({ notices }) => titles(notices)), titles(trip.notices)];
  };

  test('are those of the ride: its trip, line, stops and time; each once', async () => {
    const window = (from: string, to: string) => [{ from: instant(at(from)), to: instant(at(to)) }];
    const alerts = [
      alertOf('trip', { trips: [townTrip('t2')], priority: 1 }),
      alertOf('line', { lines: [line], priority: 2 }),
      alertOf('station', { stops: [stopOf('s')], priority: 3 }),
      alertOf('stop beyond', { stops: [stopOf('z')], priority: 4 }),
      alertOf('after the ride', { lines: [line], activeWindows: window('08:11', '09:00') }),
      alertOf('at its end', { lines: [line], activeWindows: window('08:10', '09:00'), priority: 5 }),
    ];
    expect(await titlesOf(alerts)).toEqual([
      [['line', 'station', 'at its end'], [], ['trip', 'station', 'stop beyond']],
      ['line', 'station', 'at its end', 'trip', 'stop beyond'],
    ]);
  });
});

describe('a trip that the timetable does not contain', () => {
  const extra = (over: Partial<TripReport> = {}) =>
    reportOf(tripOf('extra', { startDate: DAY, lineLabel: 'E', product: 'ship', headsign: 'Heide' }), {
      relationship: 'added',
      calls: [
        callOf(stopOf('s2'), { departure: timeOf(at('08:24'), at('08:20')), scheduledPlatform: '2', platform: '9' }),
        callOf(stopOf(null, 'Wiese'), { arrival: timeOf(at('08:30')) }),
        callOf(stopOf('h'), { arrival: timeOf(at('08:40'), at('08:36')) }),
      ],
      ...over,
    });

  test('is ridden under its own name', async () => {
    const live = await liveTripTown('08:01', { trips: [extra()] });
    const ride = { ...rideOn(world, 't1', [0, 2]), trip: -1, addedTrip: 0 };
    const trip = await presentParts(live, [ride], { now: '08:01' });
    expect(describeLegs(trip)).toEqual(['transit E: Bahnhof 9 08:20+08:24 - Heide 08:36+08:40']);
    const leg = trip.legs[0]!;
    const { departures } = await queryDepartures(live, 'at:s2', { now: at('08:19'), lines: ['E'] });
    expect([leg.journeyRef, leg.line, leg.direction]).toEqual([
      departures[0]!.journeyRef,
      departures[0]!.line,
      'Heide',
    ]);
    expect(leg.intermediateStops.map(({ id, name }) => [id, name])).toEqual([['Wiese', 'Wiese']]);
    expect(leg.polyline.length).toBe(2);
  });

  const detour = (...stops: string[]) =>
    reportOf(townTrip('t1'), {
      relationship: 'replacement',
      calls: stops.map((stop, i) => {
        const time = timeOf(at(`08:${20 + i}`), at(`08:${20 + i}`));
        return callOf(stopOf(stop), { arrival: time, departure: time });
      }),
    });

  test('replaces a trip, including at its stops', async () => {
    const live = await liveTripTown('08:01', { trips: [detour('h', 'a', 's2', 'z')] });
    const trip = await presentParts(live, [rideOn(world, 't1', [0, 2])], { now: '08:01' });
    expect(describeLegs(trip)).toEqual(['transit 1: Anger 08:21+08:21 - Bahnhof 2 08:22+08:22']);
    expect(trip.cancellation.fullyCancelled).toBe(false);
    const { stops } = await queryJourney(live, trip.legs[0]!.journeyRef!, { now: at('08:01') });
    const served = stops.filter(({ cancellation }) => !cancellation.fullyCancelled);
    expect(served.map(({ name }) => name)).toEqual(['Heide', 'Anger', 'Bahnhof', 'Ziel']);
    // The skipped stop remains, so that riders see that it is skipped.
    expect(stops.length - served.length).toBe(1);
  });

  test.each<[string, string[]]>([
    ['the first stop', ['h', 's2', 'z']],
    ['the last stop', ['a', 'h', 'z']],
    ['the right order', ['s2', 'a', 'z']],
  ])('cannot be used at skipped stops: %s', async (_what, stops) => {
    const live = await liveTripTown('08:01', { trips: [detour(...stops)] });
    const trip = await presentParts(live, [rideOn(world, 't1', [0, 2])], { now: '08:01' });
    expect(trip.cancellation.fullyCancelled).toBe(true);
    expect(describeLegs(trip)).toEqual(['transit 1: Anger 08:00 - Bahnhof 1 08:10 (wheelchair:yes)']);
    const published = { timetable: live.timetable, realtime: live.realtime };
    expect(openRun(published, rideOn(world, 't1', [0, 2]), instant(at('08:01'))).ride.trip).toBeGreaterThanOrEqual(0);
  });
});
