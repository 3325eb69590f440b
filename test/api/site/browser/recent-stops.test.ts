import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readFavourites, toggleFavourite } from '../../../../api/site/browser/favourites/favourites.ts';
import { forgetRecent, offerStops, rememberStop } from '../../../../api/site/browser/favourites/recent-stops.ts';
import type { StoredStop } from '../../../../api/site/browser/favourites/stored-stops.ts';

const stored = new Map<string, string>();
const storage = { getItem: (key: string) => stored.get(key) ?? null, setItem: stored.set.bind(stored) };
const stop = (id: string, kind: StoredStop['kind'] = 'station'): StoredStop => ({ id, name: `Stop ${id}`, kind });
const idsOf = (stops: readonly StoredStop[]) => stops.map(({ id }) => id).join('');

beforeEach(() => {
  stored.clear();
  vi.stubGlobal('localStorage', storage);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('an empty search field', () => {
  test('offers the last eight, each once, the newest first', () => {
    for (const id of 'abcdefghijd') rememberStop(stop(id));
    expect(offerStops(true)).toEqual({ stops: [...'djihgfec'].map((id) => stop(id)), hasRecent: true });
  });

  test('offers marked stops after those, and no addresses where only stops count', () => {
    for (const id of 'ab') toggleFavourite(stop(id));
    rememberStop(stop('b'));
    rememberStop(stop('c', 'address'));
    expect(idsOf(offerStops(true).stops)).toBe('cba');
    expect(idsOf(offerStops(false).stops)).toBe('ba');
  });

  test('offers only marked stops after the history was cleared', () => {
    rememberStop(stop('a'));
    toggleFavourite(stop('b'));
    forgetRecent();
    expect(offerStops(true)).toEqual({ stops: [stop('b')], hasRecent: false });
  });
});

test.each(['no JSON', '{}', '[null, 1, {"id": 2, "name": "x"}]'])('stored %s counts as nothing', (text) => {
  stored.set('recent-stops', text);
  stored.set('favourite-stops', text);
  expect([offerStops(true).stops, readFavourites()]).toEqual([[], []]);
});

test('a browser without storage offers nothing', () => {
  vi.stubGlobal('localStorage', undefined);
  rememberStop(stop('a'));
  expect([offerStops(true).stops, toggleFavourite(stop('a'))]).toEqual([[], []]);
});

test('favourites of earlier versions, which had no kind, count as stops', () => {
  stored.set('favourite-stops', '[{"id":"a","name":"Stop a"}]');
  expect(offerStops(false).stops).toEqual([stop('a')]);
});
