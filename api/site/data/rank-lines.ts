import type { PunctualityData, PunctualityLine } from '../../contract/site-charts.ts';

/** Number of lines in each list of a page. */
const LISTED_LINES = 12;

/**
 * Ranks lines by the bounds of their intervals: a line with few observed calls has a wide interval and cannot lead a list
 * by chance. No line is in both lists; lines without a label or an observed call are in neither.
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
  // The sort is stable: lines with equal bounds stay in order of their names.
  return [...lines].sort((a, b) => measure(a) - measure(b));
}
