import { expect, it } from 'vitest';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { isFrozenLine } from '../../../../pipeline/sources/wiener-linien/normalise-monitor.ts';

const CLOCK = 1_800_000_000 as Instant;
const minutes = (count: number) => (CLOCK + count * 60) as Instant;

it.each<[string, boolean, [planned: number, real: number | null][]]>([
  ['nothing leaves: nobody can tell', false, []],
  [
    'all as usual',
    false,
    [
      [-1, 0],
      [3, 4],
      [66, 66],
    ],
  ],
  [
    'a plan without forecasts',
    false,
    [
      [1, null],
      [20, null],
    ],
  ],
  [
    'a very late vehicle among others',
    false,
    [
      [-80, 2],
      [5, 6],
    ],
  ],
  ['the last of the night, half an hour late', false, [[-30, 1]]],
  ['planned two days ago, always leaving now', true, [[-3000, 0]]],
  [
    'all planned long ago, with and without forecast',
    true,
    [
      [-45, 0],
      [-31, null],
    ],
  ],
  ['the first of the morning, hours ahead', false, [[180, 180]]],
  [
    'forecasts that passed, and nobody took them off',
    true,
    [
      [-12, -11],
      [5, 5],
    ],
  ],
  [
    'three that are due pile up, all leaving now, and more are to come',
    true,
    [
      [-15, 0],
      [-10, 0],
      [-5, 0],
      [5, 5],
    ],
  ],
  [
    'two that wait for one another',
    false,
    [
      [-8, 0],
      [-3, 0],
      [5, 5],
    ],
  ],
  [
    'three forecast for the same minute to come',
    false,
    [
      [1, 6],
      [3, 6],
      [5, 6],
    ],
  ],
  [
    'three of one planned time',
    false,
    [
      [-5, 0],
      [-5, 0],
      [-5, 0],
    ],
  ],
  [
    'planned times that passed without a forecast',
    false,
    [
      [-12, null],
      [5, 5],
    ],
  ],
])('%s', (_what, expected, times) => {
  const departures = times.map(([planned, real]) => ({
    plannedAt: minutes(planned),
    realAt: real === null ? null : minutes(real),
  }));
  expect(isFrozenLine(departures, CLOCK)).toBe(expected);
});
