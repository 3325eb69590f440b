import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ExpectedCallEvent,
  startTransferEstimates,
} from '../../../../api/engine/predictions/transfer-estimates.ts';
import { openRealtime, withoutPredictions } from '../../../../api/engine/read/realtime.ts';
import type { CallReport } from '../../../../pipeline/model/realtime.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { keyOf } from '../../../../pipeline/snapshots/transfer-model/past-delays.ts';
import type { TransferFacts } from '../../../../pipeline/snapshots/transfer-model/transfer-facts.ts';
import { estimateTransfer, type TransferModel } from '../../../../pipeline/snapshots/transfer-model/transfer-model.ts';
import { writeTransferModel } from '../../../../pipeline/snapshots/transfer-model/transfer-model-bytes.ts';
import { instant, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { makePastModel, makeTransferModel } from '../../../support/worlds/transfer-world.ts';
import { at, townTrip } from '../live-town.ts';
import { openTripTown, presentParts, rideOn, walkFrom } from '../trips/trip-town.ts';

const model = makeTransferModel();
let world: World;
beforeAll(async () => {
  world = await openTripTown();
});

/** Observed calls of the bus `t1` (source `one`) and of the tram `t2` (the source given). */
interface Seen {
  readonly bus?: readonly CallReport[];
  readonly tram?: readonly CallReport[];
  readonly tramSource?: string;
  readonly models?: readonly string[];
  readonly now?: string;
}

const left = (stop: string, clock: string) => callOf(stopOf(stop), { departure: timeOf(at(clock), null, true) });
const arrived = (stop: string, clock: string) => callOf(stopOf(stop), { arrival: timeOf(at(clock), null, true) });

async function openSeen({ bus = [], tram = [], tramSource = 'one', models = ['one'], now = '08:05' }: Seen) {
  const live = await openLiveWorld(world, ['one', 'two']);
  if (bus.length > 0) live.report('one', at(now), { trips: [reportOf(townTrip('t1'), { calls: bus })] }, 'bus');
  if (tram.length > 0) live.report(tramSource, at(now), { trips: [reportOf(townTrip('t2'), { calls: tram })] }, 'tram');
  live.forecast([], new Map(models.map((id) => [id, writeTransferModel(model)])));
  return live.at(at(now));
}

const placeOf = (tripId: string, position: number) => {
  const { trip, day } = rideOn(world, tripId, [0, 1]);
  return { trip, day, position };
};
/** The bus arrives at 08:10, the tram leaves at 08:18. */
const bus = (over: Partial<ExpectedCallEvent> = {}): ExpectedCallEvent => ({
  scheduled: instant(at('08:10')),
  expected: instant(at('08:10')),
  delay: null,
  at: placeOf('t1', 2),
  ...over,
});
const tram = (over: Partial<ExpectedCallEvent> = {}): ExpectedCallEvent => ({
  scheduled: instant(at('08:18')),
  expected: instant(at('08:18')),
  delay: null,
  at: placeOf('t2', 0),
  ...over,
});
const estimateIn = (live: World, now = '08:05') => startTransferEstimates(live, instant(at(now)));

const facts: TransferFacts = {
  plannedSeconds: 480,
  neededSeconds: 180,
  secondsToArrival: 300,
  hour: 8,
  dwellSeconds: null,
  arrival: { forecast: null, observed: { delaySeconds: 120, ageSeconds: 180 }, overdueSeconds: 0 },
  departure: { forecast: null, observed: null, overdueSeconds: 0 },
};
const lateBus = [left('a', '08:02')];
const forecast = { low: 100, median: 130, high: 240 };

describe('the learnt probability of a transfer', () => {
  it.each<[string, Seen, Partial<ExpectedCallEvent>, Partial<TransferFacts>]>([
    ['from observations', { bus: lateBus }, {}, {}],
    [
      'with the forecast of the bus',
      { bus: lateBus },
      { delay: forecast },
      { arrival: { ...facts.arrival, forecast } },
    ],
    [
      'from a bus that is on time, though nothing of it was observed',
      { bus: [callOf(stopOf('s1'), { arrival: timeOf(at('08:10')) })] },
      {},
      { arrival: { forecast: null, observed: { delaySeconds: 0, ageSeconds: 0 }, overdueSeconds: 0 } },
    ],
    [
      'from a bus that was to leave five minutes ago and is forecast two minutes late',
      { bus: [callOf(stopOf('s1'), { arrival: timeOf(at('08:12')) })] },
      { expected: instant(at('08:12')) },
      { arrival: { forecast: null, observed: { delaySeconds: 120, ageSeconds: 0 }, overdueSeconds: 120 } },
    ],
    [
      'from an overdue bus',
      { bus: lateBus, now: '08:08' },
      {},
      {
        secondsToArrival: 120,
        arrival: { forecast: null, observed: { delaySeconds: 120, ageSeconds: 360 }, overdueSeconds: 120 },
      },
    ],
    [
      'from a bus that has arrived, whatever was forecast',
      { bus: [...lateBus, arrived('s1', '08:11')], now: '08:12' },
      { delay: forecast },
      {
        secondsToArrival: -120,
        arrival: {
          forecast: { low: 60, median: 60, high: 60 },
          observed: { delaySeconds: 60, ageSeconds: 60 },
          overdueSeconds: 0,
        },
      },
    ],
    [
      'from a tram that has not left',
      { bus: lateBus, now: '08:19' },
      {},
      {
        secondsToArrival: -540,
        arrival: { forecast: null, observed: { delaySeconds: 120, ageSeconds: 1020 }, overdueSeconds: 780 },
        departure: { forecast: null, observed: null, overdueSeconds: 60 },
      },
    ],
  ])('%s', async (_what, seen, of, over) => {
    const estimate = estimateIn(await openSeen(seen), seen.now);
    const expected = estimateTransfer(model, { ...facts, ...over });
    expect(expected!.sampleSize).toBeGreaterThan(0);
    expect(estimate(bus(of), tram(), 180)).toEqual(expected);
  });

  it.each<[string, number, TransferFacts['departure']]>([
    [
      'a published delay, like an observed one',
      600,
      { ...facts.departure, observed: { delaySeconds: 600, ageSeconds: 0 } },
    ],
    ['an early departure', -120, { ...facts.departure, observed: { delaySeconds: -120, ageSeconds: 0 } }],
    ['no delay of less than a minute, which may repeat the plan', 59, facts.departure],
  ])('uses for a tram that was never observed %s', async (_what, delaySeconds, departure) => {
    const estimate = estimateIn(await openSeen({ bus: lateBus }));
    const reported = tram({ expected: (instant(at('08:18')) + delaySeconds) as Instant });
    const expected = estimateTransfer(model, { ...facts, departure });
    expect(estimate(bus(), reported, 180)).toEqual(expected);
    expect(expected!.from).toBe(departure.observed ? 'live' : 'history');
  });

  it('follows what was observed of a tram, not what is published', async () => {
    const seen = await openSeen({ bus: lateBus, tram: [left('s2', '08:09')], now: '08:10' });
    const estimate = estimateIn(seen, '08:10');
    const reported = tram({ expected: instant(at('08:40')) });
    expect(estimate(bus(), reported, 180)).toEqual(estimate(bus(), tram(), 180));
  });

  it('includes the duration of the transfer', async () => {
    const estimate = estimateIn(await openSeen({ bus: lateBus }));
    const chances = [0, 180, 360, 480, 900].map((seconds) => estimate(bus(), tram(), seconds)!.probability);
    expect(chances).toEqual(chances.toSorted((a, b) => b - a));
    expect(chances[0]).toBeGreaterThan(chances.at(-1)!);
  });
});

describe('the probability from past days', () => {
  /** A source whose history contains the lines of the network, with these delays. */
  const withPast = (
    quantiles: readonly [number, number, number],
    lines = ['r1', 'r2'],
    learnt = model,
  ): TransferModel => {
    const cell = (value: number) => new Int16Array(lines.length).fill(value);
    const names = lines.flatMap((_, route) => [false, true].map((isDeparture) => keyOf(route, -1, isDeparture, 0)));
    const double = (value: number) => Int16Array.from([...cell(value), ...cell(value)]);
    const [low, median, high] = quantiles.map(double) as [Int16Array, Int16Array, Int16Array];
    const delays = { station: new Int32Array(), keys: Float64Array.from(names), low, median, high };
    return { ...learnt, past: { delays, routes: lines, stops: [] } };
  };
  const estimateWith = async (past: TransferModel, seen: Seen = {}) => {
    const live = await openLiveWorld(world, ['one', 'two']);
    if (seen.bus) live.report('one', at('08:05'), { trips: [reportOf(townTrip('t1'), { calls: seen.bus })] }, 'bus');
    live.forecast([], new Map([['two', writeTransferModel(past)]]));
    return startTransferEstimates(await live.at(at('08:05')), instant(at('08:05')))(bus(), tram(), 33);
  };
  const punctual = [-30, 0, 60] as const;
  const late = [300, 600, 900] as const;

  it('is present if neither vehicle was observed', async () => {
    const estimate = await estimateWith(withPast(punctual));
    expect(estimate).toMatchObject({ from: 'history' });
    expect(estimate!.sampleSize).toBeGreaterThan(0);
  });

  it('is higher for a line that is seldom late', async () => {
    const learnt = makePastModel();
    const often = await estimateWith(withPast(late, ['r1'], learnt));
    const seldom = await estimateWith(withPast(punctual, ['r1'], learnt));
    expect(often!.probability).toBeLessThan(seldom!.probability - 0.2);
  });

  it('is that of the same minute by the clock', async () => {
    const learnt = makePastModel();
    const { patterns, patternCalls, stops, trips } = world.timetable.tables;
    const firstCall = patterns.firstCall[trips.pattern[placeOf('t1', 2).trip]!]!;
    const stopOfBus = stops.stopId.get(patternCalls.stop[firstCall + 2]!);
    const minuteOf = (clock: string) => 9 + 60 * Number(clock.slice(0, 2)) + Number(clock.slice(3));
    const ofMinute = (clock: string): TransferModel => {
      const named = withPast(late, ['r1'], learnt);
      const keys = Float64Array.of(keyOf(0, 0, false, minuteOf(clock)));
      const cell = (value: number) => Int16Array.of(value);
      const delays = { station: Int32Array.of(0), keys, low: cell(300), median: cell(600), high: cell(900) };
      return { ...named, past: { delays, routes: ['r1'], stops: [stopOfBus] } };
    };
    expect(await estimateWith(ofMinute('08:10'))).toMatchObject({ from: 'history' });
    expect(await estimateWith(ofMinute('07:10'))).toBeNull();
  });

  it('is absent if the history contains neither line', async () => {
    expect(await estimateWith(withPast(punctual, ['other']))).toBeNull();
  });
});

it('is live only if both vehicles were observed', async () => {
  const estimate = estimateIn(await openSeen({ bus: lateBus, tram: [left('s2', '08:09')], now: '08:10' }), '08:10');
  expect(estimate(bus(), tram(), 33)).toMatchObject({ from: 'live' });
  expect(estimateIn(await openSeen({ bus: lateBus }))(bus(), tram(), 33)).toMatchObject({ from: 'history' });
});

describe('the leg of a transfer', () => {
  const findAttributes = async (seen: Seen) => {
    const parts = [
      rideOn(world, 't1', [0, 2]),
      walkFrom(world, 'transfer', ['s1', 's2'], { meters: 43, seconds: 33, transferSeconds: 180 }),
      rideOn(world, 't2', [0, 1]),
    ];
    const { legs } = await presentParts(await openSeen(seen), parts, { now: seen.now ?? '08:05' });
    return legs.find(({ mode }) => mode === 'transfer')!.attributes.filter((one) => one !== 'walk:straightLine');
  };

  it.each<[string, Seen, string[]]>([
    ['both vehicles were observed', { bus: lateBus, tram: [left('s2', '08:09')], now: '08:10' }, ['live']],
    ['one of them was observed', { bus: lateBus }, ['history']],
    ['there is no model', { bus: lateBus, models: [] }, []],
  ])('has the times, and the source of its probability: %s', async (_what, seen, sources) => {
    const [transferSeconds, ...others] = await findAttributes(seen);
    expect(transferSeconds).toMatch(/^transferSeconds:-?\d+$/);
    expect(others).toEqual([
      'minTransferSeconds:180',
      'walkSeconds:33',
      ...sources.map((source) => `probabilityFrom:${source}`),
    ]);
  });
});

describe('without a model for both vehicles', () => {
  const independent = { probability: 1, sampleSize: 0, from: 'live' };
  const early = { delay: { low: 0, median: 10, high: 20 } };

  it.each<[string, Seen, Partial<ExpectedCallEvent>]>([
    ['of no source', { bus: lateBus, models: [] }, {}],
    ['of the source of the bus', { bus: lateBus, models: ['two'] }, {}],
    ['of two sources', { bus: lateBus, tram: [left('s2', '08:09')], tramSource: 'two', now: '08:09' }, {}],
    ['of a trip outside the timetable', { bus: lateBus }, { at: null }],
    ['of unobserved vehicles', {}, {}],
  ])('treats the forecasts as independent: %s', async (_case, seen, of) => {
    const estimate = estimateIn(await openSeen(seen), seen.now);
    expect(estimate(bus(early), tram(of), 180)).toEqual(independent);
    expect(estimate(bus(), tram(of), 180)).toBeNull();
  });

  it('is absent while predictions are paused', async () => {
    const live = await openSeen({ bus: lateBus });
    const realtime = openRealtime(withoutPredictions(live.realtime!), null);
    expect(estimateIn({ ...live, realtime })(bus(), tram(), 180)).toBeNull();
    expect(estimateIn(live)(bus(), tram(), 180)).not.toBeNull();
  });
});
