import type { RunCounts } from '../../pipeline/operations/job-run.ts';

/** Counts of several pieces of work together. A count that none of them has stays unknown. */
export function sumCounts(all: readonly Partial<RunCounts>[]): RunCounts {
  const sum = (name: Exclude<keyof RunCounts, 'problems'>) => {
    const known = all.flatMap((counts) => counts[name] ?? []);
    return known.length === 0 ? null : known.reduce((total, n) => total + n, 0);
  };
  const problems: Record<string, number> = {};
  for (const counts of all) {
    for (const [code, n] of Object.entries(counts.problems ?? {})) problems[code] = (problems[code] ?? 0) + n;
  }
  return {
    rowsIn: sum('rowsIn'),
    rowsOut: sum('rowsOut'),
    rowsRefused: sum('rowsRefused'),
    bytesWritten: sum('bytesWritten'),
    problems,
  };
}
