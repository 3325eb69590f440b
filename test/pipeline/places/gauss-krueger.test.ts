import { describe, expect, it } from 'vitest';
import { distanceMeters } from '../../../pipeline/model/geo.ts';
import { fromGaussKrueger } from '../../../pipeline/places/register/gauss-krueger.ts';

describe('coordinates of the address register', () => {
  it('are converted like the published example', () => {
    // Poltenweg 41, 6080 Innsbruck-Vill.
    const { lat, lon } = fromGaussKrueger(80_893.3, 234_024.51, 31254)!;
    expect(distanceMeters(lat, lon, 47.240129, 11.401418)).toBeLessThan(1);
  });

  it.each([
    [31254, 10.33],
    [31255, 13.33],
    [31256, 16.33],
  ])('of system %i lie around its central meridian', (epsg, meridian) => {
    const middle = fromGaussKrueger(0, 270_000, epsg)!;
    expect(Math.abs(middle.lon - meridian)).toBeLessThan(0.01);
    for (const [east, north] of [
      [100, 0],
      [0, 100],
      [60, -80],
    ] as const) {
      const moved = fromGaussKrueger(70_000 + east, 270_000 + north, epsg)!;
      const from = fromGaussKrueger(70_000, 270_000, epsg)!;
      // The sphere that distances are measured on is half a percent off the ellipsoid.
      expect(Math.abs(distanceMeters(from.lat, from.lon, moved.lat, moved.lon) - 100)).toBeLessThan(0.6);
    }
  });

  it('of another system, or without numbers, are refused', () => {
    expect(fromGaussKrueger(0, 270_000, 4326)).toBeNull();
    expect(fromGaussKrueger(Number.NaN, 270_000, 31256)).toBeNull();
  });
});
