import { beforeAll, describe, expect, test } from 'vitest';
import type { Journey } from '../../../api/contract/definitions.ts';
import type { SourceUpdate, TripReport, VehicleReport } from '../../../pipeline/model/realtime.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { findRefusal, openWorld, queryDepartures, queryJourney, type World } from '../../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf, tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, DAY, describeTime, town, townTrip } from './live-town.ts';

let world: World;
let t1: string;
beforeAll(async () => {
  world = await openWorld(town);
  t1 = (await queryDepartures(world, 'at:a', { now: at('08:00'), limit: 1 })).departures[0]!.journeyRef!;
});

async function liveWorld(
  reportedAt: string,
  now: string,
  update: Partial<SourceUpdate>,
  over?: Partial<RealtimeSourceState>,
) {
  const live = await openLiveWorld(world, ['rt'], over);
  live.report('rt', at(reportedAt), update);
  return live.at(at(now));
}

const journeyAt = (live: World, now: string, ref = t1, stopId?: string) =>
  queryJourney(live, ref, { now: at(now), ...(stopId === undefined ? {} : { stopId }) });

/** `Bahnhof 08:10+08:15/08:12+08:17`, with a mark for a cancelled stop and one for the position of the vehicle. */
function describeStops({ stops }: Journey): string[] {
  return stops.map(({ name, arrival, departure, cancellation, isCurrent }) => {
    const times = [arrival, departure].map((time) => (time ? describeTime(time) : '-')).join('/');
    return `${isCurrent ? '> ' : ''}${name} ${times}${cancellation.fullyCancelled ? ' cancelled' : ''}`;
  });
}

const calls = (...reported: Parameters<typeof callOf>[]) => reported.map(([stop, over]) => callOf(stop, over));

/** Five minutes late from the first stop on. */
const lateTrip = reportOf(townTrip('t1'), { calls: calls([stopOf('a'), { departure: timeOf(at('08:05')) }]) });

describe('times', () => {
  test('are reported for every call where known', async () => {
    const live = await liveWorld('08:01', '08:01', { trips: [lateTrip], isPropagating: true });
    expect(describeStops(await journeyAt(live, '08:01'))).toEqual([
      '> Anger -/08:00+08:05',
      'Bahnhof 08:10+08:15/08:12+08:17',
      'Kirche 08:20+08:25/08:20+08:25',
      'Ziel 08:30+08:35/-',
    ]);
  });

  test('are propagated from observations when the forecasts have expired', async () => {
    const measured = calls(
      [stopOf('a'), { departure: timeOf(at('08:05'), null, true) }],
      [stopOf('s1'), { arrival: timeOf(at('08:15')), departure: timeOf(at('08:17')) }],
    );
    const trips = [reportOf(townTrip('t1'), { calls: measured })];
    const live = await liveWorld('08:06', '08:12', { trips });
    expect(describeStops(await journeyAt(live, '08:11:01'))).toEqual([
      'Anger -/08:00+08:05',
      '> Bahnhof 08:10+08:15/08:12+08:17',
      'Kirche 08:20+08:25/08:20+08:25',
      'Ziel 08:30+08:35/-',
    ]);
    const { stops } = await journeyAt(live, '08:11');
    expect(stops.map(({ departure }) => departure?.prognosis)).toEqual([
      'observed_actual',
      'carried',
      'carried',
      undefined,
    ]);
  });

  test('do not use reports of another trip or day', async () => {
    const trips = [reportOf(townTrip('t2'), { calls: lateTrip.calls.map((call) => ({ ...call })) })];
    const live = await liveWorld('08:01', '08:01', { trips, isPropagating: true });
    expect(await journeyAt(live, '08:01')).toEqual(await journeyAt(world, '08:01'));
    const tomorrow = (await queryDepartures(live, 'at:a', { time: '2026-03-04T08:00:00+01:00', limit: 1 }))
      .departures[0]!;
    expect(describeStops(await journeyAt(live, '08:01', tomorrow.journeyRef!))[0]).toBe('Anger -/08:00');
  });
});

describe('cancellations', () => {
  const cancellationOf = ({ cancellation, stops }: Journey) => [
    cancellation,
    stops.map((call) => call.cancellation.fullyCancelled),
  ];

  test.each<[string, Partial<TripReport>, ReturnType<typeof cancellationOf>]>([
    [
      'the whole trip',
      { relationship: 'cancelled' },
      [{ fullyCancelled: true, partiallyCancelled: false }, [true, true, true, true]],
    ],
    [
      'a deleted trip',
      { relationship: 'deleted' },
      [{ fullyCancelled: true, partiallyCancelled: false }, [true, true, true, true]],
    ],
    [
      'one stop',
      { calls: calls([stopOf('k'), { state: 'skipped' }]) },
      [{ fullyCancelled: false, partiallyCancelled: true }, [false, false, true, false]],
    ],
    [
      'every stop separately',
      { calls: ['a', 's1', 'k', 'z'].map((id) => callOf(stopOf(id), { state: 'skipped' })) },
      [{ fullyCancelled: true, partiallyCancelled: false }, [true, true, true, true]],
    ],
  ])('%s', async (_what, over, expected) => {
    const live = await liveWorld('07:50', '07:50', { trips: [reportOf(townTrip('t1'), over)] });
    expect(cancellationOf(await journeyAt(live, '07:50'))).toEqual(expected);
  });

  test('has no live time at a cancelled stop', async () => {
    const live = await openLiveWorld(world);
    live.report('rt', at('07:50'), { trips: [lateTrip], isPropagating: true });
    live.report('rt', at('07:51'), { trips: [reportOf(townTrip('t1'), { relationship: 'cancelled' })] });
    const { stops } = await journeyAt(live.at(at('07:51')), '07:51');
    expect(stops.flatMap(({ arrival, departure }) => [arrival?.isRealtime, departure?.isRealtime])).not.toContain(true);
  });

  test('keeps the calls that a running vehicle has passed', async () => {
    const live = await openLiveWorld(world);
    const left = calls([stopOf('a'), { departure: timeOf(at('08:05'), null, true) }]);
    live.report('rt', at('08:06'), { trips: [reportOf(townTrip('t1'), { calls: left })] });
    live.report('rt', at('08:07'), { trips: [reportOf(townTrip('t1'), { relationship: 'cancelled' })] });
    const journey = await journeyAt(live.at(at('08:07')), '08:07');
    expect(cancellationOf(journey)).toEqual([
      { fullyCancelled: false, partiallyCancelled: true },
      [false, true, true, true],
    ]);
    expect(describeStops(journey)[0]).toBe('Anger -/08:00+08:05');
  });
});

test('shows current platforms beside the scheduled ones', async () => {
  const moved = calls([stopOf('s1'), { platform: '12A-F' }], [stopOf('z'), { platform: '3' }]);
  const live = await liveWorld('07:50', '07:50', { trips: [reportOf(townTrip('t1'), { calls: moved })] });
  expect((await journeyAt(live, '07:50')).stops.map(({ platform }) => platform)).toEqual([
    { changed: false },
    { text: '12A-F', scheduledText: '1', changed: true },
    { changed: false },
    { text: '3', changed: false },
  ]);
});

describe('the current call', () => {
  const currentOf = ({ stops }: Journey) => stops.findIndex(({ isCurrent }) => isCurrent);

  test.each<[string, string, number]>([
    ['still waiting at its first stop', '08:04', 0],
    ['about to depart', '08:05', 0],
    ['between stops', '08:05:01', 1],
    ['standing', '08:16', 1],
    ['before the last stop', '08:26', 3],
    ['at the last stop, long after its scheduled time', '08:35', 3],
    ['arrived', '08:35:01', -1],
  ])('follows the best known times: %s', async (_where, now, expected) => {
    const live = await liveWorld(now, now, { trips: [lateTrip], isPropagating: true });
    expect(currentOf(await journeyAt(live, now))).toBe(expected);
  });

  test('is never a cancelled one', async () => {
    const skipped = ['a', 'k'].map((id) => callOf(stopOf(id), { state: 'skipped' }));
    const live = await liveWorld('08:15', '08:15', { trips: [reportOf(townTrip('t1'), { calls: skipped })] });
    const positions = await Promise.all(
      ['08:05', '08:11', '08:13', '08:31'].map(async (now) => currentOf(await journeyAt(live, now))),
    );
    expect(positions).toEqual([-1, 1, 3, -1]);
    expect(currentOf(await journeyAt(live, '08:11', t1, 'at:k'))).toBe(2);
  });

  const bus = (over: Partial<VehicleReport> = {}) =>
    vehicleOf('bus 7', {
      trip: townTrip('t1'),
      lat: 48.0201,
      lon: 16.0203,
      recordedAt: null,
      stop: stopOf('k'),
      stopStatus: 'incomingAt',
      ...over,
    });

  test('is the one that the vehicle reports, regardless of the clock', async () => {
    const live = await liveWorld('08:06', '08:06', { trips: [lateTrip], vehicles: [bus()], isPropagating: true });
    const journey = await journeyAt(live, '08:06');
    expect(currentOf(journey)).toBe(2);
    expect(journey.lastPosition).toEqual({ lat: 48.0201, lon: 16.0203 });
    expect(currentOf(await journeyAt(live, '08:06', t1, 'at:s'))).toBe(1);
  });

  test.each<[string, string, boolean]>([
    ['eight minutes', '08:14:00', true],
    ['one second more', '08:14:01', false],
  ])('uses a vehicle position for %s', async (_how, now, isShown) => {
    const live = await liveWorld('08:06', '08:06', { vehicles: [bus({ stop: stopOf('z') })] });
    const journey = await journeyAt(live, now);
    expect([currentOf(journey), journey.lastPosition !== undefined]).toEqual([isShown ? 3 : 2, isShown]);
  });

  test('shows only the position of a vehicle that does not report its stop', async () => {
    const live = await liveWorld('08:06', '08:06', { vehicles: [bus({ stop: null, stopStatus: null })] });
    const journey = await journeyAt(live, '08:06');
    expect([currentOf(journey), journey.lastPosition !== undefined]).toEqual([1, true]);
  });

  test('shows no vehicles of a paused source', async () => {
    const live = await liveWorld('08:06', '08:06', { vehicles: [bus()] }, { isStandby: true });
    const journey = await journeyAt(live, '08:06');
    expect([currentOf(journey), journey.lastPosition]).toEqual([1, undefined]);
  });
});

// ---- Trips that the timetable does not contain -------------------------------------------------

describe('an added trip', () => {
  const extra = reportOf(tripOf('extra', { startDate: DAY, lineLabel: 'E', product: 'ship' }), {
    relationship: 'added',
    calls: calls(
      [stopOf('s2'), { departure: timeOf(at('08:24'), at('08:20')), scheduledPlatform: '2', platform: '9' }],
      [stopOf(null, 'Wiese'), { arrival: timeOf(at('08:30')), state: 'skipped' }],
      [stopOf('h'), { arrival: timeOf(at('08:40'), at('08:36')) }],
    ),
  });

  test('opens by the reference of its departure', async () => {
    const live = await liveWorld('08:18', '08:21', { trips: [extra] });
    const board = await queryDepartures(live, 'at:s', { now: at('08:21'), lines: ['E'] });
    const ref = board.departures[0]!.journeyRef!;
    const { stops, ...journey } = await journeyAt(live, '08:21', ref);
    expect(journey).toEqual({
      ref,
      line: { label: 'E', name: 'E', product: 'ship' },
      direction: 'Heide',
      cancellation: { fullyCancelled: false, partiallyCancelled: true },
      notices: [
        expect.objectContaining({ kind: 'cancellation', title: 'Hält nicht in Wiese', affectedStops: ['Wiese'] }),
      ],
      attributes: [],
      polyline: [
        { lat: 48.04, lon: 16.04 },
        { lat: 48.05, lon: 16.05 },
      ],
      serviceDate: DAY,
    });
    expect(describeStops({ ...journey, stops })).toEqual([
      '> Bahnhof -/08:20+08:24',
      'Wiese 08:30/08:30 cancelled',
      'Heide 08:36+08:40/-',
    ]);
    expect(stops.map(({ id, platform }) => [id, platform])).toEqual([
      ['at:s2', { text: '9', scheduledText: '2', changed: true }],
      ['Wiese', { changed: false }],
      ['at:h', { changed: false }],
    ]);
  });

  test('marks the requested stop, even if the schedule has no call there', async () => {
    const live = await liveWorld('08:18', '08:21', { trips: [extra] });
    const ref = (await queryDepartures(live, 'at:s', { now: at('08:21'), lines: ['E'] })).departures[0]!.journeyRef!;
    const marked = async (stopId: string) =>
      (await journeyAt(live, '08:21', ref, stopId)).stops.findIndex(({ isCurrent }) => isCurrent);
    expect([await marked('at:s'), await marked('at:h')]).toEqual([0, 2]);
    expect(await findRefusal(() => marked('at:k'))).toBe('invalid_parameter stopId');
  });

  test('expires when its publisher withdraws it', async () => {
    const live = await openLiveWorld(world);
    live.report('rt', at('08:18'), { trips: [extra] });
    const shown = live.at(at('08:18'));
    const ref = (await queryDepartures(shown, 'at:s2', { now: at('08:18'), lines: ['E'] })).departures[0]!.journeyRef!;
    live.report('rt', at('08:19'), { trips: [] });
    expect(await findRefusal(() => journeyAt(live.at(at('08:19')), '08:19', ref))).toBe('journey_expired');
    expect(await findRefusal(() => journeyAt(world, '08:19', ref))).toBe('journey_expired');
  });
});

test('the reference of a replaced trip opens its replacement', async () => {
  const detour = reportOf(townTrip('t1'), {
    relationship: 'replacement',
    calls: calls(
      [stopOf('a'), { departure: timeOf(at('08:01'), at('08:00')) }],
      [stopOf('h'), { arrival: timeOf(at('08:20'), at('08:18')), departure: timeOf(at('08:20'), at('08:18')) }],
      [stopOf('z'), { arrival: timeOf(at('08:35'), at('08:30')) }],
    ),
  });
  const live = await liveWorld('07:58', '07:59', { trips: [detour] });
  const journey = await journeyAt(live, '07:59');
  expect([journey.ref, journey.line.label, journey.direction]).toEqual([t1, '1', 'Ziel']);
  expect(describeStops(journey)).toEqual([
    'Anger -/08:00+08:01',
    'Bahnhof 08:10/08:12 cancelled',
    'Heide 08:18+08:20/08:18+08:20',
    'Kirche 08:20/08:20 cancelled',
    'Ziel 08:30+08:35/-',
  ]);
});

describe('notices', () => {
  const titles = ({ notices }: Journey) => notices.map(({ title }) => title.replace('Title ', ''));
  const window = (from: string, to: string) => [{ from: timeOf(at(from)).time, to: timeOf(at(to)).time }];
  const line = { label: null, routeId: 'r1', agencyId: null, operatorName: null, region: null };

  test('include those of the trip, its line and its stops that are active at some time of its run', async () => {
    const alerts = [
      alertOf('trip', { trips: [townTrip('t1')], priority: 1 }),
      alertOf('line', { lines: [line], priority: 2 }),
      alertOf('stop', { stops: [stopOf('z')], priority: 3 }),
      alertOf('line at a stop', { lines: [line], stops: [stopOf('k')], priority: 4 }),
      alertOf('later on its way', { lines: [line], activeWindows: window('08:29', '12:00'), priority: 5 }),
      alertOf('before', { lines: [line], activeWindows: window('07:00', '07:59') }),
      alertOf('after', { lines: [line], activeWindows: window('08:31', '12:00') }),
      alertOf('line elsewhere', { lines: [line], stops: [stopOf('h')] }),
      alertOf('other trip', { trips: [townTrip('t2')] }),
    ];
    const live = await liveWorld('07:50', '07:50', { alerts });
    const expected = ['trip', 'line', 'stop', 'line at a stop', 'later on its way'];
    expect(titles(await journeyAt(live, '07:50'))).toEqual(expected);
    // Notices of the run remain while it is under way.
    expect(titles(await journeyAt(live, '08:25'))).toEqual(expected);
  });

  test('a late trip gets notices that start after its scheduled time', async () => {
    const alerts = [alertOf('after', { lines: [line], activeWindows: window('08:31', '12:00') })];
    const live = await liveWorld('07:58', '07:58', { trips: [lateTrip], alerts, isPropagating: true });
    expect(titles(await journeyAt(live, '07:58'))).toEqual(['after']);
  });
});

describe('the note of a cancellation', () => {
  const atStop = (stop: string) => ({
    stops: [stopOf(stop)],
    trips: [townTrip('t1')],
    entities: [{ lines: [], stops: [0], trips: [0], directionId: null }],
  });
  const ofTrip = { trips: [townTrip('t1')] };
  const line = { label: '1', routeId: null, agencyId: null, operatorName: null, region: null };
  const cancelled = reportOf(townTrip('t1'), { relationship: 'cancelled' });
  const skipping = reportOf(townTrip('t1'), { calls: [callOf(stopOf('k'), { state: 'skipped' })] });

  /** Of the journey, then of its calls. */
  async function notes(trip: TripReport, alerts: Parameters<typeof alertOf>[]) {
    const live = await liveWorld('07:58', '07:58', { trips: [trip], alerts: alerts.map((one) => alertOf(...one)) });
    const { cancellation, stops } = await journeyAt(live, '07:58');
    return [cancellation.note, ...stops.map((stop) => stop.cancellation.note)];
  }
  const reason = { kind: 'cancellation', text: 'Fahrzeugschaden.' } as const;

  test.each<[string, TripReport, Parameters<typeof alertOf>[], (string | undefined)[]]>([
    ['of a trip appears on all of it', cancelled, [['x', { ...reason, ...ofTrip }]], Array(5).fill('Fahrzeugschaden.')],
    [
      'of a call appears on the call and the journey',
      skipping,
      [['x', { ...reason, ...atStop('k') }]],
      ['Fahrzeugschaden.', undefined, undefined, 'Fahrzeugschaden.', undefined],
    ],
    [
      'of another call does not appear on this one',
      skipping,
      [['x', { ...reason, ...atStop('a') }]],
      ['Fahrzeugschaden.', ...Array(4)],
    ],
    [
      'is the title if there is no text',
      cancelled,
      [['x', { ...reason, text: '', ...ofTrip }]],
      Array(5).fill('Title x'),
    ],
    [
      'is that of the cancellation, not the most urgent of the trip',
      cancelled,
      [
        ['x', { kind: 'construction', text: 'Baustelle.', priority: 1, ...ofTrip }],
        ['y', { ...reason, priority: 90, ...ofTrip }],
      ],
      Array(5).fill('Fahrzeugschaden.'),
    ],
    [
      'does not concern another subject',
      cancelled,
      [['x', { kind: 'information', ...ofTrip }]],
      Array(5).fill(undefined),
    ],
    ['does not concern the line', cancelled, [['x', { ...reason, lines: [line] }]], Array(5).fill(undefined)],
    ['does not appear on a trip that runs', lateTrip, [['x', { ...reason, ...ofTrip }]], Array(5).fill(undefined)],
  ])('%s', async (_what, trip, alerts, expected) => {
    expect(await notes(trip, alerts)).toEqual(expected);
  });
});
