import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MapChoice } from '../../../../pipeline/network-maps/drawing/choose-maps.ts';
import { drawMap } from '../../../../pipeline/network-maps/drawing/draw-map.ts';
import type { DrawnPlace } from '../../../../pipeline/network-maps/drawing/merge-places.ts';
import { expectSoundMap } from '../../../support/oracles/check-map.ts';

const NOTES = { language: 'de', validFrom: '2026-12-13', attribution: 'Verkehrsverbund & Söhne' } as const;

const names = fc.oneof(
  fc.constantFrom(
    'Hauptplatz',
    'Bahnhof',
    'Alt-Ottakringer Straße/Nord',
    'Žižkov',
    '<script>alert(1)</script>',
    '"&\'',
    '\u0000\u0007',
    ' ',
  ),
  fc.string({ maxLength: 30 }),
);

/** Places of a town, about 100 to 2,000 metres from one another. */
const towns: fc.Arbitrary<DrawnPlace[]> = fc.array(
  fc.record({
    name: names,
    lat: fc.integer({ min: 0, max: 400 }).map((n) => 48 + n / 8000),
    lon: fc.integer({ min: 0, max: 400 }).map((n) => 16 + n / 6000),
  }),
  { minLength: 4, maxLength: 26 },
);

/** Lines between places, mostly nearby. */
const worlds = towns.chain((places) =>
  fc
    .array(fc.array(fc.nat({ max: 1000 }), { minLength: 2, maxLength: 12 }), { minLength: 1, maxLength: 6 })
    .map((walks) => ({ places, choice: toChoice(places, walks) })),
);

function toChoice(places: readonly DrawnPlace[], walks: readonly (readonly number[])[]): MapChoice {
  const lines = walks.map((steps, i) => {
    const label = String(i + 1);
    const run = { places: walk(places, steps), datedTrips: 10, label };
    return {
      label,
      product: 'tram' as const,
      color: (i * 0x123456) % 0xffffff,
      operator: null,
      feeds: [0],
      runs: [run],
    };
  });
  return { id: 'town-tram', kind: 'tram', title: 'Town: <b>', region: 'Town', lines };
}

/** Each step goes to one of the four nearest places not yet on the line. */
function walk(places: readonly DrawnPlace[], [start, ...steps]: readonly number[]): number[] {
  const way = [start! % places.length];
  for (const step of steps) {
    const here = places[way.at(-1)!]!;
    const distance = (i: number) => Math.hypot(places[i]!.lat - here.lat, (places[i]!.lon - here.lon) * 0.67);
    const near = [...places.keys()].filter((i) => !way.includes(i)).sort((a, b) => distance(a) - distance(b));
    if (near.length === 0) break;
    way.push(near[step % Math.min(4, near.length)]!);
  }
  return way;
}

describe('a network map', () => {
  test('has no overlapping names or markers, lines between stations, and octilinear edges if marked so', () => {
    fc.assert(
      fc.property(worlds, ({ places, choice }) => {
        const map = drawMap(choice, places, NOTES);
        expectSoundMap(map);
        expect(map.svg).not.toContain('<script>');
        expect(map.svg).not.toContain('<b>');
        expect(drawMap(choice, places, NOTES).svg).toBe(map.svg);
      }),
      { numRuns: 60 },
    );
  });
});
