import { describe, expect, it } from 'vitest';
import type { HafasLine } from '../../../../pipeline/sources/hafas/load-profile.ts';
import { loadHafasProfile } from '../../../../pipeline/sources/hafas/load-profile.ts';
import { toLineLabel } from '../../../../pipeline/sources/hafas/names.ts';
import { toProduct } from '../../../../pipeline/sources/hafas/normalise-hafas.ts';

const line = (product: string | null, members: Partial<HafasLine> = {}): HafasLine => ({
  name: null,
  product,
  ...members,
});

describe('products', () => {
  it.each<[string | null, Partial<HafasLine>, string | null]>([
    ['u-bahn', {}, 'subway'],
    ['subway', {}, 'subway'],
    ['suburban', {}, 'sBahn'],
    ['s-bahn', {}, 'sBahn'],
    ['strassenbahn', {}, 'tram'],
    ['city-bus', { name: '13A' }, 'cityBus'],
    ['city-bus', { name: 'N25' }, 'nightBus'],
    ['city-bus', { name: 'Bus N 8' }, 'nightBus'],
    ['regional-bus', { name: 'N2' }, 'regionalBus'],
    ['bus', { mode: 'bus', name: '512' }, 'regionalBus'],
    ['bus', { mode: 'bus', name: '7' }, 'cityBus'],
    ['bus', { mode: 'bus', name: null }, 'cityBus'],
    ['aerial-lift', { mode: 'gondola' }, 'cableway'],
    ['schiff', { mode: 'watercraft' }, 'ship'],
    ['on-call', { mode: 'taxi' }, 'other'],
    ['onCall', { mode: null }, 'other'],
    ['express-train', { mode: 'train', productName: 'ICE' }, 'train'],
    ['regional', { mode: 'train' }, 'regionalTrain'],
    ['train-and-s-bahn', { mode: 'train', productName: 'S' }, 'sBahn'],
    ['train-and-s-bahn', { mode: 'train', productName: 'REX' }, 'regionalTrain'],
    ['train-and-s-bahn', { mode: 'train', productName: 'RJX' }, 'train'],
    ['train-and-s-bahn', { mode: 'train', name: 'CJX 5' }, 'regionalTrain'],
    ['train-and-s-bahn', { mode: 'train', name: 'S45' }, 'sBahn'],
    [null, { mode: 'train' }, null],
  ])('%s with %j is %s', (product, members, expected) => {
    expect(toProduct(line(product, members))).toBe(expected);
  });

  it.each(['vor', 'stv', 'svv', 'vvt', 'vkg', 'ivb', 'ooevv', 'vvv', 'salzburg', 'oebb'])(
    'of %s are all known',
    async (name) => {
      const { products } = await loadHafasProfile(name, {});
      const known = products.map(({ id, mode }) => toProduct(line(id, { mode, name: '1' })));
      expect(known).toEqual(expect.arrayContaining(['train', 'subway', 'tram', 'cityBus', 'ship']));
      expect(known).not.toContain(null);
    },
  );
});

describe('labels', () => {
  it.each([
    ['Bus 13A', '13A'],
    ['Tram 5', '5'],
    ['U      6', 'U6'],
    ['S 45', 'S45'],
    ['RJ   742', 'RJ 742'],
    ['Bus', 'Bus'],
    ['REX 51', 'REX 51'],
    ['  ', null],
    [null, null],
  ])('%j is %j', (name, expected) => {
    expect(toLineLabel(name)).toBe(expected);
  });
});
