import { describe, expect, it } from 'vitest';
import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { type NoticeKind, noticeKinds } from '../../../../pipeline/model/realtime.ts';
import { type Instant, parseServiceTime, type ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type {
  SimulatedAlert,
  SimulatedCall,
  SimulatedState,
  SimulatedTrip,
} from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { buildGtfsRtAnswer, type GtfsRtKind } from '../../../../pipeline/sample/upstream/simulated-answers.ts';
import { decodeFeedMessage } from '../../../../pipeline/sources/gtfs-rt/decode-feed-message.ts';
import { encodeFeedMessage } from '../../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { normaliseFeed } from '../../../../pipeline/sources/gtfs-rt/normalise-feed.ts';

const NOW = 1_773_126_000 as Instant;
const at = (seconds: number) => (NOW + seconds) as Instant;

function buildCall(sequence: number, seconds: number, rest: Partial<SimulatedCall> = {}): SimulatedCall {
  return {
    stop: { stopId: `s${sequence}`, stationId: null, name: `Halt ${sequence}`, lat: 48.2, lon: 16.4, diva: null },
    stopSequence: sequence,
    scheduledArrival: at(seconds),
    scheduledDeparture: at(seconds + 20),
    arrival: at(seconds + 90),
    departure: at(seconds + 120),
    isSkipped: false,
    scheduledPlatform: null,
    platform: null,
    assignedStopId: null,
    ...rest,
  };
}

function buildTrip(tripId: string, rest: Partial<SimulatedTrip> = {}): SimulatedTrip {
  return {
    tripId,
    routeId: 'linie-5',
    directionId: 1,
    startDate: '2026-03-10' as ServiceDate,
    startTime: parseServiceTime('07:50:00')!,
    lineLabel: '5',
    product: 'tram',
    operatorName: 'Musterbahn',
    publisher: 'austria',
    isMeasured: true,
    headsign: 'Ringplatz',
    shortName: null,
    state: 'scheduled',
    isDataLost: false,
    calls: [buildCall(1, -600), buildCall(2, -200), buildCall(5, 200), buildCall(6, 600)],
    vehicle: null,
    ...rest,
  };
}

/** The message of the fake as a client decodes it. */
function roundTrip(kind: GtfsRtKind, state: Partial<SimulatedState>, publishedAt?: Instant): SourceUpdate {
  const answer = buildGtfsRtAnswer(
    { now: NOW, trips: [], alerts: [], ...state },
    kind,
    publishedAt ? { publishedAt } : {},
  );
  const update = normaliseFeed(decodeFeedMessage(encodeFeedMessage(answer)), {
    source: 'sample',
    fetchedAt: NOW,
    maxAgeSeconds: 300,
    measuredStopEvents: false,
  });
  expect(update.problems).toEqual([]);
  return update;
}

describe('trip updates of the made-up country', () => {
  it('contain observed and forecast times', () => {
    const update = roundTrip('tripUpdates', { trips: [buildTrip('a')] });
    expect(update).toMatchObject({ publishedAt: NOW, isFrozen: false, scope: 'all', recordCount: 1 });
    const [report] = update.trips;
    expect(report).toMatchObject({
      place: 'entity a 2026-03-10 07:50:00',
      relationship: 'scheduled',
      trip: { tripId: 'a', routeId: 'linie-5', directionId: 1, startDate: '2026-03-10', startTime: 28_200 },
      recordedAt: NOW,
    });
    expect(report!.calls.map(({ stopSequence, stop }) => [stopSequence, stop!.id])).toEqual([
      [1, 's1'],
      [2, 's2'],
      [5, 's5'],
      [6, 's6'],
    ]);
    const times = report!.calls.map(({ arrival, departure }) => [arrival?.time, departure?.time]);
    expect(times).toEqual([
      [undefined, at(-480)],
      [at(-110), at(-80)],
      [at(290), at(320)],
      [at(690), undefined],
    ]);
    expect(report!.calls.map(({ arrival, departure }) => (arrival ?? departure)!.isMeasured)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('contain cancelled, added, skipped and changed platforms, but no lost trips', () => {
    const update = roundTrip('tripUpdates', {
      trips: [
        buildTrip('cancelled', { state: 'cancelled' }),
        buildTrip('new', { state: 'added' }),
        buildTrip('silent', { isDataLost: true }),
        buildTrip('odd', {
          calls: [buildCall(1, 0, { assignedStopId: 's1b' }), buildCall(2, 90, { isSkipped: true })],
        }),
      ],
    });
    expect(update.trips.map(({ trip, relationship, calls }) => [trip.tripId, relationship, calls.length])).toEqual([
      ['cancelled', 'cancelled', 0],
      ['new', 'added', 4],
      ['odd', 'scheduled', 2],
    ]);
    const [, added, odd] = update.trips;
    expect(added!.trip.headsign).toBe('Ringplatz');
    expect(added!.calls[2]!.arrival).toMatchObject({ scheduledTime: at(200), time: at(290) });
    expect(odd!.calls[0]!.assignedStopId).toBe('s1b');
    expect(odd!.calls[1]).toMatchObject({ state: 'skipped', arrival: null, departure: null });
  });

  it('may have a wrong clock', () => {
    expect(roundTrip('tripUpdates', {}, at(-3600))).toMatchObject({ publishedAt: at(-3600), isFrozen: true });
  });
});

describe('vehicle positions of the made-up country', () => {
  const vehicle = { id: 'v1', lat: 48.25, lon: 16.375, headingDeg: 90, position: 2, isStopped: true };

  it('contain the positions of observed vehicles', () => {
    const update = roundTrip('vehiclePositions', {
      trips: [
        buildTrip('a', { vehicle }),
        buildTrip('waiting'),
        buildTrip('silent', { vehicle: { ...vehicle, id: 'v2' }, isDataLost: true }),
        buildTrip('b', { vehicle: { ...vehicle, id: 'v3', isStopped: false } }),
      ],
    });
    expect(update.vehicles).toMatchObject([
      {
        id: 'v1',
        trip: { tripId: 'a', startDate: '2026-03-10' },
        lat: 48.25,
        lon: 16.375,
        headingDeg: 90,
        recordedAt: NOW,
        stop: { id: 's5' },
        stopSequence: 5,
        stopStatus: 'stoppedAt',
      },
      { id: 'v3', stopStatus: 'inTransitTo' },
    ]);
  });
});

describe('alerts of the made-up country', () => {
  const alert: SimulatedAlert = {
    place: '',
    id: 'news-1',
    kind: 'construction',
    category: null,
    priority: 30,
    title: 'Linie 5: Umleitung',
    text: 'Wegen Bauarbeiten.\nBis Freitag.',
    operatorName: 'Musterbahn',
    publisher: 'austria',
    isAccess: false,
    activeWindows: [{ from: NOW, to: null }],
    lines: [{ label: '5', routeId: 'linie-5', agencyId: 'muster', operatorName: 'Musterbahn', region: null }],
    stops: [{ id: 's1', idSpace: 'gtfs', name: 'Halt 1', lat: 48.2, lon: 16.4 }],
    trips: [],
    links: [{ title: 'Mehr', url: 'https://example.org/5' }],
    pin: null,
  };

  /** Its text names no kind. */
  const plain = { ...alert, title: 'Linie 5', text: 'Gilt bis Freitag.' };

  it('round-trip as far as the format allows', () => {
    const { alerts } = roundTrip('alerts', { alerts: [alert] });
    const { publisher: _publisher, ...reported } = alert;
    expect(alerts).toEqual([
      {
        ...reported,
        place: 'entity news-1',
        category: 'CONSTRUCTION',
        operatorName: null,
        lines: [{ label: null, routeId: 'linie-5', agencyId: 'muster', operatorName: null, region: null }],
        stops: [{ id: 's1', idSpace: 'gtfs', name: null, lat: null, lon: null }],
        entities: [{ lines: [0], stops: [0], trips: [], directionId: null }],
        links: [{ title: alert.title, url: 'https://example.org/5' }],
      },
    ]);
  });

  it('name trips with their day', () => {
    const { tripId, routeId, directionId, startDate, startTime, lineLabel, product, operatorName, headsign } =
      buildTrip('a');
    const trip = { tripId, routeId, directionId, startDate, startTime, lineLabel, product, operatorName, headsign };
    const { alerts } = roundTrip('alerts', { alerts: [{ ...alert, trips: [trip] }] });
    expect(alerts[0]!.trips).toMatchObject([{ tripId: 'a', startDate: '2026-03-10', startTime: 28_200 }]);
    expect(alerts[0]!.entities).toEqual([{ lines: [], stops: [], trips: [0], directionId: null }]);
  });

  it('keep the mark of access for lifts', () => {
    const { alerts } = roundTrip('alerts', {
      alerts: [{ ...plain, kind: 'information', isAccess: true, priority: 60 }],
    });
    expect(alerts[0]).toMatchObject({ kind: 'information', isAccess: true, priority: 70 });
  });

  it('keep their kind if the format has it', () => {
    const kinds: Partial<Record<NoticeKind, NoticeKind>> = { allClear: 'announcement', loadingTime: 'other' };
    const sent = noticeKinds.map((kind) => ({ ...plain, id: kind, kind }));
    const { alerts } = roundTrip('alerts', { alerts: sent });
    expect(alerts.map(({ kind }) => kind)).toEqual(noticeKinds.map((kind) => kinds[kind] ?? kind));
  });
});

it('reads a morning of the simulator without problems', async () => {
  const state = createSimulator(await readSampleLookups()).stateAt(NOW);
  const reported = state.trips.filter(({ isDataLost }) => !isDataLost);
  expect(reported.length).toBeGreaterThan(500);
  const ofState = (wanted: string) => reported.filter((trip) => trip.state === wanted).length;
  const { trips } = roundTrip('tripUpdates', state);
  const ofRelationship = (wanted: string) => trips.filter(({ relationship }) => relationship === wanted).length;
  expect(['scheduled', 'cancelled', 'added'].map(ofRelationship)).toEqual(
    ['scheduled', 'cancelled', 'added'].map(ofState),
  );
  expect(roundTrip('vehiclePositions', state).vehicles).toHaveLength(reported.filter(({ vehicle }) => vehicle).length);
  expect(roundTrip('alerts', state).alerts).toHaveLength(state.alerts.length);
});
