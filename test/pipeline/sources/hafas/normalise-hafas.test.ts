import { describe, expect, it } from 'vitest';
import type { CallReport } from '../../../../pipeline/model/realtime.ts';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { goodBoard, type SpoiltResult, spoil, toAnswer } from './fixtures.ts';
import { clock, codes, normalise } from './normalise-answer.ts';

/** A call in one line. */
function formatCall(call: CallReport): string {
  const { stop, arrival, departure, scheduledPlatform, platform } = call;
  const events = [arrival, departure].map((event) =>
    event === null
      ? '-'
      : `${clock(event.scheduledTime)?.slice(11)}>${clock(event.time)?.slice(11) ?? '?'}${event.isMeasured ? '!' : ''}`,
  );
  return `${stop?.id} ${events.join(' ')} ${describeState(call)} ${scheduledPlatform}>${platform}`;
}

function describeState({ state, cancelledEvent }: CallReport): string {
  return cancelledEvent ? `no ${cancelledEvent}` : state;
}

describe('a board', () => {
  it('has trips with line, service date and direction', () => {
    const { trips } = normalise(goodBoard);
    expect(trips.map(({ trip }) => trip)).toEqual([
      {
        tripId: '1|101|0|81|20052025',
        routeId: null,
        directionId: null,
        startDate: '2025-05-20',
        startTime: null,
        lineLabel: 'S11',
        product: 'sBahn',
        operatorName: 'Ennstalbahn GmbH',
        headsign: 'Weyer Markt',
      },
      expect.objectContaining({ lineLabel: '512', product: 'regionalBus', operatorName: 'Postbus', startDate: null }),
      expect.objectContaining({ lineLabel: 'REX 51', product: 'regionalTrain', headsign: 'Amstetten Bf' }),
    ]);
  });

  it('has calls: only reported times are measured, platforms scheduled and current', () => {
    const { trips } = normalise(goodBoard);
    expect(trips.map(({ calls }) => calls.map(formatCall))).toEqual([
      ['440123400 16:57>17:00! 16:58>17:01! normal 1>2', 'at:44:1235 17:05>17:08 - normal null>null'],
      ['440123400 - 17:05>? no departure B>null'],
      ['440123400 - 00:10>00:10 unplanned null>null'],
    ]);
    expect(clock(trips[2]!.calls[0]!.departure!.time)).toBe('2025-05-21T00:10');
  });

  it('has the states of trips', () => {
    expect(normalise(goodBoard).trips.map(({ relationship }) => relationship)).toEqual([
      'scheduled',
      'cancelled',
      'added',
    ]);
  });

  it('has stops with coordinates and name, by the id used in timetables if there is one', () => {
    const [first] = normalise(goodBoard).trips;
    expect(first!.calls.map(({ stop }) => stop)).toEqual([
      { id: '440123400', idSpace: 'hafas', name: 'Kleinreifling Bf', lat: 47.825, lon: 14.64 },
      { id: 'at:44:1235', idSpace: 'ifopt', name: 'Weyer Markt', lat: 47.858, lon: 14.66 },
    ]);
  });

  it('has messages for the trips they concern, not for all they are attached to', () => {
    const { alerts } = normalise(goodBoard);
    expect(alerts[0]).toMatchObject({
      id: '4711',
      kind: 'construction',
      category: 'HIM1',
      priority: 20,
      title: 'Bauarbeiten in Weyer',
      operatorName: 'Ennstalbahn',
      lines: [{ label: 'S11', operatorName: 'Ennstalbahn GmbH' }],
      stops: [{ id: '440123400' }, { id: 'at:44:1235' }],
      trips: [{ tripId: '1|101|0|81|20052025' }],
      links: [{ title: 'hier', url: 'https://example.org/bau' }],
    });
    expect(alerts[0]!.text).toContain('Busse statt Zügen.');
    expect(alerts[0]!.activeWindows.map(({ from, to }) => [clock(from), clock(to)])).toEqual([
      ['2025-05-19T04:00', '2025-05-25T23:59'],
    ]);
  });

  it('has notes on disruptions, but no attributes', () => {
    const notes = normalise(goodBoard).alerts.slice(1);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ title: 'Oberleitungsstörung', trips: [{ tripId: '1|101|0|81|20052025' }] });
    expect(notes[0]!.id).toMatch(/^note-[0-9a-f]{8}$/);
  });

  it('has a record count and its publication time', () => {
    const update = normalise(goodBoard);
    expect(update).toMatchObject({ recordCount: 4, problems: [], isFrozen: false, scope: 'all', isPropagating: false });
    expect(clock(update.publishedAt)).toBe('2025-05-20T17:00');
  });

  it('of arrivals has the origins of trips', () => {
    const arrivals = spoil((res) => {
      res.type = 'ARR';
      res.jnyL = [
        { jid: 'x', date: '20250520', prodX: 0, dirTxt: 'St. Valentin Bf', stbStop: { locX: 0, aTimeS: '170000' } },
      ];
    });
    expect(normalise(arrivals).trips[0]).toMatchObject({ originName: 'St. Valentin Bf', trip: { headsign: null } });
  });
});

describe('evidence', () => {
  /** The first trip's departure with other members. */
  function departure(members: object): string {
    const { trips } = normalise(
      spoil((res) => {
        res.jnyL = [{ jid: 'x', date: '20250520', prodX: 0, stbStop: { locX: 0, idx: 1, ...members } }];
      }),
    );
    return trips[0]!.calls.map(formatCall)[0]!.replace('440123400 - ', '').replace(' null>null', '');
  }

  it.each<[object, string]>([
    [{ dTimeS: '165000' }, '16:50>? normal'],
    [{ dTimeS: '165000', dProgType: 'REPORTED' }, '16:50>? normal'],
    [{ dTimeS: '165000', dTimeR: '165200' }, '16:50>16:52 normal'],
    [{ dTimeS: '165000', dTimeR: '165200', dProgType: 'PROGNOSED' }, '16:50>16:52 normal'],
    [{ dTimeS: '165000', dTimeR: '165200', dProgType: 'CALCULATED' }, '16:50>16:52 normal'],
    [{ dTimeS: '165000', dTimeR: '165200', dProgType: 'CORRECTED' }, '16:50>16:52 normal'],
    [{ dTimeS: '165000', dTimeR: '165200', dProgType: 'MANUAL' }, '16:50>16:52 normal'],
    [{ dTimeS: '165000', dTimeR: '165200', dProgType: 'REPORTED' }, '16:50>16:52! normal'],
    [{ dTimeS: '165000', dTimeR: '164900', dProgType: 'REPORTED' }, '16:50>16:49! normal'],
    [{ dTimeS: '165000', dTimeR: '165200', dProgType: 'REPORTED', dCncl: true }, '16:50>? no departure'],
    [{ dTimeR: '165200', isAdd: true }, 'undefined>16:52 unplanned'],
  ])('of %j is %s', (members, expected) => {
    expect(departure(members)).toBe(expected);
  });

  it.each<[string, object, string]>([
    ['a call that is not served', { aTimeS: '165000', aCncl: true, dTimeS: '165100', dCncl: true }, 'skipped'],
    [
      'if the trip begins late: boarding is possible',
      { aTimeS: '165000', aCncl: true, dTimeS: '165100' },
      'no arrival',
    ],
    [
      'if the trip ends early: boarding is not possible',
      { aTimeS: '165000', dTimeS: '165100', dCncl: true },
      'no departure',
    ],
    ['the last call', { aTimeS: '165000', aCncl: true }, 'no arrival'],
  ])('cancels %s', (_name, members, state) => {
    const { trips } = normalise(
      toAnswer('JourneyDetails', {
        common: { prodL: [{ name: 'S 11' }] },
        journey: { jid: 'x', date: '20250520', prodX: 0, stopL: [members] },
      }),
    );
    expect(trips[0]!.calls.map(describeState)).toEqual([state]);
  });
});

describe('a trip', () => {
  const journey = {
    jid: '1|7|0|81|24052025',
    date: '20250524',
    prodX: 0,
    dirTxt: 'Graz Hbf',
    stopL: [
      { locX: 0, idx: 0, dTimeS: '234500', dTimeR: '235000', dProgType: 'REPORTED' },
      { locX: 1, idx: 1, aTimeS: '01001000', aTimeR: '01001500', dTimeS: '01001200', dTimeR: '01001600' },
      // A border without a stop.
      { locX: 1, idx: 2, aOutS: false, dInS: false, dTimeS: '01002000' },
      { locX: 1, idx: 3, aOutS: false },
      { locX: 1, idx: 4, aTimeS: '01003000' },
    ],
  };
  const common = { locL: goodBoard.svcResL[0]!.res.common.locL, prodL: [{ name: 'NJ 233', cls: 1 }] };

  it('has service date and first departure, and calls after midnight on the next day', () => {
    const [trip] = normalise(toAnswer('JourneyDetails', { common, journey })).trips;
    expect(trip!.trip).toMatchObject({
      startDate: '2025-05-24',
      startTime: 85_500,
      lineLabel: 'NJ 233',
      product: 'train',
    });
    expect(trip!.originName).toBe('Kleinreifling Bf');
    expect(trip!.calls.map(({ arrival, departure }) => clock((arrival ?? departure)!.scheduledTime))).toEqual([
      '2025-05-24T23:45',
      '2025-05-25T00:10',
      '2025-05-25T00:30',
    ]);
  });

  it('on a clock-change day counts from noon, and offsets distinguish the hours', () => {
    const repeated = {
      ...journey,
      date: '20251026',
      stopL: [
        { locX: 0, idx: 0, dTimeS: '023000', dTZOffset: 120 },
        { locX: 1, idx: 1, aTimeS: '023000', aTZOffset: 60 },
      ],
    };
    const [trip] = normalise(toAnswer('JourneyDetails', { common, journey: repeated })).trips;
    expect(trip!.trip.startTime).toBe(1.5 * 3600);
    const [first, last] = trip!.calls;
    expect(last!.arrival!.scheduledTime! - first!.departure!.scheduledTime!).toBe(3600);
  });

  it.each([
    ['P', 'scheduled', false],
    ['A', 'added', false],
    ['R', 'added', false],
    ['S', 'added', true],
  ])('of status %s is %s', (status, relationship, isSpecial) => {
    const [trip] = normalise(toAnswer('JourneyDetails', { common, journey: { ...journey, status } })).trips;
    expect(trip).toMatchObject({ relationship, isSpecial });
  });

  it('is absent if not found', () => {
    expect(normalise(toAnswer('JourneyDetails', {}))).toMatchObject({ trips: [], recordCount: 0, problems: [] });
  });
});

describe('the map', () => {
  const vehicle = {
    jid: '1|9|0|81|20052025',
    date: '20250520',
    prodX: 0,
    dirTxt: 'Graz Hbf',
    dirGeo: 8,
    pos: { x: 15400000, y: 47070000 },
    stopL: [{ locX: 0, idx: 0, dTimeS: '164500', dTimeR: '164700' }],
  };
  const common = { locL: goodBoard.svcResL[0]!.res.common.locL, prodL: [{ name: 'U1', cls: 4 }] };
  const draw = (members: object) =>
    normalise(
      toAnswer('JourneyGeoPos', { common, date: '20250520', time: '170030', jnyL: [{ ...vehicle, ...members }] }),
    );

  it('has vehicles with their trips, never stopped at a stop', () => {
    const { vehicles, trips } = draw({});
    expect(vehicles).toEqual([
      {
        place: 'JourneyGeoPos jnyL[0]',
        id: '1|9|0|81|20052025',
        label: 'U1',
        trip: trips[0]!.trip,
        lat: 47.07,
        lon: 15.4,
        headingDeg: 0,
        recordedAt: parseTimestamp('2025-05-20T17:00:30+02:00'),
        stop: null,
        stopSequence: null,
        stopStatus: null,
        relationship: 'scheduled',
      },
    ]);
    expect(trips[0]).toMatchObject({ vehicleId: '1|9|0|81|20052025', relationship: 'scheduled' });
    expect(trips[0]!.calls.map(formatCall)).toEqual(['440123400 - 16:45>16:47 normal null>null']);
  });

  it.each<[object, number | null]>([
    [{ dirGeo: 0 }, 90],
    [{ dirGeo: 8 }, 0],
    [{ dirGeo: 16 }, 270],
    [{ dirGeo: 24 }, 180],
    [{ dirGeo: 9 }, 349],
    [{ dirGeo: 0, ani: { dirGeo: [24, 0] } }, 180],
    [{ dirGeo: 8, ani: { dirGeo: [-1] } }, 0],
    [{ dirGeo: -1 }, null],
    [{ dirGeo: 32 }, null],
    [{ dirGeo: undefined }, null],
  ])('converts 32nds from east to degrees from north: %j is %s', (members, heading) => {
    expect(draw(members).vehicles[0]!.headingDeg).toBe(heading);
  });

  it.each([
    ['without a position', undefined],
    ['in the middle of the sea', { x: 0, y: 0 }],
    ['beyond the pole', { x: 15400000, y: 94000000 }],
    ['somewhere', { x: '15400000', y: 47070000 }],
  ])('rejects a vehicle %s', (_name, pos) => {
    const update = draw({ pos });
    expect(update.vehicles).toEqual([]);
    expect(codes(update)).toEqual(['bad_record JourneyGeoPos jnyL[0]']);
  });
});

describe('messages', () => {
  const message = {
    hid: '5',
    head: 'U1',
    text: 'Text',
    sDate: '20250520',
    sTime: '040000',
    eDate: '20250521',
    eTime: '040000',
  };
  const search = (raw: object, common = {}) => normalise(toAnswer('HimSearch', { common, msgL: [raw] })).alerts[0]!;

  it.each([
    ['Schienenersatzverkehr Linie U1', '', 'replacementService'],
    ['Gleisbauarbeiten', '', 'construction'],
    ['Zugausfälle S 45', '', 'cancellation'],
    ['Störung', 'Mit Zugausfällen ist zu rechnen.', 'information'],
    ['Störung', 'Der Halt Traisengasse entfällt.', 'cancellation'],
    ['Störung behoben', '', 'allClear'],
    ['Neuer Fahrplan', 'Ab Dezember', 'announcement'],
  ])('%s, %s is of kind %s', (head, text, kind) => {
    expect(search({ ...message, head, text }).kind).toBe(kind);
  });

  it('always have a title and a text', () => {
    expect(search({ hid: '5', lead: 'Nur ein <b>Satz</b>.' })).toMatchObject({
      title: 'Nur ein Satz.',
      text: 'Nur ein Satz.',
    });
  });

  it('apply in their periods, earliest first, and on edges of the network', () => {
    const common = {
      himMsgEventL: [
        { fDate: '20250522', fTime: '220000', tDate: '20250523', tTime: '050000' },
        { fDate: '20250521', tDate: '20250521', tTime: '050000' },
      ],
      himMsgEdgeL: [{ fLocX: 0, tLocX: 0 }, { icoCrd: { x: 16373000, y: 48208000 } }],
      locL: goodBoard.svcResL[0]!.res.common.locL,
      prodL: [{ name: 'U1' }, { name: 'U4', himIdL: ['HIM_FREETEXT_5', 'HIM_FREETEXT_55'] }],
    };
    const alert = search({ ...message, eventRefL: [0, 1], edgeRefL: [0, 1], affProdRefL: [0] }, common);
    expect(alert.activeWindows.map(({ from, to }) => [clock(from), clock(to)])).toEqual([
      ['2025-05-21T00:00', '2025-05-21T05:00'],
      ['2025-05-22T22:00', '2025-05-23T05:00'],
    ]);
    expect(alert.lines.map(({ label }) => label)).toEqual(['U1', 'U4']);
    expect(alert.stops.map(({ id }) => id)).toEqual(['440123400']);
    expect(alert.pin).toEqual({ lat: 48.208, lon: 16.373 });
  });

  it('are found in a separate list of the endpoint', () => {
    const { alerts, recordCount } = normalise(toAnswer('HimSearch', { common: { himL: [message] }, msgRefL: [0] }));
    expect([alerts.map(({ id }) => id), recordCount]).toEqual([['5'], 1]);
  });
});

describe('the load of a call', () => {
  const withLoads = (...loads: object[]) =>
    spoil((res) => {
      res.common.tcocL = loads;
      setLoad(res, { tcocX: loads.map((_, index) => index) });
    });
  const setLoad = ({ jnyL }: SpoiltResult, load: object) =>
    Object.assign(jnyL[0]!.stbStop as object, { dTrnCmpSX: load });
  it.each<[loads: object[], expected: string | undefined, problems: string[]]>([
    [[{ c: 'SECOND', r: 1 }], 'MANY_SEATS_AVAILABLE', []],
    [
      [
        { c: 'FIRST', r: 1 },
        { c: 'SECOND', r: 3 },
      ],
      'STANDING_ROOM_ONLY',
      [],
    ],
    [[{ c: 'FIRST', r: 4 }], 'FULL', []],
    [[{ c: 'SECOND', r: 11, rRT: 12, s: 'L', sRT: 'M' }], 'FEW_SEATS_AVAILABLE', []],
    [[{ c: 'SECOND' }], undefined, []],
    [[{ c: 'SECOND', r: 0 }], undefined, []],
    [[{ c: 'SECOND', r: 99 }], undefined, ['bad_reference common.tcocL[0]']],
    [[], undefined, []],
  ])('%j is %s', (loads, expected, problems) => {
    const update = normalise(withLoads(...loads));
    expect(update.trips[0]!.calls[0]!.departureOccupancy).toBe(expected);
    expect(codes(update)).toEqual(problems);
  });

  it('is unknown where its record is missing', () => {
    const update = normalise(
      spoil((res) => {
        setLoad(res, { tcocX: [7] });
      }),
    );
    expect(update.trips[0]!.calls[0]!.departureOccupancy).toBeUndefined();
    expect(codes(update)).toEqual(['dangling_reference common.tcocL[7]']);
  });
});
