import { expect, test } from 'vitest';
import { findWholeMonths } from '../../../api/history/whole-months.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';

test.each([
  ['2026-01-01', '2026-01-31', '2026-01-01 2026-01-31'],
  ['2026-01-01', '2026-01-30', null],
  ['2026-01-02', '2026-01-31', null],
  ['2026-01-02', '2026-02-28', '2026-02-01 2026-02-28'],
  ['2024-02-01', '2024-02-28', null],
  ['2025-12-31', '2026-03-01', '2026-01-01 2026-02-28'],
  ['2025-11-01', '2026-01-01', '2025-11-01 2025-12-31'],
  ['2025-11-05', '2025-11-05', null],
  ['2025-12-31', '2026-01-01', null],
])('the whole months from %s to %s are %s', (from, to, expected) => {
  const months = findWholeMonths({ from: from as ServiceDate, to: to as ServiceDate });
  expect(months && `${months.from} ${months.to}`).toBe(expected);
});
