import { expect, test } from 'vitest';
import { createDoorkeeper } from '../../../api/plugins/doorkeeper.ts';

test('knows a key from its second time on', () => {
  const doorkeeper = createDoorkeeper();
  const keys = ['', 'a', 'b', '/v2/stops/at:1/departures?time=2026-03-11T07:30:00%2B01:00', 'ü😀'];
  expect(keys.map((key) => doorkeeper.sawBefore(key))).toEqual([false, false, false, false, false]);
  expect(keys.map((key) => doorkeeper.sawBefore(key))).toEqual([true, true, true, true, true]);
});

test('knows nearly all of ten thousand keys in turn, and hardly any new one', () => {
  const doorkeeper = createDoorkeeper();
  const count = (from: number) => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `/v2/stops/at:${from + i}/departures`);
    return keys.filter((key) => doorkeeper.sawBefore(key)).length;
  };
  expect(count(0)).toBeLessThan(10);
  expect(count(0)).toBeGreaterThan(9950);
  expect(count(10_000)).toBeLessThan(10);
});
