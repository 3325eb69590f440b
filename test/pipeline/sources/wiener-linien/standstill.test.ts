import { expect, it } from 'vitest';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { isFrozenLine } from '../../../../pipeline/sources/wiener-linien/normalise-monitor.ts';

const CLOCK = 1_800_000_000 as Instant;
const minutes = (count: number) => (CLOCK + count * 60) as Instant;

it.each<[string, boolean, [planned: number, real: number | null][]]>([
  ['no departures: unknown', false, []],
  [
    'normal service',
    false,
    [
      [-1, 0],
      [3, 4],
      [66, 66],
    ],
  ],
  [
    'schedules without forecasts',
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
  ['scheduled two days ago, always leaving now', true, [[-3000, 0]]],
  [
    'all scheduled long ago, with and without forecast',
    true,
    [
      [-45, 0],
      [-31, null],
    ],
  ],
  ['the first of the morning, hours ahead', false, [[180, 180]]],
  [
    'forecasts that have passed without being removed',
    true,
    [
      [-12, -11],
      [5, 5],
    ],
  ],
  [
    'three that are due accumulate, all leaving now, and more follow',
    true,
    [
      [-15, 0],
      [-10, 0],
      [-5, 0],
      [5, 5],
    ],
  ],
  [
    'two that wait for each other',
    false,
    [
      [-8, 0],
      [-3, 0],
      [5, 5],
    ],
  ],
  [
    'three forecast for the same future minute',
    false,
    [
      [1, 6],
      [3, 6],
      [5, 6],
    ],
  ],
  [
    'three with one scheduled time',
    false,
    [
      [-5, 0],
      [-5, 0],
      [-5, 0],
    ],
  ],
  [
    'scheduled times that passed without a forecast',
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
