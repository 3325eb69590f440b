import { describe, expect, test } from 'vitest';
import type { TimeInfo, TripResult } from '../../../api/contract/definitions.ts';
import type { TripReport } from '../../../pipeline/model/realtime.ts';
import { instant } from '../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, tripOf } from '../../support/worlds/live-reports.ts';
import { at, CASE_DAY, lineFeed, openSurfaces, report, showDeparture } from './case-line.ts';

const legOf = (trip: TripResult['trips'][number] | undefined) =>
  trip?.legs
    .filter(({ mode }) => mode === 'transit')
    .map(({ line, origin, destination }) => {
      const time = (info: TimeInfo | undefined) => (info?.realtime ?? info?.scheduled)?.slice(11, 16);
      return `${line!.label} ${time(origin.departure)} ${time(destination.arrival)}`;
    });

describe('an early departure without a reported arrival', () => {
  const feed = lineFeed([
    'dep1 1: A 12:00, B 12:05, C 12:10, D 12:15, E 12:20',
    'dep2 1: A 12:10, B 12:15, C 12:20, D 12:25, E 12:30',
    'next 1: A 12:30, B 12:35, C 12:40, D 12:45, E 12:50',
  ]);
  const update = { trips: [report('dep1', { A: [null, -180] }), report('dep2', { B: [null, -180] })] };

  test('is early on the board, in the journey, in trips and in rescue', async () => {
    const surfaces = await openSurfaces(feed, [{ update, at: '11:50' }], '11:50');
    const board = await surfaces.departures('A');
    expect(board.map(showDeparture)).toEqual(['12:00+11:57 1 Eiche', '12:10 1 Eiche', '12:30 1 Eiche']);
    const [dep1] = board;
    const journey = await surfaces.journey(dep1!.journeyRef!);
    expect(journey.stops.map(({ departure }) => departure?.realtime?.slice(11, 16))).toEqual([
      '11:57',
      '12:02',
      '12:07',
      '12:12',
      undefined,
    ]);
    expect((await surfaces.departures('B')).map(showDeparture)[1]).toBe('12:15+12:12 1 Eiche');
    const trips = await surfaces.trips('A', 'E', '11:55');
    expect(legOf(trips[0])).toEqual(['1 11:57 12:17']);
  });

  test('is missed by a traveller who arrives by the scheduled time, once it has left', async () => {
    const before = await openSurfaces(feed, [{ update, at: '12:05' }], '12:05');
    const dep2 = (await before.departures('B')).find(({ departure }) => departure.scheduled === at('12:15'));
    const legs = [{ journeyRef: dep2!.journeyRef!, originId: 'at:B', destinationId: 'at:E' }];
    expect((await before.rescue(legs)).state).toBe('onTrack');
    const after = await openSurfaces(feed, [{ update, at: '12:11' }], '12:13');
    const rescue = await after.rescue(legs);
    expect(rescue).toMatchObject({ state: 'missed', atLeg: 0 });
    expect(legOf(rescue.options[0]?.trip)).toEqual(['1 12:35 12:50']);
  });

  test('disappears everywhere once it has left', async () => {
    const surfaces = await openSurfaces(feed, [{ update, at: '12:11' }], '12:13');
    expect((await surfaces.departures('B')).map(showDeparture)).toEqual(['12:35 1 Eiche']);
    expect(legOf((await surfaces.trips('B', 'E', '12:13'))[0])).toEqual(['1 12:35 12:50']);
  });
});

describe('implausibly early times', () => {
  const feed = lineFeed([
    'hour 1: A 12:00, B 12:05, C 12:10, D 12:15, E 12:20',
    'twenty 2: A 12:03, B 12:08, C 12:13, D 12:18, E 12:23',
    'ok 3: A 12:06, B 12:11, C 12:16, D 12:21, E 12:26',
  ]);
  const trips = [report('hour', { A: [null, -3600], B: [-3660, -3600] }), report('twenty', { A: [null, -1200] })];

  test.each(['11:00', '11:30', '11:50', '11:59'])(
    'are refused: at %s every surface shows the scheduled time',
    async (now) => {
      const surfaces = await openSurfaces(feed, [{ update: { trips }, at: now }], now);
      expect((await surfaces.departures('A')).map(showDeparture)).toEqual([
        '12:00 1 Eiche',
        '12:03 2 Eiche',
        '12:06 3 Eiche',
      ]);
      expect((await surfaces.trips('A', 'E', '11:59')).map(legOf).slice(0, 2)).toEqual([
        ['1 12:00 12:20'],
        ['2 12:03 12:23'],
      ]);
    },
  );
});

describe('a tram reported late at one stop', () => {
  const feed = lineFeed(
    ['tram 49: A 11:45, B 12:00, C 12:06, D 12:12', 'metro1 U2: D 12:17, E 12:19', 'metro2 U2: D 12:37, E 12:39'],
    { '49': 0, U2: 1 },
  );
  const update = { trips: [report('tram', { B: [null, 660] })] };

  test('is late at later stops too, with a propagated delay', async () => {
    const surfaces = await openSurfaces(feed, [{ update, at: '12:05' }], '12:07', false);
    const [atC] = await surfaces.departures('C');
    expect(atC!.departure).toMatchObject({ realtime: at('12:17'), isRealtime: true, prognosis: 'carried' });
    const journey = await surfaces.journey(atC!.journeyRef!);
    expect(journey.stops.map(({ departure, arrival }) => (departure ?? arrival)?.realtime?.slice(11, 16))).toEqual([
      undefined,
      '12:11',
      '12:17',
      '12:23',
    ]);
  });

  test('does not connect to a metro that leaves before it arrives', async () => {
    const surfaces = await openSurfaces(feed, [{ update, at: '11:55' }], '11:55', false);
    const trips = await surfaces.trips('B', 'E', '11:55');
    expect(legOf(trips[0])).toEqual(['49 12:11 12:23', 'U2 12:37 12:39']);
  });
});

describe('a train that terminates early, and one that starts late', () => {
  const feed = lineFeed(
    [
      'h1 CJX 2001: A 12:00, B 12:10, C 12:20, D 12:30, E 12:40',
      'h2 CJX 2003: A 12:20, B 12:30, C 12:40, D 12:50, E 13:00',
    ],
    { CJX: 2 },
  );
  const ends = {
    arrival: { scheduledTime: null, time: null, delaySeconds: 0, isMeasured: false },
    cancelledEvent: 'departure',
  } as const;
  const begins = {
    departure: { scheduledTime: null, time: null, delaySeconds: 0, isMeasured: false },
    cancelledEvent: 'arrival',
  } as const;
  const update = { trips: [report('h1', { C: ends }), report('h2', { C: begins })] };

  test('arrive and depart separately at that stop', async () => {
    const surfaces = await openSurfaces(feed, [{ update, at: '11:50' }], '11:50', false);
    const arrivals = await surfaces.arrivals('C');
    expect(
      arrivals.map(({ arrival, cancelled }) => [arrival.scheduled!.slice(11, 16), arrival.isRealtime, cancelled]),
    ).toEqual([
      ['12:20', true, false],
      ['12:40', false, true],
    ]);
    const departures = await surfaces.departures('C');
    expect(departures.map(({ departure, cancelled }) => [departure.scheduled!.slice(11, 16), cancelled])).toEqual([
      ['12:20', true],
      ['12:40', false],
    ]);
    expect(legOf((await surfaces.trips('A', 'C', '11:55'))[0])).toEqual(['CJX 12:00 12:20']);
    expect((await surfaces.trips('A', 'E', '11:55')).flatMap(legOf)).not.toContain('CJX 12:00 12:40');
  });

  test('are explained on the boards of earlier stops', async () => {
    const surfaces = await openSurfaces(feed, [{ update, at: '11:50' }], '11:50', false);
    const [atA] = await surfaces.departures('A');
    expect(atA).toMatchObject({ direction: 'Cedrus', cancelled: false });
    expect(atA!.notices).toMatchObject([
      { kind: 'cancellation', title: 'Endet in Cedrus', affectedStops: ['Dorn', 'Eiche'] },
    ]);
    const journey = await surfaces.journey(atA!.journeyRef!);
    expect(journey.cancellation).toEqual({ fullyCancelled: false, partiallyCancelled: true });
    expect(journey.stops.map(({ cancellation }) => cancellation)).toEqual([
      { fullyCancelled: false, partiallyCancelled: false },
      { fullyCancelled: false, partiallyCancelled: false },
      { fullyCancelled: false, partiallyCancelled: true },
      { fullyCancelled: true, partiallyCancelled: false },
      { fullyCancelled: true, partiallyCancelled: false },
    ]);
  });

  test('are not on boards filtered by a stop that is not served any more', async () => {
    const surfaces = await openSurfaces(feed, [{ update, at: '11:50' }], '11:50', false);
    const to = async (stop: string) =>
      (await surfaces.departures('A', `&directionStopId=at:${stop}`)).map(showDeparture);
    expect(await to('E')).toEqual(['12:20 x CJX Eiche']);
    expect(await to('C')).toEqual(['12:00 CJX Cedrus', '12:20 x CJX Eiche']);
  });
});

describe('a cancelled train with a replacement', () => {
  const feed = lineFeed(['canc ICE 1577: A 12:00, B 12:05, C 12:10, D 12:15, E 12:20'], { ICE: 2 });
  const extra = (minutesLater: number, stops: readonly string[] = ['A', 'B', 'C', 'D', 'E']): TripReport =>
    reportOf(tripOf('extra', { startDate: CASE_DAY as never, routeId: 'ICE' }), {
      place: 'entity extra',
      relationship: 'added',
      calls: stops.map((stop, i) => {
        const time = timeOf(instant(at('12:00')) + (minutesLater + i * 5) * 60);
        return callOf(stopOf(stop), { stopSequence: i + 1, arrival: time, departure: time });
      }),
    });
  const cancelled = report('canc', {}, { relationship: 'cancelled' });
  const noticesOf = async (trips: readonly TripReport[]) => {
    const surfaces = await openSurfaces(feed, [{ update: { trips }, at: '11:50' }], '11:50');
    const departures = await surfaces.departures('A');
    return departures.find((one) => one.cancelled)!.notices.map(({ kind, title }) => `${kind}: ${title}`);
  };

  test.each<[what: string, extra: TripReport, expected: readonly string[]]>([
    ['of the same minute', extra(0), ['replacementService: Ersatz: ICE nach Eiche um 12:00']],
    ['a quarter of an hour later', extra(15), ['replacementService: Ersatz: ICE nach Eiche um 12:15']],
    ['later than that', extra(16), []],
    ['that begins on the way', extra(7, ['B', 'C', 'E']), ['replacementService: Ersatz: ICE nach Eiche um 12:07']],
    ['in the other direction', extra(0, ['E', 'D', 'C', 'B', 'A']), []],
  ])('is replaced by one %s', async (_what, other, expected) => {
    expect(await noticesOf([cancelled, other])).toEqual(expected);
  });

  test('is replaced by the nearest of several', async () => {
    const later = {
      ...extra(10),
      trip: tripOf('later', { startDate: CASE_DAY as never, routeId: 'ICE' }),
      place: 'entity later',
    };
    expect(await noticesOf([cancelled, later, extra(5)])).toEqual([
      'replacementService: Ersatz: ICE nach Eiche um 12:05',
    ]);
  });
});
