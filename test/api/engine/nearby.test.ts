import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildNearbyIndex, findNearby } from '../../../api/engine/read/nearby.ts';
import { distanceMeters } from '../../../pipeline/model/geo.ts';

type Place = readonly [lat: number, lon: number];

function indexOf(places: readonly Place[]) {
  return buildNearbyIndex(
    Float64Array.from(places, ([lat]) => lat),
    Float64Array.from(places, ([, lon]) => lon),
  );
}

/** Measures the distance to every place. */
function findByMeasuring(places: readonly Place[], [lat, lon]: Place, radiusMeters: number, limit: number) {
  return places
    .map(([placeLat, placeLon], entry) => ({ entry, distance: distanceMeters(lat, lon, placeLat, placeLon) }))
    .filter(({ distance }) => distance <= radiusMeters)
    .map(({ entry, distance }) => ({ entry, distanceMeters: Math.round(distance) }))
    .sort((a, b) => a.distanceMeters - b.distanceMeters || a.entry - b.entry)
    .slice(0, limit);
}

describe('nearby', () => {
  const places: Place[] = [
    [48.2084, 16.3731],
    [48.2119, 16.3776],
    [Number.NaN, 16.3731],
    [48.2084, Number.NaN],
    [48.2084, 16.3731],
    [148.2, 16.3731],
    [47.0707, 15.4395],
  ];

  it('lists the nearest first, ties by entry, and none without coordinates', () => {
    expect(findNearby(indexOf(places), 48.2084, 16.3731, 1000, 20)).toEqual([
      { entry: 0, distanceMeters: 0 },
      { entry: 4, distanceMeters: 0 },
      { entry: 1, distanceMeters: 512 },
    ]);
  });

  it.each([
    [0, 20, []],
    [1000, 0, []],
    [1000, 1, [1]],
  ])('within %i m, at most %i', (radius, limit, entries) => {
    const found = findNearby(indexOf(places), 48.2119, 16.378, radius, limit);
    expect(found.map(({ entry }) => entry)).toEqual(entries);
  });

  it('finds nothing where there are no places', () => {
    expect(findNearby(indexOf([]), 48, 16, 10_000, 100)).toEqual([]);
    expect(findNearby(indexOf([[Number.NaN, Number.NaN]]), 48, 16, 10_000, 100)).toEqual([]);
  });

  it('finds the same places as measuring every distance', () => {
    // A raster of 11 m puts many places on one spot and at one distance, also across the date line.
    const offset = fc.integer({ min: -300, max: 300 }).map((n) => n / 10_000);
    const near = (lat: number, lon: number) =>
      fc.tuple(offset, offset).map(([dLat, dLon]): Place => [lat + dLat, lon + dLon]);
    const anywhere = fc.constantFrom<Place>([48.2, 16.3], [47.2, 9.6], [0, 0], [-33.9, 18.4]);
    fc.assert(
      fc.property(
        anywhere.chain(([lat, lon]) =>
          fc.tuple(
            fc.array(fc.oneof({ weight: 9, arbitrary: near(lat, lon) }, fc.constant<Place>([Number.NaN, 0])), {
              maxLength: 300,
            }),
            near(lat, lon),
          ),
        ),
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 100 }),
        ([stops, from], radius, limit) => {
          const found = findNearby(indexOf(stops), ...from, radius, limit);
          expect(found).toEqual(findByMeasuring(stops, from, radius, limit));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('reaches across the date line', () => {
    expect(
      findNearby(
        indexOf([
          [0, -179.999],
          [0, 179.9],
        ]),
        0,
        179.999,
        1000,
        10,
      ),
    ).toEqual([{ entry: 0, distanceMeters: 222 }]);
  });
});
