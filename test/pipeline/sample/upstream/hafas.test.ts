import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
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
import { buildMgateAnswer } from '../../../../pipeline/sample/upstream/hafas.ts';
import { readMgateTime, toHafasNumber } from '../../../../pipeline/sample/upstream/hafas-notation.ts';
import { readMgateRequest } from '../../../../pipeline/sample/upstream/hafas-request.ts';
import { createHafasSource, vaoProfile } from '../../../../pipeline/sources/hafas/create-hafas-source.ts';
import { loadHafasProfile } from '../../../../pipeline/sources/hafas/load-profile.ts';
import type { MgateObject } from '../../../../pipeline/sources/hafas/mgate-answer.ts';
import type { MgateCall } from '../../../../pipeline/sources/hafas/mgate-request.ts';
import { buildMgateRequest } from '../../../../pipeline/sources/hafas/mgate-request.ts';
import type { RealtimeSource } from '../../../../pipeline/sources/realtime-source.ts';
import { toBytes } from '../../sources/hafas/fixtures.ts';

const now = parseTimestamp('2025-05-20T17:00:00+02:00')!;
const noMd5 = () => '';
const at = (minutes: number) => (now + minutes * 60) as Instant;

function call(
  station: number,
  minutes: number,
  delayMinutes: number,
  more: Partial<SimulatedCall> = {},
): SimulatedCall {
  return {
    stop: {
      stopId: `at:49:${station}:0:1`,
      stationId: `at:49:${station}`,
      name: `Platz ${station}`,
      lat: 48.2 + station / 100_000,
      lon: 16.37,
      diva: `6020${station}`,
    },
    stopSequence: station - 999,
    scheduledArrival: at(minutes),
    scheduledDeparture: at(minutes + 1),
    arrival: at(minutes + delayMinutes),
    departure: at(minutes + 1 + delayMinutes),
    isSkipped: false,
    scheduledPlatform: '1',
    platform: '1',
    assignedStopId: null,
    ...more,
  };
}

function trip(tripId: string, calls: readonly SimulatedCall[], more: Partial<SimulatedTrip> = {}): SimulatedTrip {
  return {
    tripId,
    routeId: 'u6',
    directionId: 0,
    startDate: '2025-05-20' as ServiceDate,
    startTime: (16 * 3600) as ServiceTime,
    lineLabel: 'U6',
    product: 'subway',
    operatorName: 'Stadtwerke',
    publisher: 'austria',
    isMeasured: true,
    headsign: 'Platz 1003',
    shortName: null,
    state: 'scheduled',
    isDataLost: false,
    calls,
    vehicle: null,
    ...more,
  };
}

const alert: SimulatedAlert = {
  place: '',
  id: 'umleitung-1',
  kind: 'construction',
  category: null,
  priority: 30,
  title: 'Gleisbauarbeiten U6',
  text: 'Umleitung über A & B.\nBitte <rechtzeitig> losgehen.',
  operatorName: 'Stadtwerke',
  publisher: 'austria',
  isAccess: false,
  activeWindows: [{ from: at(-600), to: at(600) }],
  lines: [{ label: 'U6', routeId: 'u6', agencyId: 'w', operatorName: 'Stadtwerke', region: null }],
  stops: [{ id: 'at:49:1001', idSpace: 'gtfs', name: 'Platz 1001', lat: 48.21001, lon: 16.37 }],
  trips: [],
  links: [],
  pin: { lat: 48.21, lon: 16.37 },
};

const state: SimulatedState = {
  now,
  trips: [
    trip('late', [call(1000, -12, 3), call(1001, -2, 4), call(1002, 8, 5, { platform: '2' }), call(1003, 50, 2)], {
      vehicle: { id: 'w1', lat: 48.21, lon: 16.371, headingDeg: 180, position: 1, isStopped: false },
    }),
    trip('skipping', [call(1000, 1, 0), call(1001, 10, 0, { isSkipped: true }), call(1003, 20, 0)]),
    trip('cancelled', [call(1000, 5, 0), call(1001, 15, 0), call(1003, 25, 0)], { state: 'cancelled' }),
    trip('added', [call(1000, 7, 1), call(1001, 17, 1), call(1003, 27, 1)], {
      state: 'added',
      product: 'train',
      lineLabel: 'RJX',
      shortName: 'RJX 162',
      routeId: 'rjx',
    }),
    trip('silent', [call(1000, 9, 2), call(1001, 19, 2), call(1003, 29, 2)], { isDataLost: true }),
  ],
  alerts: [alert],
};

const parts = ['departures-490100100', 'arrivals-490100100', 'remarks', 'radar', 'server-info'] as const;
let source: RealtimeSource;

beforeAll(async () => {
  source = await createHafasSource(
    {
      id: 'vao',
      profile: { base: 'vao', departuresGetPasslist: true },
      endpoint: 'http://127.0.0.1/mgate.exe',
      key: 'sample',
      stops: ['490100100'],
      arrivals: true,
      remarks: true,
      radar: { south: 48, west: 16, north: 49, east: 17 },
      dailyBudget: 100_000,
    },
    noMd5,
  );
});

/** Our own request, through the fake, through our own parser. */
async function fetchUpdate(part: (typeof parts)[number], simulated = state): Promise<SourceUpdate> {
  const request = source.listRequests(simulated.now).find((one) => one.part === part)!;
  const answer = buildMgateAnswer(simulated, readMgateRequest(request.body!)!);
  return source.parse(toBytes(answer), request, simulated.now);
}

const tripOf = ({ trips }: SourceUpdate, id: string) =>
  trips.find(({ trip }) => trip.tripId === `1|${id}|0|81|20052025`)!;

describe('the fake endpoint', () => {
  it('gives answers without problems to all requests', async () => {
    for (const part of parts) {
      const update = await fetchUpdate(part);
      expect([part, update.problems, update.publishedAt, update.isFrozen]).toEqual([part, [], now, false]);
    }
  });

  it('returns departures with observed, forecast and unknown times', async () => {
    const board = await fetchUpdate('departures-490100100');
    expect(board.trips.map(({ trip, relationship }) => [trip.tripId!.split('|')[1], relationship])).toEqual([
      ['late', 'scheduled'],
      ['skipping', 'scheduled'],
      ['cancelled', 'cancelled'],
      ['added', 'added'],
      ['silent', 'scheduled'],
    ]);
    expect(tripOf(board, 'late').calls).toMatchObject([
      {
        stop: { id: '490100101', idSpace: 'hafas', name: 'Platz 1001', lat: 48.21001, lon: 16.37 },
        departure: { scheduledTime: at(-1), time: at(3), isMeasured: false },
      },
      { scheduledPlatform: '1', platform: '2', arrival: { time: at(13) }, departure: { time: at(14) } },
      { arrival: { scheduledTime: at(50), time: at(52) }, departure: null },
    ]);
    const states = (tripId: string) =>
      tripOf(board, tripId).calls.map(({ state, cancelledEvent }) => (cancelledEvent ? `no ${cancelledEvent}` : state));
    expect(states('skipping')).toEqual(['skipped', 'normal']);
    expect(states('cancelled')).toEqual(['skipped', 'no arrival']);
    expect(tripOf(board, 'silent').calls[0]!.departure).toMatchObject({ scheduledTime: at(20), time: null });
    expect(tripOf(board, 'added').trip).toMatchObject({ lineLabel: 'RJX 162', product: 'train' });
  });

  it('returns arrivals, reported ones as measured', async () => {
    const board = await fetchUpdate('arrivals-490100100');
    const [first, last] = tripOf(board, 'late').calls;
    expect(first!.departure).toMatchObject({ scheduledTime: at(-11), time: at(-8), isMeasured: true });
    expect(last!.arrival).toMatchObject({ scheduledTime: at(-2), time: at(2), isMeasured: false });
    expect(tripOf(board, 'late').originName).toBe('Platz 1000');
  });

  it('returns equal messages with boards and separately', async () => {
    const [board, search] = [await fetchUpdate('departures-490100100'), await fetchUpdate('remarks')];
    expect(search.alerts).toMatchObject([
      {
        id: 'umleitung-1',
        kind: 'construction',
        priority: 30,
        title: alert.title,
        text: alert.text,
        operatorName: 'Stadtwerke',
        activeWindows: alert.activeWindows,
        lines: [{ label: 'U6', operatorName: 'Stadtwerke' }],
        stops: [{ id: '490100100', idSpace: 'hafas' }],
        pin: alert.pin,
        trips: [],
      },
    ]);
    expect(board.alerts[0]).toMatchObject({ id: 'umleitung-1', text: alert.text });
    expect(board.alerts[0]!.trips).toHaveLength(4);
  });

  it('returns vehicles with positions', async () => {
    const { vehicles, trips } = await fetchUpdate('radar');
    expect(vehicles).toMatchObject([
      { id: '1|late|0|81|20052025', label: 'U6', lat: 48.21, lon: 16.371, headingDeg: 180, recordedAt: now },
    ]);
    expect(trips).toHaveLength(1);
  });

  it('returns complete trips', async () => {
    const request = source.listRequests(now)[0]!;
    const query = { method: 'JourneyDetails', jid: '1|late|0|81|20052025' } as const;
    const update = await source.parse(toBytes(buildMgateAnswer(state, query)), request, now);
    expect(update.trips[0]!.calls).toHaveLength(4);
    expect(update.trips[0]!.trip).toMatchObject({ startDate: '2025-05-20', startTime: 16 * 3600 + 49 * 60 });
    const unknown = buildMgateAnswer(state, { ...query, jid: 'nobody' });
    expect((await source.parse(toBytes(unknown), request, now)).trips).toEqual([]);
  });

  it('accepts all ids of a stop', () => {
    const board = (stopId: string) =>
      buildMgateAnswer(state, {
        method: 'StationBoard',
        type: 'DEP',
        stopId,
        date: null,
        time: null,
        durationMinutes: 60,
        hasPasslist: false,
      });
    const known = JSON.stringify(board('490100100'));
    for (const id of ['490100101', 'at:49:1001', 'at:49:1001:0:1', '60201001'])
      expect(JSON.stringify(board(id))).toBe(known);
    expect(JSON.stringify(board('490999900'))).toContain('"jnyL":[]');
  });

  it.each([
    ['at:49:1349', '490134900'],
    ['at:49:1349:0:3', '490134903'],
    ['at:43:10200:0:12', '431020012'],
    ['somewhere', 'somewhere'],
  ])('numbers %s as in Austria: %s', (id, number) => {
    expect(toHafasNumber(id)).toBe(number);
  });

  it('round-trips all times, also in a repeated hour', async () => {
    const starts = ['2025-03-30T00:30:00+01:00', '2025-10-26T00:30:00+02:00', '2025-12-31T22:00:00+01:00'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...starts),
        fc.array(fc.record({ plan: fc.nat(8 * 3600), late: fc.integer({ min: -300, max: 7200 }) }), {
          minLength: 2,
          maxLength: 8,
        }),
        async (start, offsets) => {
          const begin = parseTimestamp(start)!;
          const calls = offsets
            .sort((a, b) => a.plan - b.plan)
            .map(({ plan, late }, i) => ({
              ...call(1001 + i, 0, 0),
              scheduledArrival: (begin + plan) as Instant,
              scheduledDeparture: (begin + plan) as Instant,
              arrival: (begin + plan + late) as Instant,
              departure: (begin + plan + late) as Instant,
            }));
          const one = trip('one', calls, { startDate: start.slice(0, 10) as ServiceDate });
          const simulated = { now: calls[0]!.scheduledDeparture, trips: [one], alerts: [] };
          const [report] = (await fetchUpdate('departures-490100100', simulated)).trips;
          const times = report!.calls.map(({ arrival, departure }) => departure ?? arrival);
          expect(times.map((event) => [event!.scheduledTime, event!.time])).toEqual(
            calls.map(({ scheduledDeparture, departure }) => [scheduledDeparture, departure]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['20250520', '165500', '2025-05-20T17:00:00+02:00', '2025-05-20T16:55:00+02:00'],
    ['20251026', '025500', '2025-10-26T02:00:00+01:00', '2025-10-26T02:55:00+02:00'],
    ['20251026', '025500', '2025-10-26T03:00:00+01:00', '2025-10-26T02:55:00+01:00'],
    ['20250330', '015500', '2025-03-30T03:00:00+02:00', '2025-03-30T01:55:00+01:00'],
  ])('parses %s %s at %s as %s', (date, time, at, expected) => {
    expect(readMgateTime(date, time, parseTimestamp(at)!)).toBe(parseTimestamp(expected));
  });

  it.each([
    ['20250230', '165500'],
    ['20250520', '255500'],
    ['today', 'now'],
  ])('returns null for the time %s %s', (date, time) => {
    expect(readMgateTime(date, time, now)).toBeNull();
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', '<xml>'],
    ['no request', '[]'],
    ['no call', '{"svcReqL":[]}'],
    ['another method', '{"svcReqL":[{"meth":"LocMatch","req":{}}]}'],
    ['a board of an unknown stop', '{"svcReqL":[{"meth":"StationBoard","req":{"type":"DEP"}}]}'],
    ['a map outside the network', '{"svcReqL":[{"meth":"JourneyGeoPos","req":{"rect":{"llCrd":{"x":1}}}}]}'],
    ['a trip without id', '{"svcReqL":[{"meth":"JourneyDetails","req":{}}]}'],
  ])('refuses %s', (_name, body) => {
    expect(readMgateRequest(body)).toBeNull();
  });

  it("reads Taktgeber's own requests", async () => {
    const profile = await loadHafasProfile(null, { ...vaoProfile, endpoint: 'http://127.0.0.1/x', auth: {} });
    const read = (query: MgateCall) => readMgateRequest(buildMgateRequest(profile, query, noMd5).body);
    expect(read({ method: 'JourneyDetails', jid: '1|2' })).toEqual({ method: 'JourneyDetails', jid: '1|2' });
    expect(read({ method: 'ServerInfo' })).toEqual({ method: 'ServerInfo' });
    const box = { south: 48.1, west: 16.2, north: 48.3, east: 16.5 };
    expect(read({ method: 'JourneyGeoPos', box, at: now, maxVehicles: 9 })).toEqual({
      method: 'JourneyGeoPos',
      box,
      maxVehicles: 9,
    });
  });
});

describe('hafas-client', () => {
  /** Its own interface, answered by the fake instead of the network. */
  async function createClient(): Promise<Record<string, (...args: unknown[]) => Promise<never>>> {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'LOCAL_ADDRESS']) vi.stubEnv(name, '');
    const library = await import(`${'hafas-client'}`);
    vi.unstubAllEnvs();
    const request = async (ctx: { profile: { parseCommon(ctx: object): object } }, _agent: string, query: object) => {
      const answer = buildMgateAnswer(state, readMgateRequest(JSON.stringify({ svcReqL: [query] }))!);
      const { res } = (JSON.parse(JSON.stringify(answer)) as { svcResL: [{ res: MgateObject }] }).svcResL[0];
      return { res, common: ctx.profile.parseCommon({ ...ctx, res }) };
    };
    return library.createClient({ ...vaoProfile, trip: true, radar: true, request }, 'taktgeber test');
  }

  it("parses the fake's answers equally", async () => {
    const client = await createClient();
    const when = new Date(now * 1000);
    const { departures } = await client.departures!('490100100', { when, duration: 60 });
    // It sorts by remaining time, which cancelled trips lack.
    const byPlan = (departures as { plannedWhen: string }[]).sort((a, b) => a.plannedWhen.localeCompare(b.plannedWhen));
    expect(byPlan).toMatchObject([
      {
        line: { name: 'U6', product: 'u-bahn', operator: { name: 'Stadtwerke' } },
        delay: 240,
        direction: 'Platz 1003',
      },
      { cancelled: true, plannedWhen: '2025-05-20T17:11:00+02:00' },
      { cancelled: true },
      { line: { name: 'RJX 162', fahrtNr: '162' } },
      { delay: null },
    ]);
    const { trip: simulated } = await client.trip!('1|late|0|81|20052025', { stopovers: true });
    expect(simulated).toMatchObject({ stopovers: [{}, {}, { arrivalPlatform: '2', plannedArrivalPlatform: '1' }, {}] });
    const { movements } = await client.radar!({ south: 48, west: 16, north: 49, east: 17 }, { when });
    expect(movements).toHaveLength(1);
    const { remarks } = await client.remarks!({ from: when });
    expect(remarks).toMatchObject([{ id: 'umleitung-1', summary: alert.title, affectedLines: [{ name: 'U6' }] }]);
    expect(await client.serverInfo!()).toMatchObject({
      serverTime: '2025-05-20T17:00:00+02:00',
      timetableStart: '20250219',
      realtimeDataUpdatedAt: now,
    });
  });
});
