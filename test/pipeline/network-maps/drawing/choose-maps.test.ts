import { describe, expect, test } from 'vitest';
import type { Product } from '../../../../pipeline/model/product.ts';
import { chooseMaps } from '../../../../pipeline/network-maps/drawing/choose-maps.ts';
import { readTown, type TownPlan } from './town-plan.ts';

const TOWN = { name: 'Stadt', lat: 48, lon: 16, radiusMeters: 5000 };
const NEAR = 'abcdefgh\nijklmnop';
const FAR = `${NEAR}${'\n '.repeat(60)}\nABCDEFGH`.replace(/\n \n/g, '\n.\n').replaceAll('.', ' ');

function choose({ places, lines }: TownPlan, products: Readonly<Record<string, Product>> = {}, towns = [TOWN]) {
  const chosen = lines.map((line) => ({ ...line, product: products[line.label] ?? line.product }));
  return chooseMaps({ places, lines: chosen }, towns, 'de');
}

describe('the maps of a timetable', () => {
  test('for a city are metro with trams, and metro only', () => {
    const maps = choose(readTown(NEAR, { U1: 'abcdefgh', 2: 'ijklmnop' }), { U1: 'subway' });
    expect(maps.map(({ id, title, lines }) => [id, title, lines.map(({ label }) => label)])).toEqual([
      ['stadt-city', 'Stadt: U-Bahn und Straßenbahn', ['2', 'U1']],
      ['stadt-metro', 'Stadt: U-Bahn', ['U1']],
    ]);
  });

  test('include railways by region, but none with few stations', () => {
    const maps = choose(readTown(NEAR, { R1: 'abcdefgh', R2: 'ijkl' }, 'regionalTrain'));
    expect(maps.map(({ id, lines }) => [id, lines.map(({ label }) => label)])).toEqual([['stadt-rail', ['R1']]]);
  });

  test('show suburban trains with the metro', () => {
    const maps = choose(readTown(NEAR, { U1: 'abcdefgh', S1: 'ijklmdef' }, 'sBahn'), { U1: 'subway' });
    expect(maps.map(({ kind }) => kind).sort()).toEqual(['metro', 'rail', 'rapid']);
  });

  test('are named after the operator without a known town, with unique ids', () => {
    const town = readTown(FAR, { 1: 'abcdefgh', 2: 'ABCDEFGH' });
    expect(choose(town, {}, []).map(({ id, region }) => [id, region])).toEqual([
      ['betrieb-tram', 'Betrieb'],
      ['betrieb-tram-2', 'Betrieb'],
    ]);
  });

  test('draw trains of one colour and operator as one line, and give trams of one colour distinct colours', () => {
    const ways = { 1: 'abcdefgh', 2: 'ijkdef', 3: 'mnog' };
    const oneColor = (plan: TownPlan) => ({ ...plan, lines: plan.lines.map((line) => ({ ...line, color: 0xc00000 })) });
    const [trains] = choose(oneColor(readTown(NEAR, ways, 'train')));
    expect(trains!.lines.map(({ label, runs }) => [label, runs.length])).toEqual([['1 · 2 · 3', 3]]);
    const [trams] = choose(oneColor(readTown(NEAR, ways)));
    expect(new Set(trams!.lines.map(({ color }) => color)).size).toBe(3);
  });
});
