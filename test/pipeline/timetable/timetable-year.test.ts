import { expect, it } from 'vitest';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { chooseTimetableYears, timetableYearStart } from '../../../pipeline/timetable/feed/timetable-year.ts';

it.each([
  [2024, '2023-12-10'],
  [2025, '2024-12-15'],
  [2026, '2025-12-14'],
  [2027, '2026-12-13'],
  [2028, '2027-12-12'],
])('the timetable year %i begins on %s', (year, date) => {
  expect(timetableYearStart(year)).toBe(date);
});

const choices: readonly [active: number[], today: string, chosen: number[]][] = [
  [[], '2026-11-01', []],
  [[2026], '2026-11-01', [2026]],
  [[2025], '2026-11-01', [2025]],
  [[2027, 2026, 2025], '2026-11-01', [2026, 2027]],
  [[2026, 2027, 2027], '2026-12-12', [2026, 2027]],
  [[2026, 2027], '2026-12-13', [2027]],
];
it.each(choices)('of active years %j, on %s %j are fetched', (active, today, chosen) => {
  expect(chooseTimetableYears(active, today as ServiceDate)).toEqual(chosen);
});
