import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceMeters } from '../../../../pipeline/model/geo.ts';
import { type Product, products } from '../../../../pipeline/model/product.ts';
import {
  type MergeableStops,
  mergeStations,
  type StationMergeRules,
} from '../../../../pipeline/timetable/merging/merge-stations.ts';

interface Stop {
  readonly id?: string;
  readonly code?: string;
  readonly name: string;
  /** Metres to the north of the first place, or null if its position is unknown. */
  readonly north?: number | null;
  readonly of?: readonly Product[];
  /** Row of its station. */
  readonly station?: number;
  readonly type?: number;
  readonly source?: number;
}

const bus: readonly Product[] = ['cityBus'];
const METERS_PER_DEGREE = 111_195;

function toStops(stops: readonly Stop[]): MergeableStops {
  return {
    source: Uint16Array.from(stops, ({ source = 0 }) => source),
    stopId: stops.map(({ id }, row) => id ?? `s${row}`),
    stopCode: stops.map(({ code = '' }) => code),
    name: stops.map(({ name }) => name),
    lat: Float64Array.from(stops, ({ north = 0 }) => (north === null ? Number.NaN : 48 + north / METERS_PER_DEGREE)),
    lon: Float64Array.from(stops, ({ north }) => (north === null ? Number.NaN : 16)),
    station: Int32Array.from(stops, ({ station }, row) => station ?? row),
    locationType: Uint8Array.from(stops, ({ type = 0 }) => type),
    productClasses: Uint16Array.from(stops, ({ of = bus }) =>
      of.reduce<number>((mask, product) => mask | (1 << products.indexOf(product)), 0),
    ),
    callCount: Int32Array.from(stops, (_, row) => stops.length - row),
  };
}

const ALL: StationMergeRules = { byId: true, byName: true, merged: [], separate: [] };

/** Groups of rows, each with the rules that merged it: `0 1 name`. */
function group(stops: readonly Stop[], rules: Partial<StationMergeRules> = {}): string[] {
  const { station, merges } = mergeStations(toStops(stops), { ...ALL, ...rules });
  const groups = new Map<number, number[]>();
  for (const [row, of] of station.entries()) groups.set(of, [...(groups.get(of) ?? []), row]);
  return [...groups.values()].map((rows) => {
    const used = new Set(merges.filter(({ stop }) => rows.includes(stop)).map(({ rule }) => rule));
    return [...rows, ...used].join(' ');
  });
}

const train: readonly Product[] = ['train'];

describe('stations are merged', () => {
  it.each<{ title: string; stops: readonly Stop[]; rules?: Partial<StationMergeRules>; expected: string[] }>([
    {
      title: 'with the same name nearby',
      stops: [{ name: 'Kirche' }, { name: 'Kirche', north: 140 }],
      expected: ['0 1 name'],
    },
    {
      title: 'but not further away',
      stops: [{ name: 'Kirche' }, { name: 'Kirche', north: 160 }],
      expected: ['0', '1'],
    },
    {
      title: 'further away if trains call at both',
      stops: [
        { name: 'Wien Hbf', of: train },
        { name: 'Wien Hauptbahnhof', north: 390, of: ['regionalTrain'] },
      ],
      expected: ['0 1 name'],
    },
    {
      title: 'but not if trains call at only one',
      stops: [
        { name: 'Wien Hbf', of: train },
        { name: 'Wien Hbf', north: 390 },
      ],
      expected: ['0', '1'],
    },
    {
      title: 'a railway station without the word for it',
      stops: [
        { name: 'Wien Meidling', of: train },
        { name: 'Wien Meidling Bahnhof', north: 40, of: train },
      ],
      expected: ['0 1 name'],
    },
    {
      title: 'a railway station and the bus stop that is named after it',
      stops: [
        { name: 'Mödling', of: train },
        { name: 'Mödling Bahnhof', north: 60 },
      ],
      expected: ['0 1 name'],
    },
    {
      title: 'a railway station whose name has a river',
      stops: [
        { name: 'Linz/Donau Hbf', of: train },
        { name: 'Linz Hauptbahnhof', of: train, north: 40 },
      ],
      expected: ['0 1 name'],
    },
    {
      title: 'not a landing stage and a bus stop',
      stops: [
        { name: 'Donaupark', of: ['ship'] },
        { name: 'Donaupark', north: 40 },
      ],
      expected: ['0', '1'],
    },
    {
      title: 'a place without service, whatever its products',
      stops: [
        { name: 'Donaupark', of: ['ship'] },
        { name: 'Donaupark', north: 40, of: [] },
      ],
      expected: ['0 1 name'],
    },
    {
      title: 'with one number of a register, whatever their names',
      stops: [
        { name: 'Südtiroler Platz', id: 'at:49:1349:0:1' },
        { name: 'Hauptbahnhof', code: '60201349', north: 700 },
      ],
      expected: ['0 1 global_id'],
    },
    {
      title: 'also if a position is unknown',
      stops: [
        { name: 'A', id: 'at:49:1349', north: null },
        { name: 'B', id: 'at:49:1349:1:2' },
      ],
      expected: ['0 1 global_id'],
    },
    {
      title: 'but not if the same number belongs to distant places',
      stops: [
        { name: 'A', id: '8103000' },
        { name: 'B', id: '8103000', north: 5000 },
      ],
      expected: ['0', '1'],
    },
    {
      title: 'not with different numbers of one register',
      stops: [
        { name: 'Kirche', id: 'at:43:1' },
        { name: 'Kirche', id: 'at:43:2', north: 30 },
      ],
      expected: ['0', '1'],
    },
    {
      title: 'with the platforms of each',
      stops: [
        { name: 'Hbf', type: 1 },
        { name: 'Hbf 1', station: 0 },
        { name: 'Hbf', type: 1, north: 20 },
        { name: 'Hbf 2', station: 2 },
      ],
      expected: ['0 1 2 3 name'],
    },
    {
      title: 'not an entrance',
      stops: [{ name: 'Kirche' }, { name: 'Kirche', type: 2, north: 20 }],
      expected: ['0', '1'],
    },
    {
      title: 'that the operator merges',
      stops: [{ name: 'A' }, { name: 'B', north: 3000 }],
      rules: { merged: [[0, 1]] },
      expected: ['0 1 table'],
    },
    {
      title: 'but not those that the operator keeps separate, even via others',
      stops: [{ name: 'Kirche' }, { name: 'Kirche', north: 100 }, { name: 'Kirche', north: 40 }],
      rules: { separate: [[0, 1]] },
      expected: ['0 2 name', '1'],
    },
    {
      title: 'by no disabled rule',
      stops: [
        { name: 'Kirche', id: 'at:43:1' },
        { name: 'Kirche', id: 'at:43:1:0:1' },
        { name: 'Markt' },
        { name: 'Markt', north: 20 },
      ],
      rules: { byId: false, byName: false },
      expected: ['0', '1', '2', '3'],
    },
    {
      title: 'in a row of poles, up to two steps',
      stops: [0, 140, 285, 415].map((north) => ({ name: 'Allee', north })),
      expected: ['0 1 name', '2 3 name'],
    },
  ])('$title', ({ stops, rules, expected }) => {
    expect(group(stops, rules)).toEqual(expected);
  });

  it('represents a group by a station, else by the stop with the most calls', () => {
    const { station } = mergeStations(
      toStops([
        { name: 'Hbf' },
        { name: 'Hbf', type: 1 },
        { name: 'Kirche', north: 900 },
        { name: 'Kirche', north: 910 },
      ]),
      ALL,
    );
    expect([...station]).toEqual([1, 1, 2, 2]);
  });
});

it('merges the same stations as a comparison of all pairs', () => {
  const stop = fc.record({
    name: fc.constantFrom('Kirche', 'Markt', 'Kirche Ort'),
    north: fc.integer({ min: 0, max: 40 }).map((steps) => steps * 60),
    of: fc.constantFrom<readonly Product[]>(['cityBus'], ['train'], ['ship']),
  });
  const reach = (a: Stop, b: Stop) => (a.of![0] === 'train' && b.of![0] === 'train' ? 400 : 150);
  const fits = (a: Stop, b: Stop) => (a.of![0] === 'ship') === (b.of![0] === 'ship');
  fc.assert(
    fc.property(fc.array(stop, { maxLength: 12 }), (drawn) => {
      const stops = toStops(drawn);
      const { station } = mergeStations(stops, ALL);
      const meters = (a: number, b: number) => distanceMeters(stops.lat[a]!, 16, stops.lat[b]!, 16);
      for (const [a, one] of drawn.entries()) {
        for (const [b, other] of drawn.entries()) {
          const areOne = station[a] === station[b];
          if (areOne && a !== b) {
            expect(one.name.startsWith('Kirche')).toBe(other.name.startsWith('Kirche'));
            expect(meters(a, b)).toBeLessThanOrEqual(2 * 400);
            // Each is within reach of another one of its group.
            const group = [...drawn.keys()].filter((row) => row !== a && station[row] === station[a]);
            expect(
              group.some(
                (row) =>
                  drawn[row]!.name === one.name && fits(one, drawn[row]!) && meters(a, row) <= reach(one, drawn[row]!),
              ),
            ).toBe(true);
          }
          // Two alone are merged exactly by the rule.
          if (drawn.length === 2 && a !== b) {
            expect(areOne).toBe(one.name === other.name && fits(one, other) && meters(a, b) <= reach(one, other));
          }
        }
      }
    }),
  );
});
