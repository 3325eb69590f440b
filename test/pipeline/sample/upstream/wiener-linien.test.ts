import { describe, expect, it } from 'vitest';

import type { Instant, ServiceDate, ServiceTime } from '../../../../pipeline/model/service-time.ts';
import type {
  SimulatedAlert,
  SimulatedCall,
  SimulatedState,
  SimulatedTrip,
} from '../../../../pipeline/sample/simulator/simulated-state.ts';
import {
  buildMonitorAnswer,
  buildNewsAnswer,
  buildTrafficInfoAnswer,
} from '../../../../pipeline/sample/upstream/wiener-linien.ts';
import { createWienerLinienSource } from '../../../../pipeline/sources/wiener-linien/wiener-linien-source.ts';

const NOW = 1_777_874_400 as Instant; // 2026-05-04, 08:00 in Vienna
const DIVA = 60209001;

const source = createWienerLinienSource({ stations: [DIVA, 60209002], id: 'wien' });
const [monitor, trafficInfo, news] = source.listRequests(NOW);

function read(answer: object, request = monitor!, fetchedAt = NOW) {
  return source.parse(new TextEncoder().encode(JSON.stringify(answer)), request, fetchedAt);
}

function buildCall(minutes: number, delaySeconds: number, changes: Partial<SimulatedCall> = {}): SimulatedCall {
  const scheduled = (NOW + minutes * 60) as Instant;
  const expected = (scheduled + delaySeconds) as Instant;
  return {
    stop: { stopId: 'at:49:9001:1', stationId: 'at:49:9001', name: 'Große Au', lat: 48.2, lon: 16.37, diva: `${DIVA}` },
    stopSequence: 1,
    scheduledArrival: scheduled,
    scheduledDeparture: scheduled,
    arrival: expected,
    departure: expected,
    isSkipped: false,
    scheduledPlatform: '1',
    platform: '1',
    assignedStopId: null,
    ...changes,
  };
}

function buildTrip(calls: readonly SimulatedCall[], changes: Partial<SimulatedTrip> = {}): SimulatedTrip {
  const elsewhere = { ...buildCall(0, 0).stop, stopId: 'end', name: 'Ende', diva: '60209099' };
  return {
    tripId: 'u1-1',
    routeId: 'wien-u1',
    directionId: 0,
    startDate: '2026-05-04' as ServiceDate,
    startTime: 28_800 as ServiceTime,
    lineLabel: 'U1',
    product: 'subway',
    operatorName: 'Stadtverkehr',
    publisher: 'austria',
    isMeasured: true,
    headsign: 'Südtor & Höfe',
    shortName: null,
    state: 'scheduled',
    isDataLost: false,
    calls: [...calls, buildCall(90, 0, { stop: elsewhere })],
    vehicle: null,
    ...changes,
  };
}

const stateOf = (trips: readonly SimulatedTrip[], alerts: readonly SimulatedAlert[] = []): SimulatedState => ({
  now: NOW,
  trips,
  alerts,
});

describe('a monitor', () => {
  it('round-trips a departure', async () => {
    const state = stateOf([buildTrip([buildCall(5, 80, { platform: '2' })])]);
    const { trips, problems, isFrozen, publishedAt } = await read(buildMonitorAnswer(state, [DIVA]));
    expect({ problems, isFrozen, publishedAt }).toEqual({ problems: [], isFrozen: false, publishedAt: NOW });
    expect(trips).toMatchObject([
      {
        trip: { lineLabel: 'U1', product: 'subway', headsign: 'Südtor & Höfe' },
        calls: [
          {
            stop: { id: `${DIVA}`, idSpace: 'diva', name: 'Große Au', lat: 48.2, lon: 16.37 },
            departure: { scheduledTime: NOW + 300, time: NOW + 380, isMeasured: false },
            platform: '2',
          },
        ],
      },
    ]);
  });

  it.each<[string, number, SimulatedTrip]>([
    ['a trip that has yet to depart', 1, buildTrip([buildCall(69, 0)])],
    ['one after the time covered by monitors', 0, buildTrip([buildCall(71, 0)])],
    ['one that has left', 0, buildTrip([buildCall(-5, 200)])],
    ['one that is late and has yet to depart', 1, buildTrip([buildCall(-5, 310)])],
    ['one that is cancelled', 0, buildTrip([buildCall(5, 0)], { state: 'cancelled' })],
    ['one that is added', 1, buildTrip([buildCall(5, 0)], { state: 'added' })],
    ['one without data', 0, buildTrip([buildCall(5, 0)], { isDataLost: true })],
    ['one that passes without stopping', 0, buildTrip([buildCall(5, 0, { isSkipped: true })])],
    ['a train of another operator', 0, buildTrip([buildCall(5, 0)], { product: 'train' })],
    ['one that ends here', 0, buildTrip([], { calls: [buildCall(5, 0)] })],
  ])('%s', async (_what, count, trip) => {
    const { trips } = await read(buildMonitorAnswer(stateOf([trip]), [DIVA]));
    expect(trips).toHaveLength(count);
  });

  it('has no forecast for trips that start later', async () => {
    const state = stateOf([buildTrip([buildCall(60, 120)]), buildTrip([buildCall(10, 0), buildCall(62, 0)])]);
    const { trips } = await read(buildMonitorAnswer(state, [DIVA]));
    expect(trips.map(({ calls }) => calls[0]!.departure!.time)).toEqual([NOW + 600, null, NOW + 3720]);
  });

  it('exists per platform, line and direction, in the requested order', () => {
    const other = { stop: { ...buildCall(0, 0).stop, stopId: 'x', diva: '60209002' } };
    const trips = [
      buildTrip([buildCall(9, 0), buildCall(12, 0, other)]),
      buildTrip([buildCall(3, 0)], { directionId: 1, headsign: 'Nord' }),
      buildTrip([buildCall(2, 0)], { headsign: 'Mitte' }),
    ];
    const { data } = buildMonitorAnswer(stateOf(trips), [60209002, DIVA]) as {
      data: { monitors: { lines: { towards: string; direction: string; departures: { departure: unknown[] } }[] }[] };
    };
    const rows = data.monitors.map(({ lines: [line] }) => [
      line!.towards,
      line!.direction,
      line!.departures.departure.length,
    ]);
    expect(rows).toEqual([
      ['S&uuml;dtor &amp; H&ouml;fe', 'H', 1],
      ['Mitte', 'H', 2],
      ['Nord', 'R', 1],
    ]);
  });

  it('is recognised as frozen while its server clock runs', async () => {
    const serverTime = (NOW + 3 * 3600) as Instant;
    const state = stateOf([buildTrip([buildCall(5, 0)]), buildTrip([buildCall(40, 0)])]);
    const update = await read(buildMonitorAnswer(state, [DIVA], { serverTime }), monitor!, serverTime);
    expect(update).toMatchObject({ isFrozen: true, publishedAt: serverTime });
    expect(update.trips.map(({ calls }) => calls[0]!.departure!.time)).toEqual([null, null]);
    expect(update.stationBoards[0]).toMatchObject({ isFrozen: true, departures: [] });
  });
});

describe('alerts', () => {
  const buildAlert = (changes: Partial<SimulatedAlert>): SimulatedAlert => ({
    place: '',
    id: 'a1',
    kind: 'emergency',
    category: null,
    priority: 10,
    title: 'Linie 5: Umleitung',
    text: 'Wegen Löscharbeiten <in der Au>.\nBis 18 Uhr.',
    operatorName: 'Stadtverkehr',
    publisher: 'austria',
    isAccess: false,
    activeWindows: [{ from: NOW, to: (NOW + 3600) as Instant }],
    lines: [{ label: '5', routeId: 'wien-5', agencyId: 'wien', operatorName: 'Stadtverkehr', region: null }],
    stops: [],
    trips: [],
    links: [],
    pin: null,
    ...changes,
  });
  const station = { id: 'at:49:9001', idSpace: 'gtfs', name: 'Große Au', lat: 48.2, lon: 16.37 } as const;
  const elsewhere = [{ label: 'RJX 1', routeId: 'rjx', agencyId: 'bahn', operatorName: null, region: null }];
  const alerts = [
    buildAlert({}),
    buildAlert({ id: 'a2', kind: 'allClear' }),
    buildAlert({ id: 'a3', kind: 'information', isAccess: true, stops: [station] }),
    buildAlert({ id: 'a4', kind: 'construction', title: 'Linie 5: Bauarbeiten', activeWindows: [] }),
    buildAlert({ id: 'a5', lines: elsewhere }),
  ];

  it('in force are traffic information', async () => {
    const update = await read(buildTrafficInfoAnswer(stateOf([], alerts)), trafficInfo!);
    expect(update.problems).toEqual([]);
    expect(update.alerts).toMatchObject([
      {
        id: 'a1',
        category: 'stoerunglang',
        title: 'Linie 5: Umleitung',
        text: 'Wegen Löscharbeiten <in der Au>.\nBis 18 Uhr.',
        operatorName: 'Stadtverkehr',
        lines: [{ label: '5' }],
        activeWindows: [{ from: NOW, to: NOW + 3600 }],
      },
      { id: 'a2', kind: 'allClear' },
      {
        id: 'a3',
        category: 'aufzugsinfo',
        isAccess: true,
        title: 'Aufzug Große Au: außer Betrieb',
        stops: [{ name: 'Große Au' }],
      },
    ]);
    expect(update.alerts).toHaveLength(3);
  });

  it("of a lift name the platforms of its station, where the station's number is known", async () => {
    const metroStation = { diva: DIVA, name: 'Große Au', lines: ['U1'], lat: 48.2, lon: 16.37, stopPoints: [901, 902] };
    const update = await read(buildTrafficInfoAnswer(stateOf([], alerts), [metroStation]), trafficInfo!);
    expect(update.alerts[2]!.stops.map(({ idSpace, id, name }) => `${idSpace} ${id} ${name}`)).toEqual([
      'rbl 901 Große Au',
      'rbl 902 Große Au',
    ]);
  });

  it('of planned work are news', async () => {
    const update = await read(buildNewsAnswer(stateOf([], alerts)), news!);
    expect(update.problems).toEqual([]);
    expect(update.alerts).toMatchObject([{ id: 'a4', kind: 'construction', category: 'aktuelles', activeWindows: [] }]);
    expect(update.alerts).toHaveLength(1);
  });

  it('may be empty', async () => {
    expect(await read(buildTrafficInfoAnswer(stateOf([])), trafficInfo!)).toMatchObject({ alerts: [], problems: [] });
    expect(await read(buildNewsAnswer(stateOf([])), news!)).toMatchObject({ alerts: [], problems: [] });
  });
});
