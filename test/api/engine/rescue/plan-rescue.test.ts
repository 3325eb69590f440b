import { expect, test } from 'vitest';
import type { RescueRequest, RescueResult } from '../../../../api/contract/definitions.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { clockOf, openWorld } from '../../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { predictionOf, type Quantiles } from '../../../support/worlds/trip-predictions.ts';
import { at, DAY } from '../live-town.ts';
import { describeLegs, liveTripTown, openTripTown, tripTown } from '../trips/trip-town.ts';
import { bus, busAndTram, cancelled, describeOption, fetchRescue, type RequestedLeg } from './fetch-rescue.ts';
import { arrives } from './play-scene.ts';

const toTheCourt: readonly RequestedLeg[] = [
  ['t1', 'a', 's1'],
  ['x1', 's2', 'x'],
];

interface Case {
  readonly trips: readonly TripReport[];
  readonly now: string;
  readonly legs: readonly RequestedLeg[];
  readonly request?: Partial<RescueRequest>;
  readonly state: [RescueResult['state'], number?];
  /** The first line of each option. */
  readonly options: readonly string[];
}

const nearStation = { lat: 48.0405, lon: 16.0405 };

test.each<[string, Case]>([
  [
    'a missed transfer: the traveller arrives by staying on the bus',
    {
      trips: [bus('08:20')],
      now: '08:03',
      legs: busAndTram,
      state: ['missed', 1],
      options: ['exitEarlier +2 100 % by 08:42'],
    },
  ],
  [
    'a missed transfer: only the next train leads there, with an unknown transfer probability',
    { trips: [bus('08:20')], now: '08:03', legs: toTheCourt, state: ['missed', 1], options: ['next +60 ? by 08:20'] },
  ],
  [
    'a missed transfer: the traveller is already at the stop, so the next train is certain',
    {
      trips: [bus('08:20')],
      now: '08:25',
      legs: toTheCourt,
      state: ['missed', 1],
      options: ['next +60 100 % by 09:17:27'],
    },
  ],
  [
    'a tight transfer',
    {
      trips: [bus('08:16')],
      now: '08:03',
      legs: toTheCourt,
      state: ['atRisk', 1],
      options: ['wait +0 ? by 08:16', 'next +60 ? by 09:18'],
    },
  ],
  [
    'a train that does not run',
    {
      trips: [bus('08:10'), cancelled('x1')],
      now: '08:03',
      legs: toTheCourt,
      state: ['cancelled', 1],
      options: ['next +60 ? by 08:10'],
    },
  ],
  [
    'the first bus does not run: the one of the next day',
    {
      trips: [cancelled('t1')],
      now: '07:50',
      legs: busAndTram,
      state: ['cancelled', 0],
      options: ['next +1430 100 % by 08:00'],
    },
  ],
  [
    'a traveller away from the bus: starts at the position, on foot',
    {
      trips: [bus('08:10')],
      now: '08:03',
      legs: busAndTram,
      request: { position: nearStation },
      state: ['missed', 0],
      options: ['reroute +0 100 % by 08:17:17', 'reroute +42 100 % by 08:59:17'],
    },
  ],
  [
    'returns at most the requested number of options, the best first',
    {
      trips: [bus('08:10')],
      now: '08:03',
      legs: busAndTram,
      request: { position: nearStation, limit: 1 },
      state: ['missed', 0],
      options: ['reroute +0 100 % by 08:17:17'],
    },
  ],
  [
    'a destination off the line: on foot from the last stop of the bus',
    {
      trips: [bus('08:20')],
      now: '08:03',
      legs: busAndTram,
      request: { to: { coord: { lat: 48.031, lon: 16.062 } } },
      state: ['missed', 1],
      // The plan, too, ends with that walk.
      options: ['walk +2 100 % by 08:42'],
    },
  ],
  [
    'a destination nearby: on foot immediately',
    {
      trips: [bus('08:20')],
      now: '08:21',
      legs: busAndTram,
      request: { to: { stopId: 'at:h' } },
      state: ['missed', 1],
      options: ['walk -11 100 % by 08:21'],
    },
  ],
  [
    'the tram is not reported: the plan, and what follows',
    {
      trips: [bus('08:12')],
      now: '08:13',
      legs: busAndTram,
      state: ['unknown'],
      options: ['wait +0 100 % by 08:17:27', 'next +42 100 % by 08:59:27'],
    },
  ],
  [
    'a traveller who has arrived needs no options',
    { trips: [], now: '08:50', legs: busAndTram, state: ['onTrack', 1], options: [] },
  ],
])('%s', async (_what, { trips, now, legs, request, state, options }) => {
  const result = await fetchRescue(await liveTripTown('08:01', { trips: [...trips] }), now, legs, request);
  expect([result.state, result.atLeg]).toEqual([state[0], state[1]]);
  expect(result.options.map(describeOption)).toEqual(options);
});

test('an option starts on the vehicle that the traveller is on, with its live times', async () => {
  const world = await liveTripTown('08:01', { trips: [bus('08:20')] });
  const { options } = await fetchRescue(world, '08:07', toTheCourt);
  expect(describeLegs(options[0]!.trip)).toEqual([
    'transit 1: Kirche 08:06 - Bahnhof 1 08:10+08:20 (wheelchair:yes)',
    'transfer: Bahnhof 1 08:10+08:20 - Bahnhof 2 08:10:33+08:20:33 (43 m, ok, walk:straightLine)',
    'wait: Bahnhof 2 08:10:33+08:20:33 - Bahnhof 2 09:18',
    'transit S5: Bahnhof 2 09:18 - Hof 09:45',
  ]);
  expect(options[0]!.sampleSize).toBe(0);
});

/** The bus to the station must be booked an hour ahead, for boarding and for alighting. */
const townWithBookedBus = tripTown
  .replace('stop_headsign,pickup_type,drop_off_type', '$&,pickup_booking_rule_id,drop_off_booking_rule_id')
  .replace(/^( *t1,a,.*),,$/m, '$1,2,1,hour,')
  .replace(/^( *t1,k,.*),,$/m, '$1,2,2,hour,hour')
  .replace(/^( *t1,s1,.*),,$/m, '$1,2,2,hour,hour')
  .replace(/^( *t1,z,.*),,$/m, '$1,1,2,,hour')
  .replace(
    '  # shapes.txt',
    '  # booking_rules.txt\n  booking_rule_id,booking_type,prior_notice_duration_min\n  hour,1,60\n$&',
  );

test.each<[string, readonly RequestedLeg[], string, string]>([
  ['by staying on it', busAndTram, '08:03', 'exitEarlier +2 100 % by 08:42'],
  ['with the next train', toTheCourt, '08:03', 'next +60 ? by 08:20'],
  ['boarding it', toTheCourt, '07:50', 'next +60 ? by 08:00'],
])('a traveller has booked the bus of the plan, and goes on %s', async (_what, legs, now, expected) => {
  const live = await openLiveWorld(await openWorld(townWithBookedBus));
  live.report('rt', at('08:01'), { trips: [bus('08:20')] });
  const { options } = await fetchRescue(live.at(at('08:01')), now, legs);
  expect(options.map(describeOption)).toContain(expected);
});

test.each([false, true])(
  'a transfer to a vehicle without forecast has no probability, whatever the other one: %s',
  async (isForecast) => {
    const live = await openLiveWorld(await openTripTown());
    live.report('rt', at('08:01'), { trips: [bus('08:10')] });
    const onTime = [-30, 0, 60] as const;
    const forecast = predictionOf('t1', { day: DAY, observedAt: at('08:01') }, [onTime, onTime, onTime]);
    live.forecast(isForecast ? [forecast] : []);
    const { options } = await fetchRescue(live.at(at('08:01')), '08:03', busAndTram);
    const wait = options.find(({ kind }) => kind === 'wait')!;
    expect(wait.sampleSize).toBe(0);
    expect(wait).not.toHaveProperty('successProbability');
  },
);

/** The train from the court meets the bus at the station, where the bus waits for two minutes. */
const trainAndBus: readonly RequestedLeg[] = [
  ['y1', 'x', 's2'],
  ['t1', 's1', 'z'],
];
const townWithTrainToBus = tripTown
  .replace('  x1,r5,daily', '  y1,r5,daily,,,,,,\n  x1,r5,daily')
  .replace('  # shapes.txt', '  y1,x,1,07:40:00,07:40:00,,,\n  y1,s2,2,08:05:00,08:05:00,,,\n  # shapes.txt');

test.each([60, 300, 380, 387, 400, 500, 700])(
  'state, risk and option read the same estimate: p90 of the train is %i s late',
  async (high) => {
    const live = await openLiveWorld(await openWorld(townWithTrainToBus));
    live.report('rt', at('08:01'), { trips: [bus('08:10')] });
    const [ofTrain, ofBus] = [[0, 30, high] as const, [0, 0, 0] as const];
    const day = { day: DAY, observedAt: at('08:01') };
    live.forecast([predictionOf('y1', day, [ofTrain]), predictionOf('t1', day, [ofBus, ofBus, ofBus])]);
    const { state, options } = await fetchRescue(live.at(at('08:01')), '08:01', trainAndBus);
    const { successProbability, trip } = options.find(({ kind }) => kind === 'wait')!;
    const { transferRisk } = trip.legs.find(({ mode }) => mode === 'transfer')!;
    expect(successProbability).toBeDefined();
    const isLikely = successProbability! >= 0.9;
    expect([state, transferRisk]).toEqual(isLikely ? ['onTrack', 'ok'] : ['atRisk', 'tight']);
    expect(isLikely).toBe(high <= 387);
  },
);

/** Buses of the line to the station that have run, and a second train to the court soon after the first one. */
const earlierBuses = ['07:20', '07:25', '07:30', '07:35', '07:40', '07:45'];
const townWithRecentBuses = tripTown
  .replace(
    '  x1,r5,daily',
    `  ${earlierBuses.map((_, i) => `u${i},r1,daily`).join('\n  ')}\n  xb,r5,daily\n  x1,r5,daily`,
  )
  .replace(
    '  # shapes.txt',
    `  ${earlierBuses
      .flatMap((clock, i) => [
        `u${i},a,1,${clock}:00,${clock}:00`,
        `u${i},s1,2,07:${30 + 5 * i}:00,07:${30 + 5 * i}:00`,
      ])
      .join('\n  ')}
  xb,s2,1,08:32:00,08:32:00
  xb,x,2,08:59:00,08:59:00
  # shapes.txt`,
  );
const clockAfter = (minutes: number) => `0${7 + Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
/** The last train, and one that does not run. */
const cancelledPlan: readonly RequestedLeg[] = [
  ['t1', 'a', 's1'],
  ['x2', 's2', 'x'],
];

test.each<[string, { forecast?: Quantiles; recentMinutes?: number; trains: string[] }]>([
  ['nothing is known: the first train', { trains: ['08:18', '08:32'] }],
  ['only the bus is predicted, late: the second train', { forecast: [300, 600, 900], trains: ['08:32', '08:18'] }],
  ['only the bus is predicted, on time: only the first train', { forecast: [-30, 0, 60], trains: ['08:18'] }],
  ['recent buses of the line were late: the second train', { recentMinutes: 10, trains: ['08:32', '08:18'] }],
  ['recent buses of the line were on time: only the first train', { recentMinutes: 0, trains: ['08:18'] }],
])(
  'options are ranked by the estimate that decides state and risk: %s',
  async (_what, { forecast, recentMinutes, trains }) => {
    const live = await openLiveWorld(await openWorld(townWithRecentBuses));
    const recent = earlierBuses.map((_, i) => arrives(`u${i}`, 's1', clockAfter(30 + 5 * i + (recentMinutes ?? 0))));
    const trips = [cancelled('x2'), ...(recentMinutes === undefined ? [] : recent)];
    live.report('rt', at('08:01'), { trips: [...trips, ...(forecast ? [bus('08:10')] : [])] });
    const day = { day: DAY, observedAt: at('08:01') };
    live.forecast(forecast ? [predictionOf('t1', day, [[0, 0, 0], forecast, [0, 0, 0]])] : []);
    const world = live.at(at('08:01'));
    const { options } = await fetchRescue(world, '07:50', cancelledPlan);
    const found = options.map(({ trip }) => clockOf(trip.legs.at(-1)!.origin.departure!.scheduled!));
    expect(found).toEqual(trains);
    for (const option of options) expect(option).not.toHaveProperty('successProbability');
    const toFirstTrain = options[found.indexOf('08:18')]!.trip.legs.find(({ mode }) => mode === 'transfer')!;
    expect(toFirstTrain.transferRisk).toBe(trains[0] === '08:18' ? 'ok' : 'tight');
    const { state } = await fetchRescue(world, '07:50', toTheCourt);
    expect(state === 'atRisk').toBe(trains[0] === '08:32');
  },
);

test('options found before the time is used up are returned, the plan first', async () => {
  const world = await liveTripTown('08:01', { trips: [bus('08:16')] });
  const all = await fetchRescue(world, '08:03', toTheCourt);
  const seen = new Set<number>();
  for (let checks = 0; checks < 40; checks++) {
    let left = checks;
    const { state, options } = await fetchRescue(world, '08:03', toTheCourt, {}, { isSpent: () => left-- <= 0 });
    expect([state, options[0]!.kind]).toEqual(['atRisk', 'wait']);
    seen.add(options.length);
  }
  expect([...seen]).toEqual([1, all.options.length]);
});

test.each<[string, Partial<RescueRequest>, string, string]>([
  ['an unknown destination', { to: { stopId: 'at:nowhere' } }, 'unknown_stop', '/to/stopId'],
  ['a time outside the timetable', { time: '2027-03-03T08:00:00+01:00' }, 'timetable_out_of_range', '/time'],
])('rejects %s', async (_what, request, code, parameter) => {
  const world = await liveTripTown('08:01', {});
  await expect(fetchRescue(world, '08:03', busAndTram, request)).rejects.toEqual(
    expect.objectContaining({ code, parameter }),
  );
});
