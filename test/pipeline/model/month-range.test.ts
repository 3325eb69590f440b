import { expect, test } from 'vitest';
import { touchesMonth } from '../../../pipeline/model/month-range.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';

test.each<[from: string | null, to: string | null, touched: string[]]>([
  [null, null, ['2025-12', '2026-01', '2026-02']],
  ['2026-01-31', null, ['2026-01', '2026-02']],
  [null, '2026-01-01', ['2025-12', '2026-01']],
  ['2026-01-15', '2026-01-15', ['2026-01']],
  ['2025-12-31', '2026-02-01', ['2025-12', '2026-01', '2026-02']],
])('the days from %s to %s are in %j', (from, to, touched) => {
  const range = { from: from as ServiceDate | null, to: to as ServiceDate | null };
  expect(['2025-12', '2026-01', '2026-02'].filter((month) => touchesMonth(range, month))).toEqual(touched);
});
