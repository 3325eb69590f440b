import { describe, expect, test } from 'vitest';
import type { TransferOutlook } from '../../../../api/contract/trip-outlook.ts';
import type { Leg, Trip } from '../../../../api/contract/v2-trip.ts';
import { planTripChoice } from '../../../../api/engine/trips/plan-trips.ts';
import { drawTrip } from '../../../../api/site/browser/trips/draw-trip.ts';
import { describeChance } from '../../../../api/site/browser/trips/rescue-words.ts';
import { legNoteTexts } from '../../../../api/site/texts/leg-notes.ts';
import { tripsTexts } from '../../../../api/site/texts/trips.ts';
import { findLegLink, listLegNotes } from '../../../../api/site/view-model/leg-notes.ts';
import { describePlanB, planBSearch } from '../../../../api/site/view-model/plan-b.ts';
import { chooseInk, findContrast } from '../../../../api/site/view-model/readable-ink.ts';
import { describeTransfer } from '../../../../api/site/view-model/transfer-words.ts';
import { markTrips } from '../../../../api/site/view-model/trip-marks.ts';
import { describeTripTitle } from '../../../../api/site/view-model/trip-title.ts';
import { describeVia } from '../../../../api/site/view-model/trip-via.ts';
import {
  countTripMinutes,
  findRideLeg,
  findTripPercent,
  isBroken,
  isUnderWay,
  listTransfers,
  viewLegs,
} from '../../../../api/site/view-model/trip-view.ts';
import {
  describeChanges,
  describeEnd,
  describeWay,
  readCoordinate,
} from '../../../../api/site/view-model/trip-words.ts';
import { emptyState } from '../../../../api/site/view-model/trips-state.ts';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, townTrip } from '../../engine/live-town.ts';
import { buildTripRequest, openTrips } from '../../engine/trips/trip-questions.ts';
import { liveTripTown } from '../../engine/trips/trip-town.ts';

const { change, rescue } = tripsTexts.en;
const mapNames = { carPark: 'P+R', rentedAt: legNoteTexts.en.rentedAt };

describe('texts about a transfer', () => {
  type Risk = Parameters<typeof describeTransfer>[0]['risk'];
  test.each<[Risk, TransferOutlook, string, (string | null)?, (string | null)?]>([
    ['ok', { spareSeconds: 359, sampleSize: 0 }, 'good: 5 minutes to spare'],
    [
      'ok',
      { spareSeconds: 300, probability: 0.97, sampleSize: 340 },
      'good: 5 minutes to spare',
      '97% chance',
      'based on 340 past changes',
    ],
    [
      'tight',
      { spareSeconds: 60, probability: 0.62, sampleSize: 0 },
      'warn: tight: 1 minute to spare',
      '62% chance',
      'from the forecasts of both vehicles',
    ],
    ['tight', { spareSeconds: 119, sampleSize: 0 }, 'warn: tight: 1 minute to spare'],
    ['missed', { spareSeconds: -61, probability: 0.1, sampleSize: 12 }, 'bad: connection missed: 2 minutes too late'],
    ['guaranteed', { spareSeconds: -61, probability: 0.1, sampleSize: 12 }, 'good: the connection waits'],
  ])('%s %o', (risk, outlook, text, number = null, basis = null) => {
    const unknown = { transferSeconds: null, minTransferSeconds: null };
    const words = describeTransfer({ risk, outlook, ...unknown }, change);
    expect([`${words.tone}: ${words.verdict}`, words.number, words.basis]).toEqual([text, number, basis]);
  });
});

test.each([
  ['ok', 479, 300, '7 min to change, 5 recommended'],
  ['tight', 180, 360, '3 min to change, 6 recommended'],
  ['tight', 199, 301, '3 min to change, 6 recommended'],
  ['missed', 60, 300, 'connection missed: 1 minute too late'],
  ['guaranteed', 60, 300, 'the connection waits'],
] as const)('a transfer that is %s, with %i s where %i s are recommended: %4$s', (risk, has, needs, verdict) => {
  const outlook = { spareSeconds: risk === 'missed' ? -60 : has - needs, sampleSize: 0 };
  const transfer = { risk, outlook, transferSeconds: has, minTransferSeconds: needs };
  expect(describeTransfer(transfer, change).verdict).toBe(verdict);
});

describe('marks of trips', () => {
  const trip = (clock: string, transfers: number, cents?: number, legs: object[] = []) =>
    ({
      departure: { scheduled: '2026-03-03T08:00:00+01:00' },
      arrival: { scheduled: `2026-03-03T${clock}:00+01:00` },
      transfers,
      fares: cents === undefined ? [] : [{ amountCents: cents, currency: 'EUR' }],
      legs,
    }) as unknown as Trip;
  const sure = (probability: number) => ({ spareSeconds: 0, sampleSize: 9, probability });

  test('name the best by each criterion', () => {
    const trips = [trip('09:00', 2, 2000), trip('09:30', 1, 1500), trip('10:00', 0, 1500)];
    expect(markTrips(trips, [[sure(0.9), sure(0.9)], [sure(0.95)], []])).toEqual([
      ['fastest'],
      ['cheapest'],
      ['safest', 'fewestTransfers', 'cheapest'],
    ]);
  });

  test('name none where all are equal, alone or unknown', () => {
    const unknown = { spareSeconds: 0, sampleSize: 0 };
    expect(markTrips([trip('09:00', 1), trip('09:00', 1)], [[sure(0.9)], [unknown]])).toEqual([[], []]);
    expect(markTrips([trip('09:00', 1)], [[sure(0.9)]])).toEqual([[]]);
    expect(markTrips([], [])).toEqual([]);
  });

  test('never name a trip that can no longer be made', () => {
    const trips = [trip('08:30', 0, 100, [{ transferRisk: 'missed' }]), trip('09:00', 1, 200), trip('09:10', 1, 300)];
    for (const leg of trips.flatMap(({ legs }) => legs)) Object.assign(leg, { attributes: [], cancellation: {} });
    expect(markTrips(trips, [[], [], []])).toEqual([[], ['fastest', 'cheapest'], []]);
  });
});

test('a trip has a probability with several transfers, if each is known', () => {
  const sure = (probability: number) => ({ spareSeconds: 0, sampleSize: 9, probability });
  const unknown = { spareSeconds: 0, sampleSize: 0 };
  expect(findTripPercent([sure(0.9), sure(0.8)])).toBe(72);
  expect([[], [sure(0.9)], [sure(0.9), unknown]].map(findTripPercent)).toEqual([null, null, null]);
});

describe('the probability of an option', () => {
  const trip = (hasTransfer: boolean) => ({ legs: hasTransfer ? [{ transferRisk: 'ok' }] : [] }) as never;
  test.each([
    [undefined, 0, true, 'none: chance not known', null],
    [1, 0, false, 'good: no change left that could fail', null],
    [1, 0, true, 'good: more than 99% chance', null],
    [0.93, 40, true, 'good: 93% chance', 'based on 40 past changes'],
    [0.6, 1200, true, 'warn: 60% chance', 'based on 1,200 past changes'],
    [0.2, 0, true, 'bad: 20% chance', null],
  ])('%s from %i cases', (probability, sampleSize, hasTransfer, text, basis) => {
    const option = { ...(probability === undefined ? {} : { successProbability: probability }), sampleSize };
    const words = describeChance({ ...option, trip: trip(hasTransfer) }, rescue);
    expect([`${words.tone}: ${words.text}`, words.basis]).toEqual([text, basis]);
  });
});

describe('a trip', () => {
  const planInTown = async (trips: Parameters<typeof reportOf>[1][] = []) => {
    const world = await liveTripTown('08:03', { trips: trips.map((text) => reportOf(townTrip('t1'), text)) });
    const question = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:x' }, { time: at('07:55'), limit: 1 });
    return planTripChoice(openTrips(world, '08:03'), question);
  };
  const late = { calls: [callOf(stopOf('s1'), { arrival: timeOf(at('08:20')), departure: timeOf(at('08:22')) })] };

  test('has its transfer at the leg where the transfer begins', async () => {
    const { trips, outlooks } = await planInTown();
    const views = viewLegs(trips[0]!, outlooks[0]!);
    expect(views.map(({ leg: { mode }, minutes }) => `${mode} ${minutes}`)).toEqual([
      'transit 10',
      'transfer 0',
      'transit 27',
    ]);
    const [transfer] = listTransfers(views);
    expect(transfer).toMatchObject({ risk: 'ok', outlook: outlooks[0]![0], stopName: 'Bahnhof' });
    const { transferSeconds, minTransferSeconds } = transfer!;
    expect(transferSeconds).toBeGreaterThan(0);
    expect(views[1]!.leg.attributes).toEqual(
      expect.arrayContaining([`transferSeconds:${transferSeconds}`, `minTransferSeconds:${minTransferSeconds}`]),
    );
    expect(describeTripTitle(trips[0]!)).toMatch(/^\S.* → .*\S \d\d:\d\d$/);
    expect(views[1]!.transfer).not.toBeNull();
    expect([countTripMinutes(trips[0]!), isBroken(trips[0]!)]).toEqual([45, false]);
  });

  test('is broken by a missed transfer, and a rescue counts its rides', async () => {
    const { trips } = await planInTown([late]);
    const [broken] = trips;
    expect(isBroken(broken!)).toBe(true);
    expect([0, 1, 2, undefined].map((atLeg) => findRideLeg(broken!, atLeg))).toEqual([0, 2, -1, -1]);
  });

  test.each([
    ['06:59', false],
    ['07:00', true],
    ['08:44', true],
    ['08:45', false],
  ])('from 08:00 to 08:45 is under way or about to begin at %s: %s', async (clock, expected) => {
    const { trips } = await planInTown();
    expect(isUnderWay(trips[0]!, at(clock))).toBe(expected);
  });

  test('is drawn in the colours of its lines, with each place labelled once', async () => {
    const { trips } = await planInTown();
    const { lines, places } = drawTrip(trips[0]!, mapNames);
    expect(lines.filter((line) => 'color' in line)).toHaveLength(2);
    expect(places.map(({ name, isEnd }) => [name, isEnd])).toEqual([
      ['Anger', true],
      ['Bahnhof', false],
      ['Hof', true],
    ]);
  });
});

describe('a plan B', () => {
  const clock = (time: string) => ({ scheduled: `2026-03-03T${time}:00+01:00`, isRealtime: false });
  const trip = (line: string | null, departure: string, arrival: string, risk?: string) =>
    ({
      departure: clock(departure),
      arrival: clock(arrival),
      legs: [
        ...(line === null
          ? [{ mode: 'walk' }]
          : [{ mode: 'transit', line: { label: line }, origin: { departure: clock(departure) } }]),
      ].map((leg) => ({
        origin: { cancellation: {} },
        destination: { cancellation: {} },
        attributes: [],
        cancellation: {},
        ...(risk ? { transferRisk: risk } : {}),
        ...leg,
        ...(line === null ? {} : { origin: { departure: clock(departure), cancellation: {} } }),
      })),
    }) as unknown as Trip;
  const planned = parseTimestamp(clock('09:00').scheduled);
  test.each<[string, readonly Trip[], string]>([
    [
      'the first to arrive of those that can be made',
      [trip('S1', '08:30', '09:20'), trip('S2', '08:40', '09:12'), trip('S3', '08:31', '09:05', 'missed')],
      'If you miss it: S2 at 08:40, arriving at 09:12, 12 minutes later',
    ],
    ['a walk', [trip(null, '08:30', '09:01')], 'If you miss it: continue at 08:30, arriving at 09:01, 1 minute later'],
    ['no time lost', [trip('S1', '08:30', '09:00')], 'If you miss it: S1 at 08:30, arriving at 09:00'],
    ['nothing', [], 'If you miss it, there is no later trip to your destination any time soon.'],
  ])('is one sentence: %s', (_what, trips, words) => {
    expect(describePlanB({ trips: [...trips], outlooks: [] }, planned, 'en')).toBe(words);
  });

  test('begins at the transfer, a minute after its vehicle has left', async () => {
    const world = await liveTripTown('08:03', { trips: [] });
    const question = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:x' }, { time: at('07:55'), limit: 1 });
    const { trips, outlooks } = await planTripChoice(openTrips(world, '08:03'), question);
    const views = viewLegs(trips[0]!, outlooks[0]!);
    const state = { ...emptyState, to: { place: 'at:x', name: 'Hof' }, wheelchair: true, mode: 'bike' } as const;
    expect(planBSearch(views, 1, state)).toBeNull();
    const tight = views.map((view) => ({ ...view, transfer: view.transfer && { ...view.transfer, risk: 'tight' } }));
    expect(tight.map((_, i) => planBSearch(tight as typeof views, i, state) !== null)).toEqual([false, true, false]);
    expect(planBSearch(tight as typeof views, 1, state)).toEqual({
      ...emptyState,
      from: { place: 'at:s', name: 'Bahnhof' },
      to: state.to,
      when: { kind: 'departure', localTime: '2026-03-03T08:19' },
      wheelchair: true,
    });
    const via = [
      { place: 'at:k', name: 'Kirche' },
      { place: 'at:z', name: 'Ziel' },
      { place: 'at:k', name: 'Kirche' },
    ];
    expect(planBSearch(tight as typeof views, 1, { ...state, via })!.via).toEqual(via.slice(1));
    expect(planBSearch(tight as typeof views, 1, { ...state, via: via.slice(0, 1) })!.via).toEqual([]);
  });
});

test('a trip names the requested stops in travel order, with their times if it calls there', async () => {
  const world = await liveTripTown('08:03', { trips: [] });
  const question = buildTripRequest({ stopId: 'at:a' }, { stopId: 'at:x' }, { time: at('07:55'), limit: 1 });
  const { trips } = await planTripChoice(openTrips(world, '08:03'), question);
  const [church, station] = [
    { place: 'at:k', name: 'Kirche' },
    { place: 'at:s', name: 'Bahnhof' },
  ];
  const describe = (via: Parameters<typeof describeVia>[1]) => describeVia(trips[0]!, via, 'en');
  expect(describe([])).toBe('');
  expect(describe([church, station])).toBe('via Kirche 08:06, Bahnhof 08:10');
  expect(describe([station, church])).toBe('via Bahnhof 08:10, Kirche');
});

describe('legs by bicycle and car', () => {
  const point = (lat: number) => ({ lat, lon: 16 });
  const place = (name: string) => ({ name, coord: point(name.length) });
  const leg = (mode: Leg['mode'], ...attributes: string[]) =>
    ({
      mode,
      origin: place('Heim'),
      destination: place('Bahnhof'),
      polyline: [point(1), point(2), point(3)],
      distanceMeters: 2640,
      attributes,
    }) as unknown as Leg;

  test.each<[Leg, string, readonly string[]]>([
    [leg('walk'), '9 min on foot, 2.6 km', []],
    [leg('bike', 'parking:station'), '9 min by bicycle, 2.6 km', ['Park it there.']],
    [leg('bike', 'bike:onBoard'), '9 min by bicycle, 2.6 km', ['Take the bicycle on board.']],
    [leg('car', 'car:dropOff'), '9 min by car, 2.6 km', ['Someone drops you off, or take a taxi.']],
    [
      leg('car', 'parking:parkAndRide'),
      '9 min by car, 2.6 km',
      ['Leave the car at the park and ride, a few steps from the stop.'],
    ],
    [leg('car', 'car:straightLine', 'unheard:of'), '9 min by car, 2.6 km', []],
    [
      leg(
        'bike',
        'rental:Stadtrad',
        'availability:3',
        'station:Heim',
        'returnStation:Bahnhof',
        'url:https://r.example',
      ),
      '9 min by bicycle, 2.6 km',
      [
        'Shared bicycle by Stadtrad: rent it at “Heim” (3 bicycles there now), return it at “Bahnhof”. The price does not include the rental.',
      ],
    ],
    [
      leg('bike', 'rental:Stadtrad', 'availability:1'),
      '9 min by bicycle, 2.6 km',
      [
        'Shared bicycle by Stadtrad: it is parked here, park it at your destination. The price does not include the rental.',
      ],
    ],
  ])('are described in words: %#', (one, words, notes) => {
    expect(describeWay({ leg: one, minutes: 9, transfer: null }, 'en')).toBe(words);
    expect(listLegNotes(one, 'en')).toEqual(notes);
  });

  test.each<[Leg, readonly string[], string | undefined]>([
    [
      leg('transit', 'occupancy:standingRoomOnly', 'lift:outOfService'),
      ['Standing room only', 'A lift on this route is out of service.'],
      undefined,
    ],
    [
      leg('transit', 'onDemand:yes', 'bookBy:2026-03-04T17:30:00+01:00', 'phone:0800 123', 'url:https://b.example'),
      ['Runs only if you book it in advance.', 'Book by 17:30.', 'Telephone: 0800 123'],
      'Book online https://b.example',
    ],
    [
      leg('bike', 'rental:Stadtrad', 'url:https://r.example'),
      [expect.any(String)],
      'Rent from Stadtrad https://r.example',
    ],
    [leg('transit', 'url:javascript:alert(1)'), [], undefined],
  ])('have words and links for their attributes: %#', (one, notes, link) => {
    expect(listLegNotes(one, 'en')).toEqual(notes);
    const found = findLegLink(one, 'en');
    expect(found ? `${found.text} ${found.address}` : undefined).toBe(link);
  });

  test('show where a shared bicycle is rented and returned', () => {
    const rented = leg('bike', 'rental:Stadtrad', 'station:Heim');
    const { places } = drawTrip({ legs: [leg('walk'), rented, leg('walk')] } as unknown as Trip, mapNames);
    expect(places.map(({ name }) => name)).toEqual(['Heim', 'Bahnhof', 'Shared bicycle Heim']);
  });

  test('are drawn in the style of their mode, and as a walk from the car park on', () => {
    const draw = (one: Leg) => drawTrip({ legs: [one] } as unknown as Trip, mapNames);
    expect(draw(leg('bike')).lines).toEqual([{ mode: 'bike', points: [point(1), point(2), point(3)] }]);
    const { lines, places } = draw(leg('car', 'parking:parkAndRide'));
    expect(lines).toEqual([
      { mode: 'car', points: [point(1), point(2)] },
      { mode: 'walk', points: [point(2), point(3)] },
    ]);
    expect(places.map(({ name }) => name)).toEqual(['Heim', 'Bahnhof', 'P+R']);
  });

  test('replace the number of transfers in a trip without a ride', () => {
    const way = { legs: [leg('bike')], transfers: 0 } as unknown as Trip;
    expect(describeChanges(way, 'en')).toBe('By bicycle');
    expect(describeChanges({ ...way, legs: [leg('walk'), leg('bike'), leg('walk')] }, 'en')).toBe('By bicycle');
    expect(describeChanges({ ...way, legs: [leg('walk'), leg('transit')] }, 'en')).toBe('no change');
  });

  test('count on-demand rides, which the planner does not', () => {
    const ride = { ...leg('transit'), journeyRef: 'r' };
    const count = (legs: readonly Leg[], transfers: number) =>
      describeChanges({ legs, transfers } as unknown as Trip, 'en');
    expect(count([ride, leg('transit')], 0)).toBe('1 change');
    expect(count([leg('transit'), ride, ride, leg('transit')], 1)).toBe('3 changes');
  });
});

test.each([
  [null, ''],
  [{ place: 'at:s', name: 'Bahnhof' }, 'Bahnhof'],
  [{ place: 'at:s', name: 'at:s' }, 'at:s'],
  [{ place: '48.2082,16.3738', name: '48.2082,16.3738' }, 'Location 48.2082, 16.3738'],
  [{ place: '48.2082,16.3738', name: 'Dom' }, 'Dom'],
])('the end %j is called "%s"', (end, name) => {
  expect(describeEnd(end, 'en')).toBe(name);
});

test.each([
  ['#ffffff', '#000000', '#000000'],
  ['#e20210', '#ffffff', '#ffffff'],
  ['#ffff00', '#ffffff', '#000000'],
  ['#002b5c', undefined, '#ffffff'],
])('text on a line of colour %s, wanted as %s, is %s', (background, wanted, ink) => {
  expect(chooseInk(background, wanted)).toBe(ink);
  expect(findContrast(background, ink)).toBeGreaterThanOrEqual(4.5);
});

test.each([
  ['48.2,-16.3', { lat: 48.2, lon: -16.3 }],
  ['at:48', null],
  ['48.2.1,16.3', null],
  ['.,.', null],
  ['at:48.2,16.3', null],
])('the coordinate of %s is %j', (place, coord) => {
  expect(readCoordinate(place)).toEqual(coord);
});
