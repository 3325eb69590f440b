import { describe, expect, it } from 'vitest';
import { nameStops } from '../../../pipeline/timetable/snapshot/name-stops.ts';

/** Name and position: kilometres north and east of a point; null: none. */
type Stop = readonly [name: string, north: number | null, east: number, station?: number];

const NORTH = 1 / 111.19;
const EAST = NORTH / Math.cos((47 * Math.PI) / 180);

const places = [{ name: 'Weitstadt', lat: 47 + 500 * NORTH, lon: 15, radiusMeters: 6000 }];

function rename(stops: readonly Stop[]): string[] {
  const { name, town } = nameStops(
    {
      name: stops.map(([name]) => name),
      lat: Float64Array.from(stops, ([, north]) => (north === null ? Number.NaN : 47 + north * NORTH)),
      lon: Float64Array.from(stops, ([, north, east]) => (north === null ? Number.NaN : 15 + east * EAST)),
      station: Int32Array.from(stops, ([, , , station], i) => station ?? i),
    },
    places,
  );
  for (const [i, [published]] of stops.entries()) {
    expect(name[i]).toBe(town[i] === null ? published : `${town[i]} ${published}`);
  }
  return name.filter((_, i) => name[i] !== stops[i]![0]);
}

/** How the town of a place is found. */
const around = (town: string, north: number, east = 0): Stop[] => [
  [`${town} Hbf`, north + 1, east],
  [`${town} Jakominiplatz`, north + 0.5, east],
  [`${town} Südtiroler Platz`, north, east + 0.7],
];
const graz = around('Graz', 0);
const bruck = around('Bruck an der Mur', 100);

describe('adds the town to a name of several places', () => {
  it.each<[title: string, stops: readonly Stop[], renamed: string[]]>([
    [
      'if the surrounding names begin with it',
      [...graz, ...bruck, ['Hauptplatz', 0, 0], ['Hauptplatz', 100, 0]],
      ['Graz Hauptplatz', 'Bruck an der Mur Hauptplatz'],
    ],
    [
      'if the centre of a known place is near',
      [...graz, ['Hauptplatz', 0, 0], ['Hauptplatz', 502, 0]],
      ['Graz Hauptplatz', 'Weitstadt Hauptplatz'],
    ],
    [
      'to one of them if the other has no town',
      [...graz, ['Hauptplatz', 0, 0], ['Hauptplatz', 300, 0]],
      ['Graz Hauptplatz'],
    ],
    [
      'to all of its stops: both sides of a road, platforms at any position, and the station',
      [...graz, ...bruck, ['Oper', 0, 0], ['Oper', 0.1, 0], ['Oper', 9, 0, 6], ['Oper', 100, 0]],
      ['Graz Oper', 'Graz Oper', 'Graz Oper', 'Bruck an der Mur Oper'],
    ],
    [
      'to two places of one town, if a third is elsewhere',
      [...graz, ...bruck, ['Schule', 0, 0], ['Schule', 0.8, 0], ['Schule', 100, 0]],
      ['Graz Schule', 'Graz Schule', 'Bruck an der Mur Schule'],
    ],
  ])('%s', (_title, stops, renamed) => {
    expect(rename(stops)).toEqual(renamed);
  });
});

describe('keeps a name', () => {
  it.each<[title: string, stops: readonly Stop[]]>([
    ['that no other place has', [...graz, ...bruck, ['Hauptplatz', 0, 0]]],
    ['of nearby stops', [...graz, ['Hauptplatz', 0, 0], ['Hauptplatz', 0.4, 0], ['Hauptplatz', 0.8, 0]]],
    ['of platforms of one station', [...graz, ['Oper', 0, 0], ['Oper', 3, 0, 3], ['Oper', 6, 0, 3]]],
    ['of places in one town', [...graz, ['Schule', 0, 0], ['Schule', 0.9, 0]]],
    [
      'where no name contains a town',
      [
        ['Hauptplatz', 0, 0],
        ['Hauptplatz', 100, 0],
      ],
    ],
    ['of stops without a position', [...graz, ...bruck, ['Hauptplatz', null, 0], ['Hauptplatz', null, 0]]],
    ['that contains the town', [...graz, ...bruck, ['Hauptplatz (Graz)', 0, 0], ['Hauptplatz (Graz)', 300, 0]]],
    [
      'if the surrounding names disagree',
      [...around('Graz', 0), ...around('Leoben', 0.01, 0.01), ['Platz', 0.01, 0], ['Platz', 300, 0]],
    ],
    [
      'if the place is known, but only its outskirts are near',
      [
        ['Platz', 504, 0],
        ['Platz', 0, 0],
      ],
    ],
    [
      'if the words before the station are not a town',
      [
        ['Am Bahnhof', 0, 0],
        ['Am Berg', 0.1, 0],
        ['Am Tabor', 0.2, 0],
        ['Platz', 0, 0.1],
        ['Platz', 300, 0],
      ],
    ],
    ['that is the town itself', [...graz, ...bruck, ['Graz', 0, 0], ['Graz', 300, 0]]],
  ])('%s', (_title, stops) => {
    expect(rename(stops)).toEqual([]);
  });
});

it('does not depend on the order of rows', () => {
  const stops: Stop[] = [...graz, ...bruck, ['Hauptplatz', 0, 0], ['Hauptplatz', 100, 0], ['Hauptplatz', 0.3, 0]];
  expect(rename([...stops].reverse()).sort()).toEqual(rename(stops).sort());
});
