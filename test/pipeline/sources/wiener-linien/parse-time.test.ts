import { expect, it } from 'vitest';
import { parseTime } from '../../../../pipeline/sources/wiener-linien/read-time.ts';

it.each([
  ['2026-04-20T14:40:15.000+0200', 1776688815],
  ['2026-04-20T14:40:15+0200', 1776688815],
  ['2026-04-20T14:40:15.999+02:00', 1776688815],
  ['2026-04-20T12:40:15Z', 1776688815],
  ['2026-10-25T02:30:00.000+0200', 1792888200],
  ['2026-10-25T02:30:00.000+0100', 1792891800],
  ['20.04.2026 14:40', null],
  ['2026-04-20T14:40:15', null],
  ['2026-02-30T14:40:15+0200', null],
  ['', null],
  [undefined, null],
])('%s', (text, expected) => {
  expect(parseTime(text)).toBe(expected);
});
