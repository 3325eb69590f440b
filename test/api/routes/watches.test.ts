import { beforeEach, describe, expect, test } from 'vitest';
import { ApiProblem } from '../../../api/contract/problems.ts';
import { createReferences } from '../../../api/engine/read/references.ts';
import { emitOptions, type FindOptions } from '../../../api/watches/service/emit-options.ts';
import type { TripReport } from '../../../pipeline/model/realtime.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { TEST_KEY } from '../../support/worlds/board-world.ts';
import { alertOf, callOf, reportOf, stopOf, timeOf } from '../../support/worlds/live-reports.ts';
import { at, townTrip } from '../engine/live-town.ts';
import { testPlanning } from '../service-app.ts';
import { bus, cancelled, kindsOf, subscription, Town } from './watched-town.ts';

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

  test('that leaves early is pushed urgently', async () => {
    const delivery = { kind: 'webPush', subscription };
    await town.watch('trips/watch', { legs: [ride('t1', 'a', 'z')], delivery });
    await town.receive('07:40', { trips: [late('t1', 'a', '07:57')] });
    const [push] = await town.watches.claim((town.clock.nowMilliseconds() / 1000) as never, 10);
    expect(push).toMatchObject({ urgency: 'high' });
    expect(JSON.parse(push!.payload).event).toMatchObject({ kind: 'delay', delayMinutes: -3 });
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

/** The options function of the service. */
const findOptions: FindOptions = async (body) => {
  const now = (town.clock.nowMilliseconds() / 1000) as Instant;
  const held = { value: town.published, dataVersion: 'v' };
  const bytes = await testPlanning(createReferences(TEST_KEY)).answer({ kind: 'rescue', body }, held, now);
  return JSON.parse(new TextDecoder().decode(bytes));
};

describe('a rescue watch', () => {
  const legs = () => [
    { journeyRef: town.ref('t1'), originId: 'at:a', destinationId: 'at:s1' },
    { journeyRef: town.ref('t2'), originId: 'at:s2', destinationId: 'at:z' },
  ];
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

describe.each([
  ['de', 'Es gibt', 'Neue Meldung: Aufzug steht', 'fällt aus.'],
  ['en', 'There ', 'New alert: Aufzug steht', 'is cancelled.'],
])('a watch in the language %s', (language, option, alert, cancellation) => {
  const report = {
    trips: [bus('08:30'), cancelled('t2')],
    alerts: [
      alertOf('x', {
        lines: [{ label: '2', routeId: null, agencyId: null, operatorName: null, region: null }],
        title: 'Aufzug steht',
      }),
    ],
  };
  const textsOf = async (path: string, body: object) => {
    const { watchId } = await town.watch(path, { ...body, language });
    await town.receive('08:05', report);
    await emitOptions(town.watches, findOptions);
    return (await town.watch(path, { ...body, language, watchId })).events.map(({ text }) => text);
  };

  test.each([
    ['trips/watch', () => ({ legs: town.legs() }), [cancellation, alert]],
    ['rescue/watch', () => ({ legs: town.legs() }), [cancellation, alert, option]],
    ['lines/watch', () => ({ lines: [{ label: '2' }] }), [alert]],
  ])('has its texts in it: %s', async (path, body, expected) => {
    const texts = (await textsOf(path, body())).join('\n');
    for (const text of expected) expect(texts).toContain(text);
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

  test('report their departures in a window on weekdays, with the journey of the day', async () => {
    const repeat = { weekdays: ['tuesday'], from: '07:55', to: '08:05' };
    const body = { lines: [{ label: '1' }], stopIds: ['at:a'], repeat, minDelayMinutes: 3, language: 'en' };
    const { watchId, status } = await town.watch('lines/watch', body);
    expect(status).toBe('unknown');
    const late = { calls: [callOf(stopOf('a'), { departure: timeOf(at('08:04')) })] };
    expect(await town.receive('07:40', { trips: [reportOf(townTrip('t1'), late)] })).toBe(1);
    const state = await town.watch('lines/watch', { watchId, ...body });
    expect(state).toMatchObject({
      status: 'delayed',
      events: [{ kind: 'delay', delayMinutes: 4, journeyRef: town.ref('t1') }],
    });
    expect(state.events[0]!.text).toBe('1 to Ziel leaves 4 minutes late: from Anger at 08:04 instead of 08:00.');
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
