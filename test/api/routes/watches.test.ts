import { createECDH } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../../api/app.ts';
import type { WatchState } from '../../../api/contract/definitions.ts';
import { ApiProblem, type ProblemCode } from '../../../api/contract/problems.ts';
import { createReferences } from '../../../api/engine/read/references.ts';
import { emitOptions, type FindOptions } from '../../../api/watches/service/emit-options.ts';
import type { WatchService } from '../../../api/watches/service/watch-service.ts';
import { serveWatches } from '../../../api/watches/service/watches.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { SourceUpdate, TripReport } from '../../../pipeline/model/realtime.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { testWatchService, testWatchSettings } from '../../support/fakes/test-watches.ts';
import { TEST_KEY, type World } from '../../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import { at, DAY, townTrip } from '../engine/live-town.ts';
import { openTripTown } from '../engine/trips/trip-town.ts';
import { serviceOptions, testPlanning } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';

const today = toEpochDay(DAY as ServiceDate);
const key = createECDH('prime256v1');
const subscription = {
  endpoint: 'https://push.example.org/abc',
  expirationTime: null,
  keys: { p256dh: key.generateKeys('base64url'), auth: Buffer.alloc(16, 3).toString('base64url') },
};

/** The service on the town, with a source that the test controls. */
class Town {
  readonly clock = fixedClock(at('07:30'));
  readonly live: LiveWorld;
  readonly watches: WatchService;
  readonly app: FastifyInstance;
  private world: World;

  private constructor(
    world: World,
    live: LiveWorld,
    app: FastifyInstance,
    watches: WatchService,
    clock: Town['clock'],
  ) {
    this.clock = clock;
    this.world = world;
    this.live = live;
    this.app = app;
    this.watches = watches;
  }

  static async open(limits = testWatchSettings): Promise<Town> {
    const world = await openTripTown();
    const live = await openLiveWorld(world);
    const clock = fixedClock(at('07:30'));
    const service = testWatchService(clock, limits);
    let town: Town;
    const options = serviceOptions(world, { clock, watches: serveWatches(service, TEST_KEY) });
    const snapshots = {
      current: () => ({ value: town.published, dataVersion: 'v', timetableVersion: 'v' }),
    };
    const app = await buildApp({ ...options, snapshots });
    town = new Town(world, live, app, service, clock);
    onTestFinished(async () => {
      await app.close();
      await service.close();
    });
    await town.receive('07:30', {});
    return town;
  }

  get published() {
    return { timetable: this.world.timetable, realtime: this.world.realtime };
  }

  /** Polls, publishes a snapshot, and evaluates the watches. @returns the number of events */
  async receive(clock: string, update: Partial<SourceUpdate>): Promise<number> {
    this.clock.set(at(clock));
    this.live.report('rt', at(clock), update);
    this.world = this.live.at(at(clock));
    return this.watches.follow(this.published);
  }

  ref(tripId: string, day: number = today): string {
    const { tripId: ids, key } = this.world.timetable.tables.trips;
    for (let row = 0; row < ids.length; row++) {
      if (ids.get(row) === tripId) return this.world.references.sealJourney({ tripKey: key[row]!, day });
    }
    throw new Error(`there is no trip ${tripId}`);
  }

  /** The bus to the station, then the tram from its other platform. */
  legs = () => [
    { journeyRef: this.ref('t1'), originId: 'at:a', destinationId: 'at:s1' },
    { journeyRef: this.ref('t2'), originId: 'at:s2', destinationId: 'at:z' },
  ];

  post(path: string, payload: object, token?: string) {
    const headers = token === undefined ? {} : { 'x-installation-token': token };
    return this.app.inject({ method: 'POST', url: `/v2/${path}`, payload, headers });
  }

  async watch(path: string, payload: object, token?: string): Promise<WatchState> {
    const answer = await this.post(path, payload, token);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    await expectValidAnswer('WatchState', answer.json());
    return answer.json();
  }
}

const bus = (clock: string): TripReport =>
  reportOf(townTrip('t1'), { calls: [callOf(stopOf('s1'), { arrival: timeOf(at(clock)) })] });
const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
const kindsOf = ({ events }: WatchState) => events.map(({ kind }) => kind);

let town: Town;
beforeEach(async () => {
  town = await Town.open();
});

describe('a watched trip', () => {
  test('reports its events in order, with stable ids', async () => {
    const { watchId, events, status, expiresAt } = await town.watch('trips/watch', { legs: town.legs() });
    expect([events, status]).toEqual([[], 'unknown']);
    // Six hours after the arrival of the tram at 08:40.
    expect(expiresAt).toBe('2026-03-03T14:40:00+01:00');
    expect(await town.receive('07:40', { trips: [bus('08:20')] })).toBe(2);
    expect(await town.receive('07:50', { trips: [bus('08:20')] })).toBe(0);
    expect(await town.receive('07:55', { trips: [bus('08:20'), cancelled('t2')] })).toBe(1);
    const state = await town.watch('trips/watch', { watchId, legs: town.legs() });
    expect(state).toMatchObject({ watchId, status: 'cancelled', checkedAt: '2026-03-03T07:55:00+01:00' });
    expect(state.events).toMatchObject([
      { kind: 'delay', delayMinutes: 10, journeyRef: town.ref('t1'), at: '2026-03-03T07:40:00+01:00' },
      { kind: 'transferMissed', journeyRef: town.ref('t2') },
      { kind: 'cancelled', journeyRef: town.ref('t2') },
    ]);
    expect((await town.watch('trips/watch', { watchId, legs: town.legs() })).events).toEqual(state.events);
    expect(new Set(state.events.map(({ id }) => id)).size).toBe(3);
  });

  test('reports existing disruptions in the first response', async () => {
    await town.receive('07:40', { trips: [bus('08:20')] });
    const state = await town.watch('trips/watch', { legs: town.legs(), delivery: { kind: 'webPush', subscription } });
    expect([kindsOf(state), state.status]).toEqual([['delay', 'transferMissed'], 'missed']);
    // The event is in the response, so it is not pushed.
    expect(await town.watches.claim((town.clock.nowMilliseconds() / 1000) as never, 10)).toEqual([]);
  });

  test('is pushed if the app requested it', async () => {
    const { watchId } = await town.watch('trips/watch', {
      legs: town.legs(),
      delivery: { kind: 'webPush', subscription },
    });
    await town.receive('07:40', { trips: [cancelled('t1')] });
    const [push] = await town.watches.claim((town.clock.nowMilliseconds() / 1000) as never, 10);
    expect(push).toMatchObject({ watchId, target: { endpoint: subscription.endpoint, ...subscription.keys } });
    const { events } = await town.watch('trips/watch', { watchId, legs: town.legs() });
    expect(JSON.parse(push!.payload)).toEqual({ watchId, event: events[0] });
  });

  test('ends after its arrival, and reports that on request', async () => {
    const { watchId } = await town.watch('trips/watch', { legs: town.legs() });
    town.clock.set(at('08:44'));
    expect(await town.watches.tick()).toBe(0);
    town.clock.set(at('08:45'));
    expect(await town.watches.tick()).toBe(1);
    const state = await town.watch('trips/watch', { watchId, legs: town.legs() });
    expect([state.status, kindsOf(state)]).toEqual(['ended', ['ended']]);
  });

  test('includes the disruptions of its line and stops', async () => {
    const { watchId } = await town.watch('trips/watch', { legs: town.legs() });
    await town.receive('07:40', { alerts: [alertOf('x', { stops: [stopOf('s2')], title: 'Aufzug steht' })] });
    await town.receive('07:41', { alerts: [] });
    await town.receive('07:47', { alerts: [] });
    const { events } = await town.watch('trips/watch', { watchId, legs: town.legs() });
    expect(events).toMatchObject([
      { kind: 'disruption', disruptionId: 'rt:x', text: 'Neue Meldung: Aufzug steht' },
      { kind: 'disruptionEnded', disruptionId: 'rt:x' },
    ]);
  });

  test('restarts with different legs, and keeps its events', async () => {
    const { watchId } = await town.watch('trips/watch', { legs: town.legs() });
    await town.receive('07:40', { trips: [cancelled('t1')] });
    const legs = town.legs().slice(1);
    const changed = await town.watch('trips/watch', { watchId, legs });
    expect([changed.watchId, kindsOf(changed), changed.status]).toEqual([watchId, ['cancelled'], 'unknown']);
    await town.receive('07:50', { trips: [cancelled('t1'), cancelled('t2')] });
    expect(kindsOf(await town.watch('trips/watch', { watchId, legs }))).toEqual(['cancelled', 'cancelled']);
  });

  test('lasts as long as requested', async () => {
    const until = '2026-03-20T12:00:00Z';
    const { expiresAt } = await town.watch('trips/watch', { legs: town.legs(), until });
    expect(expiresAt).toBe('2026-03-20T13:00:00+01:00');
  });
});

describe('a watched vehicle', () => {
  const ride = (tripId: string, originId: string, destinationId: string) => ({
    journeyRef: town.ref(tripId),
    originId: `at:${originId}`,
    destinationId: `at:${destinationId}`,
  });
  const skipping = (tripId: string, ...stops: string[]) =>
    reportOf(townTrip(tripId), { calls: stops.map((stop) => callOf(stopOf(stop), { state: 'skipped' })) });
  const late = (tripId: string, stop: string, departure: string) =>
    reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(departure)) })] });
  /** Kinds and texts of the events, and the status, after a report. */
  const report = async (legs: object[], trips: TripReport[], now = '07:40', language?: string) => {
    const { watchId } = await town.watch('trips/watch', { legs, ...(language ? { language } : {}) });
    await town.receive(now, { trips });
    const { events, status } = await town.watch('trips/watch', { watchId, legs });
    return [status, ...events.map(({ kind, text }) => `${kind}: ${text}`)];
  };
  const bus1 = '1 nach Ziel um 08:00 ab Anger';

  test.each<[string, [string, string], string[], string[]]>([
    [
      'its origin',
      ['k', 'z'],
      ['k'],
      ['1 nach Ziel um 08:06 ab Kirche hält nicht in Kirche; nächster Halt ist Bahnhof.'],
    ],
    [
      'its destination',
      ['a', 's1'],
      ['s1'],
      [`${bus1} hält nicht in Bahnhof, aber davor in Kirche und danach in Ziel.`],
    ],
    ['the last stop of the trip', ['a', 'z'], ['z'], [`${bus1} hält nicht in Ziel, endet in Bahnhof.`]],
    ['all behind its origin', ['k', 'z'], ['s1', 'z'], ['1 nach Ziel um 08:06 ab Kirche endet schon in Kirche.']],
    ['the first stops of the trip', ['a', 'z'], ['a', 'k'], [`${bus1} hält nicht in Anger, beginnt erst in Bahnhof.`]],
    ['everything', ['a', 'z'], ['a', 'k', 's1', 'z'], [`${bus1} fällt aus.`]],
  ])('reports that it skips %s', async (_what, [from, to], stops, texts) => {
    const events = await report([ride('t1', from, to)], [skipping('t1', ...stops)]);
    expect(events).toEqual(['cancelled', ...texts.map((text) => `cancelled: ${text}`)]);
  });

  test('reports skipped stops on the way, in English if requested', async () => {
    const events = await report([ride('t1', 'a', 'z')], [skipping('t1', 'k')], '07:40', 'en');
    expect(events).toEqual([
      'disrupted',
      'disruption: The 08:00 1 to Ziel from Anger will not stop on the way at Kirche.',
    ]);
  });

  test('ignores skipped stops beyond the ride', async () => {
    expect(await report([ride('t1', 'k', 's1')], [skipping('t1', 'a', 'z')])).toEqual(['onTrack']);
  });

  const through = () => [ride('t3', 'h', 'z'), ride('t4', 'z', 'a')];

  test('is followed when it continues as another trip', async () => {
    expect(await report(through(), [late('t3', 'h', '08:35')], '08:20')).toEqual([
      'delayed',
      'delay: 3 nach Ziel fährt 10 Minuten später: ab Heide um 08:35 statt 08:25.',
    ]);
  });

  test('does not continue if its second trip is cancelled', async () => {
    expect(await report(through(), [late('t3', 'h', '08:25'), cancelled('t4')], '08:20')).toEqual([
      'cancelled',
      'cancelled: 3 nach Ziel um 08:25 ab Heide endet in Ziel und fährt nicht weiter als 4 nach Anger.',
    ]);
  });

  test('that leaves early: warns in time, else reports a missed departure', async () => {
    const legs = [ride('t1', 'a', 'z')];
    const { watchId } = await town.watch('trips/watch', { legs });
    await town.receive('07:40', { trips: [late('t1', 'a', '07:57')] });
    const state = await town.watch('trips/watch', { watchId, legs });
    expect(state).toMatchObject({
      status: 'delayed',
      events: [
        {
          kind: 'delay',
          delayMinutes: -3,
          text: '1 nach Ziel fährt 3 Minuten früher: ab Anger schon um 07:57 statt 08:00.',
        },
      ],
    });
    const { watchId: other } = await town.watch('trips/watch', { legs, language: 'en' });
    await town.receive('07:55', { trips: [late('t1', 'a', '07:54')] });
    const missed = await town.watch('trips/watch', { watchId: other, legs, language: 'en' });
    expect([missed.status, missed.events.at(-1)!.text]).toEqual([
      'missed',
      '1 to Ziel has left 6 minutes early: from Anger at 07:54 instead of 08:00.',
    ]);
  });

  test('is reported in the language of the last request', async () => {
    const legs = [ride('t1', 'a', 'z')];
    const { watchId } = await town.watch('trips/watch', { legs });
    await town.watch('trips/watch', { watchId, legs, language: 'en' });
    await town.receive('07:40', { trips: [cancelled('t1')] });
    const { events } = await town.watch('trips/watch', { watchId, legs, language: 'en' });
    expect(events.map(({ text }) => text)).toEqual(['The 08:00 1 to Ziel from Anger is cancelled.']);
  });
});

describe('a rescue watch', () => {
  const legs = () => [
    { journeyRef: town.ref('t1'), originId: 'at:a', destinationId: 'at:s1' },
    { journeyRef: town.ref('t2'), originId: 'at:s2', destinationId: 'at:z' },
  ];
  /** The options function of the service. */
  const findOptions: FindOptions = async (body) => {
    const now = (town.clock.nowMilliseconds() / 1000) as Instant;
    const held = { value: town.published, dataVersion: 'v' };
    const bytes = await testPlanning(createReferences(TEST_KEY)).answer({ kind: 'rescue', body }, held, now);
    return JSON.parse(new TextDecoder().decode(bytes));
  };

  test('receives options once when its transfer is missed', async () => {
    const { watchId } = await town.watch('rescue/watch', { legs: legs() });
    await emitOptions(town.watches, async () => expect.fail('nothing is broken'));
    await town.receive('08:05', { trips: [bus('08:30')] });
    await emitOptions(town.watches, findOptions);
    await emitOptions(town.watches, async () => expect.fail('it was emitted already'));
    const { events, status } = await town.watch('rescue/watch', { watchId, legs: legs() });
    expect(status).toBe('missed');
    expect(events.map(({ kind }) => kind)).toEqual(['delay', 'transferMissed', 'options']);
    const { options = [], text } = events.at(-1)!;
    expect(options.length).toBeGreaterThan(0);
    expect(text).toMatch(/^Es gibt .* kommt um \d\d:\d\d an\.$/);
  });

  test('receives options again when the delay grows', async () => {
    const { watchId } = await town.watch('rescue/watch', { legs: legs() });
    for (const [now, arrives] of [
      ['08:05', '08:30'],
      ['08:09', '09:10'],
    ] as const) {
      await town.receive(now, { trips: [bus(arrives)] });
      await emitOptions(town.watches, findOptions);
    }
    const { events } = await town.watch('rescue/watch', { watchId, legs: legs() });
    expect(events.map(({ kind }) => kind)).toEqual(['delay', 'transferMissed', 'options', 'delay', 'options']);
    const [first, second] = events.filter(({ kind }) => kind === 'options').map(({ options }) => options![0]!);
    expect(second!.decideBy).not.toBe(first!.decideBy);
  });

  test('receives no options below its probability, and is searched again later', async () => {
    const { watchId } = await town.watch('rescue/watch', { legs: legs(), minSuccessProbability: 0.9 });
    await town.receive('08:05', { trips: [bus('08:30')] });
    const { options } = await findOptions({ legs: legs(), limit: 4 });
    const unlikely = options.map((option) => ({ ...option, successProbability: 0.5 }));
    let searches = 0;
    const find: FindOptions = async () => {
      searches += 1;
      return { generatedAt: at('08:05'), state: 'missed', options: unlikely };
    };
    await emitOptions(town.watches, find);
    await emitOptions(town.watches, find);
    town.clock.set(at('08:07'));
    await emitOptions(town.watches, find);
    expect(searches).toBe(2);
    expect(kindsOf(await town.watch('rescue/watch', { watchId, legs: legs() }))).not.toContain('options');
  });

  test('waits while the planner is overloaded', async () => {
    const { watchId } = await town.watch('rescue/watch', { legs: legs() });
    await town.receive('08:05', { trips: [bus('08:30')] });
    await emitOptions(town.watches, async () => {
      throw new ApiProblem('overloaded', 'Too much to do.');
    });
    await emitOptions(town.watches, findOptions);
    expect(kindsOf(await town.watch('rescue/watch', { watchId, legs: legs() }))).toContain('options');
  });
});

describe('watched lines', () => {
  const lines = [{ label: '2' }];
  const alert = (over = {}) => ({
    alerts: [
      alertOf('x', {
        lines: [{ label: '2', routeId: null, agencyId: null, operatorName: null, region: null }],
        ...over,
      }),
    ],
  });

  test('report their disruptions', async () => {
    const { watchId, status, expiresAt } = await town.watch('lines/watch', { lines });
    expect([status, expiresAt]).toEqual(['onTrack', '2026-04-02T08:30:00+02:00']);
    expect(await town.receive('07:40', alert())).toBe(1);
    const state = await town.watch('lines/watch', { watchId, lines });
    expect(state).toMatchObject({ status: 'disrupted', events: [{ kind: 'disruption', disruptionId: 'rt:x' }] });
  });

  test.each([
    ['another line', { lines: [{ label: '3' }] }, 0],
    ['another operator', { lines: [{ label: '2', operatorName: 'Anderer' }] }, 0],
    ['its operator', { lines: [{ label: '2', operatorName: 'verkehr' }] }, 1],
    ['a stop elsewhere', { lines, stopIds: ['at:a'] }, 0],
    ['its stop by its station', { lines, stopIds: ['at:s'] }, 1],
  ])('of %s', async (_what, body, expected) => {
    await town.watch('lines/watch', body);
    expect(await town.receive('07:40', alert({ stops: [stopOf('s2')] }))).toBe(expected);
  });
});

describe('a watchId', () => {
  test('of another token, no token, another kind or no watch starts a new watch', async () => {
    const { watchId } = await town.watch('trips/watch', { legs: town.legs() }, 'installation-a');
    const responses = [
      await town.watch('trips/watch', { watchId, legs: town.legs() }, 'installation-b'),
      await town.watch('trips/watch', { watchId, legs: town.legs() }),
      await town.watch('lines/watch', { watchId, lines: [{ label: '2' }] }, 'installation-a'),
      await town.watch('trips/watch', { watchId: 'never-given-out', legs: town.legs() }, 'installation-a'),
    ];
    const ids = responses.map((state) => state.watchId);
    expect(new Set([watchId, ...ids]).size).toBe(5);
    expect((await town.watch('trips/watch', { watchId, legs: town.legs() }, 'installation-a')).watchId).toBe(watchId);
  });

  test('ends a watch once, with its kind and token', async () => {
    const { watchId } = await town.watch('trips/watch', { legs: town.legs() }, 'installation-a');
    const end = async (path: string, token?: string) => (await town.post(path, { watchId }, token)).json();
    expect(await end('trips/unwatch', 'installation-b')).toEqual({ removed: false });
    expect(await end('lines/unwatch', 'installation-a')).toEqual({ removed: false });
    expect(await end('trips/unwatch', 'installation-a')).toEqual({ removed: true });
    expect(await end('trips/unwatch', 'installation-a')).toEqual({ removed: false });
    expect(await town.receive('07:40', { trips: [cancelled('t1')] })).toBe(0);
    expect((await town.watch('trips/watch', { watchId, legs: town.legs() }, 'installation-a')).watchId).not.toBe(
      watchId,
    );
  });
});

describe('a refused request', () => {
  const legs = () => town.legs();
  const push = (over: object, keys = {}) => ({
    legs: legs(),
    delivery: { kind: 'webPush', subscription: { ...subscription, ...over, keys: { ...subscription.keys, ...keys } } },
  });
  const leg = (over: object) => ({ legs: [{ ...legs()[0]!, ...over }] });

  test.each<[string, string, () => object, ProblemCode, string]>([
    ['an unknown reference', 'trips/watch', () => leg({ journeyRef: 'x' }), 'unknown_journey', '/legs/0/journeyRef'],
    [
      'an altered one',
      'rescue/watch',
      () => leg({ journeyRef: `${legs()[0]!.journeyRef.slice(0, -1)}_` }),
      'unknown_journey',
      '/legs/0/journeyRef',
    ],
    [
      'an expired one',
      'trips/watch',
      () => leg({ journeyRef: town.ref('t1', today - 4) }),
      'journey_expired',
      '/legs/0/journeyRef',
    ],
    [
      'a day without the trip',
      'trips/watch',
      () => leg({ journeyRef: town.ref('t1', today + 300) }),
      'journey_expired',
      '/legs/0/journeyRef',
    ],
    [
      'a stop that is nowhere',
      'trips/watch',
      () => leg({ originId: 'at:nowhere' }),
      'unknown_stop',
      '/legs/0/originId',
    ],
    [
      'legs that do not connect',
      'trips/watch',
      () => ({ legs: [legs()[1]!, legs()[0]!] }),
      'invalid_body',
      '/legs/1/originId',
    ],
    ['no legs', 'trips/watch', () => ({ legs: [] }), 'invalid_body', '/legs'],
    ['too many legs', 'rescue/watch', () => ({ legs: Array(9).fill(legs()[0]) }), 'invalid_body', '/legs'],
    ['a member too many', 'trips/watch', () => ({ legs: legs(), to: { stopId: 'at:z' } }), 'invalid_body', '/to'],
    [
      'a destination that is nowhere',
      'rescue/watch',
      () => ({ legs: legs(), to: { stopId: 'at:nowhere' } }),
      'unknown_stop',
      '/to/stopId',
    ],
    [
      'a stop of lines that is nowhere',
      'lines/watch',
      () => ({ lines: [{ label: '2' }], stopIds: ['at:a', 'at:nowhere'] }),
      'unknown_stop',
      '/stopIds/1',
    ],
    ['too many lines', 'lines/watch', () => ({ lines: Array(21).fill({ label: '2' }) }), 'invalid_body', '/lines'],
    ['an end in the past', 'trips/watch', () => ({ legs: legs(), until: at('07:30') }), 'invalid_body', '/until'],
    [
      'an end in a year',
      'lines/watch',
      () => ({ lines: [{ label: '2' }], until: '2027-01-01T00:00:00Z' }),
      'invalid_body',
      '/until',
    ],
    [
      'a push host off the list',
      'trips/watch',
      () => push({ endpoint: 'https://example.com/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'a host that only ends like one',
      'trips/watch',
      () => push({ endpoint: 'https://evilpush.example.org/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'another port',
      'trips/watch',
      () => push({ endpoint: 'https://push.example.org:8443/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'a host behind a user',
      'trips/watch',
      () => push({ endpoint: 'https://push.example.org@example.com/' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'plain http',
      'trips/watch',
      () => push({ endpoint: 'http://push.example.org/a' }),
      'invalid_body',
      '/delivery/subscription/endpoint',
    ],
    [
      'a key off the curve',
      'trips/watch',
      () => push({}, { p256dh: Buffer.alloc(65, 4).toString('base64url') }),
      'invalid_body',
      '/delivery/subscription/keys/p256dh',
    ],
    [
      'a secret that is too short',
      'trips/watch',
      () => push({}, { auth: 'AAAA' }),
      'invalid_body',
      '/delivery/subscription/keys/auth',
    ],
  ])('for %s stores nothing', async (_what, path, body, code, parameter) => {
    const answer = await town.post(path, body());
    expectProblem(answer, code, parameter);
    expect(await town.receive('07:40', { trips: [cancelled('t1'), cancelled('t2')] })).toBe(0);
  });

  test('beyond the quota is 409, but extending a watch is not', async () => {
    town = await Town.open({ ...testWatchSettings, maxPerToken: 1 });
    const { watchId } = await town.watch('trips/watch', { legs: legs() }, 'installation-a');
    expectProblem(await town.post('trips/watch', { legs: legs() }, 'installation-a'), 'watch_limit');
    await town.watch('trips/watch', { watchId, legs: legs() }, 'installation-a');
    await town.watch('trips/watch', { legs: legs() }, 'installation-b');
  });

  test('is 503 without internal details if the store fails', async () => {
    const away = async () => {
      throw new ExternalError('watch_store_failed', 'disk /secret/path is full');
    };
    const world = await openTripTown();
    const watches = serveWatches({ watch: away, unwatch: away }, TEST_KEY);
    const app = await buildApp(serviceOptions(world, { clock: town.clock, watches }));
    onTestFinished(() => app.close());
    for (const [path, payload] of [
      ['lines/watch', { lines: [{ label: '2' }] }],
      ['lines/unwatch', { watchId: 'x' }],
    ] as const) {
      const answer = await app.inject({ method: 'POST', url: `/v2/${path}`, payload });
      expectProblem(answer, 'overloaded');
      expect(answer.body).not.toContain('secret');
    }
    expect((await app.inject('/v2/stops/at:a/departures')).statusCode).toBe(200);
  });
});
