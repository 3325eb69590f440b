import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import type { FeatureCollection, Position } from 'geojson';
import { describe, expect, test } from 'vitest';
import type { LonLat } from '../../api/contract/site-map.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { cutRing, reduceLine, reduceRing, splitLine } from './reduce-shapes.ts';

const unit = { minLon: 0, minLat: 0, maxLon: 1, maxLat: 1 };
const square = (from: number, to: number): LonLat[] => [
  [from, from],
  [to, from],
  [to, to],
  [from, to],
  [from, from],
];
const area = (ring: readonly LonLat[]) =>
  Math.abs(ring.slice(1).reduce((sum, [x, y], i) => sum + ring[i]![0] * y - x * ring[i]![1], 0)) / 2;
const length = (line: readonly LonLat[]) =>
  line.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - line[i]![0], y - line[i]![1]), 0);

describe('a section', () => {
  test.each([
    ['keeps a polygon inside', square(0.2, 0.4), 0.04],
    ['cuts one at its edge', square(0.5, 2), 0.25],
    ['is covered by one around it', square(-1, 2), 1],
    ['leaves out one outside', square(2, 3), 0],
  ])('%s', (_, ring, expected) => {
    expect(area(cutRing(ring, unit))).toBeCloseTo(expected, 9);
  });

  test('splits a line into parts that are as long as the line, each on its side', () => {
    const coordinate = fc.integer({ min: -15, max: 25 }).map((n) => n / 10 + 0.003);
    fc.assert(
      fc.property(fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 9 }), (line) => {
        const { inside, outside } = splitLine(line, unit);
        expect([...inside, ...outside].reduce((sum, part) => sum + length(part), 0)).toBeCloseTo(length(line), 9);
        for (const [x, y] of inside.flat()) expect(Math.max(-x, x - 1, -y, y - 1)).toBeLessThan(1e-9);
        for (const part of outside)
          for (let i = 1; i < part.length; i++) {
            const [x, y] = [(part[i - 1]![0] + part[i]![0]) / 2, (part[i - 1]![1] + part[i]![1]) / 2];
            if (length(part.slice(i - 1, i + 1)) > 1e-9) expect(Math.max(-x, x - 1, -y, y - 1)).toBeGreaterThan(-1e-9);
          }
      }),
    );
  });
});

test('small polygons and points nearer than the tolerance are left out', () => {
  const reduction = { toleranceDegrees: 0.01, digits: 2, minSquareDegrees: 0.01 };
  expect(reduceRing(square(0, 0.05), reduction)).toEqual([]);
  expect(reduceRing(square(0, 0.5), reduction)).toEqual(square(0, 0.5));
  expect(
    reduceLine(
      [
        [0, 0],
        [0.5, 0.004],
        [1, 0],
      ],
      reduction,
    ),
  ).toEqual([
    [0, 0],
    [1, 0],
  ]);
});

describe('the bundled map', async () => {
  const text = await readFile(projectPath('data/lookups/base-map.json'), 'utf8');
  const { features } = JSON.parse(text) as FeatureCollection;
  const shapes = (kind: string) =>
    features.flatMap(({ properties, geometry }) =>
      properties?.kind === kind && properties.area === 'region' && 'coordinates' in geometry
        ? (geometry.coordinates as Position[][] | Position[][][])
        : [],
    );
  const isAround = (ring: readonly Position[], [lon, lat]: LonLat) => {
    const lons = ring.map(([x]) => x!);
    const lats = ring.map(([, y]) => y!);
    return Math.min(...lons) < lon && lon < Math.max(...lons) && Math.min(...lats) < lat && lat < Math.max(...lats);
  };

  test('is small', () => expect(text.length).toBeLessThan(300_000));

  test.each<[string, LonLat]>([
    ['Bodensee', [9.4, 47.6]],
    ['Neusiedler See', [16.75, 47.82]],
    ['Attersee', [13.55, 47.88]],
    ['Balaton', [17.7, 46.85]],
    ['Wörthersee', [14.13, 46.63]],
  ])('has the %s', (_, point) => {
    expect((shapes('water') as Position[][][]).some(([outer]) => isAround(outer!, point))).toBe(true);
  });

  test.each<[string, LonLat]>([
    ['Danube in Linz', [14.29, 48.31]],
    ['Danube in Vienna', [16.4, 48.23]],
    ['Inn in Innsbruck', [11.39, 47.27]],
    ['Mur in Graz', [15.43, 47.07]],
    ['Drau in Villach', [13.85, 46.62]],
    ['Enns in Steyr', [14.42, 48.04]],
    ['Salzach in Salzburg', [13.04, 47.8]],
  ])('has the %s', (_, [lon, lat]) => {
    const near = ([x, y]: Position) => Math.hypot((x! - lon) * 0.67, y! - lat) < 0.1;
    expect((shapes('river') as unknown as Position[][]).some((line) => line.some(near))).toBe(true);
  });

  test('names towns in both languages', () => {
    const towns = features.filter(({ properties }) => properties?.kind === 'town');
    expect(towns.map(({ properties }) => properties)).toContainEqual({
      kind: 'town',
      name: 'Wien',
      english: 'Vienna',
      zoom: 4,
    });
  });
});
