import type { PunctualityData, PunctualityLine } from '../../contract/site-charts.ts';

/** Lines at each end of the order that a page shows. */
const LISTED_LINES = 12;

/**
 * Ranks lines by what can be said of them: few observed calls make a wide interval, so that chance alone leads no list.
 * No line is in both lists; lines without a label or an observed call are in none.
 */
export function rankLines(lines: readonly PunctualityLine[]): PunctualityData['lines'] {
  const known = lines.filter(({ line, observed }) => line !== '' && observed > 0);
  const worst = sortBy(known, ({ on_time_high: high }) => high!).slice(
    0,
    Math.min(LISTED_LINES, Math.ceil(known.length / 2)),
  );
  const others = known.filter((line) => !worst.includes(line));
  return { count: known.length, worst, best: sortBy(others, ({ on_time_low: low }) => -low!).slice(0, LISTED_LINES) };
}

function sortBy(
  lines: readonly PunctualityLine[],
  measure: (line: PunctualityLine) => number,
): readonly PunctualityLine[] {
  // Stable: lines of one measure stay in the order of their names.
  return [...lines].sort((a, b) => measure(a) - measure(b));
}
