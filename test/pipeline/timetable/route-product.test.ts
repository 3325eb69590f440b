import { describe, expect, it } from 'vitest';
import { getRouteProduct } from '../../../pipeline/timetable/feed/route-product.ts';

describe('derives the product from the type alone', () => {
  it.each<[product: string, types: readonly number[]]>([
    ['tram', [0, 5, 900, 901, 906]],
    ['subway', [1, 12, 400, 401, 405, 500, 600]],
    ['ship', [4, 1000, 1021, 1099, 1200]],
    ['cableway', [6, 7, 1300, 1307, 1400, 1401, 1402]],
    ['train', [101, 102, 103, 105, 107]],
    ['regionalTrain', [106, 108, 111, 117]],
    ['sBahn', [109, 300]],
    ['regionalBus', [110, 200, 204, 209, 701, 702, 714]],
    ['cityBus', [11, 703, 704, 800]],
    ['nightBus', [705]],
    ['other', [8, 9, 10, 99, 118, 199, 717, 1100, 1500, 1501, 1600, 1700, 1702]],
  ])('%s', (product, types) => {
    expect(types.map((type) => getRouteProduct(type, 'Linie'))).toEqual(types.map(() => product));
  });

  it('has a product for every type from 0 to 1702', () => {
    for (let type = 0; type <= 1702; type++) expect(getRouteProduct(type, '')).toMatch(/^[a-zA-Z]+$/);
  });
});

describe('refines rail and bus by the name of the line', () => {
  it.each<[type: number, lines: Record<string, string>]>([
    [
      2,
      {
        S1: 'sBahn',
        'S 80': 'sBahn',
        'S-Bahn': 'sBahn',
        REX3: 'regionalTrain',
        'R 81': 'regionalTrain',
        CJX: 'regionalTrain',
      },
    ],
    [
      2,
      { RJ: 'train', RJX: 'train', 'IC 518': 'train', WB: 'train', NJ: 'train', '': 'train', Schneebergbahn: 'train' },
    ],
    [100, { S45: 'sBahn', REX: 'regionalTrain', RJX: 'train' }],
    [106, { 'S 3': 'sBahn', REX: 'regionalTrain', RJX: 'regionalTrain' }],
    [3, { N25: 'nightBus', 'N 8': 'nightBus', '13A': 'cityBus', '7': 'cityBus', '': 'cityBus', '850': 'regionalBus' }],
    [700, { n1: 'nightBus', Nord: 'cityBus', 'VB 265': 'regionalBus', ' N6 ': 'nightBus' }],
  ])('type %i: %j', (type, lines) => {
    for (const [line, product] of Object.entries(lines)) expect(getRouteProduct(type, line), line).toBe(product);
  });
});
