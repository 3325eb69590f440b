import fc from 'fast-check';
import { expect, it } from 'vitest';
import { METERS_PER_DEGREE } from '../../../pipeline/model/geo.ts';
import { CHANGE_WALK_METERS, straightWalkMeters } from '../../../pipeline/model/walking.ts';
import { findStopPairs } from '../../../pipeline/timetable/snapshot/stop-ways.ts';

const NO_RULES = {
  fromStop: new Int32Array(),
  toStop: new Int32Array(),
  fromSelector: new Int32Array(),
  toSelector: new Int32Array(),
  verdict: new Int32Array(),
  seconds: new Int32Array(),
};

/** Centres of clusters of stops: a city, both sides of the antimeridian, and places at and near the poles. */
const centres = [
  { lat: 48.2, lon: 16.37 },
  { lat: -17.7, lon: 180 },
  { lat: 65, lon: -179.999 },
  { lat: 89.999, lon: 0 },
  { lat: -89.995, lon: 120 },
] as const;

const nearMeters = fc.double({ min: -1500, max: 1500, noNaN: true });
const drawnStop = fc.record({ centre: fc.nat(centres.length - 1), north: nearMeters, east: nearMeters });

function placeStop({ centre, north, east }: { centre: number; north: number; east: number }) {
  const { lat, lon } = centres[centre]!;
  const placed = Math.max(-90, Math.min(90, lat + north / METERS_PER_DEGREE));
  const circle = Math.max(1e-5, Math.cos((placed * Math.PI) / 180));
  const turned = lon + east / METERS_PER_DEGREE / circle;
  return { lat: placed, lon: turned - 360 * Math.round(turned / 360) };
}

it('pairs the stops within the longest walk, also across the antimeridian and at the poles', () => {
  fc.assert(
    fc.property(fc.array(drawnStop, { minLength: 1, maxLength: 60 }), (drawn) => {
      const placed = drawn.map(placeStop);
      const rows = Int32Array.from(placed.keys());
      const stops = {
        lat: Float64Array.from(placed, ({ lat }) => lat),
        lon: Float64Array.from(placed, ({ lon }) => lon),
        station: rows,
        firstMember: rows,
        memberCount: new Int32Array(rows.length).fill(1),
        stopCallCount: new Int32Array(rows.length).fill(1),
      };
      const pairs = findStopPairs(stops, rows, NO_RULES, 'byStraightWay');
      const found = Array.from(pairs.a, (a, row) => [a, pairs.b[row]!]);
      const expected = placed.flatMap((one, a) =>
        placed.flatMap((other, b) => {
          const isNear = straightWalkMeters(one.lat, one.lon, other.lat, other.lon) <= CHANGE_WALK_METERS;
          return b === a || (b > a && isNear) ? [[a, b]] : [];
        }),
      );
      expect(found).toEqual(expected);
    }),
  );
});
