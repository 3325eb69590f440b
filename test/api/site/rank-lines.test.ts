import { expect, test } from 'vitest';
import type { PunctualityLine } from '../../../api/contract/site-charts.ts';
import { rankLines } from '../../../api/site/data/rank-lines.ts';

/** A line with its share and 95 % interval. */
function line(name: string, onTime: number, observed: number): PunctualityLine {
  const centre = (onTime + 1.92) / (observed + 3.84);
  const half = (1.96 * Math.sqrt((onTime * (observed - onTime)) / observed + 0.96)) / (observed + 3.84);
  return {
    line: name,
    product: 'bus',
    operator: '',
    expected: observed,
    observed,
    derived: 0,
    forecasts: 0,
    cancelled: 0,
    replaced: 0,
    on_time: onTime,
    early: 0,
    late10: 0,
    delay_sum_seconds: 0,
    coverage: 1,
    on_time_share: observed === 0 ? null : onTime / observed,
    on_time_low: observed === 0 ? null : centre - half,
    on_time_high: observed === 0 ? null : centre + half,
    mean_delay_seconds: 0,
  };
}

const namesOf = (lines: readonly PunctualityLine[]) => lines.map((one) => one.line);

test('lines with twelve calls, all on time or all late, lead no list', () => {
  const lines = [
    line('few good', 12, 12),
    line('few bad', 0, 12),
    line('good', 9800, 10_000),
    line('fair', 9000, 10_000),
    line('bad', 2000, 10_000),
    line('worse', 1000, 10_000),
  ];
  const { count, worst, best } = rankLines(lines);
  expect(count).toBe(6);
  expect(namesOf(worst)).toEqual(['worse', 'bad', 'few bad']);
  expect(namesOf(best)).toEqual(['good', 'fair', 'few good']);
});

test('no line is in both lists, and lines without a label or observed call are in neither', () => {
  const { count, worst, best } = rankLines([line('', 5, 10), line('unseen', 0, 0), line('only', 5, 10)]);
  expect([count, namesOf(worst), namesOf(best)]).toEqual([1, ['only'], []]);
  expect(rankLines([])).toEqual({ count: 0, worst: [], best: [] });
});

test('lists only the first lines of each ranking', () => {
  const { count, worst, best } = rankLines(Array.from({ length: 100 }, (_, i) => line(`l${i}`, i * 10, 1000)));
  expect([count, worst.length, best.length]).toEqual([100, 12, 12]);
  expect([worst[0]!.line, best[0]!.line]).toEqual(['l0', 'l99']);
});
