import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { GeoBox } from '../../../pipeline/model/geo.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import {
  containsBox,
  listCoverageCells,
  listCurrentDemands,
  MAX_AREAS,
  nameArea,
  nameCoverageCell,
  widenToGrid,
} from '../../../pipeline/model/vehicle-demand.ts';

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const box: fc.Arbitrary<GeoBox> = fc
  .record({ south: degrees(-80, 80), west: degrees(-170, 170), height: degrees(0, 2), width: degrees(0, 2) })
  .map(({ south, west, height, width }) => ({ south, west, north: south + height, east: west + width }));
const NEARLY = 1e-6;
/** Decimal fractions of degrees do not exceed the box. */
const grown = ({ south, west, north, east }: GeoBox) => ({
  south: south - NEARLY,
  west: west - NEARLY,
  north: north + NEARLY,
  east: east + NEARLY,
});

describe('the grid', () => {
  it('contains each box, and keeps boxes on the grid unchanged', () => {
    fc.assert(
      fc.property(box, (one) => {
        const wide = widenToGrid(one);
        expect(containsBox(grown(wide), one)).toBe(true);
        expect(widenToGrid(wide)).toEqual(wide);
        expect(wide.north - wide.south).toBeLessThan(one.north - one.south + 0.2 + NEARLY);
        expect(nameArea(wide)).toMatch(/^m?\d+-m?\d+-m?\d+-m?\d+$/);
      }),
    );
  });

  test.each([
    [{ south: 47.31, west: 9.7, north: 47.39, east: 9.75 }, '473-97-474-98'],
    [{ south: 47.3, west: 9.7, north: 47.3, east: 9.7 }, '473-97-473-97'],
    [{ south: -0.15, west: -1.1, north: 0.05, east: 0 }, 'm2-m11-1-0'],
  ])('%j is %s', (one, name) => {
    expect(nameArea(widenToGrid(one))).toBe(name);
  });

  it('of coverage has a cell for every point of a box', () => {
    fc.assert(
      fc.property(box, fc.double({ min: 0, max: 1, noNaN: true }), (one, share) => {
        const lat = one.south + (one.north - one.south) * share;
        const lon = one.west + (one.east - one.west) * share;
        expect(listCoverageCells(one)).toContain(nameCoverageCell(lat, lon));
        expect(listCoverageCells(one).length).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe('current demands', () => {
  const NOW = 1_800_000_000 as Instant;
  const salzburg = { south: 47.7, west: 12.9, north: 47.9, east: 13.2 };
  const old = { south: 47.8, west: 13, north: 47.8, east: 13.1 };
  const at = (area: GeoBox, ago: number) => ({ box: area, wantedAt: (NOW - ago) as Instant });
  const list = (...demands: ReturnType<typeof at>[]) =>
    listCurrentDemands(demands, NOW).map((demand) => `${nameArea(demand.box)} ${NOW - demand.wantedAt}`);

  test.each<[string, ReturnType<typeof at>[], string[]]>([
    ['none', [], []],
    ['one', [at(salzburg, 10)], ['477-129-479-132 10']],
    ['for nearly five minutes', [at(salzburg, 299)], ['477-129-479-132 299']],
    ['for five minutes', [at(salzburg, 300)], []],
    ['of a clock slightly ahead', [at(salzburg, -60)], ['477-129-479-132 -60']],
    ['of a wrong clock', [at(salzburg, -61)], []],
    ['twice: the later one counts', [at(salzburg, 20), at(salzburg, 10)], ['477-129-479-132 10']],
    ['within another one, with the later time', [at(old, 5), at(salzburg, 200)], ['477-129-479-132 5']],
    [
      'of the largest permitted section',
      [at({ south: 46.35, west: 9.55, north: 48.35, east: 11.55 }, 5)],
      ['463-95-484-116 5'],
    ],
    ['of the whole world', [at({ south: -90, west: -180, north: 90, east: 180 }, 5)], []],
    ['with swapped corners', [at({ ...salzburg, north: 47 }, 5)], []],
  ])('%s', (_what, demands, expected) => {
    expect(list(...demands)).toEqual(expected);
    expect(list(...demands.toReversed())).toEqual(expected);
  });

  it('are limited, most recent first', () => {
    const many = Array.from({ length: 20 }, (_, i) => at({ south: i, west: 0, north: i, east: 1 }, 100 + i));
    const kept = listCurrentDemands(many, NOW);
    expect(kept.map((demand) => NOW - demand.wantedAt)).toEqual(Array.from({ length: MAX_AREAS }, (_, i) => 100 + i));
  });
});
