import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSharing, type SharingPlace } from '../../../../api/engine/sharing/open-sharing.ts';
import { reachBySharing, rideAllTheWay, type SharedTravel } from '../../../../api/engine/trips/shared-rides.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { Point } from '../../../../pipeline/streets/street-path.ts';
import { trials } from '../../../support/checks/trials.ts';
import { openSharedStock } from '../../../support/worlds/shared-stock.ts';
import { openStreets } from './straight-streets.ts';

// Random towns with a table of stations and stock. The oracle tries every pair of stations and knows no limits but those
// that are documented: at most four bicycle stations near a place, one station near a stop.

/** `TRIALS=10` tries a thousand towns. */
const RUNS = trials(100);
const NOW = 1_800_000_000 as Instant;
const MAX_WALK_METERS = 1000;
const MAX_RIDE_METERS = 4000;
const WALK_KMH = 4.7;
const BIKE_KMH = 16;

interface TownStation {
  readonly id: string;
  readonly at: Point;
  readonly bikes: number;
  readonly docks: number;
  readonly isRenting: boolean;
  readonly isReturning: boolean;
}

const point = fc.record({
  lat: fc.double({ min: 48, max: 48.012, noNaN: true }),
  lon: fc.double({ min: 16, max: 16.016, noNaN: true }),
});
const town = fc
  .array(
    fc.record({
      at: point,
      bikes: fc.nat(2),
      docks: fc.nat(2),
      isRenting: fc.boolean(),
      isReturning: fc.boolean(),
    }),
    { minLength: 2, maxLength: 25 },
  )
  .map((stations) => stations.map((one, i): TownStation => ({ id: `s${String(i).padStart(2, '0')}`, ...one })));

function openTravel(stations: readonly TownStation[]): SharedTravel {
  const realtime = openSharedStock(
    {
      radl: [
        {
          kind: 'stations',
          stations: stations.map(({ id, at }) => ({ id, name: id, ...at, capacity: null, rentalUrl: null })),
        },
        {
          kind: 'stationStatus',
          statuses: stations.map(({ id, bikes, docks, isRenting, isReturning }) => ({
            stationId: id,
            vehicles: [{ typeIds: null, count: bikes }],
            docks: [{ typeIds: null, count: docks }],
            isRenting,
            isReturning,
          })),
        },
      ],
    },
    NOW,
  );
  const { walks } = openStreets(['bike']);
  return {
    sharing: openSharing(realtime)!,
    streets: walks.vehicles!,
    vehicle: { mode: 'bike', speedKmh: BIKE_KMH },
    maxRideMeters: MAX_RIDE_METERS,
    walking: { profile: 'foot', maxMeters: MAX_WALK_METERS, walks },
    walkSpeedKmh: WALK_KMH,
    instant: NOW,
  };
}

// ---- The oracle ------------------------------------------------------------------------------------------------------

function crow(a: Point, b: Point): number {
  const radians = Math.PI / 180;
  const [north, east] = [Math.sin(((a.lat - b.lat) * radians) / 2), Math.sin(((a.lon - b.lon) * radians) / 2)];
  const chord = north * north + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * east * east;
  return 2 * 6_371_000 * Math.asin(Math.sqrt(chord));
}

const street = (a: Point, b: Point) => Math.round(1.3 * crow(a, b));
const seconds = (meters: number, kmh: number) => Math.ceil((meters * 3.6) / kmh);

const hasBikes = ({ bikes, isRenting }: TownStation) => bikes > 0 && isRenting;
const hasDocks = ({ docks, isReturning }: TownStation) => docks > 0 && isReturning;

/** The nearest of those within a radius, as the crow flies, in whole metres. */
function nearest(stations: readonly TownStation[], at: Point, radius: number, limit: number): TownStation[] {
  return stations
    .filter((station) => crow(station.at, at) <= radius)
    .map((station, row) => ({ station, row, meters: Math.round(crow(station.at, at)) }))
    .sort((a, b) => a.meters - b.meters || a.row - b.row)
    .slice(0, limit)
    .map(({ station }) => station);
}

const aroundPlace = (stations: readonly TownStation[], at: Point) =>
  nearest(stations, at, MAX_WALK_METERS, 4).filter((station) => street(station.at, at) <= MAX_WALK_METERS);

const nextToStop = (stations: readonly TownStation[], at: Point) =>
  nearest(stations, at, 300, 4)
    .filter((station) => street(station.at, at) <= 300)
    .slice(0, 1);

function fastest(from: Point, to: Point, taken: readonly TownStation[], left: readonly TownStation[]): number | null {
  const all = taken.flatMap((a) =>
    left.flatMap((b) => {
      const ride = street(a.at, b.at);
      if (a === b || ride > MAX_RIDE_METERS) return [];
      const walked = seconds(street(from, a.at), WALK_KMH) + seconds(street(b.at, to), WALK_KMH);
      return walked + 60 + seconds(ride, BIKE_KMH) + 60;
    }),
  );
  return all.length === 0 ? null : Math.min(...all);
}

// ---- The comparison --------------------------------------------------------------------------------------------------

const stops = fc.array(point, { minLength: 1, maxLength: 12 });

test('rides to and from stops are the fastest that stock allows', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(town, point, stops, fc.constantFrom('access', 'egress'), async (stations, place, at, end) => {
      const ways = await reachBySharing(
        openTravel(stations),
        end,
        place,
        at.map((one, stop) => ({ point: one, stops: [stop] })),
      );
      const rented = stations.filter(hasBikes);
      const returned = stations.filter(hasDocks);
      const expected = at.map((stop) =>
        end === 'access'
          ? fastest(place, stop, aroundPlace(rented, place), nextToStop(returned, stop))
          : fastest(stop, place, nextToStop(rented, stop), aroundPlace(returned, place)),
      );
      const actual = at.map((_, stop) => ways.find((way) => way.stop === stop)?.vehicle?.seconds ?? null);
      expect(actual).toEqual(expected);
      for (const { vehicle } of ways) {
        found += 1;
        const { from, to } = vehicle!.shared!;
        expect(isIn(rented, from) && isIn(returned, to)).toBe(true);
      }
    }),
    { numRuns: RUNS },
  );
  expect(found).toBeGreaterThan(RUNS / 3);
});

function isIn(stations: readonly TownStation[], { station }: SharingPlace): boolean {
  return stations.some(({ id }) => id === station?.id);
}

test('a ride all the way is the fastest that stock allows', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(town, point, point, async (stations, from, to) => {
      const ride = await rideAllTheWay(openTravel(stations), from, to);
      const taken = aroundPlace(stations.filter(hasBikes), from);
      const left = aroundPlace(stations.filter(hasDocks), to);
      const isNear = crow(from, to) <= MAX_RIDE_METERS;
      expect(ride?.seconds ?? null).toBe(isNear ? fastest(from, to, taken, left) : null);
      if (ride !== null) found += 1;
    }),
    { numRuns: RUNS },
  );
  expect(found).toBeGreaterThan(RUNS / 6);
});
