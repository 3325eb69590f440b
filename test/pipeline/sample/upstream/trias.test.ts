import { describe, expect, test } from 'vitest';
import { products } from '../../../../pipeline/model/product.ts';
import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import {
  type Instant,
  parseTimestamp,
  type ServiceDate,
  type ServiceTime,
} from '../../../../pipeline/model/service-time.ts';
import type {
  SimulatedAlert,
  SimulatedCall,
  SimulatedState,
  SimulatedTrip,
} from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { buildStopEventAnswer, readStopEventRequest } from '../../../../pipeline/sample/upstream/trias.ts';
import { createTriasSource, type TriasOptions } from '../../../../pipeline/sources/trias/trias-source.ts';

const now = parseTimestamp('2026-03-16T07:30:00Z')!;
const inSeconds = (seconds: number) => (now + seconds) as Instant;

/** The first stop was left, the second is reached two minutes late, and so on, five minutes apart. */
function call(index: number, change: Partial<SimulatedCall> = {}): SimulatedCall {
  const scheduled = inSeconds(300 * (index - 1));
  return {
    stop: {
      stopId: `at:49:${index}:0:1`,
      stationId: `at:49:${index}`,
      name: `Halt <${index}>`,
      lat: 48,
      lon: 16,
      diva: `6020${index}`,
    },
    stopSequence: index * 10,
    scheduledArrival: scheduled,
    scheduledDeparture: inSeconds(300 * (index - 1) + 30),
    arrival: inSeconds(300 * (index - 1) + 120),
    departure: inSeconds(300 * (index - 1) + 150),
    isSkipped: false,
    scheduledPlatform: null,
    platform: null,
    assignedStopId: null,
    ...change,
  };
}

function trip(change: Partial<SimulatedTrip> = {}): SimulatedTrip {
  return {
    tripId: 'trip & 1',
    routeId: 'route 1',
    directionId: 0,
    startDate: '2026-03-16' as ServiceDate,
    startTime: 30_000 as ServiceTime,
    lineLabel: '5',
    product: 'tram',
    operatorName: 'Sample Lines',
    publisher: 'austria',
    isMeasured: true,
    headsign: 'Südtor',
    shortName: null,
    state: 'scheduled',
    isDataLost: false,
    calls: [call(0), call(1), call(2), call(3)],
    vehicle: null,
    ...change,
  };
}

const dialects = [
  ['TRIAS 1.2', { kind: 'trias' }],
  ['OJP 1.0', { kind: 'ojp', version: '1.0' }],
  ['OJP 2.0', { kind: 'ojp', version: '2.0' }],
] satisfies [string, Partial<TriasOptions>][];

/** Asks the fake server as a real source would, and reads its answer. */
async function fetchUpdate(state: Partial<SimulatedState>, options: Partial<TriasOptions> = {}): Promise<SourceUpdate> {
  const source = createTriasSource({
    kind: 'trias',
    url: 'http://x',
    requestorRef: 'me',
    stops: ['at:49:1'],
    ...options,
  });
  const request = source.listRequests(now)[0]!;
  const query = readStopEventRequest(request.body ?? '');
  if (!query) throw new Error(`not understood: ${request.body}`);
  const answer = buildStopEventAnswer({ now, trips: [], alerts: [], ...state }, query);
  return source.parse(new TextEncoder().encode(answer), request, now);
}

describe.each(dialects)('%s', (_, options) => {
  test('has observed, expected and planned times', async () => {
    const calls = [call(0), call(1), call(2, { isSkipped: true }), call(3)];
    const update = await fetchUpdate({ trips: [trip({ calls })] }, options);
    expect(update).toMatchObject({ publishedAt: now, isFrozen: false, recordCount: 1, problems: [] });
    const times = update.trips[0]?.calls.map(({ state, arrival, departure }) => [
      state,
      arrival && [arrival.scheduledTime, arrival.time, arrival.isMeasured],
      departure && [departure.scheduledTime, departure.time, departure.isMeasured],
    ]);
    expect(times).toEqual([
      ['normal', null, [inSeconds(-270), inSeconds(-150), true]],
      ['normal', [now, inSeconds(120), false], [inSeconds(30), inSeconds(150), false]],
      ['skipped', [inSeconds(300), null, false], [inSeconds(330), null, false]],
      ['normal', [inSeconds(600), inSeconds(720), false], null],
    ]);
  });

  test('has the trip, its stops and destination', async () => {
    const update = await fetchUpdate({ trips: [trip()] }, options);
    expect(update.trips).toMatchObject([
      {
        relationship: 'scheduled',
        originName: 'Halt <0>',
        trip: {
          tripId: 'trip & 1',
          routeId: 'route 1',
          startDate: '2026-03-16',
          lineLabel: '5',
          product: 'tram',
          operatorName: 'Sample Lines',
          headsign: 'Südtor',
        },
      },
    ]);
    expect(update.trips[0]?.calls.map(({ stop }) => [stop?.id, stop?.name])).toEqual(
      [0, 1, 2, 3].map((index) => [`at:49:${index}:0:1`, `Halt <${index}>`]),
    );
  });

  test.each(products)('the product %s', async (product) => {
    const update = await fetchUpdate({ trips: [trip({ product })] }, options);
    expect(update.trips[0]?.trip.product).toBe(product);
  });

  test('cancelled, added and lost trips', async () => {
    const trips = [
      trip({ tripId: 'a', state: 'cancelled' }),
      trip({ tripId: 'b', state: 'added' }),
      trip({ tripId: 'c', isDataLost: true }),
    ];
    const update = await fetchUpdate({ trips }, options);
    expect(update.trips.map(({ trip: { tripId }, relationship }) => [tripId, relationship])).toEqual([
      ['a', 'cancelled'],
      ['b', 'added'],
    ]);
    expect(update.trips[0]?.calls.every(({ departure }) => departure === null || departure.time === null)).toBe(true);
  });

  test('another platform', async () => {
    const calls = [
      call(0),
      call(1, { scheduledPlatform: '1', platform: '2' }),
      call(2, { scheduledPlatform: '3', platform: '3' }),
    ];
    const update = await fetchUpdate({ trips: [trip({ calls })] }, options);
    expect(update.trips[0]?.calls.map(({ scheduledPlatform, platform }) => [scheduledPlatform, platform])).toEqual([
      [null, null],
      ['1', '2'],
      ['3', null],
    ]);
  });

  test('only the call at the stop unless others are requested', async () => {
    const update = await fetchUpdate({ trips: [trip()] }, { ...options, includeCalls: false });
    expect(update.trips[0]?.calls.map(({ stop }) => stop?.id)).toEqual(['at:49:1:0:1']);
  });

  test.each([
    ['nothing runs', []],
    ['it ends there', [trip({ calls: [call(0), call(1)] })]],
    ['it has left', [trip({ calls: [call(0), call(1, { departure: inSeconds(-1) }), call(2)] })]],
  ])('no departure because %s', async (_name, trips) => {
    expect(await fetchUpdate({ trips }, options)).toMatchObject({ trips: [], recordCount: 0, problems: [] });
  });

  test('the next departures, up to the requested number', async () => {
    const later = [call(0), call(1, { departure: inSeconds(400) }), call(2)];
    const trips = [trip({ tripId: 'later', calls: later }), trip({ tripId: 'a' }), trip({ tripId: 'b' })];
    const update = await fetchUpdate({ trips }, { ...options, numberOfResults: 2 });
    expect(update.trips.map(({ trip: { tripId } }) => tripId)).toEqual(['a', 'b']);
  });

  test.each(['at:49:1:0:1', 'at:49:1', '60201'])('accepts the stop id %s', async (stop) => {
    expect((await fetchUpdate({ trips: [trip()] }, { ...options, stops: [stop] })).trips).toHaveLength(1);
  });
});

describe('situations', () => {
  const alert = (change: Partial<SimulatedAlert>): SimulatedAlert => ({
    place: '',
    id: 'news-1',
    kind: 'construction',
    category: null,
    priority: 25,
    title: 'Halt & Umleitung',
    text: 'Halt <1> wird verlegt.',
    operatorName: null,
    publisher: 'austria',
    isAccess: false,
    activeWindows: [{ from: inSeconds(-600), to: null }],
    lines: [],
    stops: [],
    trips: [],
    links: [{ title: 'Mehr', url: 'https://sample.example/?a=1&b=2' }],
    pin: null,
    ...change,
  });
  const line = { label: '5', routeId: 'route 1', agencyId: null, operatorName: null, region: null };
  const stop = { id: 'at:49:2:0:1', idSpace: 'ifopt', name: 'Halt', lat: null, lon: null } as const;

  test.each(['replacementService', 'construction', 'cancellation', 'information', 'emergency', 'allClear'] as const)(
    'of the kind %s come back as they were',
    async (kind) => {
      const sent = alert({ kind, lines: [line], stops: [stop] });
      const [received] = (await fetchUpdate({ trips: [trip()], alerts: [sent] })).alerts;
      expect(received).toMatchObject({
        id: 'sample:news-1',
        kind,
        priority: 25,
        title: sent.title,
        text: sent.text,
        activeWindows: sent.activeWindows,
        lines: [line],
        stops: [stop],
        links: sent.links,
      });
    },
  );

  test('marks lifts as access', async () => {
    const [received] = (await fetchUpdate({ trips: [trip()], alerts: [alert({ isAccess: true, stops: [stop] })] }))
      .alerts;
    expect(received?.isAccess).toBe(true);
  });

  test('are included for affected trips', async () => {
    const alerts = [
      alert({ id: 'all' }),
      alert({ id: 'line', lines: [line] }),
      alert({ id: 'station', stops: [{ ...stop, id: 'at:49:3' }] }),
      alert({ id: 'elsewhere', lines: [{ ...line, label: '6', routeId: null }], stops: [{ ...stop, id: 'x' }] }),
    ];
    const update = await fetchUpdate({ trips: [trip()], alerts });
    expect(update.alerts.map(({ id }) => id)).toEqual(['sample:all', 'sample:line', 'sample:station']);
  });
});

test.each([
  ['nothing', ''],
  ['no XML', 'hello'],
  ['a document type', '<!DOCTYPE a><Trias/>'],
  ['another root', '<Siri/>'],
  ['no request', '<Trias version="1.2"/>'],
  ['another request', '<OJP><OJPRequest><ServiceRequest><OJPTripRequest/></ServiceRequest></OJPRequest></OJP>'],
  ['no stop', '<Trias><ServiceRequest><RequestPayload><StopEventRequest/></RequestPayload></ServiceRequest></Trias>'],
])('refuses %s', (_, xml) => {
  expect(readStopEventRequest(xml)).toBeNull();
});

test.each([
  ['5', 5],
  ['1000', 100],
  ['-1', 0],
  ['many', 10],
  ['', 10],
])('"%s" results are %i', (wanted, results) => {
  const xml = `<Trias><ServiceRequest><RequestPayload><StopEventRequest><Location><LocationRef><StopPointRef>a</StopPointRef></LocationRef></Location>
    <Params><NumberOfResults>${wanted}</NumberOfResults></Params></StopEventRequest></RequestPayload></ServiceRequest></Trias>`;
  expect(readStopEventRequest(xml)?.numberOfResults).toBe(results);
});
