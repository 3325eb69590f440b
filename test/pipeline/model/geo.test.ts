import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceMeters, isCoordinate } from '../../../pipeline/model/geo.ts';

describe('distance', () => {
  // Expected: published great-circle distances between the cities, and arcs of the sphere.
  it.each([
    ['Stephansplatz to Schwedenplatz', 48.2084, 16.3731, 48.2119, 16.3776, 513, 5],
    ['Wien to Graz', 48.2083, 16.3731, 47.0707, 15.4395, 144_500, 500],
    ['a degree of latitude', 47, 13, 48, 13, 111_195, 1],
    ['across the date line', 0, 179.5, 0, -179.5, 111_195, 1],
    ['pole to pole', 90, 0, -90, 77, 20_015_087, 1],
    ['zero distance', 48.2, 16.4, 48.2, 16.4, 0, 0],
  ])('%s', (_, latA, lonA, latB, lonB, meters, tolerance) => {
    expect(Math.abs(distanceMeters(latA, lonA, latB, lonB) - meters)).toBeLessThanOrEqual(tolerance);
  });

  it('is a number for any two places, and symmetric', () => {
    const lat = fc.double({ min: -90, max: 90, noNaN: true });
    const lon = fc.double({ min: -180, max: 180, noNaN: true });
    fc.assert(
      fc.property(lat, lon, lat, lon, (latA, lonA, latB, lonB) => {
        const there = distanceMeters(latA, lonA, latB, lonB);
        expect(there).toBeGreaterThanOrEqual(0);
        expect(there).toBeCloseTo(distanceMeters(latB, lonB, latA, lonA), 3);
      }),
    );
  });

  it('is NaN if a coordinate is NaN', () => {
    expect(distanceMeters(48, 16, Number.NaN, 16)).toBeNaN();
  });
});

it.each([
  [48.2, 16.3, true],
  [90, -180, true],
  [90.1, 0, false],
  [0, 180.1, false],
  [Number.NaN, 16, false],
  [48, Number.NaN, false],
  [Infinity, 0, false],
])('%d, %d is a valid coordinate: %s', (lat, lon, expected) => {
  expect(isCoordinate(lat, lon)).toBe(expected);
});
