import { beforeAll, describe, expect, test } from 'vitest';
import type { Place, TripRequest, TripResult } from '../../../../api/contract/definitions.ts';
import { listLegRefs } from '../../../../api/contract/leg-refs.ts';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { followTrip } from '../../../../api/engine/rescue/follow-trip.ts';
import { openSharing } from '../../../../api/engine/sharing/open-sharing.ts';
import { openPlaces } from '../../../../api/engine/trips/places.ts';
import { planTrips, type TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import type { SharingReport } from '../../../../pipeline/model/sharing.ts';
import type { WalkRouter } from '../../../../pipeline/streets/walk-router.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { findRefusal, instant, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { openSharedStock, STOCK_SECONDS } from '../../../support/worlds/shared-stock.ts';
import { at } from '../live-town.ts';
import { openStreets } from './straight-streets.ts';
import { describeLegs, tripTown } from './trip-town.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(tripTown);
});

const NOW = instant(at('07:59'));
const hill: Place = { coord: { lat: 48.04, lon: 16.0131 }, name: 'Hügel' };
const meadow: Place = { coord: { lat: 48.08, lon: 16.125 }, name: 'Wiese' };
const court: Place = { stopId: 'at:x' };
const { walks, requests } = openStreets(['bike']);

interface Stock {
  readonly lat: number;
  readonly lon: number;
  readonly bikes: number;
  readonly docks: number;
}

/** At the foot of the hill, at the station, at the court and near the meadow. */
const usual: Readonly<Record<string, Stock>> = {
  fuss: { lat: 48.0405, lon: 16.0135, bikes: 4, docks: 0 },
  bahnhof: { lat: 48.0405, lon: 16.0405, bikes: 0, docks: 6 },
  hof: { lat: 48.0803, lon: 16.1003, bikes: 2, docks: 0 },
  wiese: { lat: 48.0802, lon: 16.1247, bikes: 0, docks: 1 },
};

function listReports(stock: Readonly<Record<string, Stock>>): SharingReport[] {
  return [
    { kind: 'system', name: 'Stadtrad', url: 'https://rad.example.org' },
    {
      kind: 'stations',
      stations: Object.entries(stock).map(([id, { lat, lon }]) => {
        const rentalUrl = id === 'fuss' ? 'https://rad.example.org/fuss' : null;
        return { id, name: `Rad ${id}`, lat, lon, capacity: null, rentalUrl };
      }),
    },
    {
      kind: 'stationStatus',
      statuses: Object.entries(stock).map(([stationId, { bikes, docks }]) => ({
        stationId,
        vehicles: [{ typeIds: null, count: bikes }],
        docks: [{ typeIds: null, count: docks }],
        isRenting: true,
        isReturning: true,
      })),
    },
  ];
}

type Systems = Readonly<Record<string, readonly SharingReport[]>>;

function openContext(systems: Systems, now = NOW, streets: WalkRouter | null = walks): TripsContext {
  const { timetable, references } = world;
  const realtime = Object.keys(systems).length === 0 ? null : openSharedStock(systems, NOW);
  const published = { timetable, realtime };
  const [planner, places] = [openPlanner(timetable), openPlaces(timetable)];
  return { published, planner, places, references, instant: now, walks: streets, isSpent: () => false };
}

async function plan(body: Partial<TripRequest>, systems: Systems, now = NOW): Promise<TripResult> {
  const result = await planTrips(openContext(systems, now), {
    from: hill,
    to: court,
    time: at('08:00'),
    timeMode: 'departure',
    limit: 1,
    walkSpeedKmh: 4.7,
    maxWalkMeters: 1500,
    wheelchair: false,
    ...body,
  });
  await expectValidAnswer('TripResult', result);
  return result;
}

async function first(body: Partial<TripRequest>, stock: Readonly<Record<string, Stock>> = usual, now = NOW) {
  const { trips } = await plan(body, { radl: listReports(stock) }, now);
  return trips[0] && describeLegs(trips[0]);
}

const access: Partial<TripRequest> = { access: { modes: ['sharedBike'] } };
const egress: Partial<TripRequest> = { from: { stopId: 'at:s' }, to: meadow, egress: { modes: ['sharedBike'] } };

describe('a shared bicycle to the first vehicle', () => {
  test('is a walk to the bicycle, a ride, and a walk to the station', async () => {
    const access: Partial<TripRequest> = { access: { modes: ['walk', 'sharedBike'] } };
    expect(await first(access)).toEqual([
      'walk: Hügel 08:04:02 - Rad fuss 08:05:05 (82 m, walk:straightLine)',
      // A minute each for renting and returning.
      'bike: Rad fuss 08:05:05 - Rad bahnhof 08:16:53 (2610 m, rental:Stadtrad, availability:4, station:Rad fuss, returnStation:Rad bahnhof, url:https://rad.example.org/fuss)',
      'walk: Rad bahnhof 08:16:53 - Bahnhof 2 08:18 (87 m, walk:straightLine)',
      'transit S5: Bahnhof 2 08:18 - Hof 08:45',
    ]);
  });

  test.each<[reason: string, Partial<Record<string, Partial<Stock>>>]>([
    ['is empty', { fuss: { bikes: 0 } }],
    ['is too far away', { fuss: { lat: 48.06 } }],
    ['is far from the place where it could be left', { bahnhof: { lat: 48.045 } }],
  ])('is not offered where the station %s', async (_reason, changed) => {
    const stock = Object.fromEntries(Object.entries(usual).map(([id, one]) => [id, { ...one, ...changed[id] }]));
    expect(await first(access, stock)).toBe(undefined);
  });

  test('is not left at a full station, but at the next one that has a dock', async () => {
    const full = { ...usual, bahnhof: { ...usual.bahnhof!, docks: 0 } };
    expect(await first(access, full)).toBe(undefined);
    const other = { lat: 48.0412, lon: 16.0412, bikes: 0, docks: 1 };
    expect((await first(access, { ...full, other }))?.[1]).toContain('returnStation:Rad other');
  });

  test('is not offered once the stock is too old', async () => {
    const late = (NOW + STOCK_SECONDS) as typeof NOW;
    expect(await first(access, usual, late)).toBe(undefined);
  });

  test('is not returned to another system', async () => {
    const { fuss, ...others } = usual;
    const systems = { a: listReports({ fuss: fuss! }), b: listReports(others) };
    expect((await plan(access, systems)).trips).toEqual([]);
  });

  test('is measured once between stations, whatever their stock', async () => {
    const slow: Partial<TripRequest> = { access: { modes: ['sharedBike'], bikeSpeedKmh: 11 } };
    const listRequests = async (stock: typeof usual) => {
      const before = requests.length;
      expect(await first(slow, stock)).toBeDefined();
      return requests.slice(before);
    };
    expect(await listRequests(usual)).toEqual(['bike from 1']);
    expect(await listRequests({ ...usual, fuss: { ...usual.fuss!, bikes: 1 } })).toEqual([]);
    const more = { ...usual, other: { lat: 48.0412, lon: 16.0412, bikes: 0, docks: 1 } };
    expect(await listRequests({ ...more, bahnhof: { ...usual.bahnhof!, docks: 0 } })).toEqual(['bike from 1']);
  });

  test('respects the longest ride', async () => {
    expect(await first({ access: { modes: ['sharedBike'], maxBikeMeters: 2609 } })).toBe(undefined);
    expect(await first({ access: { modes: ['sharedBike'], maxBikeMeters: 2610 } })).toBeDefined();
  });
});

test('a shared bicycle after the last vehicle needs no bicycle on board', async () => {
  const legs = await first(egress);
  expect(legs?.map((leg) => leg.replace(/ \d\d:\d\d(:\d\d)?/g, ''))).toEqual([
    'transit S5: Bahnhof 2 - Hof',
    'walk: Hof - Rad hof (52 m, walk:straightLine)',
    'bike: Rad hof - Rad wiese (2356 m, rental:Stadtrad, availability:2, station:Rad hof, returnStation:Rad wiese, url:https://rad.example.org)',
    'walk: Rad wiese - Wiese (41 m, walk:straightLine)',
  ]);
});

test('a shared bicycle from origin to destination is a direct trip', async () => {
  const body: Partial<TripRequest> = { from: hill, to: { stopId: 'at:h' }, direct: { modes: ['sharedBike'] } };
  const { trips } = await plan({ ...body, limit: 4 }, { radl: listReports(usual) });
  expect(trips.map(({ legs }) => legs.map(({ mode }) => mode).join(' '))).toContain('walk bike walk');
  const empty = { ...usual, fuss: { ...usual.fuss!, bikes: 0 } };
  expect((await plan(body, { radl: listReports(empty) })).trips).toEqual([]);
});

describe('a bicycle outside of stations', () => {
  const bike = { id: 'v', lat: 48.0403, lon: 16.0132, typeId: null, rentalUrl: null };
  /** Around all stops that are within reach. */
  const square = [16.015, 48.01, 16.015, 48.09, 16.12, 48.09, 16.12, 48.01, 16.015, 48.01];
  const forbid = (mayStart: boolean, mayEnd: boolean): SharingReport => ({
    kind: 'zones',
    zones: [
      {
        polygons: [[square]],
        isEverywhere: false,
        from: null,
        until: null,
        rules: [{ typeIds: null, mayStart, mayEnd }],
      },
    ],
    rules: [],
  });
  const system = (...more: SharingReport[]) => ({ radl: [{ kind: 'vehicles', vehicles: [bike] } as const, ...more] });

  test('is left at the station itself', async () => {
    const { trips } = await plan(access, system());
    expect(trips[0] && describeLegs(trips[0])).toEqual([
      'walk: Hügel 08:05:43 - 48.040300,16.013200 08:06:17 (44 m, walk:straightLine)',
      'bike: 48.040300,16.013200 08:06:17 - Bahnhof 2 08:18 (2591 m, rental:radl, availability:1)',
      'transit S5: Bahnhof 2 08:18 - Hof 08:45',
    ]);
  });

  test('is not left where the zones of its system forbid it', async () => {
    expect((await plan(access, system(forbid(true, false)))).trips).toEqual([]);
    expect((await plan(access, system(forbid(false, true)))).trips).toHaveLength(1);
  });

  test('is not taken where they forbid it', async () => {
    const there: Place = { coord: { lat: 48.04, lon: 16.04 } };
    const body: Partial<TripRequest> = { from: there, to: hill, direct: { modes: ['sharedBike'] } };
    const moved: SharingReport = { kind: 'vehicles', vehicles: [{ ...bike, lat: 48.0402, lon: 16.0402 }] };
    expect((await plan(body, { radl: [moved] })).trips).toHaveLength(1);
    expect((await plan(body, { radl: [moved, forbid(false, true)] })).trips).toEqual([]);
  });

  test('that must be returned to a station is left only there', async () => {
    const types: SharingReport = { kind: 'vehicleTypes', types: [{ id: 't', isBike: true, returns: 'stations' }] };
    const typed: SharingReport = { kind: 'vehicles', vehicles: [{ ...bike, typeId: 't' }] };
    expect((await plan(access, { radl: [types, typed] })).trips).toEqual([]);
  });
});

describe('a followed trip with a shared bicycle', () => {
  const systems = { radl: listReports(usual) };
  const follow = async (body: Pick<TripRequest, 'from' | 'to' | 'access' | 'egress'>, stock: Systems) => {
    const { from, to, ...modes } = body;
    const [trip] = (await plan(body, systems)).trips;
    const followed = await followTrip(openContext(stock), { legs: listLegRefs(trip!), from, to, modes });
    await expectValidAnswer('Trip', followed.trip);
    return { planned: trip, followed: followed.trip };
  };

  test.each([
    ['before public transport', { from: hill, to: court, access: { modes: ['sharedBike'] } }],
    ['after it', { from: { stopId: 'at:s' }, to: meadow, egress: { modes: ['sharedBike'] } }],
  ] as const)('stays as planned: %s', async (_what, { from, to, ...modes }) => {
    const { planned, followed } = await follow({ from, to, ...(modes as object) }, systems);
    expect(followed).toEqual(planned);
  });

  test('has no ways by bicycle while no sharing system is known', async () => {
    const { followed } = await follow({ from: hill, to: court, access: { modes: ['sharedBike'] } }, {});
    expect(followed.legs.map(({ mode }) => mode)).toEqual(['transit']);
  });
});

describe('refusals', () => {
  const systems = { radl: listReports(usual) };
  test.each<[what: string, body: Partial<TripRequest>, systems: Systems, expected: string]>([
    ['no sharing system', access, {}, 'mode_unavailable /access/modes'],
    ['direct without one', { direct: { modes: ['sharedBike'] } }, {}, 'mode_unavailable /direct/modes'],
    ['with a bicycle on board', { ...access, bikeOnBoard: true }, systems, 'invalid_body /access/modes'],
  ])('%s', async (_what, body, stock, expected) => {
    expect(await findRefusal(() => plan(body, stock))).toBe(expected);
  });
});

test('without streets, the ride is estimated like a walk', async () => {
  const { trips } = await planTrips(openContext({ radl: listReports(usual) }, NOW, null), {
    from: hill,
    to: court,
    time: at('08:00'),
    timeMode: 'departure',
    limit: 1,
    walkSpeedKmh: 4.7,
    maxWalkMeters: 1500,
    wheelchair: false,
    ...access,
  });
  const rented = trips.flatMap(({ legs }) => legs).filter(({ mode }) => mode === 'bike');
  expect(rented.length).toBeGreaterThan(0);
  for (const { attributes } of rented) expect(attributes).toContain('bike:straightLine');
});

test('stock that is too old hides none behind it', () => {
  const near = ['a', 'b', 'c', 'd'].map((id) => [id, { lat: 48.04, lon: 16.0131, bikes: 3, docks: 3 }] as const);
  const systems = { alt: listReports(Object.fromEntries(near)), radl: listReports(usual) };
  const sharing = openSharing(openSharedStock(systems, NOW, { alt: STOCK_SECONDS + 1 }))!;
  const point = { lat: 48.04, lon: 16.0131 };
  const nameOf = ({ station }: { readonly station: { readonly name: string } | null }) => station?.name;
  expect(sharing.findBikes(point, 1500, 4, NOW).map(nameOf)).toEqual(['Rad fuss']);
  expect(sharing.findDocks(point, 3000, 4, NOW).map(nameOf)).toEqual(['Rad bahnhof']);
});
