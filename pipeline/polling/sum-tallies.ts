import type { RealtimeTally } from '../model/realtime-tally.ts';

/** What became of all records of several answers. */
export function sumTallies(tallies: readonly RealtimeTally[]): RealtimeTally {
  const sum = (read: (tally: RealtimeTally) => number) => tallies.reduce((total, tally) => total + read(tally), 0);
  return {
    matched: sumCounts(tallies.map(({ matched }) => matched)),
    unmatched: sumCounts(tallies.map(({ unmatched }) => unmatched)),
    vehiclesMatched: sum(({ vehiclesMatched }) => vehiclesMatched),
    vehiclesOnRouteOnly: sum(({ vehiclesOnRouteOnly }) => vehiclesOnRouteOnly),
    vehiclesUnmatched: sum(({ vehiclesUnmatched }) => vehiclesUnmatched),
    alerts: sum(({ alerts }) => alerts),
    records: sum(({ records }) => records),
    problems: sumCounts(tallies.map(({ problems }) => problems)),
  };
}

function sumCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total = new Map<string, number>();
  for (const counts of all) {
    for (const [code, count] of Object.entries(counts)) total.set(code, (total.get(code) ?? 0) + count);
  }
  return Object.fromEntries(total);
}
